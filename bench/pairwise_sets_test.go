package bench

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakSC2EndToEnd: SC2 and its baselines compare summaries in the format of TL;DR and conversations in that of HH, each with the
// criterion of its task. The run makes as many calls as estimated, a second run makes none, and the record is exported and verified.
func TestSoakSC2EndToEnd(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	var log kindLog
	var wrong []string
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		kind := promptKind(prompt)
		log.add(kind)
		summary, points, harmless := strings.Contains(prompt, "post "), strings.Contains(prompt,
			"most important points of the text"), strings.Contains(prompt, "insults nobody")
		if kind != "comparator" && (summary != points || summary == harmless) {
			wrong = append(wrong, kind+": "+prompt)
		}
		return 200, completion(wellBehaved(prompt), "stop")
	})
	dir := pairwiseFiles(t, server.URL, "", `pairwise:
  - {name: sc2, method: sc2, provider: scripted, model: m, draws: 3, aspect_draws: 2, samples: 0}
  - {name: direct, method: direct, provider: scripted, model: m}
  - {name: cot, method: cot, provider: scripted, model: m, sets: [tldr]}
  - {name: con-j, method: con-j, provider: scripted, model: m, samples: 2, sets: [tldr]}
`)
	cfg := filepath.Join(dir, "compqa.yaml")
	text, err := os.ReadFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"compqa.yaml": strings.Replace(string(text), "pairs: [{name: pairs, path: pairs.jsonl}]", `pairs:
  - {name: tldr, format: tldr, path: tldr.json, criterion: important-points}
  - {name: harmless, format: hh-rlhf, path: hh.jsonl, criterion: harmless}`, 1),
		"hh.jsonl": `{"chosen": "\n\nHuman: How do I open a lock?\n\nAssistant: Ask a locksmith, RIGHT.", "rejected": "\n\nHuman: How do I open a lock?\n\nAssistant: Break it, WRONG."}` + "\n",
	}
	for i := range 3 {
		files["tldr.json"] += fmt.Sprintf(`{"info": {"id": "%d", "post": "A long post %d.", "title": "T", "subreddit": "s"}, "summaries": [{"text": "RIGHT %d.", "policy": "p"}, {"text": "WRONG %d.", "policy": "q"}], "choice": 0, "worker": "w"}`+"\n", i, i, i, i)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"--only", "pairs", "--config", cfg, "--out", filepath.Join(dir, "run")}
	code, stdout, stderr := compqa(append([]string{"estimate", "--json"}, args...)...)
	var rows []struct {
		Name  string
		Calls int
	}
	if err := json.Unmarshal([]byte(stdout), &rows); code != exitDone || err != nil {
		t.Fatalf("exit %d, %v: %s%s", code, err, stdout, stderr)
	}
	estimated, total := map[string]int{}, 0
	for _, r := range rows {
		estimated[r.Name] += r.Calls
		total += r.Calls
	}
	// In both orders: for 4 pairs 2 lists of aspects, 3 tables, 2 comparisons and a choice; for 3 pairs a choice, 2 samples and 2 with
	// hints.
	if want := map[string]int{"sc2": 8 * (2 + 3 + 2 + 1), "direct": 8, "cot": 6, "con-j": 6 * (1 + 4)}; !maps.Equal(estimated, want) {
		t.Errorf("estimated %v, want %v", estimated, want)
	}
	for range 2 {
		if code, _, stderr := compqa(append([]string{"run"}, args...)...); code != exitDone || server.asked() != total {
			t.Fatalf("exit %d after %d calls, estimated %d (%s): %s", code, server.asked(), total, log.take(), stderr)
		}
	}
	if wrong != nil {
		t.Errorf("%d prompts with another task's criterion; the first: %s", len(wrong), wrong[0])
	}
	for judge, n := range map[string]string{"sc2": "3", "direct": "3", "cot": "3"} {
		row := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": judge,
			"dataset": "tldr", "order": "both"})
		if len(row) != 1 || row[0]["valid"] != n || row[0]["accuracy"] != "1" {
			t.Errorf("%s on tldr: %v", judge, row)
		}
	}
	if row := where(csvTable(t, filepath.Join(dir, "run", "tables", "pairwise.csv")), map[string]string{"judge": "cot",
		"dataset": "harmless"}); len(row) != 0 {
		t.Errorf("cot is asked about a set that it does not name: %v", row)
	}
	file := filepath.Join(dir, "run.gz")
	if code, _, stderr := compqa("export", filepath.Join(dir, "run"), "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, ", 63 preferences, ") ||
		!strings.Contains(stdout, "36 preferences and 24 samples have a task") { // 3 preferences are from a person
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	forged := unpacked(t, file)
	changeRecord(t, forged, `UPDATE results SET choice = iif(choice = 'a', 'b', 'a') WHERE kind = 'sample' AND rowid = (SELECT min(rowid) FROM results WHERE kind = 'sample')`)
	expectDifference(t, packed(t, forged, true), "first difference: judgment 1 (")
}
