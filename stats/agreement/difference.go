package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// Differences are how far y is from x, in the unit of the scores: the mean of y-x, which is the bias of
// y against x, the mean of |y-x|, and the share of pairs that are equal, in [0, 1], compared exactly and
// not corrected for chance. A correlation does not show a bias, so report both. At least one pair; NaN
// and infinities are ErrInvalidValue.
func Differences(x, y []float64) (mean, absolute, equal float64, err error) {
	if err := errors.Join(stats.CheckLengths(len(x), len(y)), stats.CheckFinite(x), stats.CheckFinite(y)); err != nil {
		return 0, 0, 0, fmt.Errorf("differences: %w", err)
	}
	if len(x) == 0 {
		return 0, 0, 0, fmt.Errorf("differences: %w: no pairs", stats.ErrTooShort)
	}
	n := float64(len(x))
	for i := range x {
		mean += y[i] - x[i]
		absolute += math.Abs(y[i] - x[i])
		if x[i] == y[i] {
			equal++
		}
	}
	if !stats.IsFinite(absolute) {
		return 0, 0, 0, fmt.Errorf("differences: %w: the sum overflows", stats.ErrInvalidValue)
	}
	return mean / n, absolute / n, equal / n, nil
}
