package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

func TestDifferences(t *testing.T) {
	x, y := []float64{1, 2, 3, 4}, []float64{1, 4, 2, 4.5}
	mean, absolute, equal, err := Differences(x, y)
	if err != nil || mean != (0+2-1+0.5)/4 || absolute != (0+2+1+0.5)/4 || equal != 0.25 {
		t.Errorf("%v, %v, %v, %v", mean, absolute, equal, err)
	}
	for what, bad := range map[string]struct {
		x, y []float64
		want error
	}{
		"nothing":  {nil, nil, stats.ErrTooShort},
		"lengths":  {x, y[:3], stats.ErrLength},
		"NaN":      {[]float64{1}, []float64{math.NaN()}, stats.ErrInvalidValue},
		"infinity": {[]float64{math.Inf(1)}, []float64{1}, stats.ErrInvalidValue},
		"overflow": {[]float64{-math.MaxFloat64}, []float64{math.MaxFloat64}, stats.ErrInvalidValue},
	} {
		if _, _, _, err := Differences(bad.x, bad.y); !errors.Is(err, bad.want) {
			t.Errorf("%s: error %v, want %v", what, err, bad.want)
		}
	}
	if _, _, equal, err := Differences([]float64{0}, []float64{math.Copysign(0, -1)}); err != nil || equal != 1 {
		t.Errorf("0 and -0: %v, %v", equal, err)
	}
}
