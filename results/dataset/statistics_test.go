package dataset

import (
	"math"
	"testing"

	"compqa/stats"
)

func TestMoments(t *testing.T) {
	for _, c := range []struct {
		values   []float64
		mean, sd *float64
	}{
		{nil, nil, nil},
		{[]float64{3}, pointer(3), nil},
		{[]float64{3, 3}, pointer(3), pointer(0)},
		{[]float64{1, 2}, pointer(1.5), pointer(math.Sqrt(0.5))},                      // divisor n-1
		{[]float64{2, 4, 4, 4, 5, 5, 7, 9}, pointer(5), pointer(math.Sqrt(32.0 / 7))}, // sum of squares 32
	} {
		var of Calculator
		m := of.Moments(c.values)
		if m.N != len(c.values) || !sameFigure(m.Mean, c.mean) || !sameFigure(m.SD, c.sd) || of.Err != nil {
			t.Errorf("%v: %d, %s ± %s (%v)", c.values, m.N, stats.FigureOf(m.Mean).Text(6), stats.FigureOf(m.SD).Text(6), of.Err)
		}
	}
}

// A mean over scenarios needs all of them.
func TestMeanDefined(t *testing.T) {
	var of Calculator
	if m := of.MeanDefined([]*float64{pointer(1), pointer(2)}); !sameFigure(m, pointer(1.5)) {
		t.Errorf("mean %s, want 1.5", stats.FigureOf(m).Text(6))
	}
	if of.MeanDefined([]*float64{pointer(1), nil}) != nil || of.MeanDefined(nil) != nil {
		t.Error("the mean of a missing figure is a figure")
	}
}

func pointer(v float64) *float64 { return &v }

func sameFigure(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) <= 1e-12
}
