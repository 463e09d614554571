package bench

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"compqa/data/sharedtest"
	"compqa/llm/batchtest"
)

// A geminiServer answers batches as Google documents them. It also answers single requests and counts them.
type geminiServer struct {
	*httptest.Server
	batches batchtest.Gemini
	single  atomic.Int64
}

func newGeminiServer(t *testing.T) *geminiServer {
	t.Helper()
	s := &geminiServer{}
	s.batches.Key = plantedKey
	s.batches.Answer = func(body map[string]any) (int, string) { return wellReply(fmt.Sprint(body["messages"]), false) }
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/chat/completions") {
			s.single.Add(1)
			fmt.Fprint(w, completion("Fine.", "stop"))
			return
		}
		s.batches.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// geminiConfig writes a configuration with one model that is asked in batches. It has 50 answers.
func geminiConfig(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gemini.yaml")
	text := fmt.Sprintf(`
scenarios: [1]
providers:
  google: {type: openai, base_url: %s/v1beta/openai, api_key_env: COMPQA_TEST_KEY, backoff: 1ms, retries: 2, batch_poll: 2ms}
prices: {m: {input: 100, output: 100}}
models: [{name: contestant, provider: google, model: m, batch: true, options: {max_tokens: 100}}]
judges: [{name: rules, provider: embedded}]
`, url)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestGeminiBatches: Google answers a batch at half the price. If the output of a batch is gone, the run says so, and only --retry-failed
// asks again. If a call has two different replies, neither is used. A batch that exceeds the quota is split.
func TestGeminiBatches(t *testing.T) {
	t.Parallel()
	run := func(cfg, dir string, more ...string) (int, string) {
		code, stdout, stderr := compqa(append([]string{"run", "--config", cfg, "--out", dir, "--only", "answers"}, more...)...)
		return code, stdout + stderr
	}
	t.Run("well", func(t *testing.T) {
		server := newGeminiServer(t)
		dir := t.TempDir()
		code, text := run(geminiConfig(t, server.URL), dir)
		bills, total := billed(t, dir)
		if code != exitDone || server.batches.Batches() != 1 || server.single.Load() != 0 || rowsOf(t, dir, validAnswers) != "contestant 50\n" ||
			len(bills) != 1 || bills[0].InBatch != 50 || math.Abs(total-25*callCost) > 1e-9 {
			t.Errorf("exit %d, %d batches, %+v, %v paid:\n%s", code, server.batches.Batches(), bills, total, text)
		}
	})
	t.Run("gone", func(t *testing.T) {
		server := newGeminiServer(t)
		dir := t.TempDir()
		var kept atomic.Bool
		server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			if kept.Load() || !strings.HasPrefix(r.URL.Path, "/download/") {
				return false
			}
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "You do not have permission to access the File or it may not exist."}}`)
			return true
		}
		cfg := geminiConfig(t, server.URL)
		for range 2 {
			if code, text := run(cfg, dir); code != exitIncomplete || !strings.Contains(text, "is gone (HTTP 404); --retry-failed") || server.batches.Batches() != 1 {
				t.Fatalf("exit %d, %d batches: %s", code, server.batches.Batches(), text)
			}
		}
		first := true
		forgets := server.batches.Fault
		server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			gone := first && forgets(w, r)
			first = first && !gone
			return gone
		}
		if code, text := run(cfg, dir, "--retry-failed"); code != exitDone || server.batches.Batches() != 2 {
			t.Errorf("exit %d, %d batches: %s", code, server.batches.Batches(), text)
		}
	})
	t.Run("twice", func(t *testing.T) {
		server := newGeminiServer(t)
		dir := t.TempDir()
		server.batches.Twice = func() string { return completion("Another answer.", "stop") }
		code, text := run(geminiConfig(t, server.URL), dir)
		if code != exitIncomplete || !strings.Contains(text, "1 call has two replies that differ") || rowsOf(t, dir, validAnswers) != "contestant 49\n" {
			t.Errorf("exit %d: %s", code, text)
		}
	})
	t.Run("over the quota", func(t *testing.T) {
		server := newGeminiServer(t)
		dir := t.TempDir()
		server.batches.Enqueued = func(n int) bool { return n > 13 }
		code, text := run(geminiConfig(t, server.URL), dir)
		if code != exitDone || server.single.Load() != 0 || !strings.Contains(text, "in batches of at most 13, one after the other") ||
			rowsOf(t, dir, validAnswers) != "contestant 50\n" || server.batches.Batches() != 4 {
			t.Errorf("exit %d, %d batches: %s", code, server.batches.Batches(), text)
		}
		server, dir = newGeminiServer(t), t.TempDir()
		server.batches.Enqueued = func(int) bool { return true }
		if code, text := run(geminiConfig(t, server.URL), dir); code != exitIncomplete || server.single.Load() != 0 || !strings.Contains(text, "exceeded your current quota") {
			t.Errorf("exit %d: %s", code, text)
		}
	})
	t.Run("expired", func(t *testing.T) {
		server := newGeminiServer(t)
		dir := t.TempDir()
		server.batches.Expire = func(batch int) int { return map[int]int{1: 20}[batch] - map[bool]int{false: 1}[batch == 1] }
		code, text := run(geminiConfig(t, server.URL), dir)
		if code != exitDone || server.batches.Batches() != 2 || rowsOf(t, dir, validAnswers) != "contestant 50\n" || !strings.Contains(text, "batch batches/g1 expired") {
			t.Errorf("exit %d, %d batches: %s", code, server.batches.Batches(), text)
		}
	})
}

// TestSoakGeminiBatchSurvives: a run is killed after a batch is submitted to Google and before it is recorded. The next run finds the batch
// by the name of its file. While the list of batches is unavailable, it says that a batch may be paid for, and submits none.
func TestSoakGeminiBatchSurvives(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newGeminiServer(t)
	dir := t.TempDir()
	var submitted, listed atomic.Bool
	made := make(chan struct{})
	server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1beta/batches" && !listed.Load() {
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/openai/batches") || submitted.Swap(true) {
			return false
		}
		server.batches.ServeHTTP(httptest.NewRecorder(), r)
		close(made)
		<-r.Context().Done() // the program was killed
		return true
	}
	cfg := geminiConfig(t, server.URL)
	cmd := program(t, "run", "--config", cfg, "--out", dir, "--only", "answers")
	var said strings.Builder
	cmd.Stdout = &said
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-made:
	case err := <-ended:
		t.Fatalf("the program ended: %v\n%s", err, said.String())
	}
	cmd.Process.Kill()
	<-ended
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
	if code != exitIncomplete || server.batches.Batches() != 1 || server.single.Load() != 0 || !strings.Contains(stderr, "may be paid for: the same command looks for it again") {
		t.Errorf("without the list: exit %d, %d batches, %s", code, server.batches.Batches(), stderr)
	}
	listed.Store(true)
	code, _, stderr = compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
	if code != exitDone || server.batches.Batches() != 1 || rowsOf(t, dir, validAnswers) != "contestant 50\n" {
		t.Errorf("exit %d, %d batches, %s", code, server.batches.Batches(), stderr)
	}
}
