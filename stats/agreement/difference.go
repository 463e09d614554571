package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// MeanDifference returns the mean of y-x, the bias of y against x, in the unit of the
// scores. A correlation does not show it, so report both. At least one pair; NaN and
// infinities are ErrInvalidValue.
func MeanDifference(x, y []float64) (float64, error) {
	return meanOfPairs("mean difference", x, y, func(x, y float64) float64 { return y - x })
}

// MAE returns the mean absolute difference of x and y, in the unit of the
// scores. At least one pair; NaN and infinities are ErrInvalidValue.
func MAE(x, y []float64) (float64, error) {
	return meanOfPairs("mean absolute difference", x, y, func(x, y float64) float64 { return math.Abs(y - x) })
}

// ExactAgreement returns the share of pairs with x equal to y, in [0, 1],
// compared exactly. It is not corrected for chance. At least one pair; NaN and
// infinities are ErrInvalidValue.
func ExactAgreement(x, y []float64) (float64, error) {
	return meanOfPairs("exact agreement", x, y, func(x, y float64) float64 {
		if x == y {
			return 1
		}
		return 0
	})
}

// meanOfPairs averages f over the pairs.
func meanOfPairs(name string, x, y []float64, f func(x, y float64) float64) (float64, error) {
	if err := stats.CheckLengths(len(x), len(y)); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	if len(x) == 0 {
		return 0, fmt.Errorf("%s: %w: no pairs", name, stats.ErrTooShort)
	}
	sum := 0.0
	for i := range x {
		if !stats.IsFinite(x[i]) || !stats.IsFinite(y[i]) {
			return 0, fmt.Errorf("%s: %w at pair %d: %v, %v", name, stats.ErrInvalidValue, i, x[i], y[i])
		}
		sum += f(x[i], y[i])
	}
	if mean := sum / float64(len(x)); stats.IsFinite(mean) {
		return mean, nil
	}
	return 0, fmt.Errorf("%s: %w: the sum overflows", name, stats.ErrInvalidValue)
}
