package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Figures of statsmodels 0.15.0: OLS(y, add_constant(x)).fit().get_robustcov_results("HC3").
func TestLeastSquares(t *testing.T) {
	x := [][]float64{{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}, {2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5}}
	y := []float64{2.5, 3, 4.5, 1, 6, 8, 1.5, 7, 4, 3.5, 6.5, 7}
	got, err := LeastSquares(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range [][4]float64{
		{0.5770136172678542, 0.8214647664718855, -1.2812687881928762, 2.4352960227285845},
		{0.8303636100246276, 0.15589291090785976, 0.4777093449849502, 1.183017875064305},
		{0.07851658699116393, 0.1165389245288624, -0.18511277587660158, 0.34214594985892943},
	} {
		statstest.WantRel(t, "value", got[j].Value, want[0], 1e-12)
		statstest.WantRel(t, "standard error", got[j].SE, want[1], 1e-12)
		statstest.WantRel(t, "low", got[j].Low, want[2], 1e-11)
		statstest.WantRel(t, "high", got[j].High, want[3], 1e-11)
	}
	if got[1].DF != 9 || got[1].Method != HC3 {
		t.Errorf("%+v", got[1])
	}
	// A far origin costs no digits: the slopes stay.
	for i := range x[0] {
		x[0][i] += 1e6
	}
	far, err := LeastSquares(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "slope from a far origin", far[1].Value, got[1].Value, 1e-9)
	statstest.WantRel(t, "its standard error", far[1].SE, got[1].SE, 1e-9)
}

func TestLeastSquaresRefuses(t *testing.T) {
	y := []float64{1, 2, 4, 3, 6}
	up := []float64{1, 2, 3, 4, 5}
	for name, c := range map[string]struct {
		x    [][]float64
		y    []float64
		want error
	}{
		"too few rows":          {[][]float64{{1, 2}}, []float64{1, 2}, ErrTooShort},
		"constant":              {[][]float64{{2, 2, 2, 2, 2}}, y, ErrConstant},
		"twice the same":        {[][]float64{up, {2, 4, 6, 8, 10}}, y, ErrConstant},
		"lengths":               {[][]float64{{1, 2}}, y, ErrLength},
		"NaN":                   {[][]float64{{1, 2, math.NaN(), 4, 5}}, y, ErrInvalidValue},
		"no residuals":          {[][]float64{up}, []float64{3, 5, 7, 9, 11}, ErrZeroWidth},
		"one row with leverage": {[][]float64{{0, 0, 0, 0, 1}}, y, ErrTooShort},
	} {
		if _, err := LeastSquares(c.x, c.y, 0.95); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if e, err := LeastSquares(nil, y, 0.95); err != nil || math.Abs(e[0].Value-3.2) > 1e-15 {
		t.Errorf("the intercept alone is the mean: %+v, %v", e, err)
	}
}

// Errors that grow with x: HC3 covers, in a sample of 30.
func TestCoverageOfLeastSquares(t *testing.T) {
	tally := statstest.NewTally(t)
	for run := range 8000 {
		rng := NewRNG(1, "coverage of least squares", uint64(run))
		x, y := [][]float64{make([]float64, 30)}, make([]float64, 30)
		for i := range y {
			x[0][i] = statstest.Gauss(rng)
			y[i] = 1 + 2*x[0][i] + (0.5+math.Abs(x[0][i]))*statstest.Gauss(rng)
		}
		e, err := LeastSquares(x, y, statstest.Nominal)
		if err != nil {
			t.Fatal(err)
		}
		tally.Runs++
		tally.Add("HC3", e[1].Low, e[1].High, 2)
	}
	tally.Honest(t, "slope, 30 rows, errors that grow", "HC3")
}
