package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/anthropictest"
	"compqa/llm/limits"
)

// anthropicClient returns a client of a server that enforces Anthropic's rules. Each kind of token has its own price.
func anthropicClient(t *testing.T, s *anthropictest.Server, budgets ...*limits.Budget) *client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.Key = testKey
	c, err := New(llm.Provider{Name: "test", Type: llm.TypeAnthropic, BaseURL: server.URL, APIKeyEnv: "TEST_KEY", Backoff: time.Millisecond, Retries: 2}, testEnv,
		Hooks{Budgets: budgets, Price: func(model string) (llm.Price, bool) {
			price, _, known := llm.KnownPrice(llm.Provider{Type: llm.TypeAnthropic}, model)
			return price, known
		}})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*client)
}

// judging returns a request as judges make it: a part that many prompts share, then an answer.
func judging(answer string) llm.Request {
	return llm.Request{
		Model: "claude-sonnet-5-5",
		Messages: []llm.Message{{Role: "system", Shared: "You are a judge."},
			{Role: "user", Shared: strings.Repeat("Criterion. ", 1000), Content: answer}},
		Options: map[string]any{"reasoning_effort": "low", "max_tokens": 900},
		Schema:  json.RawMessage(`{"type":"object","properties":{"2":{"type":"integer","enum":[0,1,2]},"1":{"type":"integer"}},"required":["2","1"],"additionalProperties":false}`),
	}
}

func TestAnthropicRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := int64(7)
		req := judging("An answer.")
		req.Messages[1].Shared = "Score it. "
		req.Seed = &seed
		req.Options = map[string]any{"max_completion_tokens": 900.0, "reasoning_effort": "low", "stop": []string{"END"}, "seed": 3}
		req.Extra = map[string]any{"metadata": map[string]any{"user_id": "u"}}
		s, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeAnthropic}, says(anthropicAnswer("<think>Hm.</think>{}", "stop")), req)
		if err != nil || reply.Text != "{}" || reply.Reasoning != "Hm." || reply.Format != "json_schema" {
			t.Fatalf("%+v, %v", reply, err)
		}
		want := map[string]string{
			"model": `"claude-sonnet-5-5"`, "max_tokens": "900", "stop_sequences": `["END"]`, "metadata": `{"user_id":"u"}`,
			"system":        `[{"type":"text","text":"You are a judge."}]`,
			"messages":      `[{"role":"user","content":[{"type":"text","text":"Score it. ","cache_control":{"type":"ephemeral"}},{"type":"text","text":"An answer."}]}]`,
			"output_config": `{"effort":"low","format":{"schema":{"type":"object","properties":{"2":{"type":"integer","enum":[0,1,2]},"1":{"type":"integer"}},"required":["2","1"],"additionalProperties":false},"type":"json_schema"}}`,
		}
		for name, value := range want {
			if got := s.field(0, name); got != value {
				t.Errorf("%s: %s, want %s", name, got, value)
			}
		}
		r := s.seen()[0]
		if len(r.body) != len(want) || r.url != "/v1/messages" || r.header.Get("X-Api-Key") != testKey || r.header.Get("Anthropic-Version") != "2023-06-01" || r.header.Get("Authorization") != "" {
			t.Errorf("%s %v %s", r.url, r.header, r.raw)
		}
	})
	synctest.Test(t, func(t *testing.T) { // without a limit in the request; text that is not shared is not cached
		req := ask("Go?")
		req.Messages = append([]llm.Message{{Role: "system", Content: "Today is Monday."}, {Role: "user", Shared: "Shared, but too late."}}, req.Messages...)
		s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeAnthropic}, says(anthropicAnswer(goAnswer, "stop")), req)
		if err != nil || s.field(0, "max_tokens") != "16384" || strings.Contains(s.seen()[0].raw, "cache_control") || s.field(0, "output_config") != "" {
			t.Errorf("%s, %v", s.seen()[0].raw, err)
		}
	})
}

// TestAnthropicCache: the first request writes the shared part of prompts to the cache, and the next requests read it. The cost follows the
// documented prices: 2 dollars per million tokens, 2.50 to write, 0.10 to read, 10 for the reply.
func TestAnthropicCache(t *testing.T) {
	s := &anthropictest.Server{Answer: func(anthropictest.Request) anthropictest.Reply {
		return anthropictest.Reply{Thinking: "Which one?!!", Text: `{"2":1}!`} // 3 and 2 tokens
	}}
	budget := limits.NewBudget("the budget", 1, 0)
	c := anthropicClient(t, s, budget)
	const shared, rest, output = 2754, 3, 5 // 11,016 bytes and 12 bytes of prompt
	total := 0.0
	for i, want := range []struct {
		read, written int
		cost          float64
	}{{0, shared, (shared*2.50 + rest*2 + output*10) / 1e6}, {shared, 0, (shared*0.10 + rest*2 + output*10) / 1e6}} {
		reply, err := c.Chat(t.Context(), judging("Some answer."))
		if err != nil {
			t.Fatal(err)
		}
		u := reply.Usage
		a := reply.Attempts[0]
		if *u.Prompt != shared+rest || *u.Cached != want.read || *u.Written != want.written || *u.Completion != output || *u.Reasoning != 3 {
			t.Errorf("call %d: %d, %d, %d, %d, %d", i, *u.Prompt, *u.Cached, *u.Written, *u.Completion, *u.Reasoning)
		}
		if a.Cost == nil || fmt.Sprintf("%.12f", *a.Cost) != fmt.Sprintf("%.12f", want.cost) {
			t.Errorf("call %d costs %v, want %v", i, a.Cost, want.cost)
		}
		total += want.cost
	}
	if fmt.Sprintf("%.12f", budget.Spent()) != fmt.Sprintf("%.12f", total) || len(s.Refused()) > 0 {
		t.Errorf("%v spent, refused %v", budget.Spent(), s.Refused())
	}
}

func TestAnthropicEnds(t *testing.T) {
	tests := []struct {
		name     string
		reply    anthropictest.Reply
		kind     llm.Kind
		attempts int
		forAll   bool
		message  string
	}{
		{"refusal", anthropictest.Reply{Stop: "refusal", Explanation: "This may harm."}, llm.Refused, 1, false, "This may harm."},
		{"refusal without a reason", anthropictest.Reply{Text: "I", Stop: "refusal"}, llm.Refused, 1, false, "refusal"},
		{"cut", anthropictest.Reply{Thinking: "Hm", Stop: "max_tokens"}, llm.Truncated, 1, false, "the limit went to reasoning"},
		{"context full", anthropictest.Reply{Text: "Go", Stop: "model_context_window_exceeded"}, llm.Truncated, 1, false, "limit of tokens"},
		{"paused", anthropictest.Reply{Text: "Go", Stop: "pause_turn"}, llm.Failed, 1, false, "not finished"},
		{"thinking alone", anthropictest.Reply{Thinking: "Hm"}, llm.Failed, 2, false, "no answer"},
		{"too long", anthropictest.Reply{Status: 400, Message: "prompt is too long: 1000001 tokens > 1000000 maximum"}, llm.Failed, 1, false, "prompt is too long"},
		{"blocked", anthropictest.Reply{Status: 400, Message: "Output blocked by content filtering policy"}, llm.Refused, 1, false, "blocked"},
		{"no credit", anthropictest.Reply{Status: 400, Message: "Your credit balance is too low to access the Anthropic API."}, llm.Failed, 1, true, "no credit left"},
		{"billing", anthropictest.Reply{Status: 402, Message: "There's an issue with your billing"}, llm.Failed, 1, true, "no credit left"},
		{"key", anthropictest.Reply{Status: 401, Message: "invalid x-api-key"}, llm.Misconfigured, 1, true, "refuses the key"},
		{"permission", anthropictest.Reply{Status: 403, Message: "no access to this model"}, llm.Misconfigured, 1, false, "no access"},
		{"model", anthropictest.Reply{Status: 404, Message: "model: claude-9"}, llm.Misconfigured, 1, false, "no such model"},
		{"size", anthropictest.Reply{Status: 413, Message: "Request exceeds the maximum size"}, llm.Failed, 1, false, "maximum size"},
		{"rate", anthropictest.Reply{Status: 429, Message: "rate limit", RetryAfter: "0.001"}, llm.Failed, 3, false, "rate limit"},
		{"crash", anthropictest.Reply{Status: 500, Message: "Internal server error"}, llm.Failed, 3, false, "Internal"},
		{"overloaded", anthropictest.Reply{Status: 529, Message: "Overloaded"}, llm.Unavailable, 3, false, "Overloaded"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &anthropictest.Server{Answer: func(anthropictest.Request) anthropictest.Reply { return test.reply }}
			reply, err := anthropicClient(t, s).Chat(t.Context(), judging("Some answer."))
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.Kind != test.kind || (e.Concerns == llm.AllModels) != test.forAll || !strings.Contains(e.Message, test.message) || len(reply.Attempts) != test.attempts {
				t.Errorf("%d attempts, %+v", len(reply.Attempts), e)
			}
			if test.reply.Status == 0 && (reply.Text != test.reply.Text || reply.Reasoning != test.reply.Thinking || reply.Usage.Prompt == nil) {
				t.Errorf("%+v", reply)
			}
		})
	}
}

// TestAnthropicWithoutSchema: a model without structured outputs is asked without a schema from the second request on.
func TestAnthropicWithoutSchema(t *testing.T) {
	s := &anthropictest.Server{Answer: func(r anthropictest.Request) anthropictest.Reply {
		if output, _ := r.Body["output_config"].(map[string]any); output["format"] != nil {
			return anthropictest.Reply{Status: 400, Message: "output_config.format: this model does not support structured outputs"}
		}
		return anthropictest.Reply{Text: "{}"}
	}}
	c := anthropicClient(t, s)
	for i, attempts := range []int{2, 1} {
		reply, err := c.Chat(t.Context(), judging("Some answer."))
		if err != nil || len(reply.Attempts) != attempts || reply.Format != "" {
			t.Errorf("call %d: %d attempts, format %q, %v", i, len(reply.Attempts), reply.Format, err)
		}
	}
}

// TestAnthropicDemands: if an option of the user breaks a rule, the error names the option, and all calls with it stop after one request.
func TestAnthropicDemands(t *testing.T) {
	for parameter, value := range map[string]any{
		"temperature": 0.5, "top_p": 0.9, "top_k": 20, "max_tokens": 1_000_000, "verbosity": "low", "reasoning_effort": "minimal",
		"thinking": map[string]any{"type": "disabled"}, "tool_choice": map[string]any{"type": "any"},
	} {
		s := &anthropictest.Server{Answer: func(anthropictest.Request) anthropictest.Reply { return anthropictest.Reply{Text: "{}"} }}
		c := anthropicClient(t, s)
		req := judging("Some answer.")
		req.Options = map[string]any{parameter: value}
		var calls sync.WaitGroup
		for i := range 40 {
			calls.Go(func() {
				time.Sleep(time.Duration(i*50) * time.Microsecond) // some calls arrive while the first one ends
				_, err := c.Chat(t.Context(), req)
				if e, ok := errors.AsType[*llm.Error](err); !ok || e.Parameter != parameter || e.Kind != llm.Misconfigured {
					t.Errorf("%s: %v", parameter, err)
				}
			})
		}
		calls.Wait()
		if n := len(s.Refused()); n != 1 {
			t.Errorf("%s: %d requests", parameter, n)
		}
	}
}

// TestAnthropicRateLimits: requests obey the limits in the server's headers, before the server responds with status 429.
func TestAnthropicRateLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			reset := time.Now().Add(20 * time.Second).UTC().Format(time.RFC3339)
			status(w, 200, anthropicAnswer(goAnswer, "stop"), "Anthropic-Ratelimit-Requests-Limit: 5", "Anthropic-Ratelimit-Requests-Remaining: 0", "Anthropic-Ratelimit-Requests-Reset: "+reset)
		})
		c := s.client(t, llm.Provider{Type: llm.TypeAnthropic})
		begin := time.Now()
		for range 2 {
			if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(begin); took < 3*time.Second || took > 5*time.Second { // a fifth of 20 s
			t.Errorf("two requests took %s", took)
		}
	})
}

func TestAnthropicModels(t *testing.T) {
	s := &anthropictest.Server{Models: []string{"claude-sonnet-5-5", "claude-haiku-5-5"}}
	if names, err := anthropicClient(t, s).Models(t.Context()); err != nil || !slices.Equal(names, []string{"claude-haiku-5-5", "claude-sonnet-5-5"}) {
		t.Errorf("%v, %v", names, err)
	}
}

// TestAnthropicBatch: each request of a batch ends as it would alone, at half the price.
func TestAnthropicBatch(t *testing.T) {
	s := &anthropictest.Server{Expire: func(int) int { return 5 }, Answer: func(r anthropictest.Request) anthropictest.Reply {
		for part, reply := range map[string]anthropictest.Reply{
			"Question 1": {Status: 400, Message: "too long, " + testKey}, "Question 2": {Status: 529, Message: "Overloaded"},
			"Question 3": {Text: "Go com", Stop: "max_tokens"}, "Question 4": {Text: "I won't", Stop: "refusal"},
		} {
			if strings.Contains(r.Prompt, part) {
				return reply
			}
		}
		return anthropictest.Reply{Text: goAnswer} // 5 tokens
	}}
	c := anthropicClient(t, s)
	var asks []BatchAsk
	for i := range 6 {
		req := ask(fmt.Sprintf("Question %d?!", i)) // 3 tokens
		req.Model = "claude-haiku-4-5"
		asks = append(asks, BatchAsk{ID: fmt.Sprintf("%064d", i), Request: req})
	}
	before := time.Now()
	b, err := c.Submit(t.Context(), "label", asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{6, 7} {
		want := map[int]string{6: b.ID}[n]
		if found, err := c.Find(t.Context(), Submission{SubmittedAt: before, Requests: n}); err != nil || found.ID != want {
			t.Errorf("a batch of %d: found %q, %v", n, found.ID, err)
		}
	}
	if found, err := c.Find(t.Context(), Submission{SubmittedAt: before.Add(time.Hour), Requests: 6}); err != nil || found.ID != "" {
		t.Errorf("found %q an hour too early, %v", found.ID, err)
	}
	b, states := untilOver(t, c, b)
	if want := []string{"in_progress", "in_progress", "in_progress", "expired"}; !slices.Equal(states, want) || b.Total != 6 || b.Done != 3 || b.Failed != 2 {
		t.Errorf("states %v, batch %+v", states, b)
	}
	cost := func(output int) string { return fmt.Sprint((3*1.0*0.5 + float64(output)*5*0.5) / 1e6) }
	want := []string{
		"valid " + goAnswer + " $" + cost(5), "failed  $0", "unavailable  $0", "truncated Go com $" + cost(2), "refused I won't $" + cost(2), "unavailable  $0",
	}
	n := 0
	err = c.Collect(t.Context(), b, "claude-haiku-4-5", asked, func(id string, reply llm.Reply, err error) error {
		a := reply.Attempts[0]
		if got := fmt.Sprintf("%s %s $%v", kindOf(err), reply.Text, *a.Cost); got != want[n] || id != asks[n].ID || a.Batch != b.ID {
			t.Errorf("%s: %s, want %s", id, got, want[n])
		}
		if e, _ := errors.AsType[*llm.Error](err); e != nil && e.Retriable != (n == 2) || strings.Contains(a.Reason+reply.Raw, testKey) {
			t.Errorf("%s: %+v, %s", id, e, a.Reason)
		}
		n++
		return nil
	})
	if err != nil || n != 6 || len(s.Refused()) > 0 {
		t.Errorf("%d results, %v, refused %v", n, err, s.Refused())
	}
}

// TestAnthropicBatchLost: a batch whose submission had no reply is found again, and not submitted twice.
func TestAnthropicBatchLost(t *testing.T) {
	lost := false
	s := &anthropictest.Server{}
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || lost {
			return false
		}
		lost = true
		s.ServeHTTP(httptest.NewRecorder(), r)
		status(w, 502, "")
		return true
	}
	if b, err := anthropicClient(t, s).Submit(t.Context(), "label", questions(2)); err != nil || b.ID != "msgbatch_1" || s.Batches() != 1 {
		t.Errorf("batch %q of %d, %v", b.ID, s.Batches(), err)
	}
}
