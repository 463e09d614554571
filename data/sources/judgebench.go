package sources

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// benchLevels maps JUDGE-BENCH's categories of annotation to levels of measurement.
var benchLevels = map[string]string{"categorical": "nominal", "graded": "ordinal", "continuous": "interval"}

// ReadJudgeBench reads the individual human scores of a file in the schema of JUDGE-BENCH (Bavaresco et al. 2025). The criteria are the
// declared metrics in their order, each with the level of measurement of its category. Raters have no names, because the third scores of
// two instances may come from different people. The line of a rating is the first line of its instance.
func ReadJudgeBench(path string) (*data.Judgements, error) {
	j := &data.Judgements{From: path}
	f, err := formatNamed("judge-bench")
	if err != nil {
		return j, err
	}
	first := map[string]int{} // first line of each instance, by id
	for record, err := range f.records(path, nil) {
		if err == nil && j.Criteria == nil {
			j.Criteria, err = benchCriteria(path, record.Root)
			j.Columns = make([]data.Column, len(j.Criteria))
		}
		if err != nil {
			return j, err
		}
		id := valueOf(record.get("id"))
		if before, again := first[id]; again {
			return j, record.Errorf("line %d already has an instance %q", before, id)
		} else if id == "" {
			return j, record.Errorf("the instance has no id")
		}
		first[id] = record.Line
		item := int32(len(first) - 1)
		for metric := range record.each("annotations") {
			index := slices.IndexFunc(j.Criteria, func(c data.Measured) bool { return c.ID == metric.key })
			scores := metric.get("individual_human_scores")
			if index < 0 {
				return j, record.Errorf("instance %q has scores on %q, which the file does not declare", id, metric.key)
			} else if scores.Exists() && !scores.IsArray() {
				return j, record.Errorf("instance %q, %s: individual_human_scores is %s; a list is needed", id, metric.key,
					data.Clip(scores.Raw))
			}
			for _, score := range scores.Array() {
				value, err := data.NormaliseValue(valueOf(score))
				if score.Type == gjson.JSON {
					err = fmt.Errorf("a score is %s; a number or a label is needed", data.Clip(score.Raw))
				}
				if err != nil {
					return j, record.Errorf("instance %q, %s: %w", id, metric.key, err)
				}
				j.Columns[index].Add(item, data.NoRater, value, record.Line)
			}
		}
	}
	if j.Criteria == nil {
		return j, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	return j, nil
}

// benchCriteria returns the metrics that a file declares. A missing name, an unknown category or a repeated metric is an error.
func benchCriteria(path string, root gjson.Result) (criteria []data.Measured, err error) {
	if !root.Get("instances").IsArray() {
		return nil, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	for _, m := range root.Get("annotations").Array() {
		c := data.Measured{ID: m.Get("metric").String(), Level: benchLevels[m.Get("category").String()]}
		switch {
		case c.ID == "":
			return nil, fmt.Errorf("%s: an annotation has no metric", path)
		case c.Level == "":
			return nil, fmt.Errorf("%s: the category of %q is %q; it must be categorical, graded or continuous", path, c.ID,
				m.Get("category").String())
		case slices.ContainsFunc(criteria, func(other data.Measured) bool { return other.ID == c.ID }):
			return nil, fmt.Errorf("%s: the metric %q is declared twice", path, c.ID)
		}
		criteria = append(criteria, c)
	}
	return criteria, nil
}
