package bench

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseOwnForm: a judge with a form of its own and a tie, another one that may say tie, and con-j's tie: each is read
// from one call.
func TestPairwiseOwnForm(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		switch {
		case promptKind(prompt) == "con-j":
			return 200, completion(`{"rationale": "Equal.", "better_answer": "tie"}`, "stop")
		case strings.Contains(prompt, "A, B, or tie"):
			return 200, completion("Preferred: tie", "stop")
		}
		return 200, completion("Preferred: A\nVerdict: second", "stop") // its first line is not what reads names
	})
	dir := pairwiseFiles(t, server.URL, twoPairs, `pairwise:
  - {name: own, method: direct, provider: scripted, model: m, reads: {pattern: '^Verdict: (\w+)$', a: first, b: [second, other], tie: equal}}
  - {name: ties, method: direct, provider: scripted, model: m, ties: true}
  - {name: con-j, method: con-j, provider: scripted, model: m}
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
