package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/data/sources"
	"compqa/rubric"
)

// converted returns the lines to which an export of another tool is converted.
func converted[T any](t *testing.T, file, id string, criteria rubric.Rubric) (lines []T, said string, err error) {
	t.Helper()
	var out strings.Builder
	to := filepath.Join(t.TempDir(), "out.jsonl")
	o := sources.Options{Alone: true}
	if id != "" {
		o.Map = map[string]string{"item": id}
	}
	if err := convertLabelStudio(cli.Streams{Out: &out}, file, to, criteria, o); err != nil {
		return nil, "", err
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, v)
	}
	return lines, out.String(), nil
}

// TestLabelStudio reads points from an export of Label Studio: numbers, choices that begin with points, and texts of levels. Controls
// without a criterion are listed, and incomplete sheets keep their status.
func TestLabelStudio(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "export.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	results := func(items ...string) string { return "[" + strings.Join(items, ",") + "]" }
	task := func(data, annotations string) string {
		return `[{"id":1,"inner_id":1,"data":` + data + `,"annotations":[` + annotations + `]}]`
	}
	var full []string
	for id, x := range rubric.CQA().Full() {
		full = append(full, fmt.Sprintf(`{"from_name":"c%s","type":"number","value":{"number":%v}}`, id, x))
	}
	own := rubric.Rubric{Name: "own", Measurement: "ordinal", Criteria: []rubric.Criterion{{ID: "complete", Name: "Is it complete?",
		Levels: []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "some"}, {Points: 2, Text: "all of it"}}}}}
	for text, want := range map[string]string{"[]": "no score was found in 0 items", "\xff\xfe{": "export.json:1: not JSON",
		task(`{"id":"a1"}`, `{"completed_by":7,"result":[]}`): "no score was found in 1 item"} {
		if _, _, err := converted[data.Verdict](t, write(text), "", rubric.CQA()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	got, said, err := converted[data.Verdict](t, write(task(`{"id":"a1"}`, `{"completed_by":7,"result":`+results(append(full, `{"from_name":"mood","type":"rating","value":{"rating":1}}`)...)+`},
		{"completed_by":{"id":8},"was_cancelled":true,"result":[]},{"completed_by":9,"result":[{"from_name":"1","type":"choices","value":{"choices":["1 yes"]}}]}`)), "", rubric.CQA())
	if err != nil || len(got) != 2 || !strings.Contains(said, "no such criterion: mood") {
		t.Fatalf("%+v, %v", got, err)
	}
	for i, want := range []data.Status{data.Valid, data.Incomplete} {
		if v := got[i]; v.Status != want || v.Judge != fmt.Sprint("human:", 7+2*i) || v.Answer != "a1" {
			t.Errorf("%+v; want %s", v, want)
		}
	}
	if got, _, err := converted[data.Verdict](t, write(task(`{"id":"a1"}`, `{"completed_by":1,"result":[{"from_name":"Is it complete?","type":"choices","value":{"choices":["All of it"]}}]}`)), "", own); err != nil ||
		got[0].Scores["complete"] != 2 {
		t.Errorf("a rubric of one's own: %+v, %v", got, err)
	}
	for _, bad := range []string{`{}`, task(`{"id":"a"}`, `{"completed_by":1,"result":[{"from_name":"mood","type":"rating","value":{"rating":1}}]}`),
		task(`{"id":"a"}`, `{"completed_by":1,"result":[{"from_name":"1","type":"choices","value":{"choices":["perhaps"]}}]}`)} {
		if got, _, err := converted[data.Verdict](t, write(bad), "", rubric.CQA()); err == nil {
			t.Errorf("%s is accepted: %+v", bad, got)
		}
	}
	pair := task(`{"pair":12}`, `{"completed_by":1,"result":[{"from_name":"p","type":"pairwise","value":{"selected":"right"}}]}`)
	if got, _, err := converted[data.Preference](t, write(pair), "data.pair", rubric.CQA()); err != nil || got[0].Choice != "b" || got[0].ID != "12" {
		t.Errorf("%+v, %v", got, err)
	}
}

// FuzzLabelStudio gives any text to the import of Label Studio and other tools. The import must write verdicts of the rubric or
// preferences, or return an error with a text and write no file.
func FuzzLabelStudio(f *testing.F) {
	formats := filepath.Join("..", "data", "sources", "testdata", "formats")
	for _, name := range []string{"label-studio.json", "label-studio-pairs.json", "label-studio-min.csv"} {
		text, err := os.ReadFile(filepath.Join(formats, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), strings.HasSuffix(name, ".csv"))
	}
	task := func(result string) string {
		return `[{"id":1,"data":{"id":"a"},"annotations":[{"completed_by":1,"result":[` + result + `]}]}]`
	}
	for _, result := range []string{"", `{}`, "null", `{"from_name":"1","type":"number","value":{"number":1e999}}`,
		`{"from_name":"1","type":"number","value":{"number":-9223372036854775809}}`, `{"from_name":"1","type":"rating","value":{"rating":"NaN"}}`,
		`{"from_name":"1","type":"choices","value":{"choices":[null,{},[["0"]]]}}`, `{"from_name":["1"],"type":1,"value":[]}`,
		`{"from_name":"c1","type":"number","value":{"number":1}},{"from_name":"p","type":"pairwise","value":{"selected":"left"}}`,
		`{"from_name":"p","type":"pairwise","value":{"selected":"left"}},{"from_name":"p","type":"pairwise","value":{"selected":"both"}}`} {
		f.Add(task(result), false)
	}
	for _, text := range []string{"", "[]", "{}", "null", "[null]", `[{"id":1e308,"annotations":{}}]`, strings.Repeat("[", 300),
		`[{"annotations":[{"completed_by":{"id":{"id":1}},"result":[{"from_name":"1","type":"number","value":{"number":1}}]}]}]`} {
		f.Add(text, false)
	}
	f.Add("annotator,id,1\n,,\n1,a,\"[{\"\"rating\"\":3}]\"\n", true)
	own := rubric.CQA()
	f.Fuzz(func(t *testing.T, text string, csv bool) {
		dir := t.TempDir()
		file := filepath.Join(dir, map[bool]string{true: "f.csv", false: "f.json"}[csv])
		out := filepath.Join(dir, "out.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		if err := convertLabelStudio(cli.Streams{Out: &said}, file, out, own, sources.Options{Alone: true}); err != nil {
			if _, left := os.Stat(out); err.Error() == "" || left == nil {
				t.Errorf("an error without a text, or with a file: %q", err)
			}
			return
		}
		written, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(written)) {
			var v struct {
				ID, Judge string
				Choice    string
				Scores    data.Scores
			}
			if err := json.Unmarshal([]byte(line), &v); err != nil || !data.IsHuman(v.Judge) {
				t.Errorf("%s: %v", line, err)
			}
			for id := range v.Scores {
				if !slices.Contains(own.IDs(), id) {
					t.Errorf("%s has the criterion %q", line, id)
				}
			}
		}
	})
}
