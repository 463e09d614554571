package bench

import (
	"compqa/data/sharedtest"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"compqa/data"
	"compqa/llm/batchtest"
	"compqa/results/dataset"
)

// A batchServer answers batches and single requests, and counts the single ones.
type batchServer struct {
	*httptest.Server
	batches batchtest.Server
	single  atomic.Int64
}

// newBatchServer returns a server that answers with reply, in a batch or alone. alone says whether the request was a single one.
func newBatchServer(t *testing.T, reply func(prompt string, alone bool) (int, string)) *batchServer {
	t.Helper()
	s := &batchServer{}
	prompt := func(body map[string]any) string {
		text, _ := json.Marshal(body["messages"])
		return string(text)
	}
	s.batches.Answer = func(body map[string]any) (int, string) { return reply(prompt(body), false) }
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/models"):
			fmt.Fprint(w, `{"object": "list", "data": [{"id": "m", "object": "model"}]}`)
		case strings.HasSuffix(r.URL.Path, "/chat/completions"):
			s.single.Add(1)
			var body map[string]any
			json.NewDecoder(r.Body).Decode(&body)
			status, text := reply(prompt(body), true)
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		default:
			s.batches.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

func wellReply(prompt string, _ bool) (int, string) {
	if isJudging(prompt) {
		return 200, completion(fullMarks(), "stop")
	}
	return 200, completion("Fine. "+prompt, "stop")
}

// batchConfig writes a configuration with a model and a judge that are asked in batches: 2 scenarios, 50 questions, 100 answers and 100
// verdicts.
func batchConfig(t *testing.T, url, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "batch.yaml")
	text := fmt.Sprintf(`
scenarios: [1, 2]
providers:
  scripted: {type: openai, base_url: %s/v1, backoff: 1ms, retries: 2, batch_poll: 2ms}
prices: {m: {input: 100, output: 100}}
models: [{name: contestant, provider: scripted, model: m, batch: true, options: {max_tokens: 100}}]
judges: [{name: judge, provider: scripted, model: m, batch: true, repeats: 1, options: {max_tokens: 100}}]
%s`, url, more)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// validVerdicts returns the number of valid verdicts on record.
func validVerdicts(t *testing.T, dir string) (n int) {
	t.Helper()
	record, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range record.Sheets {
		if s.Status == data.Valid {
			n++
		}
	}
	return n
}

// TestBatches: two batches answer everything at half the price. The record is the same as that of a run without batches.
func TestBatches(t *testing.T) {
	t.Parallel()
	server := newBatchServer(t, wellReply)
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	plain := t.TempDir()
	if _, stdout, _ := compqa("estimate", "--config", cfg, "--out", dir); !regexp.MustCompile(`(?m)^ all .*[0-9] +batches$`).MatchString(stdout) {
		t.Errorf("estimate:\n%s", stdout)
	}
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitDone || server.batches.Batches() != 2 || server.batches.Asked() != 200 || server.single.Load() != 0 {
		t.Fatalf("exit %d, %d batches of %d requests, %d single ones, %s", code, server.batches.Batches(), server.batches.Asked(), server.single.Load(), stderr)
	}
	bills, total := billed(t, dir)
	if len(bills) != 2 || bills[0].InBatch != 100 || bills[1].InBatch != 100 || math.Abs(total-100*callCost) > 1e-9 {
		t.Errorf("bills %+v", bills)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--retry-failed"); code != exitDone || server.batches.Batches() != 2 {
		t.Errorf("again: exit %d, %d batches, %s", code, server.batches.Batches(), stderr)
	}
	text, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cfg, []byte(strings.ReplaceAll(string(text), "batch: true, ", "")), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", plain); code != exitDone || server.single.Load() != 200 {
		t.Fatalf("without batches: exit %d, %s", code, stderr)
	}
	for _, name := range []string{"tables/leaderboard.csv", "tables/groups.csv"} {
		a, err1 := os.ReadFile(filepath.Join(dir, name))
		b, err2 := os.ReadFile(filepath.Join(plain, name))
		if err1 != nil || err2 != nil || string(a) != string(b) {
			t.Errorf("%s differs (%v, %v)", name, err1, err2)
		}
	}
	// A run without batches does not repeat what batches have answered.
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone || server.single.Load() != 200 {
		t.Errorf("after batches: exit %d, %d calls, %s", code, server.single.Load(), stderr)
	}
}

// TestSoakBatchFaults: within a batch, a request may fail permanently, fail temporarily, or have a faulty reply. Requests that a batch
// leaves unanswered go into another batch.
func TestSoakBatchFaults(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	crashed := map[string]bool{} // safe without a lock, because a batch is answered sequentially
	server := newBatchServer(t, func(prompt string, alone bool) (int, string) {
		switch {
		case !isJudging(prompt) && strings.Contains(prompt, "softball"): // fails permanently
			return 400, `{"error": {"message": "not today"}}`
		case !isJudging(prompt) && strings.Contains(prompt, "Eclipse") && !crashed[prompt]: // fails temporarily
			crashed[prompt] = true
			return 500, `{"error": {"message": "crash"}}`
		case isJudging(prompt) && strings.Contains(prompt, "snowboarding") && !strings.Contains(prompt, "Ten points!"): // needs a repair
			return 200, completion("Ten points!", "stop")
		}
		return wellReply(prompt, alone)
	})
	server.batches.Expire = func(batch int) int {
		if batch == 1 {
			return 60
		}
		return -1
	}
	cfg := batchConfig(t, server.URL, "run: {repair: 1}\n")
	dir := t.TempDir()
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitIncomplete || !strings.Contains(stderr, "batch batch_1 expired") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	record, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	count := func(word string) (n int64) {
		for _, a := range record.Answers {
			if strings.Contains(a.Object1+a.Object2, word) {
				n++
			}
		}
		return n
	}
	failed := count("softball")
	retried := count("Eclipse")
	repaired := count("snowboarding")
	if failed == 0 || retried == 0 || repaired == 0 {
		t.Fatalf("the questions changed: %d, %d, %d", failed, retried, repaired)
	}
	// The answers that crashed and 40 others went into further batches, then the verdicts, and their repairs. No single request was made at
	// the full price.
	made := server.batches.Batches()
	if got := server.single.Load(); got != 0 || made < 4 || made > 5 {
		t.Errorf("%d single requests; %d batches", got, made)
	}
	if valid := int64(validVerdicts(t, dir)); valid != 100-failed {
		t.Errorf("%d valid verdicts, want all but %d", valid, failed)
	}
	if code, _, _ := compqa("run", "--config", cfg, "--out", dir); code != exitIncomplete || server.single.Load() != 0 || server.batches.Batches() != made {
		t.Errorf("again: exit %d, %d single requests, %d batches", code, server.single.Load(), server.batches.Batches())
	}
}

// TestSoakBatchFallback: with batch: fallback, requests that no batch has answered are made as single requests, and the run says so. With
// batch: true they stay pending. This applies to cancelled batches and to batches in which all lines fail.
func TestSoakBatchFallback(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	for name, prepare := range map[string]func(*batchServer){
		"cancelled": func(s *batchServer) { s.batches.Cancel = func(int) int { return 60 } },
		"all lines fail": func(s *batchServer) {
			s.batches.Answer = func(map[string]any) (int, string) { return 500, `{"error": {"message": "crash"}}` }
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newBatchServer(t, wellReply)
			prepare(server)
			cfg := batchConfig(t, server.URL, "")
			dir := t.TempDir()
			code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
			left := 100
			if name == "cancelled" {
				left = 40
			}
			if want := fmt.Sprintf("%d calls of contestant wait for another batch", left); code != exitIncomplete || server.single.Load() != 0 ||
				!strings.Contains(stderr, want) {
				t.Errorf("exit %d, %d single requests, want %q, %s", code, server.single.Load(), want, stderr)
			}
			if _, total := billed(t, dir); math.Abs(total-float64(100-left)*callCost/2) > 1e-9 {
				t.Errorf("%v was paid", total)
			}
			text, err := os.ReadFile(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(cfg, []byte(strings.ReplaceAll(string(text), "batch: true", "batch: fallback")), 0o644); err != nil {
				t.Fatal(err)
			}
			code, _, stderr = compqa("run", "--config", cfg, "--out", dir, "--only", "answers")
			said := strings.Contains(stderr, "100 calls of contestant are made by themselves, at the full price (")
			if code != exitDone || said != (left == 100) { // the rest of a cancelled batch goes into another batch
				t.Errorf("fallback: exit %d, %s", code, stderr)
			}
			asked := float64(server.single.Load())
			if _, total := billed(t, dir); said != (asked == 100) || math.Abs(total-asked*callCost-(100-asked)*callCost/2) > 1e-9 {
				t.Errorf("%v single requests, %v was paid", asked, total)
			}
		})
	}
}

// TestSoakBatchSurvives: a run that is killed while a batch is in flight leaves the id of the batch. The same command collects the batch,
// and submits nothing twice.
func TestSoakBatchSurvives(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newBatchServer(t, wellReply)
	var open atomic.Bool // until then no batch is complete
	server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if open.Load() || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/batches/") {
			return false
		}
		fmt.Fprintf(w, `{"id": %q, "status": "in_progress", "request_counts": {"total": 100, "completed": 40}}`, filepath.Base(r.URL.Path))
		return true
	}
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	for _, signal := range []os.Signal{os.Interrupt, os.Kill} {
		cmd := program(t, "run", "--config", cfg, "--out", dir)
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for range 12_000 { // at most two minutes
			if server.batches.Batches() > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		time.Sleep(time.Second)
		cmd.Process.Signal(signal)
		cmd.Wait()
		if want := "100 calls of contestant stay in batches at the provider"; signal == os.Interrupt && !strings.Contains(said.String(), want) {
			t.Errorf("after Ctrl-C: want %q, got %s", want, said.String())
		}
	}
	if server.batches.Batches() != 1 {
		t.Fatalf("%d batches after two kills", server.batches.Batches())
	}
	// A budget that the batch in flight uses up does not pay for another batch.
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir+"x", "--budget", "0.001"); code != exitIncomplete || server.batches.Batches() != 1 || !strings.Contains(stderr, "the budget does not cover it") {
		t.Errorf("with hardly a budget: exit %d, %d batches, %s", code, server.batches.Batches(), stderr)
	}
	if code, stdout, stderr := compqa("estimate", "--config", cfg, "--out", dir); code != exitDone || !strings.Contains(stdout, "In batches in flight, not counted above: 100 calls of contestant.") {
		t.Errorf("estimate: exit %d, %s%s", code, stdout, stderr)
	}
	open.Store(true)
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitDone || server.batches.Batches() != 2 || server.batches.Asked() != 200 || server.single.Load() != 0 || validVerdicts(t, dir) != 100 {
		t.Errorf("exit %d, %d batches, %d requests in them, %d single, %s", code, server.batches.Batches(), server.batches.Asked(), server.single.Load(), stderr)
	}
}

// TestSoakBatchLostSubmission: a run is killed after a batch is submitted and before it is recorded. The next run finds the batch by its
// label.
func TestSoakBatchLostSubmission(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newBatchServer(t, wellReply)
	var submitted atomic.Bool
	made := make(chan struct{})
	server.batches.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/batches") || submitted.Swap(true) {
			return false
		}
		server.batches.ServeHTTP(httptest.NewRecorder(), r)
		close(made)
		<-r.Context().Done() // the program was killed
		return true
	}
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	cmd := program(t, "run", "--config", cfg, "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-made
	cmd.Process.Kill()
	cmd.Wait()
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
	if code != exitDone || server.batches.Batches() != 2 || validVerdicts(t, dir) != 100 {
		t.Errorf("exit %d, %d batches, %s", code, server.batches.Batches(), stderr)
	}
}

// TestSoakBatchRefused: if a provider does not accept batches, the calls are not made at the full price instead.
func TestSoakBatchRefused(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	for name, prepare := range map[string]func(*batchServer){
		"fails as a whole": func(s *batchServer) { s.batches.Reject = "the model has no batches" },
		"no batch interface": func(s *batchServer) {
			s.batches.Fault = func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(404); return true }
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := newBatchServer(t, wellReply)
			prepare(server)
			cfg := batchConfig(t, server.URL, "")
			dir := t.TempDir()
			code, _, stderr := compqa("run", "--config", cfg, "--out", dir)
			if code != exitIncomplete || server.single.Load() != 0 || !strings.Contains(stderr, "100 calls of contestant wait for another batch") {
				t.Errorf("exit %d, %d single requests, %s", code, server.single.Load(), stderr)
			}
			server.batches.Reject = ""
			server.batches.Fault = nil
			if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone || validVerdicts(t, dir) != 100 {
				t.Errorf("afterwards: exit %d, %s", code, stderr)
			}
		})
	}
}

// TestSoakBatchBudget: batches keep within the budget, because calls are submitted in parts.
func TestSoakBatchBudget(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newBatchServer(t, wellReply)
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	spent := 0.0
	for _, budget := range []string{"0.3", "0.9"} {
		code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", budget)
		_, total := billed(t, dir)
		if code != exitIncomplete || !strings.Contains(stderr, "the budget does not cover it") || total <= spent || fmt.Sprint(total) > budget {
			t.Errorf("budget %s: exit %d, %v spent, %s", budget, code, total, stderr)
		}
		spent = total
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code != exitDone || server.batches.Asked() != 200 || server.single.Load() != 0 {
		t.Errorf("without a budget: exit %d, %d requests, %d single, %s", code, server.batches.Asked(), server.single.Load(), stderr)
	}
}

// TestSoakBatchCollectedTwice: a run ends after it recorded the last reply of a batch and before it noted that the batch is collected. The
// next run collects the batch again. The replies on record count only once in the budget, which otherwise would not pay for all verdicts.
func TestSoakBatchCollectedTwice(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := newBatchServer(t, wellReply)
	cfg := batchConfig(t, server.URL, "")
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers"); code != exitDone {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	_, answers := billed(t, dir)
	changed(t, dir, `UPDATE batches SET status = 'completed'`)
	code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", fmt.Sprint(answers+1))
	if _, total := billed(t, dir); code != exitDone || math.Abs(total-2*answers) > 1e-9 || !strings.Contains(stderr, "$1.20 of $1.60") {
		t.Errorf("exit %d, %v paid of which %v for answers: %s", code, total, answers, stderr)
	}
}
