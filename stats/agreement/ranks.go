package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// MidRanks returns the ranks of x, 1 for the least; tied values share the mean
// of the ranks they occupy, so that the ranks always sum to n(n+1)/2.
// Infinities are ranked; NaN is ErrInvalidValue.
func MidRanks(x []float64) ([]float64, error) {
	if err := refuseNaN(x); err != nil {
		return nil, fmt.Errorf("ranking: %w", err)
	}
	codes, distinct := codeValues(x)
	centred := centredRanks(countCodes(codes, len(distinct)))
	ranks := make([]float64, len(x))
	for i, c := range codes {
		ranks[i] = (centred[c] + float64(len(x)) + 1) / 2
	}
	return ranks, nil
}

// centredRanks returns, for each of the ordered values, twice its mid-rank less
// its mean n+1. With N the number of observations below,
//
//	2(N + (count+1)/2) - (n+1) = 2N + count - n
//
// a whole number with a weighted sum of zero, so that sums of products of
// ranks are exact as far as float64 counts (n up to 2e5).
func centredRanks(counts []int) []float64 {
	ranks := make([]float64, len(counts))
	centredRanksInto(ranks, counts)
	return ranks
}

func centredRanksInto(ranks []float64, counts []int) {
	n := 0
	for _, c := range counts {
		n += c
	}
	below := 0
	for v, c := range counts {
		ranks[v] = float64(2*below + c - n)
		below += c
	}
}

func countCodes(codes []int32, values int) []int {
	counts := make([]int, values)
	for _, c := range codes {
		counts[c]++
	}
	return counts
}

func refuseNaN(x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) {
			return fmt.Errorf("%w: NaN in row %d", stats.ErrInvalidValue, i)
		}
	}
	return nil
}
