package bench

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// TestBatchOutputGone: if the server has deleted the output of a batch, the run says so. Only --retry-failed asks again, in new batches,
// which answer everything.
func TestBatchOutputGone(t *testing.T) {
	t.Parallel()
	var gone atomic.Bool
	gone.Store(true)
	server := newBatchServer(t, wellReply)
	server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !gone.Load() || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/content") {
			return false
		}
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	run := func(more ...string) (int, string) {
		code, stdout, stderr := compqa(append([]string{"run", "--config", cfg, "--out", dir, "--only", "answers"}, more...)...)
		return code, stdout + stderr
	}
	if code, text := run(); code != exitIncomplete || !strings.Contains(text, "is gone (HTTP 404); --retry-failed") {
		t.Fatalf("exit %d: %s", code, text)
	}
	before := server.batches.Batches()
	if code, text := run(); code != exitIncomplete || server.batches.Batches() != before {
		t.Errorf("exit %d after %d batches: %s", code, server.batches.Batches(), text)
	}
	gone.Store(false)
	// The output of the first batch stays gone; the outputs of later batches are available.
	first := true
	server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if !first || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/content") {
			return false
		}
		first = false
		w.WriteHeader(http.StatusNotFound)
		return true
	}
	if code, text := run("--retry-failed"); code != exitDone || server.batches.Batches() <= before {
		t.Errorf("exit %d after %d batches: %s", code, server.batches.Batches(), text)
	}
}
