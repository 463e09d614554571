package agreement

import (
	"math"
	"testing"

	"compqa/stats"
)

// Resamples of counts of patterns have the distribution of resamples of units: standard error and bounds agree within what 1,000
// resamples leave open.
func TestAlphaBootstrapOfCounts(t *testing.T) {
	const n = 12_000
	x, y, own := make([]float64, n), make([]float64, n), make([]int, n)
	rng := stats.NewRNG(3, "counts")
	for i := range n {
		x[i], own[i] = float64(rng.Intn(5)), i
		if y[i] = x[i]; rng.Intn(3) == 0 {
			y[i] = float64(rng.Intn(5))
		}
	}
	r, err := PairedRatings(x, y)
	if err != nil {
		t.Fatal(err)
	}
	o := stats.Resampling{Seed: 1, Name: "test"}
	counted, err := AlphaBootstrap(r, Interval, own, o)
	if err != nil {
		t.Fatal(err)
	}
	o.SameClusters = true
	drawn, err := AlphaBootstrap(r, Interval, own, o)
	if err != nil {
		t.Fatal(err)
	}
	if ratio := counted.SE / drawn.SE; ratio < 0.9 || ratio > 1.1 || math.Abs(counted.Low-drawn.Low) > drawn.SE/4 ||
		math.Abs(counted.High-drawn.High) > drawn.SE/4 || counted.Clusters != n {
		t.Errorf("SE %v and %v, low %v and %v, high %v and %v", counted.SE, drawn.SE, counted.Low, drawn.Low, counted.High, drawn.High)
	}
	if counted.Replicates[0] == drawn.Replicates[0] {
		t.Error("units were drawn")
	}
}
