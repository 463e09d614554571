package bench

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestBatchConnectionBreaks: if the connection breaks for a moment while a batch is polled or collected, the request is retried. If it
// stays broken, only the models of the batch are pending and the reports are written. The same command later collects the batches.
func TestBatchConnectionBreaks(t *testing.T) {
	t.Parallel()
	for name, times := range map[string]int64{"for a moment": 2, "for good": 1 << 40} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var lookLeft, collectLeft atomic.Int64 // how many more times the connection breaks
			breaking := func(left *atomic.Int64, path string) *batchServer {
				left.Store(times)
				server := newBatchServer(t, wellReply)
				server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
					if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, path) || left.Add(-1) < 0 {
						return false
					}
					if path == "/content" { // the connection breaks within a line
						io.WriteString(w, `{"id": "batch_req_0", "custom_id": "`)
						w.(http.Flusher).Flush()
					}
					panic(http.ErrAbortHandler)
				}
				return server
			}
			look := breaking(&lookLeft, "/batches/batch_")
			collect := breaking(&collectLeft, "/content")
			steady := newBatchServer(t, wellReply)
			path := filepath.Join(t.TempDir(), "breaking.yaml")
			dir := t.TempDir()
			text := fmt.Sprintf(`
scenarios: [1]
providers:
  look: {type: openai, base_url: %s/v1, backoff: 1ms, retries: 2, batch_poll: 2ms, give_up: 50ms}
  collect: {type: openai, base_url: %s/v1, backoff: 1ms, retries: 2, batch_poll: 2ms}
  steady: {type: openai, base_url: %s/v1, batch_poll: 2ms}
models:
- {name: a, provider: look, model: m, batch: true, options: {max_tokens: 100}}
- {name: b, provider: collect, model: n, batch: true, options: {max_tokens: 100}}
- {name: c, provider: steady, model: o, batch: true, options: {max_tokens: 100}}
judges: [{name: rules, provider: embedded}]
`, look.URL, collect.URL, steady.URL)
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			run := func(code int, answers string) (stderr string) {
				t.Helper()
				got, _, stderr := compqa("run", "--config", path, "--out", dir, "--limit", "5")
				if answered := rowsOf(t, dir, validAnswers); got != code || answered != answers {
					t.Errorf("exit %d, want %d; answers %q, want %q\n%s", got, code, answered, answers, stderr)
				}
				for _, s := range []*batchServer{look, collect, steady} {
					if s.batches.Batches() != 1 || s.batches.Asked() > 5 || s.single.Load() != 0 {
						t.Errorf("%d batches of %d requests, %d single ones", s.batches.Batches(), s.batches.Asked(), s.single.Load())
					}
				}
				return stderr
			}
			if times > 2 {
				said := run(exitIncomplete, "c 5\n")
				for _, want := range []string{"batch of a: ", "batch of b: ", "the batch is not lost: the same command collects it"} {
					if !strings.Contains(said, want) {
						t.Errorf("the screen doesn't say %q:\n%s", want, said)
					}
				}
				failures := readFile(t, dir, "tables/failures.csv")
				if !strings.Contains(failures, "answer,-,a,1,pending,,") || !strings.Contains(failures, "answer,-,b,1,pending,,") || strings.Contains(failures, ",failed,") {
					t.Errorf("failures.csv:\n%s", failures)
				}
				readFile(t, dir, "report.html")
				lookLeft.Store(0)
				collectLeft.Store(0)
			}
			run(exitDone, "a 5\nb 5\nc 5\n")
			if lookLeft.Load() >= 0 || collectLeft.Load() >= 0 {
				t.Error("the connection did not break as often as it should have")
			}
		})
	}
}
