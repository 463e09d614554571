package bench

import (
	"bytes"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/verify"
)

// filesOfRun writes all files that a configuration without models can name, and a configuration with their absolute paths. It returns the
// folder.
func filesOfRun(t *testing.T) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "a folder's name")
	files := map[string]string{
		"compqa.yaml": `dataset: DIR/questions
rubric: DIR/cqa
scenarios: [{id: brief, template: DIR/brief.tmpl}]
models:
  - {name: fill, provider: baseline, model: extractive}
  - {name: tables, provider: baseline, model: strum, sources: DIR/sources.csv}
  - {name: mine, provider: file, path: DIR/answers.jsonl}
judges:
  - {name: constant, provider: embedded}
  - {name: gpt, provider: file, path: DIR/verdicts.jsonl, trained_on: DIR/more/verdicts.jsonl}
summary_judges: [{name: labels, provider: file, path: DIR/labels.jsonl}]
prices: {file: DIR/prices.json}
pairs: [{name: pairs, path: DIR/pairs.jsonl, template: DIR/pair.tmpl}]
pairwise:
  - {name: people, provider: file, path: DIR/choices.jsonl}
  - {method: first}
`,
		"questions": `{"object1": "tea", "object2": "coffee", "aspect": "health", "arguments": ["Tea has less caffeine."]}` + "\n",
		"cqa": "name: brief\ncriteria:\n  - {name: right, text: The answer is right., levels: [{points: 0, text: wrong}, " +
			"{points: 1, text: right}]}\n",
		"brief.tmpl":    `{{define "user"}}{{.Question}} {{numbered .Arguments}}{{end}}`,
		"pair.tmpl":     `{{define "user"}}{{.Question}} {{.A}} {{.B}}{{end}}`,
		"sources.csv":   string(fileContent(t, "../examples/strum/sources.csv")),
		"answers.jsonl": `{"id": "a1", "object1": "tea", "object2": "coffee", "aspect": "health", "scenario": "brief", "text": "Tea."}` + "\n",
		"verdicts.jsonl": `{"id": "a1", "judge": "gpt", "status": "valid", "scores": {"right": 1}}` + "\n" +
			`{"id": "none", "judge": "gpt", "status": "valid", "scores": {"right": 1}}` + "\n",
		"labels.jsonl":  `{"id": "none", "judge": "human:anna", "rows": [{"label": "YES"}]}` + "\n",
		"prices.json":   `{"m": {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}}`,
		"pairs.jsonl":   `{"id": "p1", "question": "Tea or coffee?", "a": "Tea.", "b": "Coffee.", "label": "a"}` + "\n",
		"choices.jsonl": `{"id": "p1", "annotator": "anna", "choice": "a"}` + "\n",
	}
	for name, text := range files {
		files[name] = strings.ReplaceAll(text, "DIR", dir)
	}
	writeFiles(t, dir, files)
	return dir
}

// foldersIn returns the names of the files in an export that contain a folder of this test.
func foldersIn(t *testing.T, file string) (names []string) {
	t.Helper()
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	files := unpacked(t, file)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, folder := range []string{here, filepath.Dir(t.TempDir())} {
			if bytes.Contains(files[name], []byte(folder)) {
				names = append(names, name)
			}
		}
	}
	return names
}

// TestExportNamesNoFolder: if a configuration names files by absolute paths, the export has only the names of the files, no folders. It is
// verified like the same run with relative paths. Files with the same name in two folders get two names.
func TestExportNamesNoFolder(t *testing.T) {
	t.Parallel()
	dir := filesOfRun(t)
	must := ending(t)
	config := filepath.Join(dir, "compqa.yaml")
	out := filepath.Join(dir, "run")
	must(0, "run", "--config", config, "--out", out)
	must(0, "run", "--config", config, "--out", out, "--only", "pairs")
	file := exportOf(t, out)
	if names := foldersIn(t, file); names != nil {
		t.Errorf("absolute paths in %q", names)
	}
	files := unpacked(t, file)
	for _, want := range []string{`"dataset":"…/questions"`, `"rubric":"…/cqa"`, `"sources":"…/sources.csv"`, `"path":"…/verdicts.jsonl"`,
		`"trained_on":"…/verdicts.jsonl (`} {
		if !bytes.Contains(files["compqa-run/config.json"], []byte(want)) {
			t.Errorf("%s is not in %s", want, files["compqa-run/config.json"])
		}
	}
	s, text := verdictOf(t, file)
	if s.Verdict != verify.Consistent || s.Questions.Name != "…/questions" || s.Questions.BuiltIn {
		t.Errorf("%s", text)
	}
}
