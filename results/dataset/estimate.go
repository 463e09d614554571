package dataset

import (
	"errors"
	"slices"

	"compqa/stats"
)

// A Sample is values with the question of each.
type Sample struct {
	Values    []float64
	Questions []int
}

// Few reports whether the values are on too few questions for an interval in points to be shown.
func (s Sample) Few() bool {
	if s.Questions == nil { // each value is another question's
		return len(s.Values) < stats.FewClusters
	}
	clusters := map[int]bool{}
	for _, q := range s.Questions {
		clusters[q] = true
		if len(clusters) == stats.FewClusters {
			return false
		}
	}
	return true
}

// Add adds a value and the question that it belongs to, which is its cluster.
func (s *Sample) Add(value float64, question int) {
	s.Values, s.Questions = append(s.Values, value), append(s.Questions, question)
}

// Mean returns the mean of a sample with an interval clustered by question.
func (c *Calculator) Mean(s Sample) stats.Figure {
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	return c.estimate(s, m.Value, m.Low, m.High, err)
}

// estimate returns a mean of a sample; err is the error of its interval.
func (c *Calculator) estimate(s Sample, mean, low, high float64, err error) stats.Figure {
	e := c.Interval(stats.Figure{Value: mean, Known: len(s.Values) > 0}, low, high, err)
	e.N, e.Few = len(s.Values), s.Few()
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

// Share returns the mean of values from 0 to 1, such as 0 and 1, with a clustered interval within [0, 1]. If that interval is
// undefined with the error replaced (ErrZeroWidth: all values are equal; ErrUndefined: also too few values), it is Wilson's
// interval, with one trial per question.
func (c *Calculator) Share(s Sample, replaced error) stats.Figure {
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	low, high := max(0, m.Low), min(1, m.High)
	if len(s.Values) > 0 && errors.Is(err, replaced) {
		trials := len(slices.Compact(slices.Sorted(slices.Values(s.Questions))))
		w, failed := stats.Wilson(int(m.Value*float64(trials)+0.5), trials, Confidence)
		low, high, err = w.Low, w.High, failed
	}
	return c.estimate(s, m.Value, low, high, err)
}

// Indicator returns 1 for true and 0 for false, so that a share is a mean.
func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
