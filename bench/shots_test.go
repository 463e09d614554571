package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakExamplesOfPeople: a judge is shown people's score sheets. The record keeps them, so verify needs no checkout of the release. The
// report compares the judge with the same model and invented examples.
func TestSoakExamplesOfPeople(t *testing.T) {
	t.Parallel()
	sharedtest.Soak(t)
	release := sharedtest.Release(t)
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) { return 200, completion(fullMarks(), "stop") })
	dir := t.TempDir()
	path := filepath.Join(dir, "c.yaml")
	out := filepath.Join(dir, "run")
	file := filepath.Join(dir, "run.gz")
	text := fmt.Sprintf(`
scenarios: [1]
providers: {scripted: {type: openai, base_url: %s/v1}}
models: [{name: template, provider: baseline}]
judges:
  - {name: none, provider: scripted, model: m, imported: true, sample: 40, examples: 0}
  - {name: made, provider: scripted, model: m, imported: true, sample: 40}
  - {name: peoples, provider: scripted, model: m, imported: true, sample: 40, examples_from: people}
`, server.URL)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := compqa("run", "--config", path, "--out", out); code != exitUsage || !strings.Contains(stderr, "name it with --release") {
		t.Errorf("without a checkout: %d %s", code, stderr)
	}
	args := []string{"run", "--config", path, "--out", out, "--release", release}
	if code, _, stderr := compqa(args...); code != exitDone {
		t.Fatalf("%d %s", code, stderr)
	}
	with := map[int]int{} // number of calls by the number of examples in the prompt
	for _, body := range server.bodies {
		messages := body["messages"].([]any)
		asked := fmt.Sprint(messages[len(messages)-1].(map[string]any)["content"])
		with[strings.Count(asked, "\nExample ")]++
		objects := map[string]int{}
		for line := range strings.Lines(asked) {
			if name, is := strings.CutPrefix(line, "Objects: "); is {
				objects[strings.ToLower(name)]++
			}
		}
		if len(objects) != 1+strings.Count(asked, "\nExample ") {
			t.Errorf("an example is on the objects that are judged: %v", objects)
		}
	}
	if with[0] == 0 || with[2] != 2*with[0] || len(with) != 2 {
		t.Errorf("calls by examples: %v", with)
	}
	var kinds []string
	for _, row := range csvTable(t, filepath.Join(out, "tables", "shots.csv")) {
		if row["reference"] == "human" {
			kinds = append(kinds, row["judge"]+" "+row["examples"]+" "+row["kind"])
		}
	}
	if got := strings.Join(kinds, ", "); got != "none 0 -, made 2 made-up, peoples 2 people" {
		t.Errorf("shots.csv: %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(out, "report.md")); err != nil || !strings.Contains(string(text), "By number and kind of examples") {
		t.Errorf("agreement.md has no table of examples: %v", err)
	}
	if code, _, stderr := compqa("export", out, "--out", file); code != exitDone {
		t.Fatalf("%d %s", code, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "not verified") {
		t.Errorf("verify: %d %s%s", code, stdout, stderr)
	}
}
