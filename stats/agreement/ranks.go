package agreement

import (
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// centredRanks returns, for each row, twice its mid-rank less its mean n+1. With N the
// number of rows with a smaller value, and count of those with the same one,
//
//	2(N + (count+1)/2) - (n+1) = 2N + count - n
//
// a whole number with a sum of zero, so that sums of products of ranks are exact
// as far as float64 counts (n up to 2e5).
func centredRanks(x []float64) []float64 {
	type valueRow struct {
		value float64
		row   int32
	}
	sorted := make([]valueRow, len(x))
	for row, v := range x {
		sorted[row] = valueRow{v, int32(row)}
	}
	slices.SortFunc(sorted, func(a, b valueRow) int { return compare(a.value, b.value) })
	ranks := make([]float64, len(x))
	for low, high := 0, 0; low < len(sorted); low = high {
		for high = low + 1; high < len(sorted) && sorted[high].value == sorted[low].value; {
			high++
		}
		rank := float64(low + high - len(x))
		for _, tied := range sorted[low:high] {
			ranks[tied.row] = rank
		}
	}
	return ranks
}

// compare returns cmp.Compare of numbers that are not NaN, in half its time.
func compare(a, b float64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// centredRanksInto sets the centred ranks of ordered values with weights.
func centredRanksInto(ranks, weights []float64) {
	n := 0.0
	for _, w := range weights {
		n += w
	}
	below := 0.0
	for v, w := range weights {
		ranks[v] = 2*below + w - n
		below += w
	}
}

func refuseNaN(x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) {
			return fmt.Errorf("%w: NaN in row %d", stats.ErrInvalidValue, i)
		}
	}
	return nil
}
