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
	ErrTooShort error = Reason("there are too few observations")
	// ErrConstant: a correlation with a variable that takes one value only.
	ErrConstant error = Reason("one side has the same value everywhere")
	// ErrNoPairableUnits: no unit was rated twice.
	ErrNoPairableUnits error = Reason("no unit has two ratings")
	// ErrNoVariation: agreement by chance is certain, so that agreement beyond chance is
	// undefined. It is not an agreement of 1.
	ErrNoVariation error = Reason("the ratings do not vary")
	// ErrDegenerate: more than 1 % of the resamples left the statistic undefined,
	// so that its distribution over the rest is not its distribution.
	ErrDegenerate error = Reason("in more than 1 % of the resamples the figure is undefined")
	// errNoValue: the figure of the whole sample is undefined.
	errNoValue error = Reason("the figure is undefined")
	// ErrNone: a share of units of which there is none.
	ErrNone error = Reason("there is no unit to count")

	// ErrInvalidValue: NaN, an infinity, or a value the scale cannot have.
	ErrInvalidValue = errors.New("invalid value")
	// ErrLength: slices that must run in parallel do not.
	ErrLength = errors.New("lengths differ")
	// ErrOutOfDomain: a rating that is not among the declared categories.
	ErrOutOfDomain = errors.New("value outside the declared categories")
)

// A Reason says in words why correct data do not determine a figure. It is an error that wraps ErrUndefined.
type Reason string

func (r Reason) Error() string { return string(r) }

// Is reports whether target is ErrUndefined.
func (r Reason) Is(target error) bool { return target == ErrUndefined }

// NotEnough is a Reason that says how many data there are and how many are needed. It wraps ErrTooShort, too.
type NotEnough string

func (n NotEnough) Error() string { return string(n) }

// Is reports whether target is ErrTooShort or ErrUndefined.
func (n NotEnough) Is(target error) bool { return target == ErrTooShort || target == ErrUndefined }

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

// Defined returns a figure, NaN where an error says that it is undefined.
func Defined(figure float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return figure
}
