package dataset

import (
	"errors"
	"slices"

	"compqa/results/table"
	"compqa/stats"
)

// An Estimate is a figure with its interval and the number of values.
type Estimate struct {
	table.Bounded
	N int
}

// A Sample is values with the question of each.
type Sample struct {
	Values    []float64
	Questions []int
}

// FewQuestions is the number of questions from which an interval of a mean is shown: with fewer, Student's
// factor is so large that it reaches far outside the scale.
const FewQuestions = 5

// Few reports whether the values are on too few questions for an interval in points to be shown.
func (s Sample) Few() bool {
	if s.Questions == nil { // each value is another question's
		return len(s.Values) < FewQuestions
	}
	of := map[int]bool{}
	for _, q := range s.Questions {
		if of[q] = true; len(of) == FewQuestions {
			return false
		}
	}
	return true
}

func (s *Sample) Add(value float64, question int) {
	s.Values, s.Questions = append(s.Values, value), append(s.Questions, question)
}

// Mean is the mean of a sample with an interval clustered by question.
func (c *Calculator) Mean(s Sample) Estimate {
	e := Estimate{N: len(s.Values)}
	e.Few = s.Few()
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Low, e.High = table.FigureOf(c.Value(m.Low, err)), table.FigureOf(c.Value(m.High, err))
	if e.N > 0 {
		e.Value = table.Number(m.Value)
	}
	return e
}

// Contrast is Σ w_k·m_k over the means m_k of samples, with an interval clustered by
// question over all samples (see stats.Linearised). It is missing if a sample is empty, and has no
// interval if a sample has a single value, because its variance is then unknown.
func (c *Calculator) Contrast(samples []Sample, weights []float64) Estimate {
	var lists [][]float64
	var all Sample
	single := false
	for _, s := range samples {
		if len(s.Values) == 0 {
			return Estimate{}
		}
		lists, all.Questions = append(lists, s.Values), append(all.Questions, s.Questions...)
		single = single || len(s.Values) == 1
	}
	var total float64
	total, all.Values = stats.Linearised(lists, weights)
	e := c.Mean(all)
	if e.N > 0 {
		e.Value = table.Number(total)
	}
	if single {
		e.Low, e.High = table.Figure{}, table.Figure{}
	}
	return e
}

// OverScenarios combines the totals of several scenarios so that their mean is the mean of the
// scenario means (see stats.Linearised). It is nil if a scenario has fewer than two totals, because its
// variance is then unknown.
func (c *Calculator) OverScenarios(totals [][]float64) []float64 {
	if len(totals) == 1 {
		return totals[0]
	}
	if slices.ContainsFunc(totals, func(values []float64) bool { return len(values) < 2 }) {
		return nil
	}
	_, all := stats.Linearised(totals, slices.Repeat([]float64{1 / float64(len(totals))}, len(totals)))
	return all
}

// Share is the mean of values from 0 to 1, such as 0 and 1, with a clustered interval within
// [0, 1]. If that interval is undefined with the error replaced (ErrZeroWidth: all
// values are equal; ErrUndefined: also too few values), it is Wilson's interval, with
// one trial per question.
func (c *Calculator) Share(s Sample, replaced error) Estimate {
	e := Estimate{N: len(s.Values)}
	e.Few = s.Few()
	if e.N == 0 {
		return e
	}
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	e.Value = table.Number(m.Value)
	switch {
	case err == nil:
		e.Low, e.High = table.Number(max(0, m.Low)), table.Number(min(1, m.High))
	case errors.Is(err, replaced):
		questions := map[int]bool{}
		for _, q := range s.Questions {
			questions[q] = true
		}
		trials := len(questions)
		w, err := stats.Wilson(int(m.Value*float64(trials)+0.5), trials, Confidence)
		e.Low, e.High = table.FigureOf(c.Value(w.Low, err)), table.FigureOf(c.Value(w.High, err))
	default:
		c.Value(0, err)
	}
	return e
}

func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
