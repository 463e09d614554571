package validation

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"compqa/results/raters"
	"compqa/stats/agreement"
)

// Without the removed labels, alpha (computed by stats/agreement) is on the other side of the limit.
func TestFewLabelsDecide(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	found := 0
	for _, limit := range []float64{0.8, 0.85, 0.87, 0.9} {
		var x, y []float64
		for range 80 {
			v := float64(rng.IntN(5))
			x, y = append(x, v), append(y, math.Max(0, v+float64(rng.IntN(3)-1)))
		}
		removed, below, ok := fewestForAlpha(raters.Pairs{Judge: x, Reference: y, Units: indices(len(x))}, nil, limit)
		if !ok {
			continue
		}
		found++
		without := func(k int) float64 {
			var a, b []float64
			for i := range x {
				if !slices.Contains(removed[:k], i) {
					a = append(a, x[i])
					b = append(b, y[i])
				}
			}
			r, err := agreement.PairedRatings(a, b)
			if err != nil {
				t.Fatal(err)
			}
			result, err := agreement.Alpha(r, agreement.Interval)
			if err != nil {
				t.Fatal(err)
			}
			return result.Alpha
		}
		if (without(0) < limit) != below || (without(len(removed)) < limit) == below {
			t.Errorf("limit %v: %v of all, %v without %d", limit, without(0), without(len(removed)), len(removed))
		}
	}
	if found < 2 {
		t.Errorf("only %d were found", found)
	}
	same := []float64{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}
	if removed, _, ok := fewestForAlpha(raters.Pairs{Judge: same, Reference: same, Units: indices(10)}, nil, 0.667); ok {
		t.Errorf("perfect agreement falls without %v", removed)
	}
}

func indices(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}
