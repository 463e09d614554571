package agreement

import (
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// centredRanks returns, for each row, twice its mid-rank minus the mean n+1 of doubled ranks. N is the number of rows with a smaller value,
// count the number with the same value:
//
//	2(N + (count+1)/2) - (n+1) = 2N + count - n
//
// These are whole numbers with sum zero, so that sums of products of ranks are exact in float64 (n up to 2e5).
func centredRanks(x []float64) []float64 {
	if !slices.ContainsFunc(x, func(v float64) bool { return !small(v) }) {
		return ranksOfSmall(x)
	}
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

// ranksOfSmall is centredRanks for small whole numbers, which are counted instead of sorted.
func ranksOfSmall(x []float64) []float64 {
	var counts [fewValues]int
	for _, v := range x {
		counts[int(v)]++
	}
	var rankOf [fewValues]float64
	below := 0
	for v, n := range counts {
		rankOf[v] = float64(2*below + n - len(x))
		below += n
	}
	ranks := make([]float64, len(x))
	for row, v := range x {
		ranks[row] = rankOf[int(v)]
	}
	return ranks
}

// compare is cmp.Compare for numbers that are not NaN, in half the time.
func compare(a, b float64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// centredRanksInto sets ranks to the centred ranks of values in ascending order, given the weight of each value.
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

// refuseNaN returns ErrInvalidValue if a value is NaN.
func refuseNaN(x []float64) error {
	for i, v := range x {
		if math.IsNaN(v) {
			return fmt.Errorf("%w: NaN in row %d", stats.ErrInvalidValue, i)
		}
	}
	return nil
}
