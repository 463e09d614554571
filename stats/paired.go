package stats

import (
	"fmt"

	"gonum.org/v1/gonum/mathext"
)

// A Difference is the comparison of two systems on the same items.
type Difference struct {
	Estimate         // mean of a-b, clustered
	P        float64 // two-sided p-value for no difference, clustered, in [0, 1]
}

// PairedDifference compares two systems' scores a and b on the same items in the same order, by the mean of d_i = a_i - b_i:
//
//	SE(d̄) = √( SE_A² + SE_B² - 2 r SE_A SE_B )
//
// The more the systems agree on which questions are hard (r), the smaller the standard error. Whether the intervals of the two means
// overlap says nothing about it. The standard error is that of the differences, by the recommended method of StandardErrors.
//
// Scores must be finite and equally many; the caller leaves out pairs with a missing score. With too few items (ErrTooShort), one cluster
// (ErrOneCluster), and constant or cancelling differences (ErrZeroWidth), the difference is returned without bounds, and with p-value 1.
//
// Miller 2024 (arXiv:2411.00640), section 4.
func PairedDifference(a, b []float64, clusters []int, level float64) (diff Difference, err error) {
	defer Wrap("paired difference", &err)
	diff.P = 1
	if err := CheckLengths(len(a), len(b)); err != nil {
		return diff, err
	}
	if err := CheckFinite(a); err != nil {
		return diff, fmt.Errorf("first system: %w", err)
	}
	if err := CheckFinite(b); err != nil {
		return diff, fmt.Errorf("second system: %w", err)
	}
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	diff.Estimate, err = MeanInterval(d, clusters, level)
	if err != nil {
		return diff, err
	}
	p, err := diff.PValue(0)
	if err == nil {
		diff.P = p
	}
	return diff, err
}

// McNemar returns the exact two-sided p-value, in [0, 1], of the hypothesis that two raters of the same items are right equally often.
// first is the number of items on which only the first rater is right, second that of items on which only the second is. Items on which
// both are right or both wrong carry no information. Under the hypothesis, each of the n = first + second items is equally likely to be in
// either count:
//
//	p = min(1, 2·P(X <= min(first, second))),  X ~ Binomial(n, 1/2)
//
// If n is 0, p is 1. Items must be independent; if several share a question, use PairedDifference. Negative counts are ErrInvalidValue.
// Exact up to rounding.
//
// McNemar 1947; exact form Mosteller 1952.
func McNemar(first, second int) (float64, error) {
	if first < 0 || second < 0 {
		return 0, fmt.Errorf("McNemar's test: %w: %d and %d items", ErrInvalidValue, first, second)
	}
	n := first + second
	k := min(first, second)
	if n == 0 || first == second {
		return 1, nil
	}
	// P(X <= k) = I_{1/2}(n-k, k+1), Abramowitz and Stegun 26.5.24.
	return min(1, 2*mathext.RegIncBeta(float64(n-k), float64(k+1), 0.5)), nil
}
