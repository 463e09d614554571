package dataset

import (
	"errors"
	"math"
	"slices"

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
	return data.Each(points, func(p stats.Figure) stats.Figure {
		if !p.Known {
			return p
		}
		above := func(other stats.Figure) bool { return other.Known && other.Value > p.Value+EqualMeans }
		return stats.Count(1 + len(data.Where(points, above)))
	})
}

// MeanKnown returns the mean of the known figures, missing if there are none.
func (c *Calculator) MeanKnown(figures []stats.Figure) stats.Figure {
	known := data.Each(data.Where(figures, func(f stats.Figure) bool { return f.Known }), func(f stats.Figure) float64 { return f.Value })
	return stats.FigureOf(c.Moments(known).Mean)
}

// Confidence is the level of all intervals in a report.
const Confidence = 0.95
