package stats

import (
	"fmt"

	"gonum.org/v1/gonum/mathext"
)

// McNemar returns the exact two-sided p-value, in [0, 1], of the hypothesis that
// two raters of the same items are right equally often. Items on which both are
// right or both are wrong carry no information. Of the n = first + second other items,
// only the first rater is right on first. Under the hypothesis, each of them is
// equally likely to be right for either rater:
//
//	p = min(1, 2·P(X <= min(first, second))),  X ~ Binomial(n, 1/2)
//
// Without any such item, p is 1. Items must be
// independent; if several share a question, see PairedDifference. Negative
// counts are ErrInvalidValue. Exact to rounding.
//
// McNemar 1947; exact form Mosteller 1952.
func McNemar(first, second int) (float64, error) {
	if first < 0 || second < 0 {
		return 0, fmt.Errorf("McNemar's test: %w: %d and %d items", ErrInvalidValue, first, second)
	}
	n, k := first+second, min(first, second)
	if n == 0 || first == second {
		return 1, nil
	}
	// P(X <= k) = I_{1/2}(n-k, k+1), Abramowitz and Stegun 26.5.24.
	return min(1, 2*mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)), nil
}
