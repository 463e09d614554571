package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// numpy.quantile of 1, 2, 3, 4 (method linear): 1.75 at 0.25; gonum's LinInterp
// gives 1.
func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		x       []float64
		p, want float64
	}{
		{[]float64{1, 2, 3, 4}, 0.25, 1.75},
		{[]float64{1, 2, 3, 4, 5}, 0.5, 3},
		{[]float64{1, 2, 3, 4}, 0, 1},
		{[]float64{1, 2, 3, 4}, 1, 4},
		{[]float64{1, 2}, 0.975, 1.975},
		{[]float64{5, 5, 5}, 0.3, 5},
		{[]float64{7}, 0.9, 7},
	} {
		got, err := Quantile(c.x, c.p)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "quantile", got, c.want, 1e-15)
	}
	for _, c := range []struct {
		x    []float64
		p    float64
		want error
	}{
		{nil, 0.5, ErrTooShort},
		{[]float64{1, 2}, 1.01, ErrInvalidValue},
		{[]float64{1, 2}, math.NaN(), ErrInvalidValue},
		{[]float64{2, 1}, 0.5, ErrInvalidValue},
	} {
		if _, err := Quantile(c.x, c.p); !errors.Is(err, c.want) {
			t.Errorf("quantile of %v at %v: error %v, want %v", c.x, c.p, err, c.want)
		}
	}
}
