package judgequality

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// fillRepeats sets the self-agreement of a judge on answers that it scored more than
// once; alphas are resampled by question.
func (r *JudgeRow) fillRepeats(c *dataset.Calculator, x *dataset.Dataset, judge int) {
	var of [][]*dataset.Sheet // by answer
	sheets := x.Valid(judge)
	most := 0
	for i := 0; i < len(sheets); {
		from := i
		for i < len(sheets) && sheets[i].Answer == sheets[from].Answer {
			i++
		}
		if i-from > 1 {
			of = append(of, sheets[from:i])
			most = max(most, i-from)
		}
	}
	if r.RepeatedAnswers = len(of); len(of) == 0 {
		return
	}
	var same, far []float64
	for _, repeats := range of {
		for i, a := range repeats {
			for _, b := range repeats[i+1:] {
				same = append(same, dataset.Indicator(slices.Equal(a.Scores, b.Scores)))
				far = append(far, max(a.Total-b.Total, b.Total-a.Total))
			}
		}
	}
	r.SelfEqual, r.SelfDistance = table.FigureOf(c.Moments(same).Mean), table.FigureOf(c.Moments(far).Mean)
	r.SelfAlpha = selfAlpha(x, c, of, most, func(s *dataset.Sheet) []float64 { return s.Scores })
	r.SelfTotals = selfAlpha(x, c, of, most, func(s *dataset.Sheet) []float64 { return []float64{s.Total} })
}

// selfAlpha uses the k-th verdict on each answer as the k-th rater.
func selfAlpha(x *dataset.Dataset, c *dataset.Calculator, of [][]*dataset.Sheet, most int,
	values func(*dataset.Sheet) []float64) (e table.Bounded) {
	raters := make([]agreement.Rater, most)
	var questions []int
	for _, repeats := range of {
		n := len(values(repeats[0]))
		for k := range raters {
			for i := range n {
				missing, value := k >= len(repeats), 0.0
				if !missing {
					value = values(repeats[k])[i]
				}
				raters[k].Values, raters[k].Missing = append(raters[k].Values, value), append(raters[k].Missing, missing)
			}
		}
		for range n {
			questions = append(questions, x.Question[repeats[0].Answer])
		}
	}
	ratings, err := agreement.NewRatings(raters...)
	if err != nil {
		c.Value(0, err)
		return e
	}
	alpha, err := agreement.Alpha(ratings, agreement.Interval)
	e.Value = table.FigureOf(c.Value(alpha.Alpha, err))
	if e.Value.Known() {
		d, err := agreement.AlphaBootstrap(ratings, agreement.Interval, questions, x.Resampling())
		e.Low, e.High = table.FigureOf(c.Value(d.Low, err)), table.FigureOf(c.Value(d.High, err))
	}
	return e
}
