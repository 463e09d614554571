package client

import (
	"compress/gzip"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// A reply that a server or proxy has compressed is unpacked.
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

// A server that speaks http where base_url says https is told as that, and not
// asked again.
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
