package agreement

import "fmt"

// Level is the level of measurement. It comes from the schema of the data, not from the
// values: nominal alpha of half points treats 4 and 4.5 as a total disagreement.
type Level int

const (
	// Nominal values are names: two are equal or not.
	Nominal Level = iota
	// Ordinal values have an order; distance counts the ratings between them.
	Ordinal
	// Interval values have differences that mean the same along the scale.
	Interval
	// Ratio values also have a true zero, and are not negative.
	Ratio
)

var levelNames = [...]string{"nominal", "ordinal", "interval", "ratio"}

func (l Level) String() string {
	if l < 0 || int(l) >= len(levelNames) {
		return fmt.Sprintf("Level(%d)", int(l))
	}
	return levelNames[l]
}

// ParseLevel reads the name of a level: nominal, ordinal, interval or ratio.
func ParseLevel(name string) (Level, error) {
	for l, known := range levelNames {
		if name == known {
			return Level(l), nil
		}
	}
	return 0, fmt.Errorf("level %q: want nominal, ordinal, interval or ratio", name)
}

// AlphaResult is Krippendorff's alpha with what it was computed from.
type AlphaResult struct {
	Alpha     float64 // at most 1; 0 is chance, below 0 systematic disagreement
	Agreement float64 // share of pairs of ratings of one unit that are equal, in [0, 1]
	Units     int     // pairable units
	Ratings   int     // ratings of them
}

// AlphaError explains why alpha is undefined for these ratings, and has the raw agreement.
// Ratings that never vary always agree, but this is no evidence of reliability. It wraps
// ErrNoPairableUnits (Units is 0 then) or ErrNoVariation.
type AlphaError struct {
	Reason    error
	Agreement float64 // as in AlphaResult
	Units     int
	Ratings   int
}

func (e *AlphaError) Error() string {
	if e.Units == 0 {
		return fmt.Sprintf("alpha: %v", e.Reason)
	}
	return fmt.Sprintf("alpha: %v (%d units, raw agreement %.4g)", e.Reason, e.Units, e.Agreement)
}

func (e *AlphaError) Unwrap() error { return e.Reason }

// Alpha returns Krippendorff's alpha (Hayes and Krippendorff 2007; Krippendorff
// 2011). Units with fewer than two ratings are dropped before anything else.
// With m_u ratings of unit u, n_c ratings equal to c, and n in all,
//
//	D_o = 1/n Σ_u 1/(m_u-1) Σ_{i≠j in u} d²(c_i, c_j)
//	D_e = 1/(n(n-1)) Σ_{c,k} n_c n_k d²(c, k)
//	alpha = 1 - D_o/D_e
//
//	nominal   d² = [c ≠ k]
//	ordinal   d² = (mid_c - mid_k)²,  mid_c = Σ_{g<c} n_g + n_c/2
//	interval  d² = (c - k)²
//	ratio     d² = ((c - k)/(c + k))², and 0 for two zeros
//
// Ordinal alpha is interval alpha of mid-ranks: one computation serves both,
// from sums, without the matrix of coincidences. Time is O(N·m + V²) for N
// units and V values with ratio, O(N·m + V log V) with the others; memory is
// never V².
//
// The error is *AlphaError if alpha is undefined, and ErrInvalidValue for a negative
// value at ratio level. Ordinal distances depend on the marginals, so the alphas of
// subsets do not average to the alpha of all units. If one rater is constant, or one
// value dominates, alpha can be near 0 or below despite high raw agreement. This is
// intended; AlphaResult.Agreement has the raw agreement.
func Alpha(r *Ratings, level Level) (AlphaResult, error) {
	result, _, err := alphaAndSums(r, level)
	return result, err
}

// alphaAndSums also returns the sums, which give alpha for other weights.
func alphaAndSums(r *Ratings, level Level) (AlphaResult, *alphaSums, error) {
	sums, err := newAlphaSums(r, level)
	if err != nil {
		return AlphaResult{}, nil, err
	}
	agreement, units, ratings := r.patterns.agreement()
	alpha, err := sums.alpha(r.patterns.units)
	if err != nil {
		return AlphaResult{}, nil, &AlphaError{err, agreement, units, ratings}
	}
	return AlphaResult{alpha, agreement, units, ratings}, sums, nil
}
