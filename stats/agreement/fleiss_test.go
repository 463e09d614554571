package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

// The counts of 14 raters, 10 units and 5 categories are the usual textbook example of Fleiss' kappa, whose value is 0.210.
func TestFleissKappa(t *testing.T) {
	counts := [][]int{{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0}, {2, 2, 8, 1, 1}, {7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2}, {6, 5, 2, 1, 0}, {0, 2, 2, 3, 7}}
	var units [][]float64
	for _, row := range counts {
		var unit []float64
		for c, n := range row {
			for range n {
				unit = append(unit, float64(c))
			}
		}
		units = append(units, unit)
	}
	k, err := FleissKappa(units)
	if err != nil || math.Abs(k-0.20993) > 5e-6 {
		t.Errorf("%v, %v", k, err)
	}
	for _, c := range []struct {
		units [][]float64
		want  error
	}{{nil, stats.ErrTooShort}, {[][]float64{{1}}, stats.ErrTooShort}, {[][]float64{{1, 1}, {1, 1}}, stats.ErrNoVariation}, {[][]float64{{1, math.NaN()}}, stats.ErrInvalidValue}} {
		if _, err := FleissKappa(c.units); !errors.Is(err, c.want) {
			t.Errorf("%v: %v", c.units, err)
		}
	}
	if _, err := FleissKappa([][]float64{{1, 2}, {1, 2, 3}}); err == nil {
		t.Error("units of different sizes are accepted")
	}
	if k, err := FleissKappa([][]float64{{1, 1}, {2, 2}}); k != 1 || err != nil {
		t.Errorf("perfect: %v, %v", k, err)
	}
}
