package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
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
		return 0, fmt.Errorf("%w: method %d", stats.ErrInvalidValue, method)
	case tied:
		return 0, stats.ErrTies
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
	return stats.NormalTwoSided(p.difference() / math.Sqrt(variance))
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
