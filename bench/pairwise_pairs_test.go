package bench

import (
	"compqa/data/sharedtest"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// TestPairwiseMoney: prices give costs, and a budget ends a run cleanly. Affordable calls are made, the rest is pending, and a larger
// budget continues from there.
func TestPairwiseMoney(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	entry := `pairwise:
  - {method: direct, provider: scripted, model: m, price: {input: 10000, output: 50000}, options: {max_tokens: 20}}
run: {budget: %s}
`
	dir := pairwiseFiles(t, server.URL, manyPairs(4), fmt.Sprintf(entry, "100"))
	// 100 prompt and 20 reply tokens cost 1 + 1 dollars per call; there are 8 calls.
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for order, want := range map[string]string{"ab": "2", "both": "4"} {
		r := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "direct", "order": order})[0]
		if r["cost_per_pair"] != want {
			t.Errorf("order %s: %s dollars a pair, want %s", order, r["cost_per_pair"], want)
		}
	}
	poor := pairwiseFiles(t, server.URL, manyPairs(4), fmt.Sprintf(entry, "6.5"))
	code, _, stderr := compqa(pairwiseRunArgs(poor)...)
	if code != exitIncomplete || !strings.Contains(stderr, "budget") {
		t.Fatalf("with a small budget: exit %d: %s", code, stderr)
	}
	rows := where(csvTable(t, filepath.Join(poor, "run", "tables", "preferences.csv")), map[string]string{"judge": "direct"})
	if len(rows) == 0 || len(rows) >= 8 {
		t.Errorf("%d of 8 preferences with a budget for about 3", len(rows))
	}
	for _, r := range rows {
		if r["status"] != "valid" {
			t.Errorf("%v", r)
		}
	}
}

// TestSoakLostPairs: pairs with an invalid answer are planned and skipped, and the output names them. They count among the first --limit
// pairs, so that a retry does not change which pairs these are.
func TestSoakLostPairs(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	var mended atomic.Bool
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		switch answers := promptKind(prompt) == "unknown"; {
		case answers && !mended.Load() && strings.Contains(prompt, "coffee"):
			return 200, completion("It begins", "length")
		case answers:
			return 200, completion("The second has its merits.", "stop")
		}
		return 200, completion("Comparison: the first has more facts.\nPreferred: A", "stop")
	})
	dir := t.TempDir()
	questions := "object1,object2,arguments\ncoffee,tea,\"[\"\"Tea is cheap.\"\"]\"\nzebra,yak,\"[\"\"A yak is slow.\"\"]\"\n"
	if err := os.WriteFile(filepath.Join(dir, "q.csv"), []byte(questions), 0o644); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "c.yaml")
	out := filepath.Join(dir, "run")
	text := "dataset: q.csv\nscenarios: [1]\nproviders: {p: {type: openai, base_url: " + server.URL + "/v1, backoff: 1ms}}\n" +
		"models: [{name: template, provider: baseline}, {name: a, provider: p, model: m}]\njudges: [{name: rules, provider: embedded}]\n" +
		"pairwise: [{name: d, method: direct, provider: p, model: m}]\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	step := func(code int, says string, more ...string) {
		t.Helper()
		got, stdout, stderr := compqa(append([]string{"run", "--config", config, "--out", out}, more...)...)
		if all := strings.Join(strings.Fields(stdout+stderr), " "); got != code || !strings.Contains(all, says) {
			t.Errorf("%v: exit %d, want %d and %q: %s%s", more, got, code, says, stdout, stderr)
		}
	}
	planned := func(want string) {
		t.Helper()
		for _, judge := range []string{"d", "longer"} {
			for _, r := range where(csvTable(t, filepath.Join(out, "tables", "pairwise.csv")), map[string]string{"judge": judge}) {
				if got := r["valid"] + "/" + r["planned"]; got != want {
					t.Errorf("%s, %s: %s, want %s", judge, r["order"], got, want)
				}
			}
		}
	}
	step(exitIncomplete, "no judge of pairs is asked: no two answers to the same question are valid", "--limit", "1")
	step(exitIncomplete, "1 of 2 pairs of the run are skipped, because an answer is not valid (a: 1 truncated)")
	planned("1/2")
	before := server.asked()
	step(exitIncomplete, "no judge of pairs is asked: no two answers to the same question are valid", "--limit", "1")
	if code, stdout, stderr := compqa("verify", exportOf(t, out)); code != exitDone || strings.Contains(stdout, "not verified") || server.asked() != before {
		t.Errorf("verify: exit %d, %s%s", code, stdout, stderr)
	}
	mended.Store(true)
	step(exitDone, "compqa report", "--retry-failed")
	planned("2/2")
	step(exitDone, "compqa report", "--limit", "1")
	planned("1/1")
	// Which pairs come first depends on the order of the questions, not on their names.
	header, rest, _ := strings.Cut(questions, "\n")
	coffee, tram, _ := strings.Cut(rest, "\n")
	if err := os.WriteFile(filepath.Join(dir, "q.csv"), []byte(header+"\n"+tram+coffee+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mended.Store(false)
	out = filepath.Join(dir, "reversed")
	step(exitIncomplete, "1 of 2 pairs of the run are skipped")
	step(exitDone, "compqa report", "--limit", "1")
	planned("1/1")
}
