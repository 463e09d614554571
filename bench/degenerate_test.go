package bench

import (
	"compqa/data/sharedtest"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/rubric"
)

// variedSheet returns a sheet that depends on the prompt, but not on its length or position.
func variedSheet(prompt string) string {
	scores := rubric.CQA().Full()
	for i, c := range rubric.CQA().Criteria {
		h := fnv.New32a()
		fmt.Fprint(h, i, prompt)
		if h.Sum32()%3 == 0 {
			scores[c.ID] = 0
		}
	}
	text, _ := json.Marshal(scores)
	return string(text)
}

// TestSoakDegenerateJudges has three degenerate judges: one gives every answer the same sheet, one repeats the prompt, and one always
// prefers the answer shown first. The pages of a whole run name them as degenerate. They rank no system and are in no statement about
// several judges. Two judges that read the answers are in both.
func TestSoakDegenerateJudges(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	server := newScriptedServer(t, func(key string, _ int) (int, string) {
		prompt, model, _ := strings.Cut(key, "\x00")
		h := fnv.New32a()
		fmt.Fprint(h, key)
		switch model {
		case "echo": // like a small model that continues the text
			return 200, completion(prompt, "stop")
		case "constant":
			return 200, completion(fullMarks(), "stop")
		case "first":
			return 200, completion("Comparison: it is better.\nPreferred: A", "stop")
		case "pairs-1", "pairs-2":
			return 200, completion("Comparison: it is better.\nPreferred: "+[]string{"A", "B"}[h.Sum32()%2], "stop")
		case "reader-1", "reader-2":
			return 200, completion(variedSheet(key), "stop")
		default: // a model that answers
			return 200, completion(fmt.Sprintf("Both are good, number %d of model %s. I prefer the first one.", h.Sum32(), model), "stop")
		}
	})
	dir := t.TempDir()
	cfg, out := filepath.Join(dir, "c.yaml"), filepath.Join(dir, "run")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	configure := func(more string) {
		write(cfg, fmt.Sprintf(`
scenarios: [1]
providers: {scripted: {type: openai, base_url: %s/v1, api_key_env: COMPQA_TEST_KEY}}
models:
  - {name: one, provider: scripted, model: one}
  - {name: two, provider: scripted, model: two}
judges:
  - {name: constant-model, provider: scripted, model: constant}
  - {name: echo, provider: scripted, model: echo}
  - {name: reader, provider: scripted, model: reader-1}
  - {name: other-reader, provider: scripted, model: reader-2}
%spairwise:
  - {name: always-first, method: direct, provider: scripted, model: first}
  - {name: echo-pairs, method: direct, provider: scripted, model: echo}
  - {name: pairs-reader, method: direct, provider: scripted, model: pairs-1}
  - {name: other-pairs-reader, method: direct, provider: scripted, model: pairs-2}
`, server.URL, more))
	}
	configure("")
	run := func() {
		t.Helper()
		if code, stdout, stderr := compqa("run", "--config", cfg, "--out", out, "--limit", "30"); code != exitIncomplete {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
	}
	run()
	if first := string(fileContent(t, filepath.Join(out, "report.md"))); !strings.Contains(first, "this is the opinion of reader.") {
		t.Errorf("who orders the systems:\n%s", first[:min(len(first), 1500)])
	}
	// Two people score the answers, so that the pages have statements about several judges.
	var people strings.Builder
	for _, row := range csvTable(t, filepath.Join(out, "tables", "answers.csv")) {
		for _, person := range []string{"human:1", "human:2"} {
			fmt.Fprintf(&people, `{"id": %q, "judge": %q, "status": "valid", "scores": %s}`+"\n", row["id"], person, variedSheet(row["id"]+person))
		}
	}
	write(filepath.Join(dir, "people.jsonl"), people.String())
	configure("  - {name: people, provider: file, path: people.jsonl}\n")
	run()

	page := string(fileContent(t, filepath.Join(out, "report.md")))
	html := string(fileContent(t, filepath.Join(out, "report.html")))
	for _, named := range []string{"constant-model is degenerate: it gives 19 points to every answer", "echo is degenerate: it gives no score sheet in 63 replies"} {
		if !strings.Contains(page, named) || !strings.Contains(html, named) {
			t.Errorf("%q is not on the pages:\n%s", named, page)
		}
	}
	for _, named := range []string{"is degenerate: it chooses the answer shown first for 100 % of 30 pairs", "is degenerate: it gives no choice in 60 replies"} {
		if !strings.Contains(html, named) {
			t.Errorf("%q is not in report.html", named)
		}
	}
	degenerate := []string{"constant-model", "echo", "always-first", "echo-pairs"}
	for table, judges := range map[string][]string{"panel.csv": {"reader; other-reader"}, "halo.csv": {"reader", "other-reader"},
		"bradley_terry.csv": {"pairs-reader", "other-pairs-reader"}, "pairwise_comparisons.csv": nil} {
		text := string(fileContent(t, filepath.Join(out, "tables", table)))
		for _, judge := range degenerate {
			if strings.Contains(text, judge) {
				t.Errorf("%s has a statement about %s:\n%s", table, judge, text)
			}
		}
		for _, judge := range judges {
			if !strings.Contains(text, judge) {
				t.Errorf("%s says nothing about %s:\n%s", table, judge, text)
			}
		}
	}
	for _, row := range csvTable(t, filepath.Join(out, "tables", "judges.csv")) {
		is := row["judge"] == "constant-model" || row["judge"] == "echo"
		if (row["degenerate"] != "") != is || is && row["tau_others"]+row["may_mislead_by"] != "" {
			t.Errorf("judges.csv: %v", row)
		}
	}
	for _, row := range csvTable(t, filepath.Join(out, "tables", "human_points.csv")) {
		if row["judge"] == "combined" || row["judge"] == "echo" {
			t.Errorf("human_points.csv: %v", row)
		}
	}
}
