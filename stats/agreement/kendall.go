package agreement

import (
	"math"
	"slices"

	"compqa/stats"
)

// KendallTauB returns Kendall's tau-b,
//
//	tau = (C-D) / sqrt((T-Tx)(T-Ty)),  T = n(n-1)/2
//
// with C and D the numbers of concordant and discordant pairs of rows, Tx and Ty those of pairs tied in x and in y. It takes O(n log n)
// (Knight 1966).
//
// Fewer than two rows are ErrTooShort, a constant variable is ErrConstant, NaN is ErrInvalidValue; infinities are ordered. Two rows give
// ±1.
func KendallTauB(x, y []float64) (tau float64, err error) {
	defer stats.Wrap("tau-b", &err)
	pairs, err := comparePairs(x, y)
	if err != nil {
		return 0, err
	}
	return bounded(pairs.difference() / math.Sqrt(pairs.total-pairs.tiedX) / math.Sqrt(pairs.total-pairs.tiedY)), nil
}

// pairCounts counts the pairs of rows by how x and y order them.
type pairCounts struct {
	total        float64 // n(n-1)/2
	discordant   float64
	tiedX, tiedY float64
	tiedInBoth   float64 // pairs tied in both x and y
}

// difference returns C-D, the concordant minus the discordant pairs.
func (p pairCounts) difference() float64 {
	return p.total - p.tiedX - p.tiedY + p.tiedInBoth - 2*p.discordant
}

type point struct{ x, y float64 }

// comparePairs counts the pairs of rows. It sorts the rows by x, and then counts the inversions in y while sorting by y.
func comparePairs(x, y []float64) (pairCounts, error) {
	if err := checkPairs(x, y, 2, refuseNaN); err != nil {
		return pairCounts{}, err
	}
	points := make([]point, len(x))
	for row := range points {
		points[row] = point{x[row], y[row]}
	}
	// Rows tied in x are in ascending order of y, so that they are not counted as inversions.
	slices.SortFunc(points, func(a, b point) int {
		if order := compare(a.x, b.x); order != 0 {
			return order
		}
		return compare(a.y, b.y)
	})
	n := float64(len(x))
	pairs := pairCounts{
		total:      n * (n - 1) / 2,
		tiedX:      tiedPairs(points, func(a, b point) bool { return a.x == b.x }),
		tiedInBoth: tiedPairs(points, func(a, b point) bool { return a == b }),
	}
	pairs.discordant = float64(sortInversions(points, make([]point, len(points)/2)))
	pairs.tiedY = tiedPairs(points, func(a, b point) bool { return a.y == b.y })
	if pairs.tiedX == pairs.total || pairs.tiedY == pairs.total {
		return pairCounts{}, stats.ErrConstant
	}
	return pairs, nil
}

// tiedPairs returns the sum of t(t-1)/2 over all runs of t equal points.
func tiedPairs(sorted []point, equal func(a, b point) bool) float64 {
	pairs := 0.0
	run := 0.0
	for i := 1; i < len(sorted); i++ {
		if equal(sorted[i-1], sorted[i]) {
			run++
			pairs += run
		} else {
			run = 0
		}
	}
	return pairs
}

// sortInversions sorts points by y with a stable merge sort, and returns the number of pairs that were out of order. spare is memory for
// half of the points. The sort takes four fifths of the processor time of tau-b of 10⁶ pairs; a second goroutine does half of it.
func sortInversions(a, spare []point) int {
	const short, parallel = 13, 100_000 // insertion sort below the first, two goroutines above the second
	if len(a) < short {
		return insertionInversions(a)
	}
	middle := len(a) / 2
	count := 0
	if len(a) > parallel {
		first := make(chan int)
		go func() { first <- sortInversions(a[:middle], spare[:middle/2]) }()
		count = sortInversions(a[middle:], spare[middle/2:]) + <-first
	} else {
		count = sortInversions(a[:middle], spare) + sortInversions(a[middle:], spare)
	}
	if a[middle-1].y <= a[middle].y {
		return count
	}
	left := spare[:copy(spare, a[:middle])]
	k := 0
	l := 0
	r := middle
	for l < len(left) && r < len(a) {
		if a[r].y < left[l].y {
			count += len(left) - l
			a[k] = a[r]
			r++
		} else {
			a[k] = left[l]
			l++
		}
		k++
	}
	copy(a[k:], left[l:])
	return count
}

// insertionInversions is sortInversions by insertion sort, for few points.
func insertionInversions(a []point) int {
	count := 0
	for i := 1; i < len(a); i++ {
		p := a[i]
		index := i
		for ; index > 0 && p.y < a[index-1].y; index-- {
			a[index] = a[index-1]
		}
		a[index] = p
		count += i - index
	}
	return count
}
