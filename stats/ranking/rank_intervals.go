package ranking

import (
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// A PairTest is the test of one pair of items, for the difference A - B. P is the two-sided p-value, not adjusted for the number of pairs.
type PairTest struct {
	A, B          int
	Difference, P float64
}

// A RankInterval holds the lowest and highest rank that an item may have; 1 is the best.
type RankInterval struct{ Low, High int }

// RankIntervals returns ranks for items 0 … items-1 that are all correct at once with probability level:
//
//	Low  = 1 + number of items significantly above
//	High = items - number of items significantly below
//
// A pair is significant if its p-value, adjusted by Holm over all given tests, is at most 1-level. Overlap of two items' own intervals
// would not test this, because it ignores that both answered the same questions, and the number of pairs. A pair without a test is not
// significant. Equal items share all their ranks, and an interval that contains one of these ranks is correct.
//
// ErrInvalidValue means items out of range, a pair that occurs twice, or p-values outside [0, 1].
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

// Significant returns the significant tests (see RankIntervals), with A the better item of each. Errors are as for RankIntervals.
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
