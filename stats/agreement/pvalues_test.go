package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"

	"gonum.org/v1/gonum/mathext"
)

// Two-sided p-values of correlations, which the oracle has and the program does not show.

// A Correlation is a coefficient with the p-value for no association.
type Correlation struct {
	R, P float64
	// NoP says that the p-value does not exist, as for Spearman's rho of two pairs, where t has no degrees of freedom. P is then 1.
	NoP bool
	N   int // pairs
}

func pearsonWithP(x, y []float64) (Correlation, error) {
	r, err := Pearson(x, y)
	return withP(r, err, x, false)
}

func spearmanWithP(x, y []float64) (Correlation, error) {
	r, err := Spearman(x, y)
	return withP(r, err, x, true)
}

func withP(r float64, err error, x []float64, noP bool) (Correlation, error) {
	if err != nil {
		return Correlation{}, err
	}
	if len(x) == 2 {
		return Correlation{R: r, P: 1, NoP: noP, N: 2}, nil
	}
	p, err := correlationP(r, len(x))
	return Correlation{R: r, P: p, N: len(x)}, err
}

// correlationP returns the two-sided p-value of a correlation of n >= 3 pairs, by Student's t:
//
//	p = I_{1-r²}((n-2)/2, 1/2),  1-r² = (1-r)(1+r)
//
// The product has the digits that the difference would lose.
func correlationP(r float64, n int) (float64, error) {
	return min(mathext.RegIncBeta(float64(n-2)/2, 0.5, (1-r)*(1+r)), 1), nil
}

// errTies means that an exact null distribution was asked for, but the data have ties.
var errTies = errors.New("ties rule out the exact distribution")

// A KendallMethod says how the p-value of tau-b is computed.
type KendallMethod int

const (
	// KendallAuto is exact without ties if n <= 33, or if at most one pair is out of order (or in order). Otherwise it is normal.
	KendallAuto KendallMethod = iota
	// KendallExact counts permutations. Ties are errTies. The time grows with n times the number of pairs out of order.
	KendallExact
	// KendallNormal is the normal approximation, with the variance for ties.
	KendallNormal
)

// kendallWithP returns KendallTauB with its p-value.
func kendallWithP(x, y []float64, method KendallMethod) (Correlation, error) {
	tau, err := KendallTauB(x, y)
	if err != nil {
		return Correlation{}, err
	}
	pairs, err := comparePairs(x, y)
	if err != nil {
		return Correlation{}, err
	}
	of := pairTies{pairCounts: pairs, n: float64(len(x)), x: countTies(x), y: countTies(y)}
	p, err := of.p(method)
	if err != nil {
		return Correlation{}, fmt.Errorf("tau-b: %w", err)
	}
	return Correlation{R: tau, P: p, N: len(x)}, nil
}

// A pairTies holds pairs of rows, with the sums over ties that the variance needs.
type pairTies struct {
	pairCounts
	n    float64
	x, y ties
}

// A ties holds sums over the groups of t equal values.
type ties struct {
	pairs  float64 // t(t-1)/2
	triple float64 // t(t-1)(t-2)
	spread float64 // t(t-1)(2t+5)
}

func countTies(x []float64) ties {
	counts := map[float64]int{}
	for _, v := range x {
		counts[v]++
	}
	var s ties
	for _, count := range counts {
		t := float64(count)
		s.pairs += t * (t - 1) / 2
		s.triple += t * (t - 1) * (t - 2)
		s.spread += t * (t - 1) * (2*t + 5)
	}
	return s
}

func (p pairTies) p(method KendallMethod) (float64, error) {
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
		return 0, errTies
	case 2*fewer == p.total:
		return 1, nil
	}
	return min(1, 2*inversionCDF(int(p.n), int(fewer))), nil
}

// normalP returns the two-sided p-value of C-D as a normal variable with mean 0 and the variance of Kendall and Gibbons (1990, section
// 4.14), m = n(n-1):
//
//	(m(2n+5) - Σt(t-1)(2t+5) - Σu(u-1)(2u+5))/18
//	+ 2 Tx Ty/m + Σt(t-1)(t-2) Σu(u-1)(u-2)/(9m(n-2))
func (p pairTies) normalP() float64 {
	m := p.n * (p.n - 1)
	variance := (m*(2*p.n+5)-p.x.spread-p.y.spread)/18 + 2*p.x.pairs*p.y.pairs/m
	if p.n > 2 {
		variance += p.x.triple * p.y.triple / (9 * m * (p.n - 2))
	}
	return math.Erfc(math.Abs(p.difference()/math.Sqrt(variance)) / math.Sqrt2)
}

// inversionCDF returns P(inversions <= c) for a random permutation of n, from the recurrence of the Mahonian numbers, written in
// probabilities because n! overflows above
//
//	f_j(k) = (f_{j-1}(k) + … + f_{j-1}(k-j+1)) / j
func inversionCDF(n, c int) float64 {
	f := make([]float64, c+1)
	next := make([]float64, c+1)
	f[0] = 1
	for j := 2; j <= n; j++ {
		window := 0.0
		for k := range f {
			window += f[k]
			if k >= j {
				window -= f[k-j]
			} //
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
