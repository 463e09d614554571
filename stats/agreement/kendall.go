package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// KendallTauB returns Kendall's tau-b,
//
//	tau = (C-D) / sqrt((T-Tx)(T-Ty)),  T = n(n-1)/2
//
// with C and D the concordant and discordant pairs of rows, Tx and Ty the pairs
// tied in x and in y, in O(n log n) (Knight 1966).
//
// Fewer than two rows are ErrTooShort, a constant is ErrConstant, NaN is
// ErrInvalidValue; infinities are ordered. Two rows give ±1.
func KendallTauB(x, y []float64) (float64, error) {
	pairs, err := comparePairs(x, y)
	if err != nil {
		return 0, fmt.Errorf("tau-b: %w", err)
	}
	return bounded(pairs.difference() / math.Sqrt(pairs.total-pairs.tiedX) / math.Sqrt(pairs.total-pairs.tiedY)), nil
}

// pairCounts are the pairs of rows by how x and y order them.
type pairCounts struct {
	total        float64 // n(n-1)/2
	discordant   float64
	tiedX, tiedY float64
	both         float64 // pairs tied in x and y
}

func comparePairs(x, y []float64) (pairCounts, error) {
	cx, vx, cy, vy, err := codePairs(x, y)
	if err != nil {
		return pairCounts{}, err
	}
	n := float64(len(x))
	pairs := pairCounts{total: n * (n - 1) / 2, tiedX: tiedPairs(countCodes(cx, vx)), tiedY: tiedPairs(countCodes(cy, vy))}
	// Rows tied in x must ascend in y, so that none of them is an inversion.
	order := make([]int, len(cx))
	for row := range order {
		order[row] = row
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(cx[a], cx[b]), cmp.Compare(cy[a], cy[b])) })
	sorted := make([]int32, len(order))
	run := 0.0
	for i, row := range order {
		sorted[i] = cy[row]
		if i > 0 && sorted[i-1] == cy[row] && cx[order[i-1]] == cx[row] {
			run++
			pairs.both += run
		} else {
			run = 0
		}
	}
	pairs.discordant = float64(inversions(sorted))
	return pairs, nil
}

// tiedPairs sums t(t-1)/2 over the groups of t equal values.
func tiedPairs(counts []int) float64 {
	pairs := 0.0
	for _, count := range counts {
		t := float64(count)
		pairs += t * (t - 1) / 2
	}
	return pairs
}

// inversions counts i < j with a[i] > a[j] by merge sort; it sorts a.
func inversions(a []int32) int {
	return mergeInversions(a, make([]int32, len(a)))
}

func mergeInversions(a, spare []int32) int {
	if len(a) < 2 {
		return 0
	}
	middle := len(a) / 2
	count := mergeInversions(a[:middle], spare) + mergeInversions(a[middle:], spare)
	left, right := append(spare[:0], a[:middle]...), a[middle:]
	for k := 0; len(left) > 0; k++ {
		if len(right) > 0 && right[0] < left[0] {
			count += len(left)
			a[k], right = right[0], right[1:]
		} else {
			a[k], left = left[0], left[1:]
		}
	}
	return count
}

// difference is C-D.
func (p pairCounts) difference() float64 {
	return p.total - p.tiedX - p.tiedY + p.both - 2*p.discordant
}
