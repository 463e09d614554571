package results

import (
	"slices"

	"compqa/stats"
)

// A repetition is a judge against itself, where it scored an answer more than
// once.
type repetition struct {
	answers         int      // scored more than once
	equal           Figure   // share of pairs of verdicts on an answer that have equal scores throughout
	distance        Figure   // mean distance of their totals, points
	criteria, total estimate // alpha, interval level, of all criteria and of totals; resampled by question
}

func (x *index) repetition(judge int) (repetition, error) {
	var r repetition
	var c computer
	var of [][]*Sheet // by answer
	sheets := x.valid(judge)
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
	if r.answers = len(of); r.answers == 0 {
		return r, nil
	}
	var same, far []float64
	for _, repeats := range of {
		for i, a := range repeats {
			for _, b := range repeats[i+1:] {
				same = append(same, indicator(slices.Equal(a.Scores, b.Scores)))
				far = append(far, max(a.Total-b.Total, b.Total-a.Total))
			}
		}
	}
	r.equal, r.distance = Figure{c.moments(same).Mean}, Figure{c.moments(far).Mean}
	r.criteria = x.selfAlpha(&c, of, most, func(s *Sheet) []float64 { return s.Scores })
	r.total = x.selfAlpha(&c, of, most, func(s *Sheet) []float64 { return []float64{s.Total} })
	return r, c.err
}

// selfAlpha takes the k-th verdict on each answer for the k-th rater's.
func (x *index) selfAlpha(c *computer, of [][]*Sheet, most int, values func(*Sheet) []float64) estimate {
	raters := make([]stats.Rater, most)
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
			questions = append(questions, x.question[repeats[0].Answer])
		}
	}
	e := estimate{n: len(of)}
	ratings, err := stats.NewRatings(raters...)
	if err != nil {
		c.value(0, err)
		return e
	}
	alpha, err := stats.Alpha(ratings, stats.Interval)
	e.value = Figure{c.value(alpha.Alpha, err)}
	if e.value.known() {
		d, err := stats.AlphaBootstrap(ratings, stats.Interval, questions, x.resampling())
		e.low, e.high = Figure{c.value(d.Low, err)}, Figure{c.value(d.High, err)}
	}
	return e
}
