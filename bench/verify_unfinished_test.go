package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestVerifyUnfinished: what a budget or Ctrl-C left out is counted with its reason, and the run is
// consistent. Results that are removed from such a run as well are still missing.
func TestVerifyUnfinished(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	cfg, dir := liveConfig(t, server.URL, cheapPrices), t.TempDir()
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--budget", "1.5"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	expectVerdict(t, dir, exitDone, "consistent, but ", " answers of contestant: the run did not finish ($", " of its budget of $1.50 are spent)")
	changed(t, dir, `DELETE FROM answers WHERE rowid % 2 = 0`)
	reseal(t, dir)
	expectVerdict(t, dir, exitFailed, "not verified", "nothing on record shows why")

	slow := newScriptedServer(t, func(prompt string, n int) (int, string) {
		time.Sleep(20 * time.Millisecond)
		return 200, completion("Fine. "+prompt, "stop")
	})
	cfg, dir = liveConfig(t, slow.URL, ""), t.TempDir()
	cmd := program(t, "run", "--config", cfg, "--out", dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); slow.asked() < 20 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGINT)
	cmd.Wait()
	expectVerdict(t, dir, exitDone, "consistent, but ", " answers of contestant: the run did not finish")
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--only", "answers"); code == exitFailed {
		t.Fatal(stderr)
	}
}

// TestVerifyUnfinishedPairs: so it is with preferences that a budget left out.
func TestVerifyUnfinishedPairs(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(string, int) (int, string) {
		return 200, completion("Comparison: one is longer.\nPreferred: A", "stop")
	})
	cfg, dir := filepath.Join(t.TempDir(), "compqa.yaml"), t.TempDir()
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
	expectVerdict(t, dir, exitDone, "consistent, but ", " preferences of votes: the run did not finish ($", " of its budget of $0.0200 are spent)")
	changed(t, dir, `DELETE FROM preferences WHERE judge = 'votes' AND rowid % 2 = 0`)
	reseal(t, dir)
	expectVerdict(t, dir, exitFailed, "not verified", "nothing on record shows why")
}

// expectVerdict exports a folder and verifies the file.
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
