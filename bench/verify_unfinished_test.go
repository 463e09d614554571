package bench

import (
	"bufio"
	"compqa/data/sharedtest"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestSoakVerifyUnfinished: a run that its budget stopped is not finished, whether or not results are also removed.
func TestSoakVerifyUnfinished(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	server := wellServer(t)
	cfg := liveConfig(t, server.URL, cheapPrices)
	dir := t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", "1.5"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	expectVerdict(t, dir, exitFailed, ": not finished: ", " answers of contestant: the run did not finish")
	changed(t, dir, `DELETE FROM results WHERE kind = 'verdict' AND rowid % 2 = 0`)
	reseal(t, dir)
	expectVerdict(t, dir, exitFailed, ": not finished: ")
}

// TestSoakVerifyStopped: a run that Ctrl-C stopped, once or twice, is not finished. It has more questions than the run before it. Repeating
// the command finishes it.
func TestSoakVerifyStopped(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	for signals := 1; signals <= 2; signals++ {
		var asked atomic.Int64
		asked.Store(-1000)
		free := make(chan struct{})
		server := newScriptedServer(t, func(prompt string, n int) (int, string) {
			if asked.Add(1) > 20 {
				<-free
			}
			return 200, completion("Fine. "+prompt, "stop")
		})
		cfg := liveConfig(t, server.URL, "  - {name: rules, provider: embedded}")
		dir := t.TempDir()
		if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "2"); code == exitFailed {
			t.Fatal(stderr)
		}
		asked.Store(0)
		cmd := program(t, "run", "--config", cfg, "--out", dir)
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); asked.Load() <= 20 && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
		cmd.Process.Signal(syscall.SIGINT)
		for lines := bufio.NewScanner(stderr); lines.Scan() && !strings.Contains(lines.Text(), "waiting for calls in flight"); {
		}
		if signals == 2 {
			cmd.Process.Signal(syscall.SIGINT)
		} else {
			close(free)
		}
		io.Copy(io.Discard, stderr)
		cmd.Wait()
		if signals == 2 {
			close(free)
		}
		stopped := rowsOf(t, dir, "SELECT count(*) > 0 FROM calls WHERE status = 'cancelled'")
		if want := fmt.Sprintln(signals - 1); stopped != want {
			t.Errorf("%d signals: stopped calls: %s, want %s", signals, stopped, want)
		}
		expectVerdict(t, dir, exitFailed, ": not finished: ", " answers of contestant: the run did not finish",
			" attacks of embedded judges: those on record are of a run before this one")
		if code, _, stderr := compqa("run", "--config", cfg, "--out", dir); code == exitFailed {
			t.Fatal(stderr)
		}
		expectVerdict(t, dir, exitDone, "consistent, but ")
	}
}

// TestSoakVerifyOutage: a run in which a provider did not answer some calls, or a budget did not cover them, is not finished. A refusal is
// a result.
func TestSoakVerifyOutage(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	refusal := strings.Replace(completion("", "stop"), `"content":""`, `"content":null,"refusal":"I cannot help with that."`, 1)
	for what, fault := range map[string]struct {
		status int
		body   string
		gone   bool
		limit  string
		after  int64
		budget string
		why    string
	}{
		"a server that is down": {status: http.StatusBadGateway, after: 40, why: "missing "},
		"after a limit":         {status: http.StatusBadGateway, limit: "4", why: "missing "},
		"a key that is refused": {status: http.StatusUnauthorized, body: `{"error": {"message": "Incorrect API key"}}`, after: 40, why: "missing "},
		"a server that is gone": {gone: true, limit: "4", why: "missing "},
		"a model that refuses":  {status: http.StatusOK, body: refusal, after: 20, why: "rests on"},
		"a budget":              {budget: "0.6", after: 1 << 30, why: "missing "},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			var asked, judged atomic.Int64
			var down atomic.Bool
			server := newScriptedServer(t, func(prompt string, n int) (int, string) {
				switch {
				case isJudging(prompt) && judged.Add(1) <= 10: // if it had no verdict at all, the judge would count as not run
				case asked.Add(1) > fault.after && down.Load():
					return fault.status, fault.body
				}
				if isJudging(prompt) {
					return 200, completion(fullMarks(), "stop")
				}
				return 200, completion("Fine.", "stop")
			})
			server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if fault.gone && down.Load() {
					panic(http.ErrAbortHandler)
				}
				server.serve(w, r)
			})
			cfg := liveConfig(t, server.URL, cheapPrices)
			dir := t.TempDir()
			text, err := os.ReadFile(cfg)
			if err != nil {
				t.Fatal(err)
			}
			text = []byte(strings.NewReplacer("give_up: 5s", "give_up: 50ms", "temperature: 0", "max_tokens: 100",
				"[1, 2, 3, 4]", "[1, 2]",
				"models:", "models:\n  - {name: template, provider: baseline}").Replace(string(text)))
			if err := os.WriteFile(cfg, text, 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"run", "--config", cfg, "--out", dir}
			if fault.limit != "" {
				compqa(append(args, "--limit", fault.limit)...)
			}
			args = append(args, "--limit", "20")
			if fault.budget != "" {
				args = append(args, "--budget", fault.budget)
			}
			down.Store(true)
			if code, _, stderr := compqa(args...); code != exitIncomplete {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			if fault.why == "missing " {
				expectVerdict(t, dir, exitFailed, ": not finished: ", fault.why)
			} else {
				expectVerdict(t, dir, exitDone, "consistent, but ", fault.why)
			}
			down.Store(false)
			if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "20", "--retry-failed"); code != exitDone {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			expectVerdict(t, dir, exitDone, "consistent, but ")
		})
	}
}

// TestSoakVerifyUnfinishedPairs: a run in which the budget did not cover some preferences is not finished.
func TestSoakVerifyUnfinishedPairs(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newScriptedServer(t, func(string, int) (int, string) {
		return 200, completion("Comparison: one is longer.\nPreferred: A", "stop")
	})
	cfg := filepath.Join(t.TempDir(), "compqa.yaml")
	dir := t.TempDir()
	text := fmt.Sprintf(`
scenarios: [1]
providers: {scripted: {type: openai, base_url: %s/v1, concurrency: 2, backoff: 1ms, retries: 1}}
models: [{name: template, provider: baseline}, {name: extractive, provider: baseline}]
judges: [{name: constant, provider: embedded}]
pairs: [{name: run}]
pairwise: [{name: votes, method: cot-selfcon, provider: scripted, model: m, draws: 1, options: {max_tokens: 100}, price: {input: 2, output: 4}}]
`, server.URL)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", "0.02"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	expectVerdict(t, dir, exitFailed, ": not finished: ", " preferences of votes: the run did not finish")
	changed(t, dir, `DELETE FROM results WHERE kind = 'preference' AND party = 'votes' AND rowid % 2 = 0`)
	reseal(t, dir)
	expectVerdict(t, dir, exitFailed, ": not finished: ")
}

// expectVerdict exports a folder, verifies the export, and checks the exit code and the output.
func expectVerdict(t *testing.T, dir string, want int, said ...string) {
	t.Helper()
	file := exportOf(t, dir)
	code, stdout, stderr := compqa("verify", file)
	for _, text := range said {
		if code != want || !strings.Contains(stdout+stderr, text) {
			t.Errorf("exit %d, want %d and %q\n%s%s", code, want, text, stdout, stderr)
		}
	}
}
