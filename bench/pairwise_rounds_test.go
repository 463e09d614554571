package bench

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseRounds: repeats are rounds of a judge with calls of their own. Nothing is asked
// twice, the spread is in pairwise_rounds.csv, and verify decides again.
func TestPairwiseRounds(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, manyPairs(4), "pairwise:\n  - {name: votes, method: cot-selfcon, draws: 2, repeats: 3, provider: scripted, model: m, price: {input: 1, output: 1}}\n")
	const calls = 3 * 4 * 2 * 2
	for range 2 {
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone || server.asked() != calls {
			t.Fatalf("exit %d after %d calls, want %d: %s", code, server.asked(), calls, stderr)
		}
	}
	run := filepath.Join(dir, "run")
	rows := csvTable(t, filepath.Join(run, "tables", "pairwise_rounds.csv"))
	if len(rows) != 3 || rows[0]["judge"] != "votes" || rows[0]["rounds"] != "3" || rows[0]["n"] != "4" || rows[0]["same"] == "" {
		t.Errorf("%v", rows)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", "--run", run, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "cannot decide again") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
