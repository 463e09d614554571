package agreement

import (
	"fmt"
	"slices"

	"compqa/stats"
)

// Rater is one rater's row of a table of ratings, with one value per unit. If Missing is true, the rating is missing and
// the value is ignored. A nil Missing means that every unit was rated.
type Rater struct {
	Values  []float64
	Missing []bool
}

// Ratings is a table of raters × units. It is a type of its own, built rater by rater, from two raters, or from rows
// that name their unit and rater, so that it cannot be transposed by accident. It is immutable, holds no reference to
// the slices it was built from, and is safe for concurrent use.
//
// Values may be any finite numbers; two are equal only if they are the same
// number (0.1+0.2 is not 0.3: round scores where they enter), and -0 is 0.
type Ratings struct {
	raters, units int
	values        []float64 // distinct values, ascending
	codes         [][]int32 // rater, unit → index of values; unrated
	patterns      patternSet
	unitPattern   []int // unit → pattern; unpairable
}

// unrated is the code of a missing rating.
const unrated = -1

// NewRatings builds the table from its raters, which must all have the same number of
// units. A NaN or infinite value that is not missing is ErrInvalidValue.
func NewRatings(raters ...Rater) (r *Ratings, err error) {
	defer stats.Wrap("ratings", &err)
	r = &Ratings{raters: len(raters)}
	if len(raters) > 0 {
		r.units = len(raters[0].Values)
	}
	if err := checkRaters(raters, r.units); err != nil {
		return nil, err
	}
	r.codes, r.values = codeRows(raters)
	r.patterns, r.unitPattern = groupUnits(r.codes, r.units, len(r.values))
	return r, nil
}

// checkRaters requires values and marks for all units, and finite ratings.
func checkRaters(raters []Rater, units int) error {
	for i, r := range raters {
		if len(r.Values) != units || r.Missing != nil && len(r.Missing) != units {
			return fmt.Errorf("%w: rater %d has %d values and %d missing marks for %d units", stats.ErrLength, i, len(r.Values),
				len(r.Missing), units)
		}
		for u, v := range r.Values {
			if !stats.IsFinite(v) && r.rated(u) {
				return fmt.Errorf("%w: %v by rater %d for unit %d", stats.ErrInvalidValue, v, i, u)
			}
		}
	}
	return nil
}

// rated reports whether the rater has a value for a unit.
func (r Rater) rated(unit int) bool { return r.Missing == nil || !r.Missing[unit] }

// codeRows codes several rows of values over their common distinct values, ascending: statistics of order and of
// agreement work on codes. Equality is exact, and -0 is 0. Where a rating is missing the code is unrated.
func codeRows(raters []Rater) (codes [][]int32, distinct []float64) {
	distinct = distinctValues(raters)
	for _, r := range raters {
		row := make([]int32, len(r.Values))
		for u, v := range r.Values {
			row[u] = unrated
			if r.rated(u) {
				place, _ := placeOf(distinct, v)
				row[u] = int32(place)
			}
		}
		codes = append(codes, row)
	}
	return codes, distinct
}

// placeOf returns the place of a value among different ones, ascending, and whether it is one of them. A scale has few, of which to compare
// each takes less time than to halve them.
func placeOf(distinct []float64, v float64) (place int, known bool) {
	if len(distinct) <= 8 {
		place = slices.Index(distinct, v)
		if place >= 0 {
			return place, true
		}
	}
	return slices.BinarySearch(distinct, v)
}

// fewValues is the number of different values up to which each is put into its place as it is found.
const fewValues = 256

// distinctValues returns the different values of raters, ascending.
func distinctValues(raters []Rater) (distinct []float64) {
	rated := func(yield func(float64) bool) {
		for _, r := range raters {
			for u, v := range r.Values {
				if r.rated(u) && !yield(v+0) { // -0 is 0
					return
				}
			}
		}
	}
	for v := range rated {
		place, known := placeOf(distinct, v)
		if !known {
			distinct = slices.Insert(distinct, place, v)
		}
		if len(distinct) > fewValues {
			all := slices.Collect(rated)
			slices.Sort(all)
			return slices.Clone(slices.Compact(all)) // much shorter than all
		}
	}
	return distinct
}

// PairedRatings builds the table of two raters who rated every unit.
func PairedRatings(x, y []float64) (*Ratings, error) {
	return NewRatings(Rater{Values: x}, Rater{Values: y})
}

// CheckDomain returns ErrOutOfDomain if a value is not one of the declared ones. Values that were declared and never
// given change no statistic of this type; only kappa and AC1 depend on the whole scale.
func (r *Ratings) CheckDomain(domain []float64) error {
	for _, v := range r.values {
		if !slices.Contains(domain, v) {
			return fmt.Errorf("%w: %v is not among %v", stats.ErrOutOfDomain, v, domain)
		}
	}
	return nil
}
