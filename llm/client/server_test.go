package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/llm"
)

// memory is a network within the process. Only with such a network does the fake clock of a synctest bubble advance.
type memory struct {
	conns chan net.Conn
	done  chan struct{}
	close sync.Once
}

func newMemory() *memory { return &memory{conns: make(chan net.Conn), done: make(chan struct{})} }

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.done:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.close.Do(func() { close(m.done) }); return nil }
func (m *memory) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- theirs:
		return ours, nil
	case <-m.done:
		return nil, fmt.Errorf("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A script responds to the n-th chat request, from 0.
type script func(n int, w http.ResponseWriter, r *http.Request)

// scripted is a server whose chats follow a script.
type scripted struct {
	transport *http.Transport
	dials     int
	show      http.HandlerFunc // responds to /api/show; nil: a context of 32768 tokens

	mu       sync.Mutex
	chat     script
	requests []recorded
}

// replace sets the script, for a script that needs the server itself.
func (s *scripted) replace(chat script) { s.chat = chat }

// recorded is a request that the server has received.
type recorded struct {
	when   time.Time
	header http.Header
	url    string
	body   map[string]json.RawMessage
	raw    string
}

// serve starts a server on a memory network. The server ends with the test.
func serve(t *testing.T, chat script) *scripted {
	t.Helper()
	s := &scripted{chat: chat}
	m := newMemory()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		if strings.HasSuffix(r.URL.Path, "/api/show") {
			if s.show != nil {
				s.show(w, r)
				return
			}
			fmt.Fprint(w, `{"model_info":{"llama.context_length":32768}}`)
			return
		}
		got := recorded{when: time.Now(), header: r.Header.Clone(), url: r.URL.String(), raw: string(text)}
		json.Unmarshal(text, &got.body) // a GET has no body
		s.mu.Lock()
		n := len(s.requests)
		s.requests = append(s.requests, got)
		s.mu.Unlock()
		s.chat(n, w, r)
	}))
	server.Listener.Close()
	server.Listener = m
	server.Config.ErrorLog = nil
	server.Start()
	s.transport = &http.Transport{MaxIdleConnsPerHost: 64, DialContext: func(ctx context.Context, n, a string) (net.Conn, error) {
		s.mu.Lock()
		s.dials++
		s.mu.Unlock()
		return m.dial(ctx, n, a)
	}}
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		server.Close()
	})
	return s
}

// seen returns the requests that the server has received.
func (s *scripted) seen() []recorded {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]recorded(nil), s.requests...)
}

// field returns a field in the body of the n-th request as JSON, or "" if it is missing.
func (s *scripted) field(n int, name string) string { return string(s.seen()[n].body[name]) }

const (
	testKey   = "sk-planted-K3yF0rT3sts-9081726354" // no real key
	testModel = "some-model"
)

// testEnv is the environment of clients in tests: it has only TEST_KEY.
func testEnv(name string) string {
	if name == "TEST_KEY" {
		return testKey
	}
	return ""
}

// client returns a client of the given type for a scripted server.
func (s *scripted) client(t *testing.T, p llm.Provider) Client {
	t.Helper()
	return s.clientWith(t, p, Hooks{})
}

func (s *scripted) clientWith(t *testing.T, p llm.Provider, hooks Hooks) Client {
	t.Helper()
	p.Name = "test"
	p.APIKeyEnv = "TEST_KEY"
	if p.BaseURL == "" {
		p.BaseURL = "http://server.test/v1"
		if p.Type == llm.TypeOllama {
			p.BaseURL = "http://server.test"
		}
	}
	hooks.Transport = s.transport
	c, err := New(p, testEnv, hooks)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(text string) llm.Request {
	return llm.Request{Model: testModel, Messages: []llm.Message{{Role: "user", Content: text}}}
}

// A voice writes replies in the form of one type of provider.
type voice struct {
	kind   string
	answer func(text, finish string) string
	length string // the finish reason of a reply that was cut off
	stop   string // the finish reason of a complete reply
}

var voices = []voice{
	{llm.TypeOpenAI, openAIAnswer, "length", "stop"},
	{llm.TypeAnthropic, anthropicAnswer, "max_tokens", "end_turn"},
	{llm.TypeOllama, ollamaAnswer, "length", "stop"},
}

func openAIAnswer(text, finish string) string {
	return fmt.Sprintf(`{"id":"1","object":"chat.completion","created":1,"model":"%s-v2","choices":[{"index":0,`+
		`"message":{"role":"assistant","content":%s},"finish_reason":%s}],`+
		`"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`, testModel, quote(text), quote(finish))
}

// anthropicAnswer returns a reply of Anthropic, with a block for a thought in <think> and a block for the text after it. It translates the
// other protocols' finish reasons to Anthropic's.
func anthropicAnswer(text, finish string) string {
	blocks := ""
	if rest, thinks := strings.CutPrefix(text, "<think>"); thinks {
		thought, answer, _ := strings.Cut(rest, "</think>")
		blocks = `{"type":"thinking","thinking":` + quote(thought) + `,"signature":"c2ln"}`
		text = answer
	}
	if text != "" {
		if blocks != "" {
			blocks += ","
		}
		blocks += `{"type":"text","text":` + quote(text) + `}`
	}
	switch finish {
	case "stop":
		finish = "end_turn"
	case "content_filter":
		finish = "refusal"
	}
	return fmt.Sprintf(`{"id":"msg_1","type":"message","role":"assistant","model":"%s-v2","content":[%s],"stop_reason":%s,`+
		`"usage":{"input_tokens":11,"output_tokens":7}}`, testModel, blocks, quote(finish))
}

func ollamaAnswer(text, finish string) string {
	return fmt.Sprintf(`{"model":"%s-v2","created_at":"2026-01-02T03:04:05Z","message":{"role":"assistant","content":%s},"done":true,`+
		`"done_reason":%s,"prompt_eval_count":11,"eval_count":7}`+"\n", testModel, quote(text), quote(finish))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// says returns a script that always responds with one body.
func says(body string) script {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// status writes a response with a status code and headers, each as "Name: value".
func status(w http.ResponseWriter, code int, body string, headers ...string) {
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		w.Header().Set(name, value)
	}
	w.WriteHeader(code)
	io.WriteString(w, body)
}
