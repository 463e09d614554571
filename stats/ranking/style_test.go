package ranking

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
)

// styled returns simulated preferences with a known effect of style. At equal style, a wins with a logit of .4. a has more of x_0 and x_1,
// which the judge prefers, and as much of x_2, which has no effect. x_3 is zero.
func styled() (outcomes []float64, style [][]float64, clusters []int) {
	for i := range 400 {
		x := []float64{float64(i*37%101-50)/50 + .3, float64(i*53%29-14)/140 + .05, float64(i*71%43-21) / 105, 0}
		p := winProbability(.4 + 1.5*x[0] + 6*x[1] - 2*x[2])
		outcome := map[bool]float64{true: 1}[(float64(i*7919%1000)+.5)/1000 < p]
		if i%17 == 0 {
			outcome = .5
		}
		outcomes = append(outcomes, outcome)
		style = append(style, x)
		clusters = append(clusters, i/2)
	}
	return outcomes, style, clusters
}

// TestStyleControlledRate compares the rate, its interval and the slopes with an independent computation (scipy's BFGS on the same
// likelihood, clustered covariance by numpy). The rate is near the simulated .599, while the plain rate is above .71. If a and b are
// exchanged, the rate is that of b and the slopes stay.
func TestStyleControlledRate(t *testing.T) {
	outcomes, style, clusters := styled()
	got, err := StyleControlledRate(outcomes, style, clusters, .95)
	if err != nil {
		t.Fatal(err)
	}
	near := func(name string, got, want float64) {
		if !(math.Abs(got-want) < 1e-7) {
			t.Errorf("%s %.9f, want %.9f", name, got, want)
		}
	}
	near("plain rate", stats.Mean(outcomes), 0.705000000)
	near("rate", got.Value, 0.593269811)
	near("low", got.Low, 0.516466459)
	near("high", got.High, 0.665768653)
	for k, want := range []float64{0.822640864, 0.286526663, -0.354814623, 0} {
		near("slope", got.Slopes[k], want)
	}
	for i := range outcomes {
		outcomes[i] = 1 - outcomes[i]
		for k := range style[i] {
			style[i][k] *= -1
		}
	}
	other, err := StyleControlledRate(outcomes, style, clusters, .95)
	if err != nil {
		t.Fatal(err)
	}
	near("rate of b", other.Value, 1-got.Value)
	near("low of b", other.Low, 1-got.High)
	for k, want := range got.Slopes {
		near("slope of b", other.Slopes[k], want)
	}
}

// TestStyleControlledRateUndefined checks that the rate is missing if the likelihood has no maximum, or if style and system cannot be
// distinguished.
func TestStyleControlledRateUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		outcomes []float64
		style    [][]float64
		want     error
	}{
		"none":               {want: stats.ErrTooShort},
		"same style":         {[]float64{1, 0, 1}, [][]float64{{0}, {0}, {0}}, stats.ErrConstant},
		"always longer":      {[]float64{1, 0, 1}, [][]float64{{1, 0}, {1, 1}, {1, -1}}, stats.ErrConstant},
		"all won":            {[]float64{1, 1, 1}, [][]float64{{1}, {2}, {3}}, ErrSeparated},
		"one separates":      {[]float64{0, 0, 1}, [][]float64{{1}, {2}, {3}}, ErrSeparated},
		"two separate":       {[]float64{1, 1, 0, 0}, [][]float64{{2, 0}, {0, 2}, {1.5, 0}, {0, 1.5}}, ErrNotConverged},
		"one follows":        {[]float64{1, 0, 1, 0}, [][]float64{{1, 2}, {2, 4}, {3, 6}, {4, 8}}, ErrNotConverged},
		"more than outcomes": {[]float64{1, 0, 1, 0}, [][]float64{{1, 0, 2}, {2, 1, 1.5}, {3, 1, 1}, {4, .5, 1}}, ErrNotConverged},
	} {
		if got, err := StyleControlledRate(c.outcomes, c.style, nil, .95); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
}
