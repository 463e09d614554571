package bench

import (
	"compqa/data/sharedtest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSoakPairwiseRounds: repeats are rounds of a judge with separate calls. No call is repeated. Only pairwise_rounds.csv shows the
// spread; all other tables have one judge with the mean of its rounds. verify decides the same. The cost curve has the recorded calls, with
// prompt and reply tokens.
func TestSoakPairwiseRounds(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, manyPairs(4),
		"pairwise:\n  - {name: votes, method: cot-selfcon, draws: 2, repeats: 3, provider: scripted, model: m, price: {input: 1, output: 1}}\n"+
			"  - {name: sc2-votes, method: sc2-selfcon, draws: 3, aspect_draws: 1, provider: scripted, model: m, price: {input: 1, output: 1}}\n")
	const calls = 3*4*2*2 + 4*2*(1+3+2+3)
	config := filepath.Join(dir, "compqa.yaml")
	out := filepath.Join(dir, "run")
	for range 2 {
		if code, stdout, stderr := compqa("estimate", "--config", config, "--out", out); code != exitDone || strings.Contains(stdout, "votes#") ||
			!strings.Contains(stdout, " of 24 ") {
			t.Errorf("the rounds of a judge are one row of an estimate: exit %d: %s%s", code, stdout, stderr)
		}
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone || server.asked() != calls {
			t.Fatalf("exit %d after %d calls, want %d: %s", code, server.asked(), calls, stderr)
		}
	}
	run := filepath.Join(dir, "run")
	rows := csvTable(t, filepath.Join(run, "tables", "pairwise_rounds.csv"))
	if len(rows) != 3 || rows[0]["judge"] != "votes" || rows[0]["rounds"] != "3" || rows[0]["n"] != "4" || rows[0]["same"] == "" {
		t.Errorf("%v", rows)
	}
	values := map[string]string{"judge": "votes", "dataset": "pairs", "order": "ab"}
	for _, name := range []string{"pairwise.csv", "pairwise_comparisons.csv", "preference_agreement.csv", "pairwise_price.csv",
		"pairwise_budget.csv", "bradley_terry.csv"} {
		if text, err := os.ReadFile(filepath.Join(run, "tables", name)); err != nil || strings.Contains(string(text), "votes#") {
			t.Errorf("%s has single rounds (%v)", name, err)
		}
	}
	pooled := where(csvTable(t, filepath.Join(run, "tables", "pairwise.csv")), values)
	if len(pooled) != 1 || pooled[0]["planned"] != "12" || pooled[0]["valid"] != "12" || pooled[0]["accuracy"] != rows[0]["mean"] || pooled[0]["accuracy_low"] == "" {
		t.Errorf("%v; the mean of rounds is %s", pooled, rows[0]["mean"])
	}
	budget := where(csvTable(t, filepath.Join(run, "tables", "pairwise_budget.csv")), map[string]string{"judge": "sc2-votes"})
	if len(budget) != 3 || budget[0]["calls"] != "7" || budget[0]["input_tokens"] != "700" || budget[2]["calls"] != "9" || budget[2]["input_tokens"] != "900" || budget[2]["output_tokens"] != "180" {
		t.Errorf("the cost curve of 3 tables, 2 comparisons, 1 list of aspects and 3 votes: %v", budget)
	}
	if code, _, stderr := compqa("run", "--config", config, "--out", out, "--limit", "1"); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	paid := where(csvTable(t, filepath.Join(run, "tables", "costs.csv")), map[string]string{"name": "votes"})
	if len(paid) != 1 || paid[0]["attempts"] != "48" || paid[0]["valid"] != "24" || paid[0]["cost_per_1000"] == "" {
		t.Errorf("one row with the 24 preferences that are paid for: %v", paid)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", run, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "cannot decide again") ||
		!strings.Contains(stdout, "6 preferences of votes: replies") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}

// TestOutsideSample: verify says that pairs outside the sample of a judge were not planned.
func TestOutsideSample(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, manyPairs(4), "pairwise: [{name: some, method: direct, sample: 1, provider: scripted, model: m}]\n")
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone || server.asked() != 2 {
		t.Fatalf("exit %d after %d calls: %s", code, server.asked(), stderr)
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	if code, _, stderr := compqa("export", filepath.Join(dir, "run"), "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	code, stdout, stderr := compqa("verify", file)
	first, _, _ := strings.Cut(stdout, "\n")
	if code != exitDone || !strings.Contains(first, "and 200 planned results were not made") || // the answers, which --only pairs left out

		!strings.Contains(stdout, "not asked    6 preferences of some: pairs of the set pairs outside its sample\n") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
