package ranking

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// PairTest is the test of one pair of items for a difference A - B. P is its
// two-sided p-value, not adjusted for the number of pairs.
type PairTest struct {
	A, B          int
	Difference, P float64
}

// RankInterval holds the ranks an item may have: 1 is the best.
type RankInterval struct{ Low, High int }

// RankIntervals returns, for items 0 … items-1, ranks that hold for all items at once with probability level:
//
//	Low  = 1 + number of items significantly above
//	High = items - number of items significantly below
//
// A pair is significant if its p-value, adjusted by Holm over all given tests, is at most 1-level. The overlap of two
// items' intervals is no such test: it ignores that both answered the same questions, and the number of pairs. A pair
// without a test is not significant. Equal items share all ranks between them, and an interval with one of these ranks
// is correct.
//
// ErrInvalidValue: items out of range, a pair twice, or p-values outside [0, 1].
// Goldstein and Spiegelhalter 1996 for the need; Holm 1979.
func RankIntervals(items int, tests []PairTest, level float64) (ranks []RankInterval, err error) {
	defer stats.Wrap("rank intervals", &err)
	sure, err := Significant(items, tests, level)
	if err != nil {
		return nil, err
	}
	ranks = slices.Repeat([]RankInterval{{1, items}}, items)
	for _, t := range sure {
		ranks[t.B].Low++
		ranks[t.A].High--
	}
	return ranks, nil
}

// Significant returns the tests of RankIntervals by which A is above B or, with their sides exchanged, B above A. Errors are those of
// RankIntervals.
func Significant(items int, tests []PairTest, level float64) (sure []PairTest, err error) {
	if err := stats.CheckLevel(level); err != nil {
		return nil, err
	}
	p := make([]float64, len(tests))
	seen := make(map[[2]int]bool, len(tests))
	for i, t := range tests {
		pair := [2]int{min(t.A, t.B), max(t.A, t.B)}
		if pair[0] < 0 || pair[1] >= items || t.A == t.B || seen[pair] || math.IsNaN(t.Difference) {
			return nil, fmt.Errorf("%w: test %d of items %d and %d of %d", stats.ErrInvalidValue, i, t.A, t.B, items)
		}
		seen[pair] = true
		p[i] = t.P
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		return nil, err
	}
	for i, t := range tests {
		if adjusted[i] > 1-level || t.Difference == 0 {
			continue
		}
		if t.Difference < 0 {
			t.A, t.B, t.Difference = t.B, t.A, -t.Difference
		}
		sure = append(sure, t)
	}
	return sure, nil
}

// SystemScores are one system's scores of the benchmark's items, in the items' order. Where Missing is true there is no
// valid score and the value is ignored; a nil Missing says that all are there.
type SystemScores struct {
	Values  []float64
	Missing []bool
}

// Comparison is a paired difference of two systems within a benchmark.
type Comparison struct {
	A, B             int // systems
	stats.Difference     // of A - B, over the items that both have
	PAdjusted        float64
	Caveat           error // why there is no interval: an ErrUndefined; P is 1 then
}

// CompareSystems compares every pair of systems on the items that both have a score for (see PairedDifference, with its
// arguments clusters and level), and adjusts the p-values by Holm over all pairs. Comparisons come in the order (0,1),
// (0,2), …, (1,2), …. A pair that cannot be tested keeps its place with a caveat, and counts as not different.
func CompareSystems(systems []SystemScores, clusters []int, level float64) ([]Comparison, error) {
	for i, s := range systems {
		n := len(systems[0].Values)
		if len(s.Values) != n || s.Missing != nil && len(s.Missing) != n || clusters != nil && len(clusters) != n {
			return nil, fmt.Errorf("comparing systems: %w: system %d has %d scores and %d missing marks for %d items and %d clusters",
				stats.ErrLength, i, len(s.Values), len(s.Missing), n, len(clusters))
		}
	}
	var comparisons []Comparison
	var d, p []float64
	var shared []int
	for a := range systems {
		for b := a + 1; b < len(systems); b++ {
			c := Comparison{A: a, B: b}
			d, shared = differences(d[:0], shared[:0], systems[a], systems[b], clusters)
			c.Difference, c.Caveat = stats.FromDifferences(d, shared, level)
			if c.Caveat != nil && !errors.Is(c.Caveat, stats.ErrUndefined) {
				return nil, fmt.Errorf("comparing systems %d and %d: %w", a, b, c.Caveat)
			}
			comparisons, p = append(comparisons, c), append(p, c.P)
		}
	}
	adjusted, err := stats.Holm(p)
	if err != nil {
		return nil, fmt.Errorf("comparing systems: %w", err)
	}
	for i := range comparisons {
		comparisons[i].PAdjusted = adjusted[i]
	}
	return comparisons, nil
}

// differences appends a - b for the items that two systems have a score for, and their clusters.
func differences(d []float64, shared []int, a, b SystemScores, clusters []int) ([]float64, []int) {
	for i := range a.Values {
		if a.Missing != nil && a.Missing[i] || b.Missing != nil && b.Missing[i] {
			continue
		}
		d = append(d, a.Values[i]-b.Values[i])
		if clusters != nil {
			shared = append(shared, clusters[i])
		}
	}
	return d, shared
}
