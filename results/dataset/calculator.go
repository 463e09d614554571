package dataset

import (
	"errors"
	"math"
	"slices"
	"sort"

	"compqa/data"
	"compqa/results/trust"
	"compqa/stats"
)

// Moments are a mean and a sample standard deviation, in points.
type Moments struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"` // nil if n = 0
	SD   *float64 `json:"sd"`   // nil if n < 2
}

// A Calculator computes statistics. Undefined figures are nil or missing. Err keeps the first error that does not mean an undefined figure.
type Calculator struct{ Err error }

// Value returns x, or nil if err says that x is undefined (stats.ErrUndefined). It keeps any other error in c.Err.
func (c *Calculator) Value(x float64, err error) *float64 {
	if err == nil {
		return &x
	}
	if !errors.Is(err, stats.ErrUndefined) && c.Err == nil {
		c.Err = err
	}
	return nil
}

// Moments returns the number, the mean and the standard deviation of values. The mean of none and the deviation of one are nil.
func (c *Calculator) Moments(values []float64) Moments {
	m := Moments{N: len(values)}
	se, err := stats.StandardErrors(values, nil)
	c.Value(0, err)
	if m.N > 0 {
		m.Mean = &se.Mean
	}
	if m.N > 1 {
		sd := se.CLT * math.Sqrt(float64(m.N)) // CLT is the standard deviation over √n
		m.SD = &sd
	}
	return m
}

// MeanDefined returns the mean of values, or nil if one of them is nil.
func (c *Calculator) MeanDefined(values []*float64) *float64 {
	if slices.Contains(values, nil) {
		return nil
	}
	return c.Moments(data.Each(values, func(f *float64) float64 { return *f })).Mean
}

// Figure returns value without an interval. With an error, the figure is missing.
func (c *Calculator) Figure(value float64, err error) stats.Figure {
	if c.Value(value, err) == nil {
		return stats.MissingFigure(err)
	}
	return stats.Number(value)
}

// Interval returns value with its bounds. With an error, the bounds are missing.
func (c *Calculator) Interval(value stats.Figure, low, high float64, err error) stats.Figure {
	if c.Value(0, err) == nil {
		value = value.Point()
		value.Why = err
		return value
	}
	return stats.Bound(value, stats.Number(low), stats.Number(high))
}

// Difference returns the mean of x - y and its p-value. Both samples have values of the same units, in the same order. See
// trust.ComparePaired.
func (c *Calculator) Difference(x, y Sample) (difference stats.Figure, p stats.Figure) {
	d, err := trust.PairedUnits(x.Values, y.Values, x.Questions)
	c.Value(0, err)
	return d.Value, d.P
}

// EqualMeans is the largest difference between two means that share a rank. It allows for rounding errors of sums in different orders.
const EqualMeans = 1e-9

// Ranks returns the ranks of the known points. The highest points have rank 1, and equal points share the best rank.
func Ranks(points []stats.Figure) []stats.Figure {
	known := data.Each(data.Where(points, func(p stats.Figure) bool { return p.Known }), func(p stats.Figure) float64 { return p.Value })
	slices.Sort(known)
	return data.Each(points, func(p stats.Figure) stats.Figure {
		if !p.Known {
			return p
		}
		above := sort.Search(len(known), func(i int) bool { return known[i] > p.Value+EqualMeans })
		return stats.Count(1 + len(known) - above)
	})
}

// MeanKnown returns the mean of the known figures. It is missing if none is known.
func (c *Calculator) MeanKnown(figures []stats.Figure) stats.Figure {
	known := data.Each(data.Where(figures, func(f stats.Figure) bool { return f.Known }), func(f stats.Figure) float64 { return f.Value })
	return stats.FigureOf(c.Moments(known).Mean)
}

// Confidence is the confidence level of all intervals in a report.
const Confidence = 0.95

// A Sample is values with the question of each value, which is its cluster.
type Sample struct {
	Values    []float64
	Questions []int
}

// NewSample returns an empty sample with space for n values.
func NewSample(n int) Sample { return Sample{make([]float64, 0, n), make([]int, 0, n)} }

// Few reports whether the values are of so few questions that an interval in points should not be shown.
func (s Sample) Few() bool {
	if s.Questions == nil { // each value is of a question of its own
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

// Add adds a value and its question.
func (s *Sample) Add(value float64, question int) {
	s.Values = append(s.Values, value)
	s.Questions = append(s.Questions, question)
}

// Mean returns the mean of a sample with an interval clustered by question.
func (c *Calculator) Mean(s Sample) stats.Figure {
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	return c.estimate(s, m.Value, m.Low, m.High, err)
}

// estimate returns the mean of a sample as a figure. err is the error of its interval.
func (c *Calculator) estimate(s Sample, mean, low, high float64, err error) stats.Figure {
	e := c.Interval(stats.Figure{Value: mean, Known: len(s.Values) > 0}, low, high, err)
	e.N, e.Few = len(s.Values), s.Few()
	return e
}

// OverScenarios returns values whose mean is the mean of the scenario means, with the right standard error (see stats.Linearised). It
// returns nil if one of several scenarios has fewer than two totals, because its variance is then unknown.
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

// Share returns the mean of values from 0 to 1, with an interval clustered by question and cut to [0, 1]. If the clustered interval fails
// with the error replaced, it uses Wilson's interval with one trial per question. replaced is ErrZeroWidth (all values are equal) or
// ErrUndefined (also too few values).
func (c *Calculator) Share(s Sample, replaced error) stats.Figure {
	m, err := stats.MeanInterval(s.Values, s.Questions, Confidence)
	low := max(0, m.Low)
	high := min(1, m.High)
	if len(s.Values) > 0 && errors.Is(err, replaced) {
		trials := len(slices.Compact(slices.Sorted(slices.Values(s.Questions))))
		w, failed := stats.Wilson(int(m.Value*float64(trials)+0.5), trials, Confidence)
		low = w.Low
		high = w.High
		err = failed
	}
	return c.estimate(s, m.Value, low, high, err)
}

// Indicator returns 1 for true and 0 for false. The mean of indicators is a share.
func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
