package client

import (
	"compress/gzip"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// TestCompressedReply: a reply that a server or proxy has compressed is decompressed.
func TestCompressedReply(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		io.WriteString(zip, `{"plain":true}`)
		zip.Close()
	}))
	defer server.Close()
	w, err := protocol.NewEndpoint(llm.Provider{BaseURL: server.URL, MaxReply: "1kB", Timeout: time.Minute}, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := w.Fetch(t.Context(), http.MethodPost, "/x", []byte("{}")); string(text) != `{"plain":true}` || err != nil {
		t.Errorf("%q, error %v", text, err)
	}
}

// TestWrongScheme: if a server uses http and base_url says https, the error says so, and the request is not retried.
func TestWrongScheme(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https" + strings.TrimPrefix(server.URL, "http")}, testEnv, Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := c.Chat(t.Context(), ask("Go?"))
	if kindOf(err) != llm.Misconfigured || !strings.Contains(err.Error(), "answers with http, but base_url says https") || len(reply.Attempts) != 1 {
		t.Errorf("%d attempts, error %v", len(reply.Attempts), err)
	}
}

// TestProxyRefuses: the error names a proxy that refuses or does not respond as the cause. A refusal is not retried, and costs nothing.
func TestProxyRefuses(t *testing.T) {
	refuses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer refuses.Close()
	for _, test := range []struct {
		proxy    string
		kind     llm.Kind
		concerns llm.Scope
		attempts int
		said     string
	}{
		{refuses.URL, llm.Misconfigured, llm.AllModels, 1, "the proxy " + strings.TrimPrefix(refuses.URL, "http://") +
			" refuses the connection: 403 Forbidden (HTTPS_PROXY, NO_PROXY)"},
		{"http://127.0.0.1:1", llm.Failed, llm.OneCall, 2, "the proxy of HTTPS_PROXY does not answer"},
	} {
		address, err := url.Parse(test.proxy)
		if err != nil {
			t.Fatal(err)
		}
		transport := protocol.NewTransport(1)
		transport.Proxy = http.ProxyURL(address)
		dear := llm.PerMillion(1e6, 1e6, 1e6)
		c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://server.test/v1", Retries: 1, Backoff: time.Millisecond}, testEnv,
			Hooks{Transport: transport, Price: func(string) (llm.Price, bool) { return dear, true }})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := c.Chat(t.Context(), ask("Go?"))
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Kind != test.kind || e.Concerns != test.concerns || len(reply.Attempts) != test.attempts || !strings.Contains(e.Message, test.said) {
			t.Errorf("%d attempts, %v, want %q", len(reply.Attempts), err, test.said)
		}
		for _, a := range reply.Attempts {
			if llm.ValueOr(a.Cost, 0) != 0 {
				t.Errorf("an attempt that no server saw costs %v", *a.Cost)
			}
		}
	}
}
