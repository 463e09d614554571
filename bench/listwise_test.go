package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakBestOfNAtOnce: a judge that ranks four candidates at once is called once per item and order. Its ranking decides the pairs of the
// item, and estimate counts these calls. The same items are judged by the majority of Con-J's judgments.
func TestSoakBestOfNAtOnce(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var lines strings.Builder
	for i := range 6 {
		fmt.Fprintf(&lines, `{"id": "%d", "prompt": "Q%d which?", "chosen": ["good %d"], "rejected": ["bad %d", "worse %d", "worst %d"], "num_correct": 1, "num_incorrect": 3, "total_completions": 4, "models": ["a", "b", "c", "d"], "subset": "Factuality"}`+"\n",
			i, i, i, i, i, i)
	}
	write("rb2.jsonl", lines.String())
	candidate := regexp.MustCompile(`\\n(good|bad|worse|worst) \d\\n`) // within JSON
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		shown := candidate.FindAllStringSubmatch(prompt, -1)
		if !strings.Contains(prompt, "ranking") { // a prompt of Con-J
			better := 1
			if len(shown) == 2 && shown[1][1] == "good" {
				better = 2
			}
			return 200, completion(fmt.Sprintf(`{"rationale": "r", "better_answer": %d}`, better), "stop")
		}
		var order []string
		for _, word := range []string{"good", "bad", "worse", "worst"} {
			for i, m := range shown {
				if m[1] == word {
					order = append(order, fmt.Sprint(i+1))
				}
			}
		}
		if strings.Contains(prompt, "Q5") { // the best candidate is ranked second
			order[0], order[1] = order[1], order[0]
		}
		return 200, completion(`{"rationale": "r", "ranking": [`+strings.Join(order, ", ")+`]}`, "stop")
	})
	config := func(entry string) string {
		return write("c.yaml", fmt.Sprintf(`providers: {p: {type: openai, base_url: %s/v1}}
pairs: [{name: rb2, path: rb2.jsonl}]
pairwise: [{name: j, provider: p, model: m, %s}]
`, server.URL, entry))
	}
	for entry, want := range map[string]struct {
		calls             int
		accuracy, byItems string
	}{
		"method: listwise":                {12, "0.9444444444444444", "0.8333333333333334"}, // 17 of 18 pairs, 5 of 6 items
		"method: con-j-selfcon, draws: 3": {108, "1", "1"},                                  // 18 pairs in two orders
		"method: listwise, criterion: It is short, texts: {answer: note}": {12, "0.9444444444444444", "0.8333333333333334"},
	} {
		path := config(entry)
		dir := t.TempDir()
		before := len(server.bodies)
		if code, stdout, stderr := compqa("estimate", "--config", path, "--out", dir, "--only", "pairs"); code != exitDone ||
			!regexp.MustCompile(fmt.Sprintf(`\b%d\b`, want.calls)).MatchString(stdout) {
			t.Errorf("%s: estimate does not say %d calls: %d, %s%s", entry, want.calls, code, stdout, stderr)
		}
		if code, stdout, stderr := compqa("run", "--config", path, "--only", "pairs", "--out", dir); code != exitDone {
			t.Fatalf("%d, %s%s", code, stdout, stderr)
		}
		if n := len(server.bodies) - before; n != want.calls {
			t.Errorf("%s: %d calls, want %d", entry, n, want.calls)
		}
		for _, row := range csvTable(t, dir+"/tables/pairwise.csv") {
			if row["judge"] == "j" && row["order"] == "both" && (row["accuracy"] != want.accuracy || row["item_accuracy"] != want.byItems) {
				t.Errorf("%s: %v", entry, row)
			}
		}
		if code, stdout, stderr := compqa("export", dir, "--out", dir+"/run.gz"); code != exitDone {
			t.Fatal(code, stdout, stderr)
		}
		if code, stdout, stderr := compqa("verify", dir+"/run.gz"); code != exitDone {
			t.Errorf("verify: %d, %s%s", code, stdout, stderr)
		}
	}
}
