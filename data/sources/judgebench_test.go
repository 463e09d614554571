package sources

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

const benchContent = `{
  "dataset": "ours",
  "instances": [
    {"id": 1, "instance": "x", "annotations": {"clear": {"mean_human": 3.5, "individual_human_scores": [3, 4.0]},
      "kind": {"individual_human_scores": ["yes", null, "no"]}}},
    {
      "id": "two",
      "annotations": {"clear": {"individual_human_scores": []}}
    }
  ],
  "annotations": [
    {"metric": "kind", "category": "categorical", "labels_list": ["yes", "no"]},
    {"metric": "clear", "category": "graded", "worst": 1, "best": 5},
    {"metric": "long", "category": "continuous"}
  ]
}`

func TestReadJudgeBench(t *testing.T) {
	got, err := ReadJudgeBench(write(t, "b.json", benchContent))
	if err != nil {
		t.Fatal(err)
	}
	criteria := []data.Measured{{ID: "kind", Level: "nominal"}, {ID: "clear", Level: "ordinal"}, {ID: "long", Level: "interval"}}
	if !slices.Equal(got.Criteria, criteria) || len(got.Raters) != 0 {
		t.Errorf("criteria %+v, raters %+v", got.Criteria, got.Raters)
	}
	var rows []string
	for k, column := range got.Columns {
		for row, item := range column.Item {
			rows = append(rows, fmt.Sprintf("%s %d %d %q %d", got.Criteria[k].ID, item, column.Rater[row], column.Value(row), column.Line[row]))
		}
	}
	want := []string{`kind 0 -1 "yes" 4`, `kind 0 -1 "" 4`, `kind 0 -1 "no" 4`, `clear 0 -1 "3" 4`, `clear 0 -1 "4" 4`}
	if !slices.Equal(rows, want) {
		t.Errorf(" got %q\nwant %q", rows, want)
	}
}

func TestReadJudgeBenchFaults(t *testing.T) {
	for _, c := range []struct {
		old, new string // text that is replaced in the valid file
		line     int    // expected line; 0 if the error is about the whole file
		says     string
	}{
		{`"two"`, `1`, 6, `line 4 already has an instance "1"`},
		{`"id": "two",`, ``, 6, "the instance has no id"},
		{`{"clear": {"individual_human_scores": []}}`, `{"cleer": {"individual_human_scores": []}}`, 6, `scores on "cleer", which the file does not declare`},
		{`[3, 4.0]`, `[3, [4]]`, 4, `instance "1", clear: a score is [4]; a number or a label is needed`},
		{`[3, 4.0]`, `[3, "NaN"]`, 4, "the value is NaN; leave the value of a missing rating empty"},
		{`[3, 4.0]`, `3`, 4, "individual_human_scores is 3; a list is needed"},
		{`"graded"`, `"grade"`, 0, `the category of "clear" is "grade"; it must be categorical, graded or continuous`},
		{`"long"`, `"kind"`, 0, `the metric "kind" is declared twice`},
		{`"metric": "long", `, ``, 0, "an annotation has no metric"},
		{`"instances"`, `"instancez"`, 0, "needs the lists annotations and instances"},
		{`"instances": [`, `"instances": {`, 4, "not JSON: invalid character '{'"},
		{`"best": 5},`, `"best": 5}`, 14, "not JSON"},
		{`"long"`, "\"l\xe4nge\"", 14, "is not UTF-8"},
		{benchContent, `[]`, 0, "needs the lists annotations and instances"},
		{benchContent, ``, 0, "is empty"},
		{benchContent, benchContent + "{}", 16, "invalid character '{' after top-level value"},
	} {
		content := strings.Replace(benchContent, c.old, c.new, 1)
		_, err := ReadJudgeBench(write(t, "b.json", content))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q: %v, want …%s…", c.new, c.old, err, c.says)
			continue
		}
		var line *data.LineError
		if errors.As(err, &line) != (c.line > 0) || c.line > 0 && line.Line != c.line {
			t.Errorf("%q for %q: %v, want it at line %d", c.new, c.old, err, c.line)
		}
	}
	if _, err := ReadJudgeBench(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("a file that is not there is read")
	}
}

// FuzzReadJudgeBench checks that no text makes the reader panic, that errors name an existing line, and that values are normalised.
func FuzzReadJudgeBench(f *testing.F) {
	f.Add([]byte(benchContent))
	f.Add([]byte(`{"annotations": [{"metric": "m", "category": "graded"}], "instances": [{"id": 0, "annotations": {"m": {"individual_human_scores": [1]}}}]}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		a, err := ReadJudgeBench(write(t, "b.json", string(content)))
		var line *data.LineError
		if errors.As(err, &line) && (line.Line < 1 || line.Line > 1+strings.Count(string(content), "\n")+strings.Count(string(content), "\r")) {
			t.Errorf("%v: the file has no such line", err)
		}
		if err != nil {
			return
		}
		for k, c := range a.Columns {
			for row, item := range c.Item {
				value := c.Value(row)
				if plain, err := data.NormaliseValue(value); err != nil || plain != value || item < 0 || c.Line[row] < 1 {
					t.Errorf("row %d of %q: %q", row, a.Criteria[k].ID, value)
				}
			}
		}
	})
}
