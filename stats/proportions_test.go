package stats

import (
	"math"
	"testing"

	"compqa/stats/statstest"
)

// Wilson's bounds are the shares p with |p̂-p| = z·√(p(1-p)/n).
func TestWilsonInvertsTheScoreTest(t *testing.T) {
	const z = 1.64485362695147271 // of 0.95
	for _, c := range []struct{ successes, n float64 }{{0, 3}, {1, 7}, {20, 41}, {300, 301}, {5, 5}, {2.5, 6.25}} {
		share := c.successes / c.n
		low, high := Wilson(share, c.n, 0.9)
		for _, bound := range []float64{low, high} {
			want := z * math.Sqrt(bound*(1-bound)/c.n)
			if math.Abs(math.Abs(share-bound)-want) > 1e-14 {
				t.Errorf("%v of %v: bound %v is %v from the share, want %v", c.successes, c.n, bound, share-bound, want)
			}
		}
	}
}

func TestWilsonProperties(t *testing.T) {
	for n := 1.0; n <= 30; n++ {
		for k := 0.0; k <= n; k++ {
			low, high := Wilson(k/n, n, statstest.Nominal)
			mirror, _ := Wilson((n-k)/n, n, statstest.Nominal)
			if low < 0 || high > 1 || low > k/n || high < k/n || low == high || math.Abs(high-(1-mirror)) > 1e-13 {
				t.Errorf("%v of %v: %v to %v, mirrored %v", k, n, low, high, mirror)
			}
			if k == 0 && low != 0 || k == n && high != 1 {
				t.Errorf("%v of %v: %v to %v", k, n, low, high)
			}
		}
	}
}
