package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

var kendallAutoOf = func(x, y []float64) (Correlation, error) { return kendallWithP(x, y, KendallAuto) }

var coefficients = map[string]func(x, y []float64) (Correlation, error){
	"Pearson": pearsonWithP, "Spearman": spearmanWithP, "Kendall": kendallAutoOf,
}

// By hand: x̄ = 3, ȳ = 4; Σ(x-x̄)(y-ȳ) = 8, Σ(x-x̄)² = 10, Σ(y-ȳ)² = 10.
// t = 0.8·√(3/0.36) = 2.309401…, and for 3 degrees of freedom
// P(|T| > t) = 1 - 2/π (atan(t/√3) + (t/√3)/(1+t²/3)) = 0.10408804.
func TestPearsonByHand(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	y := []float64{2, 4, 3, 6, 5}
	c, err := pearsonWithP(x, y)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "r", c.R, 0.8, 1e-15)
	u := 0.8 * math.Sqrt(3/0.36) / math.Sqrt(3)
	statstest.Near(t, "p", c.P, 1-2/math.Pi*(math.Atan(u)+u/(1+u*u)), 1e-12)
	if c.N != 5 || c.NoP {
		t.Errorf("got %+v", c)
	}
}

// Mid-ranks of x: 1, 2.5, 2.5, 4; of y: 1, 2, 3, 4. The squared deviations from 2.5 sum to 4.5 and 5, the products to 4.5, so rho =
// 4.5/√22.5 = 0.948683. The shortcut 1 - 6Σd²/(n(n²-1)) would give 0.95.
func TestSpearmanTies(t *testing.T) {
	c, err := spearmanWithP([]float64{1, 2, 2, 7}, []float64{0, 1, 5, 6})
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "rho", c.R, 4.5/math.Sqrt(22.5), 1e-15)
}

func TestCorrelationEdges(t *testing.T) {
	for name, f := range coefficients {
		for what, c := range map[string]struct {
			x, y []float64
			want error
		}{
			"nothing":           {nil, nil, stats.ErrTooShort},
			"one pair":          {[]float64{1}, []float64{2}, stats.ErrTooShort},
			"constant x":        {[]float64{4, 4, 4}, []float64{1, 2, 3}, stats.ErrConstant},
			"constant y":        {[]float64{1, 2, 3}, []float64{4, 4, 4}, stats.ErrConstant},
			"constant of zeros": {[]float64{0, math.Copysign(0, -1), 0}, []float64{1, 2, 3}, stats.ErrConstant},
			"unequal lengths":   {[]float64{1, 2}, []float64{1, 2, 3}, stats.ErrLength},
			"NaN":               {[]float64{1, math.NaN(), 3}, []float64{1, 2, 3}, stats.ErrInvalidValue},
		} {
			if _, err := f(c.x, c.y); !errors.Is(err, c.want) {
				t.Errorf("%s, %s: error %v, want %v", name, what, err, c.want)
			}
		}
		// Two pairs give ±1. The p-value is 1, except that Spearman's does not exist (SciPy gives NaN).
		for sign, y := range map[float64][]float64{1: {5, 20}, -1: {20, 5}} {
			c, err := f([]float64{4, 5}, y)
			if err != nil || c.R != sign || c.P != 1 || c.NoP != (name == "Spearman") {
				t.Errorf("%s of two pairs: %+v, %v", name, c, err)
			}
		}
	}
}

// Infinities have ranks, but no mean.
func TestCorrelationInfinities(t *testing.T) {
	x := []float64{math.Inf(-1), 1, math.Inf(1), 3}
	y := []float64{1, 2, 4, 3}
	if _, err := pearsonWithP(x, y); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("Pearson: error %v", err)
	}
	for name, f := range map[string]func(x, y []float64) (Correlation, error){"Spearman": spearmanWithP, "Kendall": kendallAutoOf} {
		if c, err := f(x, y); err != nil || c.R != 1 {
			t.Errorf("%s: %+v, %v; want 1", name, c, err)
		}
	}
}

// A perfect correlation is exactly ±1 with p = 0. A rounding error of 1e-16 at n = 3 would make it 1e-8.
func TestCorrelationPerfect(t *testing.T) {
	rng := stats.NewRNG(9, "perfect")
	for range 100 {
		n := 3 + rng.Intn(20)
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(i) + rng.Float64()
		}
		for _, slope := range []float64{1.0 / 3, -7} {
			y := mapped(x, func(v float64) float64 { return slope*v + 0.1 })
			for name, f := range map[string]func(x, y []float64) (Correlation, error){"Pearson": pearsonWithP, "Spearman": spearmanWithP} {
				c, err := f(x, y)
				if err != nil || math.Abs(c.R-math.Copysign(1, slope)) > 1e-14 {
					t.Errorf("%s: %+v, %v", name, c, err)
				}
				if name == "Spearman" && (c.P != 0 || math.Abs(c.R) != 1) {
					t.Errorf("Spearman of a monotone pair: %+v", c)
				}
			}
		}
	}
	c, err := pearsonWithP([]float64{1, 2, 3}, []float64{0.1, 0.2, 0.3})
	if err != nil || c.R != 1 || c.P != 0 {
		t.Errorf("three points on a line: %+v, %v", c, err)
	}
}

// For values that hardly vary, no p-value exceeds 1, and no coefficient ±1.
func TestCorrelationNearlyConstant(t *testing.T) {
	x := []float64{1, 1, 1, math.Nextafter(1, 2)}
	for name, f := range coefficients {
		c, err := f(x, []float64{1, 2, 3, 2})
		if err != nil || !(c.P >= 0 && c.P <= 1) || !(math.Abs(c.R) <= 1) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

func TestCorrelationInvariance(t *testing.T) {
	rng := stats.NewRNG(10, "correlation invariance")
	for range 50 {
		rows := randomTable(rng, 2, 5+rng.Intn(60), 3+rng.Intn(20), 0.5, 0)
		x := rows[0]
		y := rows[1]
		order := permutation(rng, len(x))
		for name, f := range coefficients {
			c, err := f(x, y)
			if errors.Is(err, stats.ErrUndefined) {
				continue
			}
			check := func(what string, got Correlation, err error, sign float64) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				statstest.Near(t, name+", "+what, got.R, sign*c.R, 1e-13)
				statstest.Near(t, name+", p, "+what, got.P, c.P, 1e-10)
			}
			got, err := f(y, x)
			check("sides changed", got, err, 1)
			got, err = f(permuted(x, order), permuted(y, order))
			check("rows permuted", got, err, 1)
			got, err = f(x, mapped(y, func(v float64) float64 { return 50 - 4*v }))
			check("y turned round", got, err, -1)
			if name != "Pearson" {
				got, err = f(mapped(x, math.Exp), y)
				check("x monotone", got, err, 1)
			}
		}
	}
}

func permutation(r *stats.RNG, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

func permuted(x []float64, order []int) []float64 {
	y := make([]float64, len(order))
	for i, row := range order {
		y[i] = x[row]
	}
	return y
}

// The squares of these values overflow or underflow.
func TestPearsonExtremeValues(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	y := []float64{2, 4, 3, 6, 5}
	for _, factor := range []float64{3e307, 1e-300} {
		c, err := pearsonWithP(times(x, factor), times(y, 1/factor))
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "r", c.R, 0.8, 1e-14)
	}
}
