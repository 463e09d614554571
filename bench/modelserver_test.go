package bench

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// newModelServer is an OpenAI-compatible server that has a list of models, empty,
// and leaves what it is asked to answer.
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
			return // whoever asked was gone before it had
		}
		answer(w, r, string(asked))
	}))
	t.Cleanup(server.Close)
	return server
}
