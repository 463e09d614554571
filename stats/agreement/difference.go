package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// MeanDifference returns the mean of y-x, the bias of y against x, in units of the scores. Report it with a correlation, which does not
// show bias. No pairs are ErrTooShort; NaN, infinities and a sum that overflows are ErrInvalidValue.
func MeanDifference(x, y []float64) (float64, error) {
	return meanOfPairs("mean difference", x, y, func(x, y float64) float64 { return y - x })
}

// MAE returns the mean absolute difference of x and y, in units of the scores. Errors are as for MeanDifference.
func MAE(x, y []float64) (float64, error) {
	return meanOfPairs("mean absolute difference", x, y, func(x, y float64) float64 { return math.Abs(y - x) })
}

// meanOfPairs returns the mean of f over the pairs.
func meanOfPairs(name string, x, y []float64, f func(x, y float64) float64) (mean float64, err error) {
	defer stats.Wrap(name, &err)
	if err := checkPairs(x, y, 1, stats.CheckFinite); err != nil {
		return 0, err
	}
	for i := range x {
		mean += f(x[i], y[i])
	}
	mean /= float64(len(x))
	if !stats.IsFinite(mean) {
		return 0, fmt.Errorf("%w: the sum overflows", stats.ErrInvalidValue)
	}
	return mean, nil
}
