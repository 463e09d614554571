package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/stats/statstest"
)

var _ rand.Source = (*RNG)(nil)

// The published sequence: SplitMix64 from state 1234567 (Vigna's reference implementation, as listed at Rosetta Code).
func TestSplitMix64(t *testing.T) {
	r := &RNG{state: 1234567}
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
	} {
		if got := r.Uint64(); got != want {
			t.Errorf("output %d: %d, want %d", i, got, want)
		}
	}
}

// These numbers are from an implementation in Python of what NewRNG documents. Every interval ever printed depends on them. If this test
// fails, the code is wrong, not the test.
func TestRNGGolden(t *testing.T) {
	for _, c := range []struct {
		rng  *RNG
		want [3]uint64
	}{
		{NewRNG(0, ""), [3]uint64{16539421115465412304, 2832305232408064187, 7655413115837168968}},
		{NewRNG(1, "alpha"), [3]uint64{5743515805541729199, 7762483360053056484, 5980123399717297457}},
		{NewRNG(1, "alpha", 0), [3]uint64{16312398094390544538, 3314288013282062563, 7933588630226506351}},
		{NewRNG(1, "alpha", 999), [3]uint64{325027376402355611, 11543178460020320918, 619068888638464736}},
		{NewRNG(math.MaxUint64, "spearman", 7, 3), [3]uint64{3911698570925384629, 11316778949390238002, 17292031202886100576}},
	} {
		for i, want := range c.want {
			if got := c.rng.Uint64(); got != want {
				t.Errorf("output %d: %d, want %d", i, got, want)
			}
		}
	}
	r := NewRNG(1, "alpha", 3)
	if got := [4]int{r.Intn(1000), r.Intn(1000), r.Intn(7), r.Intn(1)}; got != [4]int{680, 237, 4, 0} {
		t.Errorf("Intn: %v", got)
	}
}

// Streams differ by seed, name, numbers, and the order of numbers.
func TestRNGStreams(t *testing.T) {
	seen := map[uint64]string{}
	for what, r := range map[string]*RNG{
		"0":      NewRNG(0, "a"),
		"1":      NewRNG(1, "a"),
		"b":      NewRNG(0, "b"),
		"a 0":    NewRNG(0, "a", 0),
		"a 1":    NewRNG(0, "a", 1),
		"a 0 1":  NewRNG(0, "a", 0, 1),
		"a 1 0":  NewRNG(0, "a", 1, 0),
		"a 0 0":  NewRNG(0, "a", 0, 0),
		"a max":  NewRNG(0, "a", math.MaxUint64),
		"nobody": NewRNG(0, ""),
	} {
		first := r.Uint64()
		if other, ok := seen[first]; ok {
			t.Errorf("streams %q and %q coincide", what, other)
		}
		seen[first] = what
	}
}

// Chi-square of a number of cells that does not divide 2^64, over 1e6 draws. The 0.999 quantile for 999 degrees of freedom is 1142.
func TestIntnUniform(t *testing.T) {
	const n, draws = 1000, 1_000_000
	r := NewRNG(3, "uniform")
	var counts [n]float64
	for range draws {
		counts[r.Intn(n)]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - draws/n) * (c - draws/n) / (draws / n)
	}
	if chi > 1142 || chi < 868 {
		t.Errorf("chi-square %v outside the central 99.8 %%", chi)
	}
}

// For n = 3·2⁶¹, each number gets 8/3 of the 2⁶⁴ outputs on average. Without rejection, multiples of three would get three and
// other numbers 5/2: 11,250 multiples in 30,000 draws instead of 10,000 (standard error 82).
func TestIntnRejects(t *testing.T) {
	r := NewRNG(3, "rejection")
	const bound = 3 << 61
	third := 0
	for range 30_000 {
		if v := r.Intn(bound); v%3 == 0 {
			third++
		}
	}
	if third < 9_700 || third > 10_300 {
		t.Errorf("%d of 30000 multiples of three", third)
	}
	defer func() {
		if recover() == nil {
			t.Error("Intn(0) did not panic")
		}
	}()
	r.Intn(0)
}

func TestFloat64(t *testing.T) {
	r := NewRNG(3, "float")
	sum := 0.0
	for range 100_000 {
		v := r.Float64()
		if v < 0 || v >= 1 {
			t.Fatalf("%v outside [0, 1)", v)
		}
		sum += v
	}
	statstest.Near(t, "mean", sum/100_000, 0.5, 0.004) // four standard errors
}

// All six orders of three occur, within five standard errors of a sixth.
func TestShuffle(t *testing.T) {
	r := NewRNG(3, "shuffle")
	counts := map[[3]int]int{}
	for range 60_000 {
		a := [3]int{0, 1, 2}
		r.Shuffle(3, func(i, j int) { a[i], a[j] = a[j], a[i] })
		counts[a]++
	}
	for order, n := range counts {
		if n < 9_540 || n > 10_460 {
			t.Errorf("order %v: %d of 60000", order, n)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d of 6 orders", len(counts))
	}
}
