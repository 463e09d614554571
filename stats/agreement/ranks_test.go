package agreement

import (
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

func midRanks(x []float64) []float64 {
	ranks := centredRanks(x)
	for i := range ranks {
		ranks[i] = (ranks[i] + float64(len(x)) + 1) / 2
	}
	return ranks
}

func TestMidRanks(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{1}},
		{[]float64{3, 3, 3}, []float64{2, 2, 2}},
		{[]float64{10, -1, 10, 5, 5, 5}, []float64{5.5, 1, 5.5, 3, 3, 3}},
		{[]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}, []float64{2.5, 2.5, 4, 1}},
	} {
		if got := midRanks(c.x); !slices.Equal(got, c.want) {
			t.Errorf("ranks of %v: %v; want %v", c.x, got, c.want)
		}
	}
}

// Ranks sum to n(n+1)/2, with many ties and with few.
func TestMidRanksSum(t *testing.T) {
	rng := stats.NewRNG(15, "ranks")
	for _, values := range []int{3, 100_000} {
		x := make([]float64, 20_000)
		for i := range x {
			x[i] = float64(rng.Intn(values)) - 1000
		}
		sum := 0.0
		for _, r := range midRanks(x) {
			sum += r
		}
		statstest.Near(t, "sum", sum, 20_000*20_001/2, 0)
	}
}
