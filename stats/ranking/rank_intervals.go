package ranking

import (
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
// items' intervals does not test this: it ignores that both answered the same questions, and the number of pairs. A pair
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

// Significant returns the tests of RankIntervals by which A is above B or, with their sides exchanged, B above A. It has the errors of
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
