package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data"
)

func writeTemp(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const llmbarItemText = `{"input": "Q?", "output_1": "x", "output_2": "y", "label": 2}`

// llmbarFolder returns a folder with two sets of LLMBar. result is the result file of the first set's judge.
func llmbarFolder(t *testing.T, result string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"Natural/dataset.json":                                   "[" + llmbarItemText + "]",
		"Natural/evaluators/J/Vanilla/" + llmbarResult:           result,
		"Natural/evaluators/J/Vanilla/" + llmbarStatistics:       "{}",
		"Adversarial/Manual/dataset.json":                        "[" + llmbarItemText + "]",
		"Adversarial/Manual/evaluators/ignored":                  "x",
		"Natural/evaluators/J/Rating/" + llmbarResult:            strings.Replace(llmbarItemText, "}", `, "results": [{"swap = False": {"winner": "1"}, "swap = True": {"winner": "1"}}]}`, 1),
		"Natural/evaluators/J/not a result/" + "something.else":  "",
		"Natural/evaluators/J/Vanilla/unrelated/" + "notes.json": "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(name, "Rating") {
			text = "[" + text + "]"
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadLLMBar(t *testing.T) {
	results := `, "results": [["aux", "stop"], {"swap = False": {"completion": ["Output (a)", "stop"], "winner": "1"}, "swap = True": {"completion": ["?", ""], "winner": null}}]}`
	bar, err := ReadLLMBar(llmbarFolder(t, "[\n"+strings.Replace(llmbarItemText, "}", results, 1)+"\n]"))
	if err != nil || len(bar.Sets) != 2 || len(bar.Results) != 1 || len(bar.Skipped) != 1 {
		t.Fatalf("%+v, %v", bar, err)
	}
	if s := bar.Sets[1]; s.Name != "Natural" || bar.Sets[0].Name != "Adversarial/Manual" || s.Pairs[0].ID != "Natural/1" || s.Pairs[0].Label != data.ChoiceB || bar.Sets[0].Pairs[0].Domain != "Adversarial" {
		t.Errorf("%+v", bar.Sets)
	}
	r := bar.Results[0]
	want := []Completion{{"Natural/1", data.OrderAB, "Output (a)", "stop", data.ChoiceA}, {"Natural/1", data.OrderBA, "?", "", data.NoChoice}}
	if r.Judge != "J" || r.Style != "Vanilla" || r.Set != "Natural" || len(r.Completions) != 2 || r.Completions[0] != want[0] || r.Completions[1] != want[1] || string(r.Statistics) != "{}" {
		t.Errorf("%+v", r)
	}
}

func TestReadLLMBarFaults(t *testing.T) {
	completion := `{"completion": ["A", "stop"], "winner": "1"}`
	for result, want := range map[string]string{
		"[\n" + strings.Replace(llmbarItemText, `"x"`, `"z"`, 1) + "]": "result.json:2: this is not the pair at the same position in dataset.json",
		"[" + llmbarItemText + "]":                                     "result.json:1: results is empty",
		"[" + llmbarItemText + ",\n" + llmbarItemText + "]":            "result.json: the file has 2 items, but dataset.json has 1 pairs",
		"[\n{\"input\": 3}]":                                           "result.json:2: in the item that begins here",
		"{}":                                                           "result.json:1: this is not the pair",
		"[]":                                                           "result.json: the file has 0 items",
		"[" + strings.Replace(llmbarItemText, "}", `, "results": [`+completion+`]}`, 1):                      "result.json:1: not JSON: unexpected end of JSON input",
		"[" + strings.Replace(llmbarItemText, "}", `, "results": [{"swap = False": `+completion+`]}`, 1):     "result.json:1",
		"[" + strings.Replace(llmbarItemText, "}", `, "results": [{"swap = False": [1]}]}`, 1) + "]":         "result.json:1: the last of results",
		"[" + strings.Replace(llmbarItemText, `"label": 2`, `"label": 2, "results": [{"x": 1}, 4]`, 1) + "]": "result.json:1: the last of results",
	} {
		_, err := ReadLLMBar(llmbarFolder(t, result))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", result, err, want)
		}
	}
	if _, err := ReadLLMBar(t.TempDir()); err == nil || !strings.Contains(err.Error(), "has no LLMBar set") {
		t.Errorf("%v", err)
	}
	if _, err := ReadLLMBar("nowhere"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("%v", err)
	}
	if _, err := ReadLLMBar(filepath.Dir(writeTemp(t, "dataset.json", `[{"label": 3}]`))); err == nil || !strings.Contains(err.Error(), "dataset.json:1: label is 3") {
		t.Errorf("%v", err)
	}
}
