package stats

import (
	"errors"
	"fmt"
	"math"
)

// Errors that callers distinguish. An error that wraps ErrUndefined says that the data are correct but do not determine
// the statistic; a bootstrap counts such a resample as degenerate and continues.
var (
	ErrUndefined = errors.New("statistic undefined")

	// ErrTooShort: fewer rows, units or clusters than the statistic needs.
	ErrTooShort = fmt.Errorf("%w: too few observations", ErrUndefined)
	// ErrConstant: a correlation with a variable that takes one value only.
	ErrConstant = fmt.Errorf("%w: constant input", ErrUndefined)
	// ErrNoPairableUnits: no unit was rated twice.
	ErrNoPairableUnits = fmt.Errorf("%w: no unit has two ratings", ErrUndefined)
	// ErrNoVariation: agreement by chance is certain, so that agreement beyond chance is
	// undefined. It is not an agreement of 1.
	ErrNoVariation = fmt.Errorf("%w: ratings do not vary", ErrUndefined)
	// ErrDegenerate: more than 1 % of the resamples left the statistic undefined,
	// so that its distribution over the rest is not its distribution.
	ErrDegenerate = fmt.Errorf("%w: too many degenerate resamples", ErrUndefined)

	// ErrInvalidValue: NaN, an infinity, or a value the scale cannot have.
	ErrInvalidValue = errors.New("invalid value")
	// ErrLength: slices that must run in parallel do not.
	ErrLength = errors.New("lengths differ")
	// ErrOutOfDomain: a rating that is not among the declared categories.
	ErrOutOfDomain = errors.New("value outside the declared categories")
)

// Wrap names the statistic in an error, if there is one: defer Wrap("mean", &err).
func Wrap(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// CheckLengths returns ErrLength unless the lengths are equal.
func CheckLengths(x, y int) error {
	if x != y {
		return fmt.Errorf("%w: %d and %d", ErrLength, x, y)
	}
	return nil
}

// IsFinite reports whether v is a number and not infinite.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Defined is a figure, NaN where an error says that it is undefined.
func Defined(figure float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return figure
}
