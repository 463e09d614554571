package stats

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the p-quantile of a sorted sample by linear interpolation,
// type 7 of Hyndman and Fan (1996), the default of numpy and R:
//
//	h = p·(n-1),  q = x[⌊h⌋] + (h-⌊h⌋)·(x[⌊h⌋+1] - x[⌊h⌋])
//
// It needs at least one value and p in [0, 1]; the slice must be in ascending
// order and is not changed.
func Quantile(sorted []float64, p float64) (float64, error) {
	switch {
	case len(sorted) == 0:
		return 0, fmt.Errorf("quantile: %w", ErrTooShort)
	case !(p >= 0 && p <= 1):
		return 0, fmt.Errorf("quantile at %v: %w", p, ErrInvalidValue)
	case !slices.IsSorted(sorted):
		return 0, fmt.Errorf("quantile: %w: not in ascending order", ErrInvalidValue)
	}
	return QuantileSorted(sorted, p), nil
}

// QuantileSorted is Quantile without checks of its arguments.
func QuantileSorted(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	i := int(math.Floor(h))
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + float64((h-float64(i))*(sorted[i+1]-sorted[i]))
}
