package stats

import (
	"math"
	"testing"

	"compqa/stats/statstest"

	"gonum.org/v1/gonum/mathext"
)

// Expected values in this file are from mpmath 1.3.0 with 60 digits, by quadrature of the density or its incomplete beta function, unless a
// line says otherwise.

func TestStudentTSurvival(t *testing.T) {
	for _, c := range []struct{ t, df, want, rel float64 }{
		{0.001, 1, 0.499681690219919441, 1e-15},
		{0.3, 2.5, 0.393671185747598607, 1e-14},
		{0.49, 7, 0.319558489397853118, 1e-14},
		{0.5, 7, 0.316203567844642108, 1e-14},
		{1, 1, 0.25, 1e-15}, // arctan: 1/2 - atan(1)/π
		{2, 49, 0.0255295741287090466, 1e-13},
		{5, 10, 0.000268666801378226309, 1e-13},
		{10, 196, 1.38096472154128152e-19, 1e-12},
		{40, 3, 0.0000171903403945792641, 1e-13},
		{3, 1000, 0.00138335452211909623, 1e-12},
		{6, 1e6, 9.86924906177217335e-10, 1e-9},
		{8, 2e6, 6.22096057427178412e-16, 1e-12}, // normal
		{8, math.Inf(1), 6.22096057427178412e-16, 1e-14},
		{math.Inf(1), 4, 0, 0},
		{1e200, 4, 0, 0}, // about 1e-800
		{0, 4, 0.5, 0},
	} {
		got, err := StudentTSurvival(c.t, c.df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "survival", got, c.want, c.rel)
		left, _ := StudentTSurvival(-c.t, c.df)
		statstest.WantRel(t, "survival of the mirror image", left, 1-got, 1e-15)
		two, _ := Estimate{Value: -c.t, SE: 1, DF: c.df}.PValue(0)
		statstest.WantRel(t, "two-sided", two, 2*got, 0)
	}
}

func TestStudentTQuantile(t *testing.T) {
	for _, c := range []struct{ q, df, want, rel float64 }{
		{0.025, 1, 12.7062047361747039, 1e-14},
		{0.025, 2, 4.30265272974946372, 1e-14},
		{0.025, 9, 2.26215716279820551, 1e-14},
		{0.025, 49, 2.00957523712923965, 1e-13},
		{0.025, 1.56, 5.70302752088593215, 1e-14},
		{0.005, 4.86, 4.09258468174335686, 1e-14},
		{1e-12, 1000, 7.12422892531440914, 1e-12}, // gonum: 5e-6 off
		{1e-20, 5, 15683.9254543657759, 1e-13},
		{1e-300, 10, 2.56452571894819782e30, 1e-13}, // gonum: -Inf
		{0.1, 1e6, 1.28155241212993845, 1e-9},
		{0.4, 30, 0.255605364951912714, 1e-13},
		{0.4999999, 1e6, 2.50662890136025352e-7, 1e-9}, // gonum: -1.05e-5
		{1e-6, 1e5, 4.75370471639128826, 1e-11},
		{1e-10, 1e7, 6.36134090240406, 1e-12}, // normal; gonum: -816
		{0.025, math.Inf(1), 1.95996398454005421, 1e-15},
	} {
		got, err := studentTQuantile(c.q, c.df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "lower quantile", -got, c.want, c.rel)
		if c.q < 0.01 {
			continue
		}
		upper, err := studentTQuantile(1-c.q, c.df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "upper quantile", upper, c.want, math.Max(c.rel, 1e-9))
	}
	if median, err := studentTQuantile(0.5, 3); err != nil || median != 0 {
		t.Errorf("median %v, %v", median, err)
	}
}

// The quantile inverts the survival function over its whole range.
func TestStudentTQuantileInverts(t *testing.T) {
	for _, df := range []float64{0.7, 1, 1.5, 2, 3, 8, 30, 300, 1e4, 1e6, 1e8} {
		for _, q := range []float64{1e-60, 1e-9, 0.003, 0.2, 0.2499, 0.2501, 0.3, 0.4999} {
			x, err := studentTQuantile(q, df)
			if err != nil {
				t.Fatal(err)
			}
			back, err := StudentTSurvival(-x, df)
			if err != nil {
				t.Fatal(err)
			}
			statstest.WantRel(t, "CDF of the quantile", back, q, 1e-9)
		}
	}
}

func TestNormal(t *testing.T) {
	for _, c := range []struct{ x, tail float64 }{
		{1, 0.158655253931457051},
		{5, 2.86651571879193912e-7},
		{8, 6.22096057427178412e-16},
		{10, 7.61985302416052607e-24},
		{37, 5.72557122252457682e-300},
	} {
		statstest.WantRel(t, "survival", normalSurvival(c.x), c.tail, 1e-13)
		statstest.WantRel(t, "CDF", normalCDF(-c.x), c.tail, 1e-13)
		statstest.WantRel(t, "two-sided", 2*normalSurvival(c.x), 2*c.tail, 1e-13)
	}
	for _, c := range []struct{ p, want float64 }{
		{0.025, -1.95996398454005421},
		{1e-10, -6.3613409024040562},
		{1e-300, -37.0470962993611992},
		{0.3, -0.524400512708040816},
	} {
		got, err := NormalQuantile(c.p)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "quantile", got, c.want, 1e-14)
	}
}

func TestRegIncBeta(t *testing.T) {
	for _, c := range []struct{ a, b, x, want float64 }{
		{0.5, 0.5, 0.25, 1. / 3}, // (2/π)·asin(√x)
		{2, 3, 0.3, 0.3483},      // Σ_{k>=2} C(4,k)·0.3^k·0.7^(4-k)
		{100, 0.5, 0.9, 4.54525490451702832e-6},
		{30, 70, 0.3, 0.511625104558609121},
		{2, 2, 0, 0}, {2, 2, 1, 1},
	} {
		statstest.WantRel(t, "incomplete beta", mathext.RegIncBeta(c.a, c.b, c.x), c.want, 1e-13)
	}
}

// normalCDF returns P(Z <= x) of the standard normal distribution.
//
// The relative error is below 1e-14 in the lower tail down to 1e-300. x may be infinite; NaN gives NaN.
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
