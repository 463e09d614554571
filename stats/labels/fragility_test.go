package labels

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/stats/agreement"
)

// Alpha without what is removed, by stats/agreement, is on the other side of the limit, and before the last one was removed it was not.
func TestFewestForAlpha(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, limit := range []float64{0.5, 0.667, 0.75} {
		var x, y []float64
		for range 80 {
			v := float64(rng.IntN(5))
			x, y = append(x, v), append(y, math.Max(0, v+float64(rng.IntN(3)-1)))
		}
		alpha := func(removed []int) float64 {
			out := map[int]bool{}
			for _, i := range removed {
				out[i] = true
			}
			var a, b []float64
			for i := range x {
				if !out[i] {
					a, b = append(a, x[i]), append(b, y[i])
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
		removed, ok := FewestForAlpha(x, y, nil, limit)
		if !ok {
			continue
		}
		over := alpha(nil) >= limit
		if n := len(removed); (alpha(removed) >= limit) == over || (alpha(removed[:n-1]) >= limit) != over {
			t.Errorf("limit %v: %v of all, %v without %d", limit, alpha(nil), alpha(removed), n)
		}
	}
	if removed, ok := FewestForAlpha([]float64{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}, []float64{1, 2, 3, 4, 5, 1, 2, 3, 4, 5}, nil, 0.667); ok {
		t.Errorf("perfect agreement falls without %v", removed)
	}
}
