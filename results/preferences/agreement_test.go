package preferences

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/stats/agreement"
)

// kappa and alpha of counts are those of package agreement.
func TestCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var c counts
		var x, y []float64
		for range 5 + r.IntN(60) {
			a, b := r.IntN(3), r.IntN(3)
			if r.IntN(2) == 0 {
				b = a
			}
			c[a][b]++
			x, y = append(x, float64(a)), append(y, float64(b))
		}
		kappa, err := agreement.CohenKappa(x, y)
		if got, errHere := c.kappa(); (err == nil) != (errHere == nil) || math.Abs(got-kappa) > 1e-12 {
			t.Errorf("%v: kappa %v, want %v", c, got, kappa)
		}
		ratings, err := agreement.PairedRatings(x, y)
		if err != nil {
			t.Fatal(err)
		}
		alpha, err := agreement.Alpha(ratings, agreement.Nominal)
		if got, errHere := c.alpha(); (err == nil) != (errHere == nil) || math.Abs(got-alpha.Alpha) > 1e-12 {
			t.Errorf("%v: alpha %v, want %v", c, got, alpha.Alpha)
		}
	}
	if _, err := (counts{{0, 0, 0}, {0, 5, 0}}).kappa(); err == nil {
		t.Error("one class has a kappa")
	}
	if _, err := (counts{{0, 0, 0}, {0, 5, 0}}).alpha(); err == nil {
		t.Error("one class has an alpha")
	}
}
