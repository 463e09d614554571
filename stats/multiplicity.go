package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// The functions of this file adjust p-values for the number of tests made: a hypothesis may be rejected at level q when
// its adjusted p-value is at most q. They take p-values in [0, 1] in any order (ErrInvalidValue otherwise, NaN
// included), return adjusted ones in [0, 1] in the same order, leave the argument alone, and treat ties alike. No
// p-values give no adjusted ones. Exact; n log n.

// Holm adjusts for the chance of any false rejection, whatever the dependence
// of the tests, stepping down from the smallest of m p-values:
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

// BenjaminiYekutieli returns BenjaminiHochberg under any dependence of the tests, at
// the price of a factor H_m = 1 + 1/2 + … + 1/m:
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

// stepUp runs Benjamini and Hochberg's procedure with every p-value inflated by the same factor.
func stepUp(p []float64, order []int, factor float64) []float64 {
	adjusted := make([]float64, len(p))
	smallest := 1.0
	for rank, i := range slices.Backward(order) {
		smallest = min(smallest, p[i]*factor*float64(len(p))/float64(rank+1))
		adjusted[i] = smallest
	}
	return adjusted
}

// ascendingOrder returns the rows of probabilities in ascending order, ties in the order of the rows.
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
