package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// The functions of this file adjust p-values for the number of tests: a hypothesis can be rejected at level q if its adjusted p-value is at
// most q. They take p-values in [0, 1] in any order, else ErrInvalidValue, and return adjusted values in [0, 1] in the same order. Equal
// p-values get equal adjusted values. The argument is not changed. Exact; n log n.

// Holm adjusts p-values to control the probability of any false rejection, for tests with any dependence. It steps down from the smallest
// of m p-values:
//
//	p̃_(i) = max_{j<=i} min(1, (m-j+1)·p_(j))
//
// Holm 1979.
func Holm(p []float64) ([]float64, error) {
	order, err := ascendingOrder(p)
	if err != nil {
		return nil, fmt.Errorf("Holm adjustment: %w", err)
	}
	adjusted := make([]float64, len(p))
	var largest float64
	for rank, i := range order {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted, nil
}

// BenjaminiYekutieli adjusts p-values to control the share of false rejections (false discovery rate), for tests with any dependence. It is
// the adjustment of Benjamini and Hochberg with an additional factor H_m = 1 + 1/2 + … + 1/m:
//
//	p̃_(i) = min_{j>=i} min(1, m·H_m·p_(j)/j)
//
// Benjamini and Yekutieli 2001.
func BenjaminiYekutieli(p []float64) ([]float64, error) {
	order, err := ascendingOrder(p)
	if err != nil {
		return nil, fmt.Errorf("Benjamini–Yekutieli adjustment: %w", err)
	}
	var harmonic float64
	for i := range p {
		harmonic += 1 / float64(i+1)
	}
	return stepUp(p, order, harmonic), nil
}

// stepUp is the adjustment of Benjamini and Hochberg, with all p-values multiplied by factor.
func stepUp(p []float64, order []int, factor float64) []float64 {
	adjusted := make([]float64, len(p))
	smallest := 1.0
	for rank, i := range slices.Backward(order) {
		smallest = min(smallest, p[i]*factor*float64(len(p))/float64(rank+1))
		adjusted[i] = smallest
	}
	return adjusted
}

// ascendingOrder returns the indices of the p-values in ascending order. Equal ones keep their order.
func ascendingOrder(p []float64) ([]int, error) {
	order := make([]int, len(p))
	for i, v := range p {
		order[i] = i
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("%w: p-value %d is %v: want one in [0, 1]", ErrInvalidValue, i, v)
		}
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(p[i], p[k]) })
	return order, nil
}
