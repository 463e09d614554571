package client

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"compqa/llm"
	"compqa/llm/protocol"
)

// described returns the script of a server that lists models, reports a version, and answers chats.
func described(list, version, chat string) script {
	return func(_ int, w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"), strings.HasSuffix(r.URL.Path, "/api/tags"):
			io.WriteString(w, list)
		case strings.HasSuffix(r.URL.Path, "/api/version"):
			io.WriteString(w, version)
		default:
			io.WriteString(w, chat)
		}
	}
}

func TestCheck(t *testing.T) {
	const ready = `{"ready": true}`
	openAI := described(`{"object":"list","data":[{"id":"m2"},{"id":"m1"}]}`, "", openAIAnswer(ready, "stop"))
	local := described(`{"models":[{"name":"m2:8b"},{"name":"m1:latest"}]}`, `{"version":"0.6.5"}`, ollamaAnswer(ready, "stop"))
	tests := []struct {
		name   string
		kind   string
		env    string
		model  string
		script script
		want   string
	}{
		{"openai", llm.TypeOpenAI, "TEST_KEY", "m1", openAI, "key true, models [m1 m2], listed true, answer valid, format json_schema, schema true, version "},
		{"openai, unknown model", llm.TypeOpenAI, "TEST_KEY", "m3", openAI, "key true, models [m1 m2], listed false, answer valid, format json_schema, schema true, version "},
		{"openai, no key", llm.TypeOpenAI, "NO_KEY", "m1", refuses(401, `{"error":{"message":"no key"}}`), "key false, models [], listing misconfigured, listed false, answer misconfigured, format json_schema, schema false, version "},
		{"openai, no schema followed", llm.TypeOpenAI, "", "m1", described(`{"data":[]}`, "", openAIAnswer("Sure!", "stop")), "key true, models [], listed false, answer valid, format json_schema, schema false, version "},
		{"openai, no list", llm.TypeOpenAI, "", "m1", func(_ int, w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				status(w, 404, "")
				return
			}
			io.WriteString(w, openAIAnswer(ready, "stop"))
		}, "key true, models [], listing misconfigured, listed false, answer valid, format json_schema, schema true, version "},
		{"ollama", llm.TypeOllama, "", "m1", local, "key true, models [m1:latest m2:8b], listed true, answer valid, format json_schema, schema true, version 0.6.5"},
		{"ollama, server alone", llm.TypeOllama, "", "", local, "key true, models [m1:latest m2:8b], listed false, answer valid, format , schema false, version 0.6.5"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := serve(t, test.script)
				p := llm.Provider{Name: "test", Type: test.kind, BaseURL: "http://server.test", APIKeyEnv: test.env}
				f := Check(t.Context(), p, llm.Request{Model: test.model}, testEnv, Hooks{Transport: s.transport})
				listing := ""
				if f.Listing != nil {
					listing = fmt.Sprintf(", listing %s", kindOf(f.Listing))
				}
				got := fmt.Sprintf("key %t, models %v%s, listed %t, answer %s, format %s, schema %t, version %s",
					f.KeySet, f.Models, listing, f.ModelListed, kindOf(f.Answer), f.Format, f.Schema, f.Version)
				if got != test.want {
					t.Errorf("found %s\n want %s", got, test.want)
				}
				if f.Config != nil || f.Reachable != nil || f.Provider != "test" || f.BaseURL != "http://server.test" || f.KeyEnv != test.env {
					t.Errorf("facts %+v", f)
				}
			})
		})
	}
}

func TestCheckOutOfReach(t *testing.T) {
	for _, v := range voices {
		synctest.Test(t, func(t *testing.T) {
			transport := &http.Transport{DialContext: newClosedMemory().dial}
			f := Check(t.Context(), llm.Provider{Type: v.kind, Name: "test"}, llm.Request{Model: "m"}, testEnv, Hooks{Transport: transport})
			if e, ok := errors.AsType[*llm.Error](f.Reachable); !ok || !strings.Contains(e.Message, "connection refused") || strings.Contains(e.Message, "/models") || f.Answer != f.Reachable {
				t.Errorf("%s: %+v", v.kind, f)
			}
		})
	}
	if f := Check(t.Context(), llm.Provider{Type: "oracle"}, llm.Request{Model: "m"}, testEnv, Hooks{}); kindOf(f.Config) != llm.Misconfigured {
		t.Errorf("type oracle: %+v", f)
	}
}

func newClosedMemory() *memory {
	m := newMemory()
	m.Close()
	return m
}

func TestModels(t *testing.T) {
	for _, v := range voices {
		for name, body := range map[string]string{"list of a wrong type": `{"data":5,"models":5}`, "no JSON": "<html>", "error": ""} {
			synctest.Test(t, func(t *testing.T) {
				code := 200
				if body == "" {
					code = 500
				}
				s := serve(t, refuses(code, body))
				if names, err := s.client(t, llm.Provider{Type: v.kind}).Models(t.Context()); kindOf(err) == llm.Valid || names != nil {
					t.Errorf("%s, %s: %v, %v", v.kind, name, names, err)
				}
			})
		}
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, described(`{"data":[{"id":"b"},{"id":"a"}],"models":[{"name":"b"},{"name":"a"}]}`, "", ""))
			names, err := s.client(t, llm.Provider{Type: v.kind}).Models(t.Context())
			if err != nil || !slices.Equal(names, []string{"a", "b"}) {
				t.Errorf("%s: %v, %v", v.kind, names, err)
			}
		})
	}
}

// TestRequestsRefused: a request that no server could answer is refused before it is sent.
func TestRequestsRefused(t *testing.T) {
	change := map[string]func(*llm.Request){
		"no model":         func(r *llm.Request) { r.Model = "" },
		"no messages":      func(r *llm.Request) { r.Messages = nil },
		"empty message":    func(r *llm.Request) { r.Messages[0].Content = " " },
		"broken schema":    func(r *llm.Request) { r.Schema = []byte("{") },
		"n":                func(r *llm.Request) { r.Options = map[string]any{"n": 3} },
		"stream":           func(r *llm.Request) { r.Extra = map[string]any{"stream": true} },
		"not a value":      func(r *llm.Request) { r.Options = map[string]any{"stop": func() {}} },
		"message in extra": func(r *llm.Request) { r.Extra = map[string]any{"messages": nil} },
	}
	for _, v := range voices {
		for name, change := range change {
			synctest.Test(t, func(t *testing.T) {
				req := ask("Go?")
				change(&req)
				s, _, err := chatOnce(t, llm.Provider{Type: v.kind}, says(v.answer(goAnswer, "stop")), req)
				if kindOf(err) != llm.Misconfigured || len(s.seen()) != 0 {
					t.Errorf("%s, %s: %v after %d requests", v.kind, name, err, len(s.seen()))
				}
			})
		}
	}
}

// TestTypesHaveProtocols: each type of provider has a protocol. A type without a default address needs base_url.
func TestTypesHaveProtocols(t *testing.T) {
	names := llm.TypeNames(func(llm.ProviderType) bool { return true })
	if known := slices.Sorted(maps.Keys(protocol.Protocols)); !slices.Equal(known, names) {
		t.Errorf("protocols %v, types %v", known, names)
	}
	protocol.Protocols["new"] = protocol.Protocols[llm.TypeOpenAI]
	defer delete(protocol.Protocols, "new")
	if _, err := New(llm.Provider{Type: "new", APIKeyEnv: "TEST_KEY"}, testEnv, Hooks{}); err == nil || !strings.Contains(err.Error(), "base_url") {
		t.Errorf("without base_url: %v", err)
	}
}
