package stats

import (
	"fmt"
	"math"
)

// KendallMethod says where the p-value of tau-b comes from.
type KendallMethod int

const (
	// KendallAuto is exact without ties for n <= 33 or when at most one pair is
	// out of order (or in order), and normal otherwise.
	KendallAuto KendallMethod = iota
	// KendallExact counts permutations; with ties it is ErrTies. Time grows
	// with n times the number of pairs out of order.
	KendallExact
	// KendallNormal uses the normal approximation with the variance for ties.
	KendallNormal
)

// KendallTauB returns Kendall's tau-b,
//
//	tau = (C-D) / sqrt((T-Tx)(T-Ty)),  T = n(n-1)/2
//
// with C and D the concordant and discordant pairs of rows, Tx and Ty the pairs
// tied in x and in y, and its two-sided p-value, in O(n log n) (Knight 1966).
//
// Fewer than two rows are ErrTooShort, a constant is ErrConstant, NaN is
// ErrInvalidValue; infinities are ordered. Two rows give ±1 with p = 1.
func KendallTauB(x, y []float64, method KendallMethod) (Correlation, error) {
	pairs, err := comparePairs(x, y)
	if err != nil {
		return Correlation{}, fmt.Errorf("tau-b: %w", err)
	}
	p, err := pairs.p(method)
	if err != nil {
		return Correlation{}, fmt.Errorf("tau-b: %w", err)
	}
	return Correlation{R: pairs.tau(), P: p, N: len(x)}, nil
}

// pairCounts are the pairs of rows by how x and y order them.
type pairCounts struct {
	n          float64
	total      float64 // n(n-1)/2
	discordant float64
	x, y       ties
	both       float64 // pairs tied in x and y
}

// ties sums over the groups of t equal values.
type ties struct {
	pairs  float64 // t(t-1)/2
	triple float64 // t(t-1)(t-2)
	spread float64 // t(t-1)(2t+5)
}

func comparePairs(x, y []float64) (pairCounts, error) {
	cx, vx, cy, vy, err := codePairs(x, y)
	if err != nil {
		return pairCounts{}, err
	}
	n := float64(len(x))
	pairs := pairCounts{n: n, total: n * (n - 1) / 2}
	pairs.x = countTies(countCodes(cx, vx))
	pairs.y = countTies(countCodes(cy, vy))
	// Rows tied in x must ascend in y, so that none of them is an inversion.
	var order []int32
	if pairs.x.pairs > 0 {
		order = stableOrder(nil, cy, vy)
	}
	order = stableOrder(order, cx, vx)
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

func countTies(counts []int) ties {
	var s ties
	for _, count := range counts {
		t := float64(count)
		s.pairs += t * (t - 1) / 2
		s.triple += t * (t - 1) * (t - 2)
		s.spread += t * (t - 1) * (2*t + 5)
	}
	return s
}

// stableOrder sorts rows, all in their order if rows is nil, by code.
func stableOrder(rows []int32, codes []int32, values int) []int32 {
	next := countCodes(codes, values)
	runningStarts(next)
	order := make([]int32, len(codes))
	if rows == nil {
		for row, c := range codes {
			order[next[c]] = int32(row)
			next[c]++
		}
		return order
	}
	for _, row := range rows {
		c := codes[row]
		order[next[c]] = row
		next[c]++
	}
	return order
}

// runningStarts turns counts into the first position of each group.
func runningStarts(counts []int) {
	start := 0
	for i, c := range counts {
		counts[i] = start
		start += c
	}
}

// inversions counts i < j with a[i] > a[j] by merge sort; it sorts a.
func inversions(a []int32) int {
	const block = 16
	n, count := len(a), 0
	for low := 0; low < n; low += block {
		count += insertionSort(a[low:min(low+block, n)])
	}
	from, to := a, make([]int32, n)
	for width := block; width < n; width *= 2 {
		for low := 0; low < n; low += 2 * width {
			middle, high := min(low+width, n), min(low+2*width, n)
			count += merge(to[low:high], from[low:middle], from[middle:high])
		}
		from, to = to, from
	}
	return count
}

func insertionSort(a []int32) int {
	count := 0
	for i, v := range a {
		j := i
		for ; j > 0 && a[j-1] > v; j-- {
			a[j] = a[j-1]
		}
		a[j] = v
		count += i - j
	}
	return count
}

// merge merges two ascending runs and counts the pairs of one value of left
// with a smaller one of right. Which run is next is as good as random, so the
// loop computes with the comparison in place of branching on it.
func merge(to, left, right []int32) int {
	count, i, j := 0, 0, 0
	for i < len(left) && j < len(right) {
		l, r := left[i], right[j]
		fromRight := 0
		if r < l {
			fromRight = 1
		}
		to[i+j] = min(l, r)
		count += fromRight * (len(left) - i)
		j += fromRight
		i += 1 - fromRight
	}
	copy(to[i+j:], left[i:])
	copy(to[i+j:], right[j:])
	return count
}

// difference is C-D.
func (p pairCounts) difference() float64 {
	return p.total - p.x.pairs - p.y.pairs + p.both - 2*p.discordant
}

func (p pairCounts) tau() float64 {
	return bounded(p.difference() / math.Sqrt(p.total-p.x.pairs) / math.Sqrt(p.total-p.y.pairs))
}

func (p pairCounts) p(method KendallMethod) (float64, error) {
	tied := p.x.pairs > 0 || p.y.pairs > 0
	fewer := min(p.discordant, p.total-p.discordant)
	if method == KendallAuto {
		method = KendallNormal
		if !tied && (p.n <= 33 || fewer <= 1) {
			method = KendallExact
		}
	}
	switch {
	case method == KendallNormal:
		return p.normalP(), nil
	case method != KendallExact:
		return 0, fmt.Errorf("%w: method %d", ErrInvalidValue, method)
	case tied:
		return 0, ErrTies
	case 2*fewer == p.total:
		return 1, nil
	}
	return min(1, 2*inversionCDF(int(p.n), int(fewer))), nil
}

// normalP is the two-sided p-value of C-D as a normal variable with mean 0 and
// the variance of Kendall and Gibbons (1990, section 4.14), m = n(n-1):
//
//	(m(2n+5) - Σt(t-1)(2t+5) - Σu(u-1)(2u+5))/18
//	+ 2 Tx Ty/m + Σt(t-1)(t-2) Σu(u-1)(u-2)/(9m(n-2))
func (p pairCounts) normalP() float64 {
	m := p.n * (p.n - 1)
	variance := (m*(2*p.n+5)-p.x.spread-p.y.spread)/18 + 2*p.x.pairs*p.y.pairs/m
	if p.n > 2 {
		variance += p.x.triple * p.y.triple / (9 * m * (p.n - 2))
	}
	return normalTwoSided(p.difference() / math.Sqrt(variance))
}

// inversionCDF returns P(inversions <= c) of a random permutation of n, from
// the recurrence of the Mahonian numbers in probabilities (n! is not finite
// above 170):
//
//	f_j(k) = (f_{j-1}(k) + … + f_{j-1}(k-j+1)) / j
func inversionCDF(n, c int) float64 {
	f, next := make([]float64, c+1), make([]float64, c+1)
	f[0] = 1
	for j := 2; j <= n; j++ {
		window := 0.0
		for k := range f {
			window += f[k]
			if k >= j {
				window -= f[k-j]
			}
			next[k] = window / float64(j)
		}
		f, next = next, f
	}
	sum := 0.0
	for _, v := range f {
		sum += v
	}
	return sum
}
