package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// countPairs counts by the definition, over all pairs.
func countPairs(x, y []float64) (concordant, discordant, tiedX, tiedY float64) {
	for i := range x {
		for j := range i {
			switch dx, dy := x[i]-x[j], y[i]-y[j]; {
			case dx == 0 && dy == 0:
				tiedX++
				tiedY++
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
		c, err := kendallWithP(rows[0], rows[1], KendallNormal)
		if errors.Is(err, stats.ErrConstant) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		concordant, discordant, tiedX, tiedY := countPairs(rows[0], rows[1])
		total := float64(n*(n-1)) / 2
		want := (concordant - discordant) / math.Sqrt((total-tiedX)*(total-tiedY))
		statstest.Near(t, "tau-b", c.R, want, 1e-14)
	}
}

// The order of tied rows must not matter: gonum's Kendall gives 1 and 0.33 for such data in two orders. By hand, for the pairs (1,1) (1,2)
// (2,2) (2,2): C = 2, D = 0, one pair is tied in x only, two in y only, one in both. T = 6, T-Tx = 4, T-Ty = 3, so tau-b = 2/√12.
func TestKendallTiesInAnyOrder(t *testing.T) {
	x := []float64{1, 1, 2, 2}
	y := []float64{1, 2, 2, 2}
	rng := stats.NewRNG(12, "kendall order")
	for range 24 {
		order := permutation(rng, 4)
		c, err := kendallWithP(permuted(x, order), permuted(y, order), KendallAuto)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "tau-b", c.R, 2/math.Sqrt(12), 1e-15)
	}
}

// The exact distribution is compared with a count over all permutations of n.
func TestInversionCDF(t *testing.T) {
	for n := 1; n <= 7; n++ {
		counts := make([]float64, n*(n-1)/2+1)
		total := 0.0
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		var visit func(k int)
		visit = func(k int) {
			if k == n {
				inversions := 0
				for i := range order {
					for j := range i {
						if order[j] > order[i] {
							inversions++
						}
					}
				}
				counts[inversions]++
				total++
				return
			}
			for i := k; i < n; i++ {
				order[k], order[i] = order[i], order[k]
				visit(k + 1)
				order[k], order[i] = order[i], order[k]
			}
		}
		visit(0)
		sum := 0.0
		for c, count := range counts {
			sum += count
			statstest.Near(t, "P(inversions <= c)", inversionCDF(n, c), sum/total, 1e-14)
		}
	}
}

func TestKendallExact(t *testing.T) {
	ascending := make([]float64, 200)
	for i := range ascending {
		ascending[i] = float64(i)
	}
	// The p-value is 2/n!: 2/5! at n = 5, and too small for a float64 at n = 200.
	c, err := kendallWithP(ascending[:5], ascending[:5], KendallAuto)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "p of five in order", c.P, 2.0/120, 1e-16)
	c, err = kendallWithP(ascending, ascending, KendallExact)
	if err != nil || c.R != 1 || c.P != 0 {
		t.Errorf("two hundred in order: %+v, %v", c, err)
	}
	// As many pairs in order as out of order: p = 1, not 2P(inversions <= c) > 1.
	c, err = kendallWithP([]float64{1, 2, 3, 4}, []float64{2, 4, 1, 3}, KendallExact)
	if err != nil || c.R != 0 || c.P != 1 {
		t.Errorf("three of six pairs: %+v, %v", c, err)
	}
	if _, err = kendallWithP(ascending, ascending, 9); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("method 9: error %v", err)
	}
	if _, err = kendallWithP([]float64{1, 1, 2}, []float64{1, 2, 3}, KendallExact); !errors.Is(err, errTies) {
		t.Errorf("exact with ties: error %v", err)
	}
}

// KendallAuto is exact up to n = 33, and above for one pair out of order.
func TestKendallAuto(t *testing.T) {
	rng := stats.NewRNG(13, "kendall auto")
	for n, exact := range map[int]bool{33: true, 34: false} {
		x := make([]float64, n)
		y := make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(i), rng.Float64()
		}
		want := KendallNormal
		if exact {
			want = KendallExact
		}
		auto, err := kendallWithP(x, y, KendallAuto)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := kendallWithP(x, y, want)
		if err != nil || auto != chosen {
			t.Errorf("n = %d: %+v, want %+v, %v", n, auto, chosen, err)
		}
		copy(y, x)
		y[0], y[1] = y[1], y[0]
		auto, _ = kendallWithP(x, y, KendallAuto)
		if chosen, _ = kendallWithP(x, y, KendallExact); auto != chosen {
			t.Errorf("n = %d, one pair out of order: %+v, want %+v", n, auto, chosen)
		}
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
