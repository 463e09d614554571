package agreement

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

func TestMidRanks(t *testing.T) {
	for _, c := range []struct{ x, want []float64 }{
		{nil, []float64{}},
		{[]float64{7}, []float64{1}},
		{[]float64{3, 3, 3}, []float64{2, 2, 2}},
		{[]float64{10, -1, 10, 5, 5, 5}, []float64{5.5, 1, 5.5, 3, 3, 3}},
		{[]float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1)}, []float64{2.5, 2.5, 4, 1}},
	} {
		got, err := MidRanks(c.x)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ranks of %v: %v, %v; want %v", c.x, got, err, c.want)
		}
	}
	if _, err := MidRanks([]float64{1, math.NaN()}); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("NaN: error %v", err)
	}
}

// Ranks sum to n(n+1)/2 with many ties and with few.
func TestMidRanksSum(t *testing.T) {
	rng := stats.NewRNG(15, "ranks")
	for _, values := range []int{3, 100_000} {
		x := make([]float64, 20_000)
		for i := range x {
			x[i] = float64(rng.Intn(values)) - 1000
		}
		ranks, err := MidRanks(x)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, r := range ranks {
			sum += r
		}
		statstest.Near(t, "sum", sum, 20_000*20_001/2, 0)
	}
}
