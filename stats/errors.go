package stats

import (
	"errors"
	"fmt"
	"math"
)

// Errors that callers distinguish. An error that wraps ErrUndefined means that the data are correct, but do not determine the statistic. A
// bootstrap counts such a resample as degenerate and continues.
var (
	ErrUndefined = errors.New("statistic undefined")

	// ErrTooShort means that there are fewer rows, units or clusters than the statistic needs.
	ErrTooShort error = Reason("there are too few observations")
	// ErrConstant means that one variable of a correlation has only one value.
	ErrConstant error = Reason("one side has the same value everywhere")
	// ErrNoPairableUnits means that no unit was rated twice.
	ErrNoPairableUnits error = Reason("no unit has two ratings")
	// ErrNoVariation means that agreement by chance is certain, so that agreement beyond chance is undefined. It is not an agreement of 1.
	ErrNoVariation error = Reason("the ratings do not vary")
	// ErrDegenerate means that the statistic is undefined in more than 1 % of the resamples, so that the distribution over the other
	// resamples is not its distribution.
	ErrDegenerate error = Reason("in more than 1 % of the resamples the figure is undefined")
	// errNoValue means that the figure of the whole sample is undefined.
	errNoValue error = Reason("the figure is undefined")
	// ErrNone means that a share of no units was asked for.
	ErrNone error = Reason("there is no unit to count")

	// ErrInvalidValue means NaN, an infinity, or a value that the scale does not have.
	ErrInvalidValue = errors.New("invalid value")
	// ErrLength means that slices of equal length were expected.
	ErrLength = errors.New("lengths differ")
	// ErrOutOfDomain means that a rating is not among the declared categories.
	ErrOutOfDomain = errors.New("value outside the declared categories")
)

// A Reason is an error that says in words why correct data do not determine a figure. It wraps ErrUndefined.
type Reason string

func (r Reason) Error() string { return string(r) }

// Is reports whether target is ErrUndefined.
func (r Reason) Is(target error) bool { return target == ErrUndefined }

// A NotEnough is a Reason that says how many data there are and how many are needed. It also wraps ErrTooShort.
type NotEnough string

func (n NotEnough) Error() string { return string(n) }

// Is reports whether target is ErrTooShort or ErrUndefined.
func (n NotEnough) Is(target error) bool { return target == ErrTooShort || target == ErrUndefined }

// Wrap prefixes an error, if there is one, with the name of the statistic: defer Wrap("mean", &err).
func Wrap(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}

// CheckLengths returns ErrLength if the lengths differ.
func CheckLengths(x, y int) error {
	if x != y {
		return fmt.Errorf("%w: %d and %d", ErrLength, x, y)
	}
	return nil
}

// IsFinite reports whether v is neither NaN nor infinite.
func IsFinite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Defined returns the figure, or NaN if err is not nil.
func Defined(figure float64, err error) float64 {
	if err != nil {
		return math.NaN()
	}
	return figure
}
