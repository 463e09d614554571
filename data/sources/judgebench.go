package sources

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"compqa/data"
)

// benchLevels are the levels of measurement of JUDGE-BENCH's categories of
// annotation.
var benchLevels = map[string]string{"categorical": "nominal", "graded": "ordinal", "continuous": "interval"}

// ReadJudgeBench reads the individual human scores of a file in the schema of
// JUDGE-BENCH (Bavaresco et al. 2025). Criteria are the metrics the file
// declares, in its order, at the level of its category. Scores have positions but no
// names: the third scores of two instances may come from different people, so raters
// have no names. The line of a rating is the first line of its instance.
func ReadJudgeBench(path string) (data.Annotations, error) {
	content, path, err := data.ReadText(path)
	if err != nil {
		return data.Annotations{}, err
	}
	return parseJudgeBench(path, bytes.TrimPrefix(content, []byte("\xef\xbb\xbf")))
}

// A benchFile holds the two lists of a file, which may come in any order.
type benchFile struct {
	path    string
	metrics []struct{ Metric, Category string }
	items   []benchItem
}

type benchItem struct {
	ID          json.RawMessage
	Annotations map[string]struct {
		Scores []json.RawMessage `json:"individual_human_scores"`
	}
	line int
}

func parseJudgeBench(path string, content []byte) (data.Annotations, error) {
	f := benchFile{path: path}
	var lists struct {
		Annotations json.RawMessage
		Instances   []json.RawMessage
	}
	if err := json.Unmarshal(content, &lists); err != nil {
		return data.Annotations{}, f.fault(errorLine(content, 0, err), err)
	}
	if len(lists.Annotations) > 0 {
		if err := json.Unmarshal(lists.Annotations, &f.metrics); err != nil {
			return data.Annotations{}, f.fault(errorLine(content, bytes.Index(content, lists.Annotations), err), err)
		}
	}
	lines := itemLines(content, max(0, bytes.Index(content, []byte(`"instances"`))), lists.Instances)
	for i, text := range lists.Instances {
		item := benchItem{line: lines[i]}
		if err := json.Unmarshal(text, &item); err != nil {
			return data.Annotations{}, f.fault(lines[i], err)
		}
		f.items = append(f.items, item)
	}
	if len(f.metrics) == 0 || len(f.items) == 0 {
		return data.Annotations{}, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	return f.annotations()
}

func (f *benchFile) fault(line int, err error) error {
	if kind, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s is a JSON %s", cmp.Or(kind.Field, "the file"), kind.Value)
	}
	return &data.LineError{Path: f.path, Line: line, Err: fmt.Errorf("not in the JUDGE-BENCH schema: %w", err)}
}

func (f *benchFile) annotations() (data.Annotations, error) {
	a := data.Annotations{Path: f.path}
	for _, m := range f.metrics {
		level, known := benchLevels[m.Category]
		switch {
		case m.Metric == "":
			return a, fmt.Errorf("%s: an annotation has no metric", f.path)
		case !known:
			return a, fmt.Errorf("%s: the category of %q is %q; it must be categorical, graded or continuous", f.path, m.Metric, m.Category)
		case place(&a, m.Metric) >= 0:
			return a, fmt.Errorf("%s: the metric %q is declared twice", f.path, m.Metric)
		}
		a.Criteria = append(a.Criteria, data.Annotated{Criterion: m.Metric, Level: level})
	}
	lines := map[string]int{}
	for _, item := range f.items {
		of := data.Rating{Line: item.line}
		id, ok := data.ScalarText(item.ID)
		if !ok || id == "" {
			return a, a.Errorf(of, "the instance has no id")
		}
		if first, ok := lines[id]; ok {
			return a, a.Errorf(of, "line %d already has an instance %q", first, id)
		}
		lines[id], of.Unit = item.line, id
		for _, metric := range slices.Sorted(maps.Keys(item.Annotations)) {
			if err := addScores(&a, metric, of, item.Annotations[metric].Scores); err != nil {
				return a, err
			}
		}
	}
	return a, nil
}

func place(a *data.Annotations, criterion string) int {
	return slices.IndexFunc(a.Criteria, func(c data.Annotated) bool { return c.Criterion == criterion })
}

// addScores adds an instance's scores on one metric.
func addScores(a *data.Annotations, metric string, of data.Rating, scores []json.RawMessage) error {
	at := place(a, metric)
	if at < 0 {
		return a.Errorf(of, "instance %q has scores on %q, which the file does not declare", of.Unit, metric)
	}
	for _, raw := range scores {
		text, ok := data.ScalarText(raw)
		if !ok {
			return a.Errorf(of, "instance %q, %s: a score is %s; a number or a label is needed", of.Unit, metric, data.Clip(string(raw)))
		}
		var err error
		if of.Value, err = data.NormaliseValue(text); err != nil {
			return a.Errorf(of, "instance %q, %s: %w", of.Unit, metric, err)
		}
		a.Criteria[at].Ratings = append(a.Criteria[at].Ratings, of)
	}
	return nil
}
