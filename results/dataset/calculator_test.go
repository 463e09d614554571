package dataset

import (
	"math"
	"testing"

	"compqa/stats"
)

// Wilson's interval for 0 of 10 reaches up to z²/(10+z²), with z = 1.959963984540054.
func TestShare(t *testing.T) {
	var c Calculator
	never := Sample{}
	for q := range 10 {
		never.Add(0, q)
		never.Add(0, q)
	}
	e := c.Share(never, stats.ErrZeroWidth)
	nearTo(t, "the share", e.Point(), 0)
	nearTo(t, "its lower bound", e.Lower(), 0)
	nearTo(t, "its upper bound", e.Upper(), 3.8414588206941236/13.841458820694124)
	for i := range never.Values {
		never.Values[i] = 1
	}
	e = c.Share(never, stats.ErrZeroWidth)
	nearTo(t, "the share of all", e.Point(), 1)
	nearTo(t, "its lower bound", e.Lower(), 10/13.841458820694124)
	rare := Sample{}
	for q := range 10 {
		rare.Add(Indicator(q == 0), q)
	}
	if e = c.Share(rare, stats.ErrZeroWidth); e.Low != 0 || e.High <= 0.1 {
		t.Errorf("one in ten: %s", stats.Bound(e.Point(), e.Lower(), e.Upper()).Text(3))
	}
	if e = c.Share(Sample{[]float64{1}, []int{0}}, stats.ErrZeroWidth); e.Value != 1 || e.Bounded {
		t.Errorf("one of one: %+v", e)
	}
	if e = c.Share(Sample{}, stats.ErrZeroWidth); e.Known {
		t.Errorf("none of nothing: %+v", e)
	}
	if e := c.Mean(Sample{}); e.Known || e.N != 0 {
		t.Errorf("the mean of nothing: %+v", e)
	}
	if c.Err != nil {
		t.Error(c.Err)
	}
}

func nearTo(t *testing.T, what string, got stats.Figure, want float64) {
	t.Helper()
	if !got.Known || math.Abs(got.Value-want) > 1e-9 {
		t.Errorf("%s is %s, want %v", what, got.Text(12), want)
	}
}
