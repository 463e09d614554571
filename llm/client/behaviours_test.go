package client

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"compqa/llm"
)

// A behaviour is a response that a provider documents or was reported to give, and its expected effect. The server gives the same response
// to each of at most three attempts. docs/providers.md lists the behaviours whose status is not valid, without their sources. A source with
// † could not be opened, so the behaviour is as reported.
type behaviour struct {
	provider, what, source string

	kind   string // type of the provider; "": openai
	code   int    // HTTP status; 0: 200
	body   string
	header string
	price  bool // the model has no known price

	status   string // status of the answer or verdict
	attempts int
	cost     float64 // US dollars; a prompt token costs 1, cached .1, written 1.25; a reply token costs 2; below 0: estimated
	paid     string  // the cost in words
	printed  string  // part of the error's message
}

// choice returns a reply of an OpenAI-compatible server.
func choice(message, finish, usage string) string {
	return `{"model":"m-2026-10","choices":[{"index":0,"message":` + message + `,"finish_reason":` + finish + `}],"usage":` + usage + `}`
}

const (
	fine   = `{"role":"assistant","content":"Go."}`
	stop   = `"stop"`
	counts = `{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}`
)

// claude returns a reply of Anthropic.
func claude(content, stop, usage string) string {
	return `{"type":"message","model":"m","content":[` + content + `],"stop_reason":"` + stop + `","usage":` + usage + `}`
}

var behaviours = []behaviour{
	{provider: "OpenAI", what: "401 invalid_api_key", source: "developers.openai.com/docs/guides/error-codes", code: 401,
		body:   `{"error":{"message":"Incorrect API key provided","type":"invalid_request_error","code":"invalid_api_key"}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the server refuses the key"},
	{provider: "OpenAI", what: "429 insufficient_quota", source: "developers.openai.com/docs/guides/error-codes", code: 429,
		body:   `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the account has no credit left"},
	{provider: "OpenAI", what: "429 rate_limit_exceeded", source: "developers.openai.com/docs/guides/error-codes", code: 429,
		body:   `{"error":{"message":"Rate limit reached for m","type":"requests","code":"rate_limit_exceeded"}}`,
		status: "failed", attempts: 3, paid: "nothing", printed: "Rate limit reached"},
	{provider: "OpenAI", what: "429 Request too large", source: "github.com/Aider-AI/aider/issues/1880", code: 429,
		body: `{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 36278.","type":"tokens",` +
			`"code":"rate_limit_exceeded"}}`,
		status: "failed", attempts: 1, paid: "nothing", printed: "one request needs more than the account's limit of tokens a minute"},
	{provider: "OpenAI", what: "404 model_not_found", source: "platform.openai.com/docs/guides/error-codes †", code: 404,
		body:   `{"error":{"message":"The model m does not exist","type":"invalid_request_error","code":"model_not_found"}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "no such model or address"},
	{provider: "OpenAI", what: "403 model_not_found: no access to the model",
		source: "platform.openai.com/docs/guides/error-codes †", code: 403,
		body:   `{"error":{"message":"Project does not have access to model m","type":"invalid_request_error","code":"model_not_found"}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "no such model or address"},
	{provider: "OpenAI", what: "500 server_error", source: "developers.openai.com/docs/guides/error-codes", code: 500,
		body: `{"error":{"message":"The server had an error","type":"server_error"}}`, status: "failed", attempts: 3, paid: "nothing",
		printed: "The server had an error"},
	{provider: "OpenAI", what: "message.refusal", source: "platform.openai.com/docs/guides/structured-outputs †",
		body:   choice(`{"content":null,"refusal":"I can't help with that."}`, stop, counts),
		status: "refused", attempts: 1, cost: 20, paid: "as counted", printed: "I can't help"},
	{provider: "OpenAI", what: "finish_reason length", source: "platform.openai.com/docs/api-reference/chat †",
		body:   choice(fine, `"length"`, counts),
		status: "truncated", attempts: 1, cost: 20, paid: "as counted", printed: "limit of tokens"},
	{provider: "OpenAI", what: "reasoning within completion_tokens", source: "platform.openai.com/docs/guides/reasoning †",
		body: choice(fine, stop, `{"prompt_tokens":10,"completion_tokens":105,"total_tokens":115,"completion_tokens_details":`+
			`{"reasoning_tokens":100}}`), status: "valid", attempts: 1, cost: 220, paid: "as counted"},
	{provider: "OpenAI", what: "cached_tokens", source: "docs.litellm.ai/docs/completion/prompt_caching (OpenAI's form)",
		body: choice(fine, stop, `{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8}}`), status: "valid",
		attempts: 1, cost: 2 + .8 + 10, paid: "the cached price"},
	{provider: "OpenAI", what: "service_tier flex", source: "github.com/BerriAI/litellm/issues/13810",
		body: strings.Replace(choice(fine, stop, counts), "{", `{"service_tier":"flex",`, 1), status: "valid", attempts: 1, cost: 10,
		paid: "half, or `flex` of the price"},
	{provider: "OpenAI", what: "service_tier priority",
		source: "openai.com/api-priority-processing, openrouter.ai/docs/guides/features/service-tiers",
		body:   strings.Replace(choice(fine, stop, counts), "{", `{"service_tier":"priority",`, 1), status: "valid", attempts: 1, cost: 40,
		paid: "`priority` times the price"},
	{provider: "xAI", what: "reasoning apart from completion_tokens, within total_tokens", source: "github.com/vercel/ai/pull/12425",
		body: choice(fine, stop, `{"prompt_tokens":12,"completion_tokens":1,"total_tokens":399,"completion_tokens_details":`+
			`{"reasoning_tokens":386}}`), status: "valid", attempts: 1, cost: 12 + 2*387, paid: "with the reasoning"},
	{provider: "xAI", what: "reasoning above completion_tokens, no total", source: "docs.x.ai/consumption-and-rate-limits",
		body:   choice(fine, stop, `{"prompt_tokens":12,"completion_tokens":1,"completion_tokens_details":{"reasoning_tokens":386}}`),
		status: "valid", attempts: 1, cost: 12 + 2*387, paid: "with the reasoning"},
	{provider: "xAI", what: "403 without credits", source: "docs.x.ai/developers/debugging; the message: a report †", code: 403,
		body:   `{"code":"The caller does not have permission","error":"Your newly created team doesn't have any credits yet."}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the account has no credit left"},
	{provider: "Gemini", what: "thinking in total_tokens alone", source: "github.com/mozilla-ai/any-llm/issues/1290",
		body:   choice(fine, stop, `{"prompt_tokens":20,"completion_tokens":198,"total_tokens":623}`),
		status: "valid", attempts: 1, cost: 20 + 2*603, paid: "with the reasoning"},
	{provider: "Gemini", what: "completion_tokens 0, reasoning_tokens 60", source: "github.com/router-for-me/CLIProxyAPI/issues/5733 †",
		body: choice(fine, stop, `{"prompt_tokens":21,"completion_tokens":0,"total_tokens":81,"completion_tokens_details":`+
			`{"reasoning_tokens":60}}`), status: "valid", attempts: 1, cost: 21 + 2*60, paid: "with the reasoning"},
	{provider: "Gemini", what: "400 API key not valid, in a list",
		source: "github.com/cequence-io/openai-scala-client/issues/109 (the object); in a list: reports †", code: 400,
		body:   `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the server refuses the key"},
	{provider: "Gemini", what: "400 API key not valid, as JSON in a text", source: "github.com/continuedev/continue/issues/10290", code: 400,
		body:   `{"error":{"message":"{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"API key not valid.\"\n  }\n}\n","code":400}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the server refuses the key: API key not valid."},
	{provider: "Gemini", what: "finish_reason PROHIBITED_CONTENT", source: "github.com/HKUDS/Vibe-Trading/pull/308 †",
		body: choice(`{"content":null}`, `"PROHIBITED_CONTENT"`, counts), status: "refused", attempts: 1, cost: 20, paid: "as counted",
		printed: "PROHIBITED_CONTENT"},
	{provider: "Gemini", what: "finish_reason content_filter: PROHIBITED_CONTENT", source: "gateways that join both words †",
		body: choice(`{"content":null}`, `"content_filter: PROHIBITED_CONTENT"`, counts), status: "refused", attempts: 1, cost: 20,
		paid: "as counted", printed: "PROHIBITED_CONTENT"},
	{provider: "Azure", what: "404 DeploymentNotFound", code: 404,
		source: "github.com/Azure-Samples/azure-search-openai-demo-csharp/issues/379",
		body:   `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "no such model or address"},
	{provider: "Azure", what: "400 content_filter on the prompt", source: "github.com/openai/openai-agents-python/issues/806", code: 400,
		body: `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",` +
			`"code":"content_filter"}}`, status: "refused", attempts: 1, paid: "nothing", printed: "filtered"},
	{provider: "Azure", what: "429 with Retry-After of a day", source: "github.com/vanderschaarlab/climb/issues/1", code: 429,
		body: `{"error":{"code":"429","message":"Please retry after 86400 seconds."}}`, header: "Retry-After: 86400", status: "failed",
		attempts: 3, paid: "nothing", printed: "the server asks for a pause of 24h0m0s"},
	{provider: "OpenRouter", what: "402 Insufficient credits", source: "github.com/open-assistant-org/open-assistant/issues/80", code: 402,
		body:   `{"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the account has no credit left"},
	{provider: "OpenRouter", what: "402 in an error in an error, status 200", source: "github.com/tailcallhq/forgecode/issues/571",
		body:   `{"error":{"error":{"message":"More credits are required to run this request.","code":402},"code":402}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the account has no credit left"},
	{provider: "OpenRouter", what: "error 502 of the model's server, status 200",
		source: "openrouter.ai/docs/api/reference/errors-and-debugging",
		body:   `{"error":{"code":502,"message":"Provider returned error"}}`, status: "failed", attempts: 3, paid: "nothing",
		printed: "an error within the reply"},
	{provider: "OpenRouter", what: "error 429 in a choice",
		source: "openrouter.ai/docs/api/reference/errors-and-debugging (429); within a choice: reports †",
		body:   `{"choices":[{"index":0,"error":{"code":429,"message":"slow down"},"message":{"content":""},"finish_reason":"error"}]}`,
		status: "failed", attempts: 3, paid: "nothing", printed: "slow down"},
	{provider: "OpenRouter", what: "403 Your input was flagged", source: "openrouter.ai/docs/api/reference/errors-and-debugging", code: 403,
		body: `{"error":{"code":403,"message":"Your input was flagged"}}`, status: "refused", attempts: 1, paid: "nothing", printed: "flagged"},
	{provider: "OpenRouter", what: "usage.cost, and no price is known", source: "openrouter.ai/docs/use-cases/usage-accounting", price: true,
		body:   choice(fine, stop, `{"prompt_tokens":194,"completion_tokens":2,"total_tokens":196,"cost":0.95}`),
		status: "valid", attempts: 1, cost: .95, paid: "usage.cost"},
	{provider: "OpenRouter", what: "cache_write_tokens", source: "openrouter.ai/docs/use-cases/usage-accounting",
		body:   choice(fine, stop, `{"prompt_tokens":194,"completion_tokens":2,"prompt_tokens_details":{"cache_write_tokens":100}}`),
		status: "valid", attempts: 1, cost: 94 + 125 + 4, paid: "the price of writing"},
	{provider: "LiteLLM", what: "cache_creation_input_tokens", source: "docs.litellm.ai/docs/completion/prompt_caching",
		body:   choice(fine, stop, `{"prompt_tokens":194,"completion_tokens":2,"cache_creation_input_tokens":100}`),
		status: "valid", attempts: 1, cost: 94 + 125 + 4, paid: "the price of writing"},
	{provider: "Bedrock", what: "400 ThrottlingException",
		source: "github.com/BerriAI/litellm/issues/589 (the message); with status 400: reports †", code: 400,
		body:   `{"error":{"message":"Too many requests, please wait before trying again.","type":"ThrottlingException"}}`,
		status: "failed", attempts: 3, paid: "nothing", printed: "Too many requests"},
	{provider: "Anthropic", what: "529 overloaded_error", source: "docs.claude.com/en/api/errors",
		kind: llm.TypeAnthropic, code: 529,
		body: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, status: "pending", attempts: 3, paid: "nothing",
		printed: "Overloaded"},
	{provider: "Anthropic", what: "400 credit balance too low",
		source: "github.com/anthropics/claude-code/issues/66314", kind: llm.TypeAnthropic, code: 400,
		body:   `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`,
		status: "pending", attempts: 1, paid: "nothing", printed: "the account has no credit left"},
	{provider: "Anthropic", what: "400 API usage limits of the workspace", source: "github.com/anthropics/claude-code/issues/2127",
		kind: llm.TypeAnthropic, code: 400,
		body: `{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. ` +
			`You will regain access on 2026-12-01 at 00:00 UTC."}}`,
		status: "pending", attempts: 1, paid: "nothing",
		printed: "the account has no credit left: You have reached your specified API usage limits"},
	{provider: "Anthropic", what: "413 request_too_large", source: "docs.claude.com/en/api/errors", kind: llm.TypeAnthropic, code: 413,
		body:   `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
		status: "failed", attempts: 1, paid: "nothing", printed: "maximum size"},
	{provider: "Anthropic", what: "stop_reason refusal",
		source: "platform.claude.com/docs/en/build-with-claude/handling-stop-reasons", kind: llm.TypeAnthropic,
		body: claude("", "refusal", `{"input_tokens":10,"output_tokens":5}`), status: "refused", attempts: 1, cost: 20, paid: "as counted",
		printed: "refus"},
	{provider: "Anthropic", what: "thinking and no text", source: "platform.claude.com, extended thinking †", kind: llm.TypeAnthropic,
		body:   claude(`{"type":"thinking","thinking":"Hm."}`, "end_turn", `{"input_tokens":10,"output_tokens":5}`),
		status: "failed", attempts: 2, cost: 40, paid: "for both", printed: "reasoning but no answer"},
	{provider: "Anthropic", what: "cache read and written", source: "platform.claude.com, prompt caching †", kind: llm.TypeAnthropic,
		body: claude(`{"type":"text","text":"Go."}`, "end_turn", `{"input_tokens":10,"cache_read_input_tokens":20,`+
			`"cache_creation_input_tokens":40,"output_tokens":5}`), status: "valid", attempts: 1, cost: 10 + 2 + 50 + 10, paid: "each at its price"},
	{provider: "Any server", what: "an empty answer that is complete", source: "reports of hidden reasoning †",
		body:   choice(`{"content":""}`, stop, counts),
		status: "failed", attempts: 2, cost: 40, paid: "for both", printed: "the answer is empty"},
	{provider: "Any server", what: "a stream of events, although none is asked for", source: "proxies that only stream †",
		body: "data: {\"choices\":[{\"delta\":{\"content\":\"Go\"}}]}\n\ndata: [DONE]\n\n", status: "pending", attempts: 1,
		paid: "as estimated", cost: -1, printed: "only streams"},
	{provider: "Any server", what: "usage in texts", source: "gateways in dynamic languages †",
		body: choice(fine, stop, `{"prompt_tokens":"10","completion_tokens":"5"}`), status: "valid", attempts: 1, cost: 20, paid: "as counted"},
	{provider: "Any server", what: "usage that is no count (1.5e300)", source: "gateways in dynamic languages †",
		body: choice(fine, stop, `{"prompt_tokens":1.5e300,"completion_tokens":5}`), status: "valid", attempts: 1, cost: -1,
		paid: "as estimated"},
	{provider: "Any server", what: "finish_reason as an object", source: "gateways to other protocols †",
		body: choice(fine, `{"type":"stop"}`, counts), status: "valid", attempts: 1, cost: 20, paid: "as counted"},
	{provider: "Any server", what: "choices in any order", source: "platform.openai.com/docs/api-reference/chat (index) †",
		body: `{"choices":[{"index":1,"message":{"content":"No."},"finish_reason":"stop"},{"index":0,"message":` + fine +
			`,"finish_reason":"stop"}],"usage":` + counts + `}`, status: "valid", attempts: 1, cost: 20, paid: "as counted"},
}

// TestBehaviours: each behaviour has the expected status, attempts, message and cost.
func TestBehaviours(t *testing.T) {
	price := llm.PerMillion(1e6, .1e6, 2e6)
	price.CacheWrite = new(1.25e6)
	price.Priority = new(2.0)
	for _, b := range behaviours {
		t.Run(b.provider+", "+b.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
					var headers []string
					if b.header != "" {
						headers = []string{b.header}
					}
					status(w, max(200, b.code), b.body, headers...)
				})
				kind := llm.TypeOpenAI
				if b.kind != "" {
					kind = b.kind
				}
				c, err := New(llm.Provider{Name: "test", Type: kind, BaseURL: "http://server.test/v1", Retries: 2}, testEnv,
					Hooks{Transport: s.transport, Price: func(string) (llm.Price, bool) { return price, !b.price }})
				if err != nil {
					t.Fatal(err)
				}
				reply, err := c.Chat(t.Context(), ask("Go?"))
				got := "valid"
				message := ""
				cost := 0.0
				estimated := false
				if err != nil {
					got = llm.StatusOf(err)
					message = err.Error()
				}
				for _, a := range reply.Attempts {
					cost = cost + llm.ValueOr(a.Cost, 0)
					estimated = estimated || a.Estimated
				}
				if got != b.status || len(reply.Attempts) != b.attempts || !strings.Contains(message, b.printed) {
					t.Errorf("%s after %d attempts, want %s after %d: %s", got, len(reply.Attempts), b.status, b.attempts, message)
				}
				if got == "valid" && reply.Text != "Go." {
					t.Errorf("the answer is %q", reply.Text)
				}
				if b.cost >= 0 && (math.Abs(cost-b.cost) > 1e-9 || estimated) || b.cost < 0 && !estimated {
					t.Errorf("$%v, estimated %t, want $%v", cost, estimated, b.cost)
				}
			})
		})
	}
}

// TestBehavioursInManual: docs/providers.md has the table of behaviours. With COMPQA_UPDATE=1 the test writes the table.
func TestBehavioursInManual(t *testing.T) {
	const name, begin, end = "../../docs/providers.md", "## What providers answer, and what becomes of it\n", "\n## Anthropic\n"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := begin + "\nCases of `TestBehaviours` (llm/client), which names their sources: a server that always answers so, with `retries: 2`. Where\n" +
		"nothing else stands, one attempt is made and nothing is paid ([costs](costs.md#prices)).\n\n" +
		"| provider | becomes | answers |\n| --- | --- | --- |\n"
	outcome := func(b behaviour) string {
		text := b.status
		if b.attempts > 1 {
			text += fmt.Sprintf(" after %d attempts", b.attempts)
		}
		if b.paid != "nothing" {
			text += ", paid " + b.paid
		}
		return "| " + b.provider + " | " + text
	}
	for i, b := range behaviours {
		if b.status == "valid" || slices.ContainsFunc(behaviours[:i], func(earlier behaviour) bool { return outcome(earlier) == outcome(b) }) {
			continue
		}
		var answers []string
		for _, same := range behaviours[i:] {
			if outcome(same) == outcome(b) {
				answers = append(answers, same.what)
			}
		}
		want += outcome(b) + " | " + strings.Join(answers, "; ") + " |\n"
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(begin+rest, end)
	if os.Getenv("COMPQA_UPDATE") == "1" {
		if !found {
			before, after, ended = strings.Cut(string(text), end)
		}
		if err := os.WriteFile(name, []byte(before+want+end+after), 0o644); err != nil || !ended {
			t.Fatal(err, ended)
		}
		return
	}
	if !found || !strings.Contains(string(text), want+end) {
		t.Errorf("%s has another table: COMPQA_UPDATE=1 go test ./llm/client -run TestBehavioursInManual writes it", name)
	}
}
