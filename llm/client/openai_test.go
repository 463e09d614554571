package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// chatOnce sends one request to a scripted server of one type.
func chatOnce(t *testing.T, p llm.Provider, chat script, req llm.Request) (*scripted, llm.Reply, error) {
	t.Helper()
	s := serve(t, chat)
	reply, err := s.client(t, p).Chat(t.Context(), req)
	return s, reply, err
}

func kindOf(err error) llm.Kind {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return llm.Valid
	}
	return e.Kind
}

// TestOpenAISendsWhatTheLibraryDrops: parameters of 0 and unknown fields are sent. go-openai drops a temperature, top_p or penalty of 0
// (omitempty), knows no other fields, and refuses parameters of these models without asking the server.
func TestOpenAISendsWhatTheLibraryDrops(t *testing.T) {
	seed := int64(0)
	for _, model := range []string{"gpt-4o", "gpt-5-mini", "o1", "o3-mini", "o4-mini", "gpt-6-sol", "text-davinci-003", "gpt-3.5-turbo-instruct"} {
		t.Run(model, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := llm.Request{
					Model: model, Messages: []llm.Message{{Role: "system", Content: "Compare."}, {Role: "user", Content: "<Go> & C++?"}}, Seed: &seed,
					Options: map[string]any{"temperature": 0, "top_p": 0.0, "frequency_penalty": 0, "presence_penalty": 0.7, "logprobs": true, "reasoning_effort": "low", "top_k": 20},
					Extra:   map[string]any{"provider": map[string]any{"order": []string{"b", "a"}}, "top_k": 40},
				}
				s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, says(openAIAnswer(goAnswer, "stop")), req)
				if err != nil {
					t.Fatal(err)
				}
				want := map[string]string{
					"model": quote(model), "temperature": "0", "top_p": "0", "frequency_penalty": "0", "presence_penalty": "0.7", "logprobs": "true",
					"reasoning_effort": `"low"`, "seed": "0", "provider": `{"order":["b","a"]}`, "top_k": "40", "stream": "false",
					"messages": `[{"role":"system","content":"Compare."},{"role":"user","content":"\u003cGo\u003e \u0026 C++?"}]`,
				}
				for name, value := range want {
					if got := s.field(0, name); got != value {
						t.Errorf("%s: %s, want %s", name, got, value)
					}
				}
				if n := len(s.seen()[0].body); n != len(want) {
					t.Errorf("%d fields in %s, want %d", n, s.seen()[0].raw, len(want))
				}
			})
		})
	}
}

// TestOpenAIErrorTraps: replies that go-openai takes for success, or whose status or message it loses, are errors with both.
func TestOpenAIErrorTraps(t *testing.T) {
	wrap := func(choice string) string { return `{"model":"m","choices":[` + choice + `]}` }
	tests := []struct {
		name, body string
		code       int
		kind       llm.Kind
		retried    bool
		message    string
	}{
		{"error as a text", `{"error":"model runner crashed"}`, 500, llm.Failed, true, "model runner crashed"},
		{"vLLM's flat error", `{"object":"error","message":"max_tokens must be positive","code":400}`, 400, llm.Failed, false, "max_tokens must be positive"},
		{"FastAPI's detail", `{"detail":[{"msg":"field required"}]}`, 422, llm.Failed, false, "field required"},
		{"error with a list", `{"error":{"message":["a","b"]}}`, 400, llm.Failed, false, `["a","b"]`},
		{"error without a message", `{"error":{"type":"x"}}`, 400, llm.Failed, false, `"type":"x"`},
		{"plain text", "upstream connect error", 503, llm.Failed, true, "upstream connect error"},
		{"HTML", "<html>Sorry</html>", 500, llm.Failed, true, "HTML page"},
		{"no credit", `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`, 429, llm.Failed, false, "no credit"},
		{"200 with an error", `{"error":{"message":"Provider returned error","code":502}}`, 200, llm.Failed, true, "Provider returned error"},
		{"200 with a final error", `{"error":{"message":"No endpoints found","code":404}}`, 200, llm.Misconfigured, false, "No endpoints found"},
		{"200 with an error as a text", `{"error":"crash"}`, 200, llm.Failed, true, "crash"},
		{"error within the choice", wrap(`{"finish_reason":"error","error":{"code":503,"message":"upstream"},"message":{"content":"Go"}}`), 200, llm.Failed, true, "upstream"},
		{"no choices", wrap(""), 200, llm.Failed, true, "no choice"},
		{"no choices at all", `{}`, 200, llm.Failed, true, "no choice"},
		{"choices null", `{"choices":null}`, 200, llm.Failed, true, "no choice"},
		{"a list", `[1]`, 200, llm.Failed, false, "is not a JSON object"},
		{"null", `null`, 200, llm.Failed, false, "is not a JSON object"},
		{"content of a wrong type", wrap(`{"finish_reason":"stop","message":{"content":5}}`), 200, llm.Failed, false, "unreadable"},
		{"finish_reason null", wrap(`{"finish_reason":null,"message":{"content":"and and and"}}`), 200, llm.Failed, false, "is not finished"},
		{"finish_reason missing", wrap(`{"message":{"content":"and and and"}}`), 200, llm.Failed, false, "is not finished"},
		{"finish_reason unknown", wrap(`{"finish_reason":"abort","message":{"content":"and"}}`), 200, llm.Failed, false, "abort"},
		{"content null", wrap(`{"finish_reason":"stop","message":{"content":null}}`), 200, llm.Failed, true, "empty"},
		{"refusal", wrap(`{"finish_reason":"stop","message":{"content":null,"refusal":"I can't help with that."}}`), 200, llm.Refused, false, "I can't help"},
		{"Azure's filter", `{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, 400, llm.Refused, false, "filtered"},
		{"OpenRouter's filter", `{"error":{"code":403,"message":"Your input was flagged","metadata":{"flagged_input":"x"}}}`, 403, llm.Refused, false, "flagged"},
		{"only reasoning", wrap(`{"finish_reason":"stop","message":{"content":"","reasoning_content":"Hm."}}`), 200, llm.Failed, true, "no answer"},
		{"JSON only in the reasoning", wrap(`{"finish_reason":"stop","message":{"content":"","reasoning_content":"{\"ready\": true}"}}`), 200, llm.Failed, true, "no answer"},
		{"JSON only in the reasoning, content null", wrap(`{"finish_reason":"stop","message":{"content":null,"reasoning_content":"{\"choice\": \"A\"}"}}`), 200, llm.Failed, true, "no answer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI, Retries: 1}, refuses(test.code, test.body), ask("Go?"))
				e, ok := errors.AsType[*llm.Error](err)
				if !ok {
					t.Fatalf("error %v", err)
				}
				if e.Kind != test.kind || e.HTTPStatus != test.code || !strings.Contains(e.Message, test.message) {
					t.Errorf("%+v, want %s, %d, %q", e, test.kind, test.code, test.message)
				}
				if retried := len(reply.Attempts) == 2; retried != test.retried {
					t.Errorf("%d attempts, retried should be %t", len(reply.Attempts), test.retried)
				}
				if reply.Raw != test.body {
					t.Errorf("raw %s", reply.Raw)
				}
			})
		})
	}
}

func TestOpenAIReplyFields(t *testing.T) {
	reply := func(message, more string) string {
		return `{"model":"m","created":1.5,"choices":[{"finish_reason":"stop","message":` + message + `}]` + more + `}`
	}
	tests := []struct {
		name, body      string
		text, reasoning string
		usage           string
	}{
		{"reasoning_content", reply(`{"content":"Go","reasoning_content":"Hm."}`, ""), "Go", "Hm.", "- - - -"},
		{"reasoning", reply(`{"content":"Go","reasoning":"Hm."}`, ""), "Go", "Hm.", "- - - -"},
		{"reasoning null", reply(`{"content":"Go","reasoning":null,"refusal":null}`, `,"usage":null`), "Go", "", "- - - -"},
		{"thinking", reply(`{"content":"Go","thinking":"Hm."}`, ""), "Go", "Hm.", "- - - -"},
		{"think block", reply(`{"content":"\n<think>\nHm.\n</think>\n\nGo"}`, ""), "Go", "Hm.", "- - - -"},
		{"both", reply(`{"content":"<think>B</think>Go","reasoning":"A"}`, ""), "Go", "A\n\nB", "- - - -"},
		{"parts", reply(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"G"},{"type":"text","text":"o"}]}`, ""), "Go", "", "- - - -"},
		{"usage", reply(`{"content":"Go"}`, `,"usage":{"prompt_tokens":100,"completion_tokens":50,"prompt_tokens_details":{"cached_tokens":64},"completion_tokens_details":{"reasoning_tokens":0}}`), "Go", "", "100 64 50 0"},
		{"usage not counted", reply(`{"content":"Go"}`, `,"usage":{"prompt_tokens":0,"completion_tokens":0}`), "Go", "", "- - - -"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				_, got, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, says(test.body), ask("Go?"))
				if err != nil {
					t.Fatal(err)
				}
				u := got.Usage
				usage := strings.Join([]string{count(u.Prompt), count(u.Cached), count(u.Completion), count(u.Reasoning)}, " ")
				if got.Text != test.text || got.Reasoning != test.reasoning || usage != test.usage {
					t.Errorf("text %q, reasoning %q, usage %s", got.Text, got.Reasoning, usage)
				}
				if got.Raw != test.body {
					t.Errorf("raw %s", got.Raw)
				}
			})
		})
	}
}

func count(n *int) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

func TestHeadersAndAddress(t *testing.T) {
	for _, v := range voices {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, says(v.answer(goAnswer, "stop")))
			c := s.client(t, llm.Provider{
				Type: v.kind, BaseURL: "http://server.test/base/?api-version=2026-01-01", APIKeyHeader: "api-key", Organisation: "org-7",
				Headers: map[string]string{"X-Title": "compqa", "X-Gate": "Basic ${TEST_KEY}"},
			})
			if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
				t.Fatal(err)
			}
			got := s.seen()[0]
			h := got.header
			if h.Get("api-key") != testKey || h.Get("Authorization") != "" || h.Get("OpenAI-Organization") != "org-7" ||
				h.Get("X-Title") != "compqa" || h.Get("X-Gate") != "Basic "+testKey {
				t.Errorf("%s: headers %v", v.kind, h)
			}
			if !strings.HasPrefix(got.url, "/base/") || !strings.HasSuffix(got.url, "?api-version=2026-01-01") {
				t.Errorf("%s: address %s", v.kind, got.url)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, says(openAIAnswer(goAnswer, "stop")), ask("Go?"))
		if err != nil || s.seen()[0].header.Get("Authorization") != "Bearer "+testKey {
			t.Errorf("authorization %q, error %v", s.seen()[0].header.Get("Authorization"), err)
		}
	})
}

// TestConnectionsAreReused: bodies are read and closed on every path, so that connections are used again. go-openai leaves this to the
// body's reader, and a leak would grow with each retry.
func TestConnectionsAreReused(t *testing.T) {
	for _, v := range voices {
		synctest.Test(t, func(t *testing.T) {
			const width = 8
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Second)
				switch n % 4 {
				case 0:
					status(w, 429, `{"error":"slow down"}`)
				case 1:
					status(w, 400, "no")
				case 2:
					io.WriteString(w, `{"error":"crash"}`)
				default:
					io.WriteString(w, v.answer(goAnswer, "stop"))
					w.(http.Flusher).Flush() // the end of the body arrives separately from the last line
					time.Sleep(time.Second)
				}
			})
			s.show = func(w http.ResponseWriter, _ *http.Request) { // no connection is free before all are made
				time.Sleep(time.Second)
				io.WriteString(w, "{}")
			}
			c := s.client(t, llm.Provider{Type: v.kind, Concurrency: width})
			var all sync.WaitGroup
			for range 10 * width {
				all.Go(func() { c.Chat(t.Context(), ask("Go?")) })
			}
			all.Wait()
			if s.dials > width || len(s.seen()) < 10*width {
				t.Errorf("%s: %d connections for %d requests, %d at once", v.kind, s.dials, len(s.seen()), width)
			}
		})
	}
}

// TestOwnTransport: the client's own transport keeps as many idle connections as requests may be in flight. With net/http's default of 2,
// the others would be closed each time.
func TestOwnTransport(t *testing.T) {
	w, err := protocol.NewEndpoint(llm.Provider{BaseURL: "http://server.test", Concurrency: 32}, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	own := w.Transport.(*http.Transport)
	if own.MaxIdleConnsPerHost != 32 || own.MaxIdleConns != 0 || own == http.DefaultTransport {
		t.Errorf("%d idle connections for a host, %d in all", own.MaxIdleConnsPerHost, own.MaxIdleConns)
	}
}
