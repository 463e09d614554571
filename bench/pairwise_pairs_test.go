package bench

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Prices make costs, and a budget ends a run in good order: what is affordable is
// done, the rest is pending, and a larger budget goes on from there.
func TestPairwiseMoney(t *testing.T) {
	t.Parallel()
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(wellBehaved(prompt), "stop") })
	entry := `pairwise:
  - {method: direct, provider: scripted, model: m, price: {input: 10000, output: 50000}, options: {max_tokens: 20}}
run: {budget: %s}
`
	dir := pairwiseFiles(t, server.URL, manyPairs(4), fmt.Sprintf(entry, "100"))
	// 100 tokens in, 20 out: 1 + 1 dollars a call, 8 calls.
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
