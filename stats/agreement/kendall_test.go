package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// countPairs is the definition, over all pairs.
func countPairs(x, y []float64) (concordant, discordant, tiedX, tiedY float64) {
	for i := range x {
		for j := range i {
			switch dx, dy := x[i]-x[j], y[i]-y[j]; {
			case dx == 0 && dy == 0:
				tiedX, tiedY = tiedX+1, tiedY+1
			case dx == 0:
				tiedX++
			case dy == 0:
				tiedY++
			case dx*dy > 0:
				concordant++
			default:
				discordant++
			}
		}
	}
	return concordant, discordant, tiedX, tiedY
}

func TestKendallAgainstDefinition(t *testing.T) {
	rng := stats.NewRNG(11, "kendall definition")
	for range 200 {
		n := 2 + rng.Intn(120)
		values := 2 + rng.Intn(2*n)
		rows := randomTable(rng, 2, n, values, 1, 0)
		c, err := KendallTauB(rows[0], rows[1])
		if errors.Is(err, stats.ErrConstant) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		concordant, discordant, tiedX, tiedY := countPairs(rows[0], rows[1])
		total := float64(n*(n-1)) / 2
		want := (concordant - discordant) / math.Sqrt((total-tiedX)*(total-tiedY))
		statstest.Near(t, "tau-b", c, want, 1e-14)
	}
}

// The order of tied rows is no information: gonum's Kendall gives 1 and 0.33 on
// such data in two orders. By hand: pairs (1,1) (1,2) (2,2) (2,2): C = 2,
// D = 0, one pair tied in x alone, two in y alone, one in both; T = 6,
// T-Tx = 4, T-Ty = 3: tau-b = 2/√12.
func TestKendallTiesInAnyOrder(t *testing.T) {
	x, y := []float64{1, 1, 2, 2}, []float64{1, 2, 2, 2}
	rng := stats.NewRNG(12, "kendall order")
	for range 24 {
		order := permutation(rng, 4)
		c, err := KendallTauB(permuted(x, order), permuted(y, order))
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "tau-b", c, 2/math.Sqrt(12), 1e-15)
	}
}

func TestInversions(t *testing.T) {
	rng := stats.NewRNG(14, "inversions")
	for range 100 {
		a := make([]point, rng.Intn(200))
		for i := range a {
			a[i].y = float64(rng.Intn(50))
		}
		want := 0
		for i := range a {
			for j := range i {
				if a[j].y > a[i].y {
					want++
				}
			}
		}
		if got := sortInversions(a, make([]point, len(a)/2)); got != want {
			t.Errorf("%d inversions, want %d", got, want)
		}
	}
}
