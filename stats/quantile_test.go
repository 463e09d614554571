package stats

import (
	"testing"

	"compqa/stats/statstest"
)

// numpy.quantile of 1, 2, 3, 4 (method linear) is 1.75 at 0.25; gonum's LinInterp gives 1.
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
		got := Quantile(c.x, c.p)
		statstest.Near(t, "quantile", got, c.want, 1e-15)
	}
}
