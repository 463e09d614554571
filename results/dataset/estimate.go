package dataset

import (
	"errors"
	"slices"

	"compqa/results/raters"
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

// Bounded is a figure of raters in a table.
func Bounded(f raters.Figure) (b table.Bounded) {
	if f.Known {
		b.Value = table.Number(f.Value)
	}
	if f.Bounded {
		b.Low, b.High = table.Number(f.Low), table.Number(f.High)
	}
	b.Few = f.N > 0 && f.Clusters < FewQuestions
	return b
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
		of[q] = true
		if len(of) == FewQuestions {
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
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	return c.estimate(s, m.Value, m.Low, m.High, err)
}

// estimate is a mean of a sample; err is the error of its interval.
func (c *Calculator) estimate(s Sample, mean, low, high float64, err error) Estimate {
	e := Estimate{c.Interval(table.Figure{}, low, high, err), len(s.Values)}
	e.Few = s.Few()
	if e.N > 0 {
		e.Value = table.Number(mean)
	}
	return e
}

// OverScenarios combines the totals of several scenarios so that their mean is the mean of the scenario means (see
// stats.Linearised). It is nil if a scenario has fewer than two totals, because its variance is then unknown.
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

// Share is the mean of values from 0 to 1, such as 0 and 1, with a clustered interval within [0, 1]. If that interval is
// undefined with the error replaced (ErrZeroWidth: all values are equal; ErrUndefined: also too few values), it is Wilson's
// interval, with one trial per question.
func (c *Calculator) Share(s Sample, replaced error) Estimate {
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	low, high := max(0, m.Low), min(1, m.High)
	if len(s.Values) > 0 && errors.Is(err, replaced) {
		trials := len(slices.Compact(slices.Sorted(slices.Values(s.Questions))))
		w, failed := stats.Wilson(int(m.Value*float64(trials)+0.5), trials, Confidence)
		low, high, err = w.Low, w.High, failed
	}
	return c.estimate(s, m.Value, low, high, err)
}

func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
