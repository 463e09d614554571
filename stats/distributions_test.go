package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Expected values of this file: mpmath 1.3.0 with 60 digits, by quadrature of
// the density or its incomplete beta function, unless a line says otherwise.

func TestStudentTCDF(t *testing.T) {
	for _, c := range []struct{ t, df, want, rel float64 }{
		{0.001, 1, 0.499681690219919441, 1e-12},
		{0.3, 2.5, 0.393671185747598607, 1e-13},
		{0.49, 7, 0.319558489397853118, 1e-13},
		{1, 1, 0.25, 1e-14}, // arctan: 1/2 - atan(1)/π
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
		got, err := StudentTCDF(-c.t, c.df)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "lower tail", got, c.want, c.rel)
		upper, _ := StudentTCDF(c.t, c.df)
		statstest.WantRel(t, "mirror image", upper, 1-got, 1e-15)
	}
	for _, c := range [][2]float64{{1, 0}, {1, -2}, {1, math.NaN()}, {math.NaN(), 3}} {
		if _, err := StudentTCDF(c[0], c[1]); !errors.Is(err, ErrInvalidValue) {
			t.Errorf("t %v, df %v: %v", c[0], c[1], err)
		}
	}
}

func TestStudentTQuantile(t *testing.T) {
	for _, c := range []struct{ q, df, want, rel float64 }{
		{0.025, 1, 12.7062047361747039, 1e-13},
		{0.025, 2, 4.30265272974946372, 1e-13},
		{0.025, 9, 2.26215716279820551, 1e-13},
		{0.025, 49, 2.00957523712923965, 1e-13},
		{0.025, 1.56, 5.70302752088593215, 1e-13},
		{0.005, 4.86, 4.09258468174335686, 1e-13},
		{0.1, 1e6, 1.28155241212993845, 1e-9},
		{0.4, 30, 0.255605364951912714, 1e-12},
		{1e-10, 1e7, 6.36134090240406, 1e-12}, // normal; gonum's Student: -816
		{0.025, math.Inf(1), 1.95996398454005421, 1e-15},
	} {
		e := Estimate{SE: 1, DF: c.df, Level: 1 - 2*c.q}
		if err := e.SetBounds(); err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "bound", e.High, c.want, max(c.rel, 1e-16/c.q))
	}
}
