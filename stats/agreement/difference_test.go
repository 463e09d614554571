package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

func TestDifferences(t *testing.T) {
	x := []float64{1, 2, 3, 4}
	y := []float64{1, 4, 2, 4.5}
	for name, c := range map[string]struct {
		f    func(x, y []float64) (float64, error)
		want float64
	}{
		"mean difference, of y against x": {MeanDifference, (0 + 2 - 1 + 0.5) / 4},
		"mean absolute difference":        {MAE, (0 + 2 + 1 + 0.5) / 4},
	} {
		got, err := c.f(x, y)
		if err != nil || got != c.want {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
		for what, bad := range map[string]struct {
			x, y []float64
			want error
		}{
			"nothing":  {nil, nil, stats.ErrTooShort},
			"lengths":  {x, y[:3], stats.ErrLength},
			"NaN":      {[]float64{1}, []float64{math.NaN()}, stats.ErrInvalidValue},
			"infinity": {[]float64{math.Inf(1)}, []float64{1}, stats.ErrInvalidValue},
		} {
			if _, err := c.f(bad.x, bad.y); !errors.Is(err, bad.want) {
				t.Errorf("%s, %s: error %v, want %v", name, what, err, bad.want)
			}
		}
	}
	if _, err := MAE([]float64{-math.MaxFloat64}, []float64{math.MaxFloat64}); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("overflow: error %v", err)
	}
}
