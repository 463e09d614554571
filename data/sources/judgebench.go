package sources

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// benchLevels are the levels of measurement of JUDGE-BENCH's categories of annotation.
var benchLevels = map[string]string{"categorical": "nominal", "graded": "ordinal", "continuous": "interval"}

// ReadJudgeBench reads the individual human scores of a file in the schema of JUDGE-BENCH
// (Bavaresco et al. 2025). Criteria are the metrics the file declares, in its order, at the level
// of its category. Scores have positions but no names: the third scores of two instances may come
// from different people, so raters have no names. The line of a rating is the first line of its
// instance.
func ReadJudgeBench(path string) (data.Annotations, error) {
	content, path, err := data.ReadText(path)
	if err != nil {
		return data.Annotations{}, err
	}
	return parseJudgeBench(path, strings.TrimPrefix(string(content), "\ufeff"))
}

func parseJudgeBench(path, content string) (data.Annotations, error) {
	a := data.Annotations{Path: path}
	text, err := data.ValidJSON(path, content, 1)
	if err != nil {
		return a, err
	}
	metrics, instances := gjson.Get(text, "annotations"), gjson.Get(text, "instances")
	if !metrics.IsArray() || !instances.IsArray() || len(instances.Array()) == 0 {
		return a, fmt.Errorf("%s is not a JUDGE-BENCH file: it needs the lists annotations and instances", path)
	}
	for _, m := range metrics.Array() {
		name, category := m.Get("metric").String(), m.Get("category").String()
		level, known := benchLevels[category]
		switch {
		case name == "":
			return a, fmt.Errorf("%s: an annotation has no metric", path)
		case !known:
			return a, fmt.Errorf("%s: the category of %q is %q; it must be categorical, graded or continuous", path, name, category)
		case benchCriterion(&a, name) != nil:
			return a, fmt.Errorf("%s: the metric %q is declared twice", path, name)
		}
		a.Criteria = append(a.Criteria, data.Annotated{Criterion: name, Level: level})
	}
	line, first := data.LineCounter(text), map[string]int{}
	for _, instance := range instances.Array() {
		of := data.Rating{Line: line(instance.Index), Unit: valueOf(instance.Get("id"))}
		if before, again := first[of.Unit]; again {
			return a, a.Errorf(of, "line %d already has an instance %q", before, of.Unit)
		} else if of.Unit == "" {
			return a, a.Errorf(of, "the instance has no id")
		}
		first[of.Unit] = of.Line
		instance.Get("annotations").ForEach(func(metric, scores gjson.Result) bool {
			err = benchScores(&a, of, metric.String(), scores.Get("individual_human_scores"))
			return err == nil
		})
		if err != nil {
			return a, err
		}
	}
	return a, nil
}

func benchCriterion(a *data.Annotations, name string) *data.Annotated {
	at := slices.IndexFunc(a.Criteria, func(c data.Annotated) bool { return c.Criterion == name })
	if at < 0 {
		return nil
	}
	return &a.Criteria[at]
}

// benchScores adds an instance's scores on one metric.
func benchScores(a *data.Annotations, of data.Rating, metric string, scores gjson.Result) (err error) {
	c := benchCriterion(a, metric)
	switch {
	case c == nil:
		return a.Errorf(of, "instance %q has scores on %q, which the file does not declare", of.Unit, metric)
	case scores.Exists() && !scores.IsArray():
		return a.Errorf(of, "instance %q, %s: individual_human_scores is %s; a list is needed", of.Unit, metric, data.Clip(scores.Raw))
	}
	for _, score := range scores.Array() {
		if score.Type == gjson.JSON {
			return a.Errorf(of, "instance %q, %s: a score is %s; a number or a label is needed", of.Unit, metric, data.Clip(score.Raw))
		}
		if of.Value, err = data.NormaliseValue(valueOf(score)); err != nil {
			return a.Errorf(of, "instance %q, %s: %w", of.Unit, metric, err)
		}
		c.Ratings = append(c.Ratings, of)
	}
	return nil
}
