package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

type proportionInterval func(successes, n int, level float64) (Proportion, error)

var proportionIntervals = map[string]proportionInterval{
	"Wilson": Wilson, "Clopper-Pearson": ClopperPearson, "Agresti-Coull": AgrestiCoull, "normal": NormalProportion,
}

// Bounds that solve the defining equations, from mpmath 1.3.0 with 60 digits.
func TestClopperPearson(t *testing.T) {
	for _, c := range []struct {
		successes, n int
		low, high    float64
	}{
		{1, 10, 0.0025285785444617846, 0.44501611702819542},
		{5, 10, 0.18708602844739853, 0.81291397155260147},
		{367, 1000, 0.3370556621335842, 0.39773002830959883},
		{1, 100000, 2.5317804779333142e-7, 5.5715160347742761e-5},
		{0, 10, 0, 1 - math.Pow(0.025, 0.1)}, // (1-p)^10 = 0.025
		{10, 10, math.Pow(0.025, 0.1), 1},
		{0, 1, 0, 0.975}, {1, 1, 0.025, 1},
	} {
		p, err := ClopperPearson(c.successes, c.n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		statstest.WantRel(t, "low", p.Low, c.low, 1e-10)
		statstest.WantRel(t, "high", p.High, c.high, 1e-10)
	}
}

// Wilson's bounds are the shares p with |p̂-p| = z·√(p(1-p)/n).
func TestWilsonInvertsTheScoreTest(t *testing.T) {
	z, _ := NormalQuantile(0.95)
	for _, c := range []struct{ successes, n int }{{0, 3}, {1, 7}, {20, 41}, {300, 301}, {5, 5}} {
		p, err := Wilson(c.successes, c.n, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		for _, bound := range []float64{p.Low, p.High} {
			want := z * math.Sqrt(bound*(1-bound)/float64(c.n))
			if math.Abs(math.Abs(p.Share-bound)-want) > 1e-15 {
				t.Errorf("%d of %d: bound %v is %v from the share, want %v", c.successes, c.n, bound, p.Share-bound, want)
			}
		}
	}
}

// The Agresti–Coull interval has the middle of Wilson's interval and contains it (1998).
func TestAgrestiCoullContainsWilson(t *testing.T) {
	for _, c := range []struct{ successes, n int }{{3, 10}, {20, 41}, {50, 301}} {
		outer, err := AgrestiCoull(c.successes, c.n, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		inner, _ := Wilson(c.successes, c.n, 0.95)
		statstest.WantRel(t, "middle", outer.Low+outer.High, inner.Low+inner.High, 1e-14)
		if outer.Low > inner.Low || outer.High < inner.High {
			t.Errorf("%+v does not contain %+v", outer, inner)
		}
	}
}

func TestNormalProportion(t *testing.T) {
	p, err := NormalProportion(50, 100, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	statstest.WantRel(t, "high", p.High, 0.5+1.95996398454005421*0.05, 1e-14)
	for _, successes := range []int{0, 5} {
		p, err := NormalProportion(successes, 5, 0.95)
		if !errors.Is(err, ErrZeroWidth) || p.Share != float64(successes)/5 {
			t.Errorf("%d of 5: %+v, %v", successes, p, err)
		}
	}
}

func TestProportionProperties(t *testing.T) {
	for name, interval := range proportionIntervals {
		for n := 1; n <= 30; n++ {
			for k := 0; k <= n; k++ {
				if name == "normal" && (k == 0 || k == n) {
					continue
				}
				p, err := interval(k, n, 0.95)
				if err != nil {
					t.Fatal(err)
				}
				mirror, _ := interval(n-k, n, 0.95)
				if p.Low < 0 || p.High > 1 || p.Low > p.Share || p.High < p.Share || p.Low == p.High ||
					math.Abs(p.Low-(1-mirror.High)) > 1e-13 {
					t.Errorf("%s, %d of %d: %+v, mirrored %+v", name, k, n, p, mirror)
				}
			}
		}
		if _, err := interval(0, 0, 0.95); !errors.Is(err, ErrTooShort) {
			t.Errorf("%s of nothing: %v", name, err)
		}
		for _, c := range []struct {
			successes, n int
			level        float64
		}{{-1, 3, 0.95}, {4, 3, 0.95}, {0, -1, 0.95}, {1, 3, 1}, {1, 3, math.NaN()}} {
			if _, err := interval(c.successes, c.n, c.level); !errors.Is(err, ErrInvalidValue) {
				t.Errorf("%s of %+v: %v", name, c, err)
			}
		}
	}
}
