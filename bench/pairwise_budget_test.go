package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPairwiseBudget: estimate counts the calls on pairs, --budget limits them, the run's bill includes them, and the log is in JSON.
func TestPairwiseBudget(t *testing.T) {
	t.Parallel()
	server := wellServer(t)
	dir := t.TempDir()
	cfg := filepath.Join(dir, "compqa.yaml")
	text := fmt.Sprintf(`
dataset: %s
scenarios: [1]
providers:
  scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY, backoff: 1ms}
%smodels:
  - {name: a, provider: scripted, model: m}
  - {name: template, provider: baseline}
judges: [{name: constant, provider: embedded}]
pairwise: [{name: votes, method: direct, provider: scripted, model: m, options: {max_tokens: 20}}]
`, twoQuestions(t), server.URL, cheapPrices)
	if err := os.WriteFile(cfg, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--only", "answers", "--config", cfg, "--out", dir); code != exitDone || server.asked() != 2 {
		t.Fatalf("exit %d after %d calls, %s", code, server.asked(), stderr)
	}
	_, stdout, _ := compqa("estimate", "--config", cfg, "--out", dir)
	if x := estimated(t, stdout, "votes (pairwise)"); x[0] != 0 || x[1] != 2 || x[2] == 0 { // one pair in two orders
		t.Errorf("estimated for pairs: %v\n%s", x, stdout)
	}
	for _, step := range []struct {
		budget string
		code   int
		said   string
		all    bool // whether the pair is asked about in both orders, each with a repair
	}{
		{"0.03", exitIncomplete, "the budget of $0.0300 is used up", false},
		{"-1", exitUsage, "--budget is -1", false},
		{"2", exitIncomplete, "2 of 2 preferences", true}, // the server's reply names neither answer
	} {
		code, _, stderr := compqa("run", "--only", "pairs", "--config", cfg, "--out", dir, "--budget", step.budget, "-v")
		if code != step.code || !strings.Contains(stderr, step.said) || (server.asked() == 2+2*2) != step.all {
			t.Errorf("--budget %s: exit %d after %d calls, %s", step.budget, code, server.asked(), stderr)
		}
		_, total := billed(t, dir)
		costs, err := os.ReadFile(filepath.Join(dir, "report.md"))
		_, sum, _ := strings.Cut(string(costs), "\n| total ")
		if want := fmt.Sprintf("| %.4f |", float64(server.asked())*callCost); err != nil || !strings.Contains(sum, want) || step.budget == "0.03" && total > 0.03 {
			t.Errorf("--budget %s: %v on record, want %q in %s", step.budget, total, want, costs)
		}
	}
}
