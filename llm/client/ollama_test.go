package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

func TestOllamaRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := int64(0)
		req := llm.Request{
			Model: "m:8b", Messages: []llm.Message{{Role: "system", Content: "Compare."}, {Role: "user", Content: "Go?"}}, Seed: &seed,
			Options: map[string]any{"temperature": 0, "top_k": 40, "max_tokens": 300, "reasoning_effort": "low"},
			Extra:   map[string]any{"truncate": true},
			Schema:  json.RawMessage(schemaText),
		}
		s, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama, KeepAlive: "30m"}, says(ollamaAnswer(`{"2":1,"10":0,"1":1}`, "stop")), req)
		if err != nil {
			t.Fatal(err)
		}
		if reply.Format != "json_schema" || reply.Text != `{"2":1,"10":0,"1":1}` {
			t.Errorf("format %q, text %q", reply.Format, reply.Text)
		}
		want := map[string]string{
			"model": `"m:8b"`, "format": schemaText, "stream": "false", "keep_alive": `"30m0s"`, "think": `"low"`, "truncate": "true", "shift": "false",
			"messages": `[{"role":"system","content":"Compare."},{"role":"user","content":"Go?"}]`,
			"options":  `{"num_ctx":2048,"num_predict":300,"seed":0,"temperature":0,"top_k":40}`,
		}
		for name, value := range want {
			if got := s.field(0, name); got != value {
				t.Errorf("%s: %s, want %s", name, got, value)
			}
		}
		if n := len(s.seen()[0].body); n != len(want) {
			t.Errorf("%d fields in %s, want %d", n, s.seen()[0].raw, len(want))
		}
		if req.Options["max_tokens"] != 300 || len(req.Options) != 4 {
			t.Errorf("the caller's options became %v", req.Options)
		}
	})
}

func TestOllamaKeepAlive(t *testing.T) {
	for text, want := range map[string]string{"30m": `"30m0s"`, "90": `"1m30s"`, "-1": "-1", "0": `"0s"`, "": ""} {
		synctest.Test(t, func(t *testing.T) {
			s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama, KeepAlive: text}, says(ollamaAnswer(goAnswer, "stop")), ask("Go?"))
			if err != nil || s.field(0, "keep_alive") != want {
				t.Errorf("keep_alive %q is sent as %s, error %v", text, s.field(0, "keep_alive"), err)
			}
		})
	}
	if _, err := New(llm.Provider{Type: llm.TypeOllama, KeepAlive: "long"}, testEnv, Hooks{}); kindOf(err) != llm.Misconfigured {
		t.Errorf("keep_alive long: %v", err)
	}
}

// ollamaLine returns a reply.
func ollamaLine(content, more string) string {
	return `{"model":"m","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":` + quote(content) + `}` + more + "}\n"
}

// TestOllamaReplies: replies that servers were seen to send, and that the client of ollama/api takes for success: replies that end too
// early, errors, and long lines.
func TestOllamaReplies(t *testing.T) {
	seed := int64(1)
	done := func(content, reason string) string {
		return ollamaLine(content, `,"done":true,"done_reason":`+quote(reason)+`,"prompt_eval_count":5,"eval_count":2`)
	}
	long := quote(strings.Repeat("word ", 2<<20)) // 10 MB
	tests := []struct {
		name, body string
		seed       *int64
		kind       llm.Kind
		requests   int
		text       string
		message    string
	}{
		{"whole", done("Go compiles.", "stop"), nil, llm.Valid, 1, "Go compiles.", ""},
		{"indented", strings.ReplaceAll(ollamaLine("Go", `,"done":true,"done_reason":"stop"`), ",", ",\n  "), nil, llm.Valid, 1, "Go", ""},
		{"old server without a reason", ollamaLine("Go", `,"done":true`), nil, llm.Valid, 1, "Go", ""},
		{"given up after repetition", ollamaLine("and and", `,"done":false`), &seed, llm.Failed, 1, "and and", "without done"},
		{"given up, no seed", ollamaLine("and and", `,"done":false`), nil, llm.Failed, 3, "and and", "without done"},
		{"cut", done("Go ", "stop")[:40], &seed, llm.Failed, 3, "", "is incomplete"},
		{"error", `{"error":"an error was encountered while running the model: unexpected EOF"}`, &seed, llm.Failed, 3, "", "unexpected EOF"},
		{"error object", `{"error":{"message":"out of memory"}}`, &seed, llm.Failed, 3, "", "out of memory"},
		{"bad schema", `{"error":"invalid JSON schema in format"}`, &seed, llm.Failed, 1, "", "invalid JSON schema"},
		{"another server", `{"done":"yes"}`, &seed, llm.Misconfigured, 1, "", "check base_url"},
		{"length", done("Go ", "length"), nil, llm.Truncated, 1, "Go ", "finish reason length"},
		{"length in a thought", ollamaLine("", `,"done":true,"done_reason":"length"`), nil, llm.Truncated, 1, "", ""},
		{"empty", done("", "stop"), &seed, llm.Failed, 1, "", "empty"},
		{"loaded, not answered", ollamaLine("", `,"done":true,"done_reason":"load"`), nil, llm.Failed, 1, "", "load"},
		{"a line of 10 MB", ollamaLine("Go", `,"done":true,"done_reason":"stop","context":`+long), nil, llm.Truncated, 1, "", "cut off after 1048576 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := ask("Go?")
				req.Seed = test.seed
				s, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama, Retries: 2}, says(test.body), req)
				if kindOf(err) != test.kind || err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("ended with %v, want %s: %s", err, test.kind, test.message)
				}
				if len(s.seen()) != test.requests || reply.Text != test.text {
					t.Errorf("%d requests, want %d; text %.60q", len(s.seen()), test.requests, reply.Text)
				}
			})
		})
	}
}

// TestOllamaBadSchema: a 500 about the schema is the request's fault, so it is not retried.
func TestOllamaBadSchema(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama}, refuses(500, `{"error":"invalid JSON schema in format"}`), ask("Go?"))
		if kindOf(err) != llm.Failed || len(s.seen()) != 1 {
			t.Errorf("%v after %d requests", err, len(s.seen()))
		}
	})
}

func TestOllamaThinking(t *testing.T) {
	body := `{"model":"m","message":{"role":"assistant","content":"<think>More.</think> Go","thinking":"Hm."},"done":true,"done_reason":"stop"}`
	synctest.Test(t, func(t *testing.T) {
		_, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama}, says(body), ask("Go?"))
		if err != nil || reply.Text != "Go" || reply.Reasoning != "Hm.\n\nMore." {
			t.Errorf("text %q, reasoning %q, error %v", reply.Text, reply.Reasoning, err)
		}
		if reply.Usage != (llm.Usage{}) {
			t.Errorf("usage %+v of a reply without counts", reply.Usage)
		}
	})
}

func TestOllamaContext(t *testing.T) {
	prompt := func(n int) string { return strings.Repeat("x", n) }
	tests := []struct {
		name       string
		longest    string  // context_length in /api/show
		parameters string  // parameters of the Modelfile
		density    float64 // tokens per byte
		options    map[string]any
		prompts    []int // bytes of each call's prompt
		want       []int // num_ctx of each request
	}{
		{"smallest", "32768", "", 0.25, map[string]any{"num_predict": 100}, []int{10}, []int{2048}},
		{"room for an answer", "32768", "", 0.25, nil, []int{10}, []int{4096}},
		{"exactly", "32768", "", 0.25, map[string]any{"num_predict": 1000}, []int{3 * (2048 - 1000 - protocol.TemplateRoom)}, []int{2048}},
		{"one more", "32768", "", 0.25, map[string]any{"num_predict": 1000}, []int{3*(2048-1000-protocol.TemplateRoom) + 3}, []int{4096}},
		{"never smaller again", "32768", "", 0.25, map[string]any{"num_predict": 100}, []int{10, 15000, 10}, []int{2048, 8192, 8192}},
		{"tokens as counted", "32768", "", 0.25, map[string]any{"num_predict": 100}, []int{3000, 13000}, []int{2048, 4096}},
		{"a byte is a token: cut, and sent again", "32768", "", 1, map[string]any{"num_predict": 100}, []int{5000, 9000}, []int{2048, 8192, 16384}},
		{"cut at the longest context", "3000", "", 1, map[string]any{"num_predict": 100}, []int{5000}, []int{2048, 3000, -1}},
		{"what the model was trained for", "3000", "", 0.25, map[string]any{"num_predict": 100}, []int{10000}, []int{3000}},
		{"model that doesn't say", "", "", 0.25, map[string]any{"num_predict": 100}, []int{15000}, []int{8192}},
		{"endless reply", "32768", "", 0.25, map[string]any{"num_predict": -1}, []int{10}, []int{4096}},
		{"Modelfile", "32768", "num_ctx                        5000\nnum_predict                    256\nstop \"x\"", 0.25, nil, []int{10, 15000}, []int{5000, 10000}},
		{"by option", "32768", "", 0.1, map[string]any{"num_ctx": 512}, []int{5000}, []int{512}},
		{"by option, too much", "3000", "", 0.25, map[string]any{"num_ctx": 4096}, []int{10}, []int{3000}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {})
				s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
					var asked struct {
						Messages []llm.Message
						Options  struct {
							Size int `json:"num_ctx"`
						}
					}
					json.Unmarshal([]byte(s.seen()[n].raw), &asked)
					tokens := int(float64(len(asked.Messages[0].Content)) * test.density)
					io.WriteString(w, ollamaLine("Go", fmt.Sprintf(`,"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":1`, min(tokens+1, asked.Options.Size))))
				})
				shown := 0
				s.show = func(w http.ResponseWriter, _ *http.Request) {
					shown++
					info := `{"general.architecture":"llama"`
					if test.longest != "" {
						info += `,"llama.context_length":` + test.longest
					}
					fmt.Fprintf(w, `{"model_info":%s},"parameters":%q}`, info, test.parameters)
				}
				c := s.client(t, llm.Provider{Type: llm.TypeOllama})
				for _, n := range test.prompts {
					req := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: prompt(n)}}, Options: test.options}
					if _, err := c.Chat(t.Context(), req); err != nil {
						if test.want[len(test.want)-1] != -1 || !strings.Contains(err.Error(), "is longer than num_ctx 3000 and was cut") {
							t.Fatal(err)
						}
						test.want = test.want[:len(test.want)-1]
					}
				}
				var got []int
				for i := range s.seen() {
					var options struct {
						Size int `json:"num_ctx"`
					}
					json.Unmarshal([]byte(s.field(i, "options")), &options)
					got = append(got, options.Size)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("num_ctx %v, want %v", got, test.want)
				}
				if shown != 1 {
					t.Errorf("asked %d times about the model", shown)
				}
			})
		})
	}
}

// TestOllamaContextOverflow: if the server cut the prompt, or the reply pushed the prompt out of the context, the reply is an error.
func TestOllamaContextOverflow(t *testing.T) {
	counts := func(prompt, reply int) string {
		return ollamaLine("Go", fmt.Sprintf(`,"done":true,"done_reason":"stop","prompt_eval_count":%d,"eval_count":%d`, prompt, reply))
	}
	tests := []struct {
		prompt, reply int
		kind          llm.Kind
	}{
		{500, 12, llm.Valid}, {511, 1, llm.Valid}, {512, 1, llm.Failed}, {600, 1, llm.Failed}, {500, 13, llm.Truncated},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			req := ask("Go?")
			req.Options = map[string]any{"num_ctx": 512}
			s, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama}, says(counts(test.prompt, test.reply)), req)
			if kindOf(err) != test.kind || len(s.seen()) != 1 {
				t.Errorf("%d and %d of 512 tokens: %v", test.prompt, test.reply, err)
			}
			if *reply.Usage.Prompt != test.prompt || *reply.Usage.Completion != test.reply {
				t.Errorf("usage %d, %d", *reply.Usage.Prompt, *reply.Usage.Completion)
			}
		})
	}
}

func TestOllamaPull(t *testing.T) {
	const missing = `{"error":"model 'm' not found"}`
	tests := []struct {
		name    string
		pull    bool
		steps   string // one step every 6 seconds
		kind    llm.Kind
		message string
		notices string
	}{
		{"not wanted", false, "", llm.Misconfigured, "set pull: true", ""},
		{"done", true, `{"status":"pulling manifest"}` + "\n" + strings.Repeat(`{"status":"pulling abc","total":9000000,"completed":4500000}`+"\n", 3) +
			`{"status":"success"}`, llm.Valid, "", "pulling manifest|pulling abc, 4.5 MB of 9.0 MB|success"},
		{"unknown to the library", true, `{"status":"pulling manifest"}` + "\n" + `{"error":"pull model manifest: file does not exist"}`,
			llm.Failed, "file does not exist", "pulling manifest"},
		{"ends early", true, `{"status":"pulling manifest"}`, llm.Failed, "before it was complete", "pulling manifest"},
		{"empty", true, "", llm.Failed, "before it was complete", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pulled := false
				s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/api/pull" {
						pulled = true
						for line := range strings.Lines(test.steps) {
							io.WriteString(w, line)
							w.(http.Flusher).Flush()
							time.Sleep(6 * time.Second)
						}
						return
					}
					io.WriteString(w, ollamaAnswer(goAnswer, "stop"))
				})
				s.show = func(w http.ResponseWriter, _ *http.Request) {
					if !pulled {
						status(w, 404, missing)
						return
					}
					fmt.Fprint(w, `{"model_info":{}}`)
				}
				var notices []string
				hooks := Hooks{Transport: s.transport, Notice: func(text string) {
					notices = append(notices, strings.TrimPrefix(text, "downloads model m: "))
				}}
				c, err := New(llm.Provider{Type: llm.TypeOllama, BaseURL: "http://server.test", Pull: test.pull, Retries: -1}, testEnv, hooks)
				if err != nil {
					t.Fatal(err)
				}
				req := ask("Go?")
				req.Model = "m"
				_, err = c.Chat(t.Context(), req)
				if kindOf(err) != test.kind || err != nil && !strings.Contains(err.Error(), test.message) {
					t.Errorf("ended with %v, want %s: %s", err, test.kind, test.message)
				}
				if strings.Join(notices, "|") != test.notices || pulled != test.pull {
					t.Errorf("notices %q, pulled %t", notices, pulled)
				}
			})
		})
	}
}

// TestOllamaCallIsSmall: a call needs little memory. The client of ollama/api allocates a buffer of 8 MB for each call.
func TestOllamaCallIsSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, says(ollamaAnswer(goAnswer, "stop")))
		c := s.client(t, llm.Provider{Type: llm.TypeOllama})
		const calls = 50
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / calls; each > 1<<20 {
			t.Errorf("%d bytes are allocated for a call", each)
		}
	})
}

// TestOllamaEffortNone: the effort none turns reasoning off.
func TestOllamaEffortNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := ask("Go?")
		req.Options = map[string]any{"reasoning_effort": "none"}
		s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOllama}, func(_ int, w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"message":{"content":"Go"},"done":true,"done_reason":"stop"}`)
		}, req)
		if err != nil || s.field(len(s.seen())-1, "think") != "false" {
			t.Errorf("error %v, think %q", err, s.field(len(s.seen())-1, "think"))
		}
	})
}
