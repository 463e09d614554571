package bench

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/judges/rules"
	"compqa/judges/surface"
	"compqa/judges/text"
	"compqa/results/dataset"
	"compqa/results/raters"
	"compqa/rubric"
	"compqa/stats"
)

func calibratedName(judge string) string {
	if judge == "" {
		return surface.Name
	}
	return judge + "+calibrated"
}

// pairs joins people's sheets with the scores of a judge on the same answers. scores returns nil for an answer that the judge has not
// scored; the answer is left out.
func (c *calibrationFitting) pairs(scores func(answer int) []float64) sheetPairs {
	return c.join(c.reference(), func(s personSheet) []float64 { return scores(s.answer) })
}

// join pairs each sheet of people with the scores of the same answer. It leaves out sheets for which scores returns nil.
func (c *calibrationFitting) join(people []personSheet, scores func(personSheet) []float64) (p sheetPairs) {
	var questions []string
	for _, s := range people {
		if judged := scores(s); judged != nil {
			p.Add(s.scores, judged, 0)
			questions = append(questions, c.answers[s.answer].Pair())
		}
	}
	p.Clusters = stats.ClusterLabels(questions)
	return p
}

// by returns a function that gives the calibrated scores of an answer, or nil if the calibrated judge has not scored the answer.
func (c *calibrationFitting) by(fitted *surface.Calibration) func(answer int) []float64 {
	return func(answer int) []float64 {
		values := c.sheets[c.judge][answer]
		if c.judge != "" && values == nil {
			return nil
		}
		return rubric.CQA().Points(fitted.Scores(fitted.Expect(c.answers[answer].Pair(), c.inputs[answer], values)))
	}
}

// rows returns the agreement with people of the fitted judge, of the corpus's judges, of the judge rules, and of the floors, judges that
// ignore the answer. It also returns the agreement between each two people.
func (c *calibrationFitting) rows(fitted *surface.Calibration) ([]sheetRow, error) {
	name := calibratedName(c.judge)
	rows := []sheetRow{{name, "cross-validated", c.pairs(c.by(fitted)), nil}}
	for _, judge := range c.judges {
		if judge != name && judge != surface.Name { // the same judge, with this or an earlier fit
			rows = append(rows, sheetRow{judge, "judge", c.pairs(func(answer int) []float64 { return c.sheets[judge][answer] }), nil})
		}
	}
	if !slices.Contains(c.judges, "rules") {
		rows = append(rows, sheetRow{"rules", "embedded", c.pairs(func(answer int) []float64 {
			scores, _ := rules.Score(text.Measure(data.QuestionOf(c.answers[answer]), c.answers[answer].Text))
			return rubric.CQA().Points(scores)
		}), nil})
	}
	if !slices.Contains(c.judges, "constant") {
		rows = append(rows, sheetRow{"constant", "floor", c.pairs(func(int) []float64 { return rubric.CQA().Points(rubric.CQA().Full()) }), nil})
	}
	rows = append(rows, sheetRow{"people's means", "floor", c.pairs(c.means(fitted)), nil})
	persons := data.Where(slices.Sorted(maps.Keys(c.people)), func(name string) bool { return name != data.Human })
	for i, one := range persons {
		for _, other := range persons[i+1:] {
			if both := c.among(c.people[one], c.people[other]); len(both.Reference) > 0 {
				rows = append(rows, sheetRow{one + ", " + other, "people", both, nil})
			}
		}
	}
	return rows, data.SideBySide(len(rows), func(i int) (err error) {
		if rows[i].figures, err = rows[i].pairs.agreement(stats.Resampling{Seed: c.seed, Name: "calibration"}); err != nil {
			return fmt.Errorf("%s: %w", rows[i].name, err)
		}
		return nil
	})
}

// means returns the scores of a floor that gives every answer the mean of people's scores on each criterion. The mean is over the questions
// of the other parts of the cross-validation.
func (c *calibrationFitting) means(fitted *surface.Calibration) func(answer int) []float64 {
	sheets := c.reference()
	part := func(answer int) int { return fitted.PartOf(c.answers[answer].Pair()) }
	means := map[int][]float64{} // part to means
	return func(answer int) []float64 {
		count := part(answer)
		if count >= 0 && means[count] == nil {
			mean := make([]float64, len(fitted.Criteria))
			others := data.Where(sheets, func(s personSheet) bool { return part(s.answer) != count })
			for _, s := range others {
				floats.AddScaled(mean, 1/float64(len(others)), s.scores)
			}
			means[count] = mean
		}
		return means[count]
	}
}

// among joins the sheets of two annotators on the same answer and repeat.
func (c *calibrationFitting) among(one, other []personSheet) sheetPairs {
	theirs := map[[2]int][]float64{}
	for _, s := range other {
		theirs[[2]int{s.answer, s.repeat}] = s.scores
	}
	return c.join(one, func(s personSheet) []float64 { return theirs[[2]int{s.answer, s.repeat}] })
}

// leftOut fits the judge again without each system that people scored, and measures the judge's bias on that system.
func (c *calibrationFitting) leftOut() (list []data.SystemBias, err error) {
	systems := data.Set(data.Each(c.reference(), func(s personSheet) string { return c.answers[s.answer].System }))
	for _, system := range systems {
		fitted, err := c.fit(data.Where(c.examples, func(e surface.Example) bool { return e.System != system }), c.seed)
		if err != nil {
			return nil, err
		}
		scores := c.by(fitted)
		pairs := c.pairs(func(answer int) []float64 {
			if c.answers[answer].System != system {
				return nil
			}
			return scores(answer)
		})
		totals := raters.Sums("final", pairs.Criteria(len(rubric.CQA().Criteria)))
		judgeMinusPeople := totals.Pairs(totals.Raters[1], totals.Raters[0]).JudgeMinusReference()
		mean, err := stats.MeanInterval(judgeMinusPeople, pairs.Clusters, dataset.Confidence)
		bias := data.SystemBias{System: system, N: len(judgeMinusPeople), Bias: decimals(mean.Value), SE: decimals(mean.SE)}
		if err != nil { // one question only
			bias.SE = 0
		}
		list = append(list, bias)
	}
	return list, nil
}
