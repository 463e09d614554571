package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/rubric"
)

// formOf matches the part of a judge's prompt that lists the keys of the reply.
var formOf = regexp.MustCompile(`in this order:\\n\{(.*?)\}`)

// sheetAsked returns the ids of the criteria that a judge's prompt asks for, and a sheet with full marks on them.
func sheetAsked(prompt string) (ids []string, sheet string) {
	full := rubric.CQA().Full()
	scores := data.Scores{}
	for _, m := range regexp.MustCompile(`\\"(\d+)\\": points`).FindAllStringSubmatch(formOf.FindString(prompt), -1) {
		ids = append(ids, m[1])
		scores[m[1]] = full[m[1]]
	}
	text, _ := json.Marshal(scores)
	return ids, string(text)
}

// TestAsk: judges are asked for all criteria, for a group or for one criterion at a time. A sheet is complete, or has the status of its
// first part without scores. No call is made twice. The commands estimate, export, verify and report --reparse agree.
func TestAsk(t *testing.T) {
	t.Parallel()
	down := true
	server := newScriptedServer(t, func(prompt string, n int) (int, string) {
		if !strings.Contains(prompt, "Criteria:") {
			return 200, completion("Both are fine.", "stop")
		}
		ids, sheet := sheetAsked(prompt)
		about := func(object string) bool { return strings.Contains(prompt, `\nObjects: `+object+` and`) }
		repaired := strings.Contains(prompt, "cannot be used")
		switch third := slices.Contains(ids, "3"); {
		case third && about(data.CQA50()[1].Object1):
			return 200, completion("Nineteen points!", "stop")
		case third && about(data.CQA50()[2].Object1) && !repaired:
			return 200, completion(strings.Replace(sheet, "}", `,"16":1}`, 1), "stop")
		case third && about(data.CQA50()[3].Object1) && down:
			return 400, `{"error": {"message": "not today"}}`
		case third && about(data.CQA50()[4].Object1) && !repaired && len(ids) == 15:
			return 200, completion("Nothing.", "stop")
		case third && about(data.CQA50()[4].Object1) && !repaired:
			return 200, completion("\fcriteria 3\nnothing", "stop")
		case third && about(data.CQA50()[4].Object1) && down:
			return 400, `{"error": {"message": "not today"}}`
		}
		return 200, completion(sheet, "stop")
	})
	cfg := liveConfig(t, server.URL, cheapPrices)
	replaceIn(t, cfg, "scenarios: [1, 2, 3, 4]", "scenarios: [3]")
	replaceIn(t, cfg, "  - {name: judge, provider: scripted, model: m, options: {temperature: 0}}\n", `
  - {name: at once, provider: scripted, model: m, options: {temperature: 0}}
  - {name: by group, provider: scripted, model: m, ask: group, options: {temperature: 0}}
  - {name: one by one, provider: scripted, model: m, ask: criterion, options: {temperature: 0}}
`)
	dir := t.TempDir()
	_, stdout, _ := compqa("estimate", "--config", cfg, "--out", dir)
	for judge, calls := range map[string]float64{"at once": 50, "by group": 150, "one by one": 750} {
		if x := estimated(t, stdout, judge+" (judge)"); x[1] != calls || x[3] != 50*120 {
			t.Errorf("estimate: %s: %v\n%s", judge, x, stdout)
		}
	}
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "6"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	// Each judge has an answer that one repair does not help, one that it helps, one that fails at once, and one whose repair fails.
	first := server.asked()
	if want := 6 + (6 + 1 + 1 + 1) + (6*3 + 1 - 2 + 1 - 2 + 1 - 2) + (6*15 + 1 - 12 + 1 - 12 + 1 - 12); first != want {
		t.Errorf("%d calls, want %d", first, want)
	}
	statuses := func() string {
		record, err := dataset.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, s := range record.Sheets {
			if name := record.Judges[s.Rater].Name; name != "constant" {
				list = append(list, fmt.Sprintf("%s %s %v", name, record.Answers[s.Item].Question, s.Status))
				if (s.Status == data.Valid) != (s.Total == 19) {
					t.Errorf("%s: %v points", list[len(list)-1], s.Total)
				}
			}
		}
		return strings.Join(list, "\n")
	}
	for status, n := range map[data.Status]int{data.Valid: 9, data.Unparsed: 3, data.Failed: 6} {
		if got := strings.Count(statuses(), " "+string(status)); got != n {
			t.Errorf("%d verdicts are %s, want %d:\n%s", got, status, n, statuses())
		}
	}
	file := filepath.Join(t.TempDir(), "run.gz")
	check := func() {
		t.Helper()
		if code, out, stderr := compqa("export", dir, "--out", file); code != exitDone {
			t.Fatalf("exit %d, %s%s", code, out, stderr)
		}
		if code, out, stderr := compqa("verify", file); code != exitDone {
			t.Errorf("verify: exit %d, %s%s", code, out, stderr)
		}
		if code, out, _ := compqa("report", dir, "--reparse", "--out", t.TempDir()); code != exitDone || !strings.Contains(out, "All of them equal") {
			t.Errorf("report --reparse: exit %d, %s", code, out)
		}
	}
	check()
	compqa("run", "--config", cfg, "--out", dir, "--limit", "6")
	if again := server.asked(); again != first {
		t.Errorf("a second run makes %d calls", again-first)
	}
	down = false
	if code, _, stderr := compqa("run", "--config", cfg, "--out", dir, "--limit", "6", "--retry-failed"); code != exitIncomplete {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if again, want := server.asked()-first, 2*(1+3+13)+2*(1+1+2); again != want {
		t.Errorf("--retry-failed makes %d calls, want %d", again, want)
	}
	check()
}

// TestAskFaults: the error about a wrong value says where the value is.
func TestAskFaults(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]string{
		"{name: j, provider: embedded, model: rules, ask: group}": "ask is for LLM judges only",
		"{name: j, provider: scripted, model: m, ask: groups}":    `ask is "groups"; it must be one of: all, group, criterion`,
	} {
		cfg := liveConfig(t, "http://127.0.0.1:1", "")
		replaceIn(t, cfg, "{name: constant, provider: embedded}", entry)
		if code, _, stderr := compqa("run", "--config", cfg, "--out", t.TempDir()); code != exitUsage || !strings.Contains(stderr, want) || !strings.Contains(stderr, cfg+":") {
			t.Errorf("%s: exit %d, %s", entry, code, stderr)
		}
	}
}

// replaceIn replaces the first occurrence of a text in a file.
func replaceIn(t *testing.T, path, old, new string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), old) {
		t.Fatalf("%s has no %q (%v)", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
