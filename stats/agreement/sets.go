package agreement

import (
	"math/bits"
	"slices"

	"compqa/stats"
)

// A Set is the options that a rater accepts for an item, as bits: up to 64 options, at least one.
type Set uint64

// A SetDistance returns how different two sets are, from 0 for equal sets to 1 for disjoint ones.
type SetDistance func(a, b Set) float64

// Jaccard returns 1 minus the Jaccard index: the share of common options among all options of both sets.
func Jaccard(a, b Set) float64 {
	return 1 - float64(bits.OnesCount64(uint64(a&b)))/float64(bits.OnesCount64(uint64(a|b)))
}

// MASI returns 1 minus the Jaccard index times a factor: 1 for equal sets, 2/3 if one contains the other, 1/3 otherwise (Passonneau 2006,
// Measuring Agreement on Set-Valued Items).
func MASI(a, b Set) float64 {
	monotone := 1.
	switch both := a & b; {
	case a == b:
	case both == a || both == b:
		monotone = 2. / 3
	default:
		monotone = 1. / 3
	}
	return 1 - (1-Jaccard(a, b))*monotone
}

// SetAlpha returns Krippendorff's alpha of sets (2004, section 11.3), with the interval of stats.Replicates.Jackknife by cluster:
//
//	alpha = 1 - Σ_units Σ_pairs d / (m - 1)  /  (Σ d over all pairs of values / (n - 1))
//
// units has the sets that raters gave to each item; items with fewer than two sets do not count. clusters labels items; nil makes each item
// a cluster. The error wraps stats.ErrUndefined: no item with two sets, no variation, or no interval (then the value is set).
func SetAlpha(units [][]Set, clusters []int, distance SetDistance, level float64) (stats.Estimate, error) {
	var distinct []Set
	n := 0
	for _, sets := range units {
		if len(sets) > 1 {
			distinct = append(distinct, sets...)
			n++
		}
	}
	if n == 0 {
		return stats.Estimate{}, stats.ErrNoPairableUnits
	}
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	width := len(distinct) + 1 // a count for each different set, and the disagreement within units
	sums := stats.AddUp(clustersOf(clusters, len(units)), width, func(unit int) []float64 {
		sets := units[unit]
		if len(sets) < 2 {
			return nil
		}
		values := make([]float64, width)
		for i, a := range sets {
			place, _ := slices.BinarySearch(distinct, a)
			values[place]++
			for _, b := range sets[:i] {
				values[width-1] += float64(2 * distance(a, b) / float64(len(sets)-1))
			}
		}
		return values
	})
	apart := make([][]float64, len(distinct))
	for i, a := range distinct {
		for _, b := range distinct {
			apart[i] = append(apart[i], distance(a, b))
		}
	}
	alpha := func(weights []float64) []float64 {
		total := 0.0
		expected := 0.0
		for i, x := range weights[:width-1] {
			total += x
			for k, y := range weights[:width-1] {
				expected += float64(x * y * apart[i][k])
			}
		}
		return []float64{1 - weights[width-1]*(total-1)/expected} // NaN if the sets do not vary
	}
	return sums.LeaveOut(alpha).Jackknife(0, level)
}

// clustersOf returns the clusters, or a cluster for each of n units if clusters is nil.
func clustersOf(clusters []int, n int) []int {
	if clusters != nil {
		return clusters
	}
	clusters = make([]int, n)
	for i := range clusters {
		clusters[i] = i
	}
	return clusters
}
