package agreement

import (
	"fmt"
	"slices"

	"compqa/stats"
)

// A Rater is one rater's row of a table of ratings, with one value for each unit. If Missing is true for a unit, its value is ignored. A
// nil Missing means that every unit was rated.
type Rater struct {
	Values  []float64
	Missing []bool
}

// Ratings is a table of raters and units. It is built rater by rater, so that it cannot be transposed by accident. It is immutable, keeps
// no reference to the slices it was built from, and is safe for concurrent use.
//
// Values can be any finite numbers. Two values are equal only if they are the same number (0.1+0.2 is not 0.3, so round scores on input);
// -0 is 0.
type Ratings struct {
	raters, units int
	values        []float64 // distinct values, ascending
	codes         [][]int32 // by rater and unit: index in values, or Unrated
	patterns      patternSet
	unitPattern   []int32 // by unit: index of its pattern, or unpairable
}

// Unrated is the code of a missing rating.
const Unrated = -1

// NewRatings builds the table from its raters, who must all have the same number of units (ErrLength). A NaN or infinite value that is not
// missing is ErrInvalidValue.
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

// CodedRatings builds the table from its values and codes, which it keeps. values are finite, different and in ascending order. codes has
// for each rater and unit the index of the value, or Unrated.
func CodedRatings(values []float64, codes [][]int32) *Ratings {
	r := &Ratings{raters: len(codes), values: values, codes: codes}
	if len(codes) > 0 {
		r.units = len(codes[0])
	}
	r.patterns, r.unitPattern = groupUnits(codes, r.units, len(values))
	return r
}

// Units returns the number of units, rated or not.
func (r *Ratings) Units() int { return r.units }

// Raters returns the number of raters.
func (r *Ratings) Raters() int { return r.raters }

// Pairable reports whether a unit has two ratings or more.
func (r *Ratings) Pairable(unit int) bool { return r.unitPattern[unit] != unpairable }

// Given returns the ratings of a unit, in the order of raters.
func (r *Ratings) Given(unit int) []float64 {
	given := make([]float64, 0, r.raters)
	for _, codes := range r.codes {
		if c := codes[unit]; c != Unrated {
			given = append(given, r.values[c])
		}
	}
	return given
}

// Pair returns the ratings of two raters on the units that both rated.
func (r *Ratings) Pair(first, second int) (x, y []float64) {
	theirs := r.codes[second]
	n := 0
	for u, c := range r.codes[first] {
		if c != Unrated && theirs[u] != Unrated {
			n++
		}
	}
	x = make([]float64, 0, n)
	y = make([]float64, 0, n)
	for u, c := range r.codes[first] {
		if c != Unrated && theirs[u] != Unrated {
			x = append(x, r.values[c])
			y = append(y, r.values[theirs[u]])
		}
	}
	return x, y
}

// PairableValues returns the different ratings of the units with two ratings or more, in ascending order.
func (r *Ratings) PairableValues() (values []float64) {
	occurs := make([]bool, len(r.values))
	for _, e := range r.patterns.entries {
		occurs[e.code] = true
	}
	for code, v := range r.values {
		if occurs[code] {
			values = append(values, v)
		}
	}
	return values
}

// checkRaters returns an error if a rater does not have values and marks for all units, or has a rating that is not finite.
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

// codeRows replaces the values of each rater by codes: their indices in distinct, the different values of all raters in ascending order.
// Equality is exact, and -0 is 0. The code of a missing rating is Unrated.
func codeRows(raters []Rater) (codes [][]int32, distinct []float64) {
	distinct = distinctValues(raters)
	var places [fewValues]int32 // of small whole numbers
	for place, v := range distinct {
		if small(v) {
			places[int(v)] = int32(place)
		}
	}
	for _, r := range raters {
		row := make([]int32, len(r.Values))
		for u, v := range r.Values {
			switch {
			case !r.rated(u):
				row[u] = Unrated
			case small(v):
				row[u] = places[int(v)]
			default:
				place, _ := slices.BinarySearch(distinct, v)
				row[u] = int32(place)
			}
		}
		codes = append(codes, row)
	}
	return codes, distinct
}

// small reports whether a value is a whole number below fewValues, as the points of most scales are.
func small(v float64) bool { return v >= 0 && v < fewValues && v == float64(int(v)) }

// fewValues is the number of different values up to which values are inserted one by one; more are collected and sorted.
const fewValues = 256

// distinctValues returns the different values of all raters, in ascending order.
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
	var known [fewValues]bool // small whole numbers that are in distinct
	for v := range rated {
		if small(v) {
			if known[int(v)] {
				continue
			}
			known[int(v)] = true
		}
		place, found := slices.BinarySearch(distinct, v)
		if !found {
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

// PairedRatings builds the table of two raters who both rated every unit.
func PairedRatings(x, y []float64) (*Ratings, error) {
	return NewRatings(Rater{Values: x}, Rater{Values: y})
}

// CheckDomain returns ErrOutOfDomain if a value is not among the declared values. Declared values that nobody gave do not change any
// statistic of Ratings, only kappa and AC1.
func (r *Ratings) CheckDomain(domain []float64) error {
	for _, v := range r.values {
		if !slices.Contains(domain, v) {
			return fmt.Errorf("%w: %v is not among %v", stats.ErrOutOfDomain, v, domain)
		}
	}
	return nil
}
