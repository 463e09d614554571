package client

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"compqa/llm"
)

const schemaText = `{"type":"object","properties":{"2":{"type":"integer"},"10":{"type":"integer"},"1":{"type":"integer"}},"required":["2","10","1"]}`

// TestOpenAISchemaFallback: one refusal shows that a server lacks JSON Schema. The keys keep their order.
func TestOpenAISchemaFallback(t *testing.T) {
	const full = `{"type":"json_schema","json_schema":{"name":"scores","schema":` + schemaText + `,"strict":true}}`
	tests := []struct {
		name    string
		refused []string // formats that get status 400
		asked   []string // response_format of each request in two calls
		format  string
	}{
		{"json_schema", nil, []string{full, full}, "json_schema"},
		{"json_object", []string{"json_schema"}, []string{full, `{"type":"json_object"}`, `{"type":"json_object"}`}, "json_object"},
		{"neither", []string{"json_schema", "json_object"}, []string{full, `{"type":"json_object"}`, "", ""}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, nil)
				s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
					for _, f := range test.refused {
						if strings.HasPrefix(s.field(n, "response_format"), `{"type":"`+f) {
							status(w, 400, `{"error":{"message":"response_format.type must be text"}}`)
							return
						}
					}
					io.WriteString(w, openAIAnswer(goAnswer, "stop"))
				})
				c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Retries: -1})
				req := ask("Go?")
				req.Schema = json.RawMessage(schemaText)
				req.SchemaName = "scores"
				var attempts int
				for range 2 {
					reply, err := c.Chat(t.Context(), req)
					if err != nil || reply.Format != test.format {
						t.Fatalf("format %q, error %v", reply.Format, err)
					}
					attempts += len(reply.Attempts)
				}
				if attempts != len(test.asked) || len(s.seen()) != len(test.asked) {
					t.Fatalf("%d attempts, %d requests, want %d", attempts, len(s.seen()), len(test.asked))
				}
				for i, want := range test.asked {
					if got := s.field(i, "response_format"); got != want {
						t.Errorf("request %d: %s, want %s", i, got, want)
					}
				}
			})
		})
	}
}

func TestOpenAILimitField(t *testing.T) {
	const official, local = "https://api.openai.com/v1", "http://server.test/v1"
	refusal := func(field string) string {
		return `{"error":{"message":"Unsupported parameter: '` + field + `' is not supported with this model."}}`
	}
	tests := []struct {
		name, base, model, field string
		options                  map[string]any
		refused                  string
		asked                    []string // fields that two calls use
		kind                     llm.Kind
	}{
		{"local", local, "m", "", map[string]any{"max_tokens": 9}, "", []string{maxTokens, maxTokens}, llm.Valid},
		{"official", official, "gpt-4o", "auto", map[string]any{"max_tokens": 9}, "", []string{maxCompletionTokens, maxCompletionTokens}, llm.Valid},
		{"by model", local, "o3-mini", "", map[string]any{"max_tokens": 9.0}, "", []string{maxCompletionTokens, maxCompletionTokens}, llm.Valid},
		{"by option", local, "m", "", map[string]any{"max_completion_tokens": 9}, "", []string{maxCompletionTokens, maxCompletionTokens}, llm.Valid},
		{"fixed", official, "o3", maxTokens, map[string]any{"max_tokens": 9}, "", []string{maxTokens, maxTokens}, llm.Valid},
		{"switch", local, "m", "", map[string]any{"max_tokens": 9}, maxTokens, []string{maxTokens, maxCompletionTokens, maxCompletionTokens}, llm.Valid},
		{"switch back", official, "m", "", map[string]any{"max_tokens": 9}, maxCompletionTokens, []string{maxCompletionTokens, maxTokens, maxTokens}, llm.Valid},
		{"fixed and refused", local, "m", maxTokens, map[string]any{"max_tokens": 9}, maxTokens, []string{maxTokens}, llm.Misconfigured},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, nil)
				s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
					if s.field(n, test.refused) != "" {
						status(w, 400, refusal(test.refused))
						return
					}
					io.WriteString(w, openAIAnswer(goAnswer, "stop"))
				})
				c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, BaseURL: strings.Replace(test.base, "https", "http", 1), MaxTokensField: test.field})
				req := ask("Go?")
				req.Model = test.model
				req.Options = test.options
				for range 2 {
					if _, err := c.Chat(t.Context(), req); kindOf(err) != test.kind {
						t.Fatal(err)
					}
				}
				if len(s.seen()) != len(test.asked) {
					t.Fatalf("%d requests, want %d", len(s.seen()), len(test.asked))
				}
				for i, want := range test.asked {
					other := maxTokens
					if want == maxTokens {
						other = maxCompletionTokens
					}
					if s.field(i, want) != "9" || s.field(i, other) != "" {
						t.Errorf("request %d: %s", i, s.seen()[i].raw)
					}
				}
			})
		})
	}
}

// TestOpenAILimitTooLarge: the error about a limit that is too large is not taken for an unknown field.
func TestOpenAILimitTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := ask("Go?")
		req.Options = map[string]any{"max_tokens": 1 << 20}
		s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI},
			refuses(400, `{"error":{"message":"max_tokens is too large: 1048576. This model supports at most 16384 tokens"}}`), req)
		if kindOf(err) != llm.Misconfigured || len(s.seen()) != 1 {
			t.Errorf("%v after %d requests", err, len(s.seen()))
		}
	})
}

func TestOpenAISeedRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seed := int64(5)
		s := serve(t, nil)
		s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
			if s.field(n, "seed") != "" {
				status(w, 422, `{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}`)
				return
			}
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		req := ask("Go?")
		req.Seed = &seed
		if reply, err := s.client(t, llm.Provider{Type: llm.TypeOpenAI}).Chat(t.Context(), req); err != nil || len(reply.Attempts) != 2 {
			t.Errorf("%d attempts, error %v", len(reply.Attempts), err)
		}
	})
}

// TestOpenAILearnsConcurrently: many calls that learn at the same time end, and each adaptation is learnt once.
func TestOpenAILearnsConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, nil)
		s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
			switch {
			case n%2 == 0 && s.field(n, maxTokens) != "":
				status(w, 400, `{"error":{"message":"Unsupported parameter: max_tokens"}}`)
			case s.field(n, "response_format") != "":
				status(w, 400, `{"error":{"message":"response_format isn't supported"}}`)
			case s.field(n, maxTokens) != "":
				status(w, 400, `{"error":{"message":"Unsupported parameter: max_tokens"}}`)
			default:
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			}
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Retries: -1})
		req := ask("Go?")
		req.Options = map[string]any{"max_tokens": 9}
		req.Schema = json.RawMessage(schemaText)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if reply, err := c.Chat(t.Context(), req); err != nil || len(reply.Attempts) > 5 {
					t.Errorf("%d attempts, error %v", len(reply.Attempts), err)
				}
			})
		}
		all.Wait()
		if reply, err := c.Chat(t.Context(), req); err != nil || len(reply.Attempts) != 1 {
			t.Errorf("after all: %d attempts, error %v", len(reply.Attempts), err)
		}
	})
}
