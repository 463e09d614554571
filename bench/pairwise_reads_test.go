package bench

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPairwiseOwnForm has a judge with its own reply format and a tie, another judge that may say tie, and con-j's tie. Each preference is
// read from one call.
func TestPairwiseOwnForm(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		switch {
		case promptKind(prompt) == "con-j":
			return 200, completion(`{"rationale": "Equal.", "better_answer": "tie"}`, "stop")
		case strings.Contains(prompt, "A, B, or tie"):
			return 200, completion("Preferred: tie", "stop")
		}
		return 200, completion("Preferred: A\nVerdict: second", "stop") // the key reads names the second line
	})
	dir := pairwiseFiles(t, server.URL, twoPairs, `pairwise:
  - {name: own, method: direct, provider: scripted, model: m, reads: {pattern: '^Verdict: (\w+)$', a: first, b: [second, other], tie: equal}}
  - {name: ties, method: direct, provider: scripted, model: m, ties: true}
  - {name: con-j, method: con-j, provider: scripted, model: m, ties: true}
`)
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	rows := csvTable(t, filepath.Join(dir, "run", "tables", "preferences.csv"))
	for judge, want := range map[string][2]string{"own": {"b", "a"}, "ties": {"tie", "tie"}, "con-j": {"tie", "tie"}} {
		for i, order := range []string{"ab", "ba"} {
			for _, r := range where(rows, map[string]string{"judge": judge, "order": order}) {
				if r["choice"] != want[i] || r["calls"] != "1" {
					t.Errorf("%s: %v, want %s after a call", judge, r, want[i])
				}
			}
		}
	}
	dir = pairwiseFiles(t, server.URL, twoPairs, "pairwise:\n  - {method: direct, provider: scripted, model: m, reads: {pattern: '('}}\n")
	if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitUsage || !strings.Contains(stderr, "compqa.yaml:8: ") ||
		!strings.Contains(stderr, "reads: pattern: ") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestPairwiseRandomOrder: with order: random, each pair is shown in one order, the same for all judges and runs. One row has the accuracy
// over both orders. A judge that always chooses the first answer is right by chance.
func TestPairwiseRandomOrder(t *testing.T) {
	t.Parallel()
	var listed strings.Builder
	for i := range 40 {
		fmt.Fprintf(&listed, `{"id": "p%d", "question": "Question %d?", "a": "good %d", "b": "bad %d", "label": "a"}`+"\n", i, i, i, i)
	}
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion("Preferred: A", "stop") })
	dir := withKeys(t, pairwiseFiles(t, server.URL, listed.String(), "pairwise:\n  - {name: d, method: direct, provider: scripted, model: m}\n"), "order: random")
	for range 2 {
		if code, _, stderr := compqa(pairwiseRunArgs(dir)...); code != exitDone {
			t.Fatalf("exit %d: %s", code, stderr)
		}
	}
	if n := len(server.bodies); n != 40 {
		t.Errorf("%d calls for 40 pairs", n)
	}
	rows := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "d"})
	ab, ba := where(rows, map[string]string{"order": "ab"})[0], where(rows, map[string]string{"order": "ba"})[0]
	all := where(rows, map[string]string{"order": "random"})
	n, _ := strconv.Atoi(ab["valid"])
	if len(rows) != 3 || len(all) != 1 || all[0]["planned"] != "40" || all[0]["valid"] != "40" || ab["accuracy"] != "1" || ba["accuracy"] != "0" ||
		n < 10 || n > 30 || all[0]["accuracy"] != strconv.FormatFloat(float64(n)/40, 'f', -1, 64) || all[0]["accuracy_low"] == "" ||
		all[0]["first_share"] != "1" || all[0]["calls_per_pair"] != "1" {
		t.Errorf("%v", rows)
	}
	first := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "first", "order": "random"})
	if len(first) != 1 || first[0]["accuracy"] != all[0]["accuracy"] {
		t.Errorf("first: %v", first)
	}
}
