package sources

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// benchLevels are the levels of measurement of JUDGE-BENCH's categories of annotation.
var benchLevels = map[string]string{"categorical": "nominal", "graded": "ordinal", "continuous": "interval"}

// ReadJudgeBench reads the individual human scores of a file in the schema of JUDGE-BENCH (Bavaresco et al. 2025).
// Criteria are the metrics the file declares, in its order, at the level of its category. Scores have positions but no
// names: the third scores of two instances may come from different people, so raters have no names. The line of a
// rating is the first line of its instance.
func ReadJudgeBench(path string) (a data.Annotations, err error) {
	a.Path = path
	f, err := formatNamed("judge-bench")
	if err != nil {
		return a, err
	}
	first := map[string]int{}
	for record, err := range f.records(path, nil) {
		if err == nil && a.Criteria == nil {
			a.Criteria, err = benchCriteria(path, record.Root)
		}
		if err != nil {
			return a, err
		}
		of := data.Rating{Line: record.Line, Unit: valueOf(record.get("id"))}
		if before, again := first[of.Unit]; again {
			return a, record.Errorf("line %d already has an instance %q", before, of.Unit)
		} else if of.Unit == "" {
			return a, record.Errorf("the instance has no id")
		}
		first[of.Unit] = of.Line
		for metric := range record.each("annotations") {
			at := slices.IndexFunc(a.Criteria, func(c data.Annotated) bool { return c.Criterion == metric.key })
			scores := metric.get("individual_human_scores")
			if at < 0 {
				return a, record.Errorf("instance %q has scores on %q, which the file does not declare", of.Unit, metric.key)
			} else if scores.Exists() && !scores.IsArray() {
				return a, record.Errorf("instance %q, %s: individual_human_scores is %s; a list is needed", of.Unit, metric.key,
					data.Clip(scores.Raw))
			}
			for _, score := range scores.Array() {
				of.Value, err = data.NormaliseValue(valueOf(score))
				if score.Type == gjson.JSON {
					err = fmt.Errorf("a score is %s; a number or a label is needed", data.Clip(score.Raw))
				}
				if err != nil {
					return a, record.Errorf("instance %q, %s: %w", of.Unit, metric.key, err)
				}
				a.Criteria[at].Ratings = append(a.Criteria[at].Ratings, of)
			}
		}
	}
	if a.Criteria == nil {
		return a, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	return a, nil
}

// benchCriteria are the metrics that a file declares.
func benchCriteria(path string, root gjson.Result) (criteria []data.Annotated, err error) {
	if !root.Get("instances").IsArray() {
		return nil, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	for _, m := range root.Get("annotations").Array() {
		c := data.Annotated{Criterion: m.Get("metric").String(), Level: benchLevels[m.Get("category").String()]}
		switch {
		case c.Criterion == "":
			return nil, fmt.Errorf("%s: an annotation has no metric", path)
		case c.Level == "":
			return nil, fmt.Errorf("%s: the category of %q is %q; it must be categorical, graded or continuous", path, c.Criterion,
				m.Get("category").String())
		case slices.ContainsFunc(criteria, func(other data.Annotated) bool { return other.Criterion == c.Criterion }):
			return nil, fmt.Errorf("%s: the metric %q is declared twice", path, c.Criterion)
		}
		criteria = append(criteria, c)
	}
	return criteria, nil
}
