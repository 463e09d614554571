package agreement

import (
	"fmt"
	"slices"

	"compqa/stats"
)

// Rater is one rater's row of a table of ratings, with one value per unit. If Missing is
// true, there is no rating and the value is ignored. A nil Missing means that every unit
// was rated.
type Rater struct {
	Values  []float64
	Missing []bool
}

// Ratings is a table of raters × units. It is a type of its own, built rater by
// rater, from two raters, or from rows that name their unit and rater, so that
// it cannot be transposed by accident. It is immutable, holds no reference to
// the slices it was built from, and is safe for concurrent use.
//
// Values may be any finite numbers; two are equal only if they are the same
// number (0.1+0.2 is not 0.3: round scores where they enter), and -0 is 0.
type Ratings struct {
	raters, units int
	values        []float64 // distinct values, ascending
	codes         [][]int32 // rater, unit → index of values; unrated
	patterns      patternSet
	unitPattern   []int32 // unit → pattern; unpairable
}

// unrated is the code of a missing rating.
const unrated = -1

// NewRatings builds the table from its raters, which must all have the same number of
// units. A NaN or infinite value that is not missing is ErrInvalidValue.
func NewRatings(raters ...Rater) (*Ratings, error) {
	r := &Ratings{raters: len(raters)}
	if len(raters) > 0 {
		r.units = len(raters[0].Values)
	}
	for i, rater := range raters {
		if len(rater.Values) != r.units || rater.Missing != nil && len(rater.Missing) != r.units {
			return nil, fmt.Errorf("ratings: %w: rater %d has %d values and %d missing marks for %d units",
				stats.ErrLength, i, len(rater.Values), len(rater.Missing), r.units)
		}
	}
	rows, missing := make([][]float64, len(raters)), make([][]bool, len(raters))
	for i, rater := range raters {
		rows[i], missing[i] = rater.Values, rater.Missing
	}
	r.codes, r.values = codeRows(rows, missing)
	if err := requireFinite(r.values, rows, missing); err != nil {
		return nil, fmt.Errorf("ratings: %w", err)
	}
	r.patterns, r.unitPattern = groupUnits(r.codes, r.units, len(r.values))
	return r, nil
}

// requireFinite checks the first and the last of the distinct values, because codeRows
// sorts NaN and infinities there. It searches for the place only if it finds one.
func requireFinite(distinct []float64, rows [][]float64, missing [][]bool) error {
	if len(distinct) == 0 || stats.IsFinite(distinct[0]) && stats.IsFinite(distinct[len(distinct)-1]) {
		return nil
	}
	for r, row := range rows {
		for u, v := range row {
			if !stats.IsFinite(v) && !isMissing(missing, r, u) {
				return fmt.Errorf("%w: %v by rater %d for unit %d", stats.ErrInvalidValue, v, r, u)
			}
		}
	}
	return nil
}

// PairedRatings builds the table of two raters who rated every unit.
func PairedRatings(x, y []float64) (*Ratings, error) {
	return NewRatings(Rater{Values: x}, Rater{Values: y})
}

// LongRatings builds the table from one row per rating, in any order: the unit,
// the rater, the value. A unit or rater is known by its name alone; what has no
// row is missing. It returns the names of the units in the order of the table,
// that of first appearance. Two ratings of a unit by one rater are ErrRepeated:
// repeats must be averaged or given to raters of their own before.
func LongRatings[Name comparable](unit, rater []Name, value []float64) (*Ratings, []Name, error) {
	if len(unit) != len(value) || len(rater) != len(value) {
		return nil, nil, fmt.Errorf("ratings: %w: %d units, %d raters, %d values", stats.ErrLength, len(unit), len(rater), len(value))
	}
	unitOf, unitNames := stats.NumberLabels(unit)
	raterOf, raterNames := stats.NumberLabels(rater)
	raters := make([]Rater, len(raterNames))
	for i := range raters {
		raters[i] = Rater{Values: make([]float64, len(unitNames)), Missing: make([]bool, len(unitNames))}
		for u := range raters[i].Missing {
			raters[i].Missing[u] = true
		}
	}
	for row, v := range value {
		to, u := raters[raterOf[row]], unitOf[row]
		if !to.Missing[u] {
			return nil, nil, fmt.Errorf("ratings: %w: row %d is a second rating of unit %v by rater %v", stats.ErrRepeated, row, unit[row],
				rater[row])
		}
		to.Values[u], to.Missing[u] = v, false
	}
	r, err := NewRatings(raters...)
	return r, unitNames, err
}

// Values returns the distinct values in ascending order.
func (r *Ratings) Values() []float64 { return append([]float64(nil), r.values...) }

// CheckDomain returns ErrOutOfDomain if a value is not one of the declared
// ones. Values that were declared and never given change no statistic of this
// type; only kappa and AC1 depend on the whole scale.
func (r *Ratings) CheckDomain(domain []float64) error {
	for _, v := range r.values {
		if !slices.Contains(domain, v) {
			return fmt.Errorf("%w: %v is not among %v", stats.ErrOutOfDomain, v, domain)
		}
	}
	return nil
}
