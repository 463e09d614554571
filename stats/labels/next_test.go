package labels

import (
	"math"
	"testing"

	"compqa/stats"
)

// Probabilities sum to the size of the sample, and are 1 if the formula gives more. Samples have exactly this size, and include each unit
// as often as its probability says.
func TestProbabilities(t *testing.T) {
	errors := []float64{100, 1, 1, 0.25, 0, 0, 4, 1, 1, 1}
	p := Probabilities(errors, 4)
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	if math.Abs(sum-4) > 1e-9 || p[0] != 1 || p[6] <= p[1] || p[1] <= p[3] || p[4] <= 0 {
		t.Fatalf("%v sum to %v", p, sum)
	}
	n := 20000
	often := make([]float64, len(p))
	for i := range n {
		units := Draw(p, stats.NewRNG(1, "test", uint64(i)))
		if len(units) != 4 {
			t.Fatalf("%v: %d units, want 4", units, len(units))
		}
		for _, u := range units {
			often[u] += 1 / float64(n)
		}
	}
	for i := range p {
		if math.Abs(often[i]-p[i]) > 0.015 {
			t.Errorf("unit %d is drawn with %.3f, want %.3f", i, often[i], p[i])
		}
	}
	for _, x := range Probabilities(errors, 12) {
		if x != 1 {
			t.Errorf("of more than all: %v", x)
		}
	}
}

// A cell of equal values does not get variance 0: by hand, four more values have the variance of all cells, 1 over 6 degrees of freedom.
func TestCellVariances(t *testing.T) {
	got := CellVariances([]float64{0, 1, 0, 1, 1, 1, 1, 1}, []int{0, 0, 0, 0, 1, 1, 1, 1}, 2)
	pooled := 1.0 / 6
	for c, want := range []float64{(1 + 4*pooled) / 7, 4 * pooled / 7} {
		if math.Abs(got[c]-want) > 1e-12 {
			t.Errorf("cell %d: %v, want %v", c, got[c], want)
		}
	}
	if CellVariances([]float64{1, 0}, []int{0, 1}, 2) != nil {
		t.Error("one value a cell has a variance")
	}
}
