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

// Moments are a mean and the sample standard deviation, in points.
type Moments struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"` // nil if n = 0
	SD   *float64 `json:"sd"`   // nil if n < 2
}

// A Calculator computes statistics. Undefined figures are nil; it keeps the first other error.
type Calculator struct{ Err error }

// Value returns x, or nil where err says that it is undefined. Any other error is kept in c.Err.
func (c *Calculator) Value(x float64, err error) *float64 {
	if err == nil {
		return &x
	}
	if !errors.Is(err, stats.ErrUndefined) && c.Err == nil {
		c.Err = err
	}
	return nil
}

// Moments returns the number, mean and standard deviation of values; what they have not is nil.
func (c *Calculator) Moments(values []float64) Moments {
	m := Moments{N: len(values)}
	se, err := stats.StandardErrors(values, nil)
	c.Value(0, err)
	if m.N > 0 {
		m.Mean = &se.Mean
	}
	if m.N > 1 {
		sd := se.CLT * math.Sqrt(float64(m.N)) // CLT is the sample deviation over √n
		m.SD = &sd
	}
	return m
}

// MeanDefined returns the mean of the figures, nil if one of them is undefined.
func (c *Calculator) MeanDefined(values []*float64) *float64 {
	if slices.Contains(values, nil) {
		return nil
	}
	return c.Moments(data.Each(values, func(f *float64) float64 { return *f })).Mean
}

// Figure returns a figure without an interval, missing with an error.
func (c *Calculator) Figure(value float64, err error) stats.Figure {
	if c.Value(value, err) == nil {
		return stats.Lacking(err)
	}
	return stats.Number(value)
}

// Interval returns a figure with its bounds, which are missing with an error.
func (c *Calculator) Interval(value stats.Figure, low, high float64, err error) stats.Figure {
	if c.Value(0, err) == nil {
		value = value.Point()
		value.Why = err
		return value
	}
	return stats.Bound(value, stats.Number(low), stats.Number(high))
}

// Difference returns x - y, samples of the same units, with its p-value; see trust.Paired.
func (c *Calculator) Difference(x, y Sample) (difference stats.Figure, p stats.Figure) {
	d, err := trust.PairedUnits(x.Values, y.Values, x.Questions)
	c.Value(0, err)
	return d.Value, d.P
}

// EqualMeans is the difference up to which two means share a rank. It allows for
// rounding errors of sums in different orders.
const EqualMeans = 1e-9

// Ranks returns the ranks of known points, the highest first; ties share the best rank.
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

// MeanKnown returns the mean of the known figures, missing if there are none.
func (c *Calculator) MeanKnown(figures []stats.Figure) stats.Figure {
	known := data.Each(data.Where(figures, func(f stats.Figure) bool { return f.Known }), func(f stats.Figure) float64 { return f.Value })
	return stats.FigureOf(c.Moments(known).Mean)
}

// Confidence is the level of all intervals in a report.
const Confidence = 0.95

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
	s.Values = append(s.Values, value)
	s.Questions = append(s.Questions, question)
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

// Indicator returns 1 for true and 0 for false, so that a share is a mean.
func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
