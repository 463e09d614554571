package bench

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// newModelServer returns an OpenAI-compatible server with an empty list of models. answer replies to all other requests.
func newModelServer(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, asked string)) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"object": "list", "data": []}`)
			return
		}
		asked, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client ended before the request was complete
		}
		answer(w, r, string(asked))
	}))
	t.Cleanup(server.Close)
	return server
}
