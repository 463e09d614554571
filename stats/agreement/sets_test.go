package agreement

import (
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Distances of Passonneau (2006) for equal, contained, overlapping and disjoint sets.
func TestSetDistances(t *testing.T) {
	t.Parallel()
	const x, y, z = Set(1), Set(2), Set(4)
	for _, c := range []struct {
		a, b          Set
		jaccard, masi float64
	}{{x | y, x | y, 0, 0}, {x, x | y, .5, 2. / 3}, {x | y, y | z, 2. / 3, 8. / 9}, {x, y | z, 1, 1}} {
		for _, pair := range [][2]Set{{c.a, c.b}, {c.b, c.a}} {
			statstest.Near(t, "Jaccard", Jaccard(pair[0], pair[1]), c.jaccard, 1e-12)
			statstest.Near(t, "MASI", MASI(pair[0], pair[1]), c.masi, 1e-12)
		}
	}
}

// Expected alphas are from nltk 3.10.4, AnnotationTask(…).alpha(), for three people's sets of four items. Items with one set or none do
// not count.
func TestSetAlpha(t *testing.T) {
	t.Parallel()
	const x, y, z = Set(1), Set(2), Set(4)
	units := [][]Set{{x, x, x | y}, {x | y, x, x | y}, {y, x | y, y}, {x | z, z, y | z}, {x}, {}}
	for want, distance := range map[float64]SetDistance{0.3502109704641351: Jaccard, 0.2560386473429954: MASI} {
		alpha, err := SetAlpha(units, nil, distance, .95)
		if err != nil || !(alpha.Low < want && want < alpha.High) || alpha.Clusters != 4 {
			t.Errorf("%+v, %v", alpha, err)
		}
		statstest.Near(t, "alpha", alpha.Value, want, 1e-12)
	}
	for name, c := range map[string]struct {
		units    [][]Set
		clusters []int
	}{"nothing": {}, "one set": {units: [][]Set{{x}}}, "one item": {units: [][]Set{{x, y}}}, "constant": {units: [][]Set{{x, x}, {x, x}, {x, x}}},
		"one cluster": {units, make([]int, len(units))}} {
		_, err := SetAlpha(c.units, c.clusters, MASI, .95)
		if statstest.RequireError(t, err, stats.ErrUndefined); t.Failed() {
			t.Fatal(name)
		}
	}
}
