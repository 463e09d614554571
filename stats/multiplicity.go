package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// The functions of this file adjust p-values for the number of tests made: a
// hypothesis may be rejected at level q when its adjusted p-value is at most q.
// They take p-values in [0, 1] in any order (ErrInvalidValue otherwise, NaN included),
// return adjusted ones in [0, 1] in the same order, leave the argument alone,
// and treat ties alike. No p-values give no adjusted ones. Exact; n log n.

// Holm adjusts for the chance of any false rejection, whatever the dependence
// of the tests, stepping down from the smallest of m p-values:
//
//	p̃_(i) = max_{j<=i} min(1, (m-j+1)·p_(j))
//
// Holm 1979.
func Holm(p []float64) ([]float64, error) {
	if err := checkProbabilities(p); err != nil {
		return nil, fmt.Errorf("Holm adjustment: %w", err)
	}
	adjusted := make([]float64, len(p))
	var largest float64
	for rank, i := range ascendingOrder(p) {
		largest = max(largest, min(1, p[i]*float64(len(p)-rank)))
		adjusted[i] = largest
	}
	return adjusted, nil
}

// BenjaminiYekutieli is BenjaminiHochberg under any dependence of the tests, at
// the price of a factor H_m = 1 + 1/2 + … + 1/m:
//
//	p̃_(i) = min_{j>=i} min(1, m·H_m·p_(j)/j)
//
// Benjamini and Yekutieli 2001.
func BenjaminiYekutieli(p []float64) ([]float64, error) {
	if err := checkProbabilities(p); err != nil {
		return nil, fmt.Errorf("Benjamini–Yekutieli adjustment: %w", err)
	}
	var harmonic float64
	for i := range p {
		harmonic += 1 / float64(i+1)
	}
	return stepUp(p, harmonic), nil
}

// stepUp runs Benjamini and Hochberg's procedure with every p-value inflated by
// the same factor.
func stepUp(p []float64, factor float64) []float64 {
	m := float64(len(p))
	adjusted := make([]float64, len(p))
	smallest := 1.0
	order := ascendingOrder(p)
	for rank := len(order); rank > 0; rank-- {
		i := order[rank-1]
		smallest = min(smallest, p[i]*factor*m/float64(rank))
		adjusted[i] = smallest
	}
	return adjusted
}

func checkProbabilities(p []float64) error {
	for i, v := range p {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("%w: p-value %d is %v: want one in [0, 1]", ErrInvalidValue, i, v)
		}
	}
	return nil
}

// ascendingOrder returns the rows of x in ascending order of value, ties in the
// order of the rows.
func ascendingOrder(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(x[i], x[k]) })
	return order
}
