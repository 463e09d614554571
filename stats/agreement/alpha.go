package agreement

import (
	"fmt"
	"slices"

	"compqa/stats"
)

// Level is the level of measurement. It comes from the schema of the data, not from the
// values: nominal alpha of half points treats 4 and 4.5 as a total disagreement.
type Level string

const (
	// Nominal values are names: two are equal or not.
	Nominal Level = "nominal"
	// Ordinal values have an order; distance counts the ratings between them.
	Ordinal Level = "ordinal"
	// Interval values have differences that mean the same along the scale.
	Interval Level = "interval"
	// Ratio values also have a true zero, and are not negative.
	Ratio Level = "ratio"
)

// ParseLevel reads the name of a level: nominal, ordinal, interval or ratio.
func ParseLevel(name string) (Level, error) {
	if !slices.Contains([]Level{Nominal, Ordinal, Interval, Ratio}, Level(name)) {
		return "", fmt.Errorf("level %q: want nominal, ordinal, interval or ratio", name)
	}
	return Level(name), nil
}

// AlphaResult is Krippendorff's alpha with what it was computed from.
type AlphaResult struct {
	Alpha     float64 // at most 1; 0 is chance, below 0 systematic disagreement
	Agreement float64 // share of pairs of ratings of one unit that are equal, in [0, 1]
	Units     int     // pairable units
	Ratings   int     // ratings of them
}

// Alpha returns Krippendorff's alpha (Hayes and Krippendorff 2007; Krippendorff 2011). Units with fewer than two
// ratings are dropped before anything else. With m_u ratings of unit u, n_c ratings equal to c, and n in all,
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
// Ordinal alpha is interval alpha of mid-ranks: one computation serves both, from sums, without the matrix of
// coincidences. Time is O(N·m + V²) for N units and V values with ratio, O(N·m + V log V) with the others; memory is
// never V².
//
// If alpha is undefined, the error is ErrNoPairableUnits or ErrNoVariation, and the result has all but alpha: ratings
// that never vary always agree, but this is not evidence of reliability. ErrInvalidValue is a negative value at ratio
// level. Ordinal distances depend on the marginals, so the alphas of subsets do not average to the alpha of all units.
// If one rater is constant, or one value dominates, alpha can be near 0 or below despite high raw agreement. This is
// intended; AlphaResult.Agreement has the raw agreement.
func Alpha(r *Ratings, level Level) (AlphaResult, error) {
	result, _, err := alphaAndSums(r, level)
	return result, err
}

// alphaAndSums also returns the sums, which give alpha for other weights.
func alphaAndSums(r *Ratings, level Level) (result AlphaResult, sums *alphaSums, err error) {
	defer stats.Wrap("alpha", &err)
	sums, err = newAlphaSums(r, level)
	if err != nil {
		return AlphaResult{}, nil, err
	}
	result.Agreement, result.Units, result.Ratings = r.patterns.agreement()
	result.Alpha, err = sums.alpha(r.patterns.units)
	if err != nil && result.Units > 0 {
		err = fmt.Errorf("%w (%d units, raw agreement %.4g)", err, result.Units, result.Agreement)
	}
	return result, sums, err
}

// FleissKappa returns the agreement of several raters beyond chance (Fleiss 1971), at most 1,
//
//	kappa = (P - P_e)/(1 - P_e)
//
// with P the mean over units of the share of pairs of ratings that are equal, and P_e the sum of
// the squared shares of the categories. Units holds the ratings of each unit, all of the same
// number, 2 or more; who gave which does not matter. Labels are compared exactly.
//
// If there is one label only, kappa is undefined (ErrNoVariation); no units, or fewer than two
// ratings of one, are ErrTooShort; numbers of ratings that differ are ErrLength.
//
// Nominal alpha differs from it by the factor (N-1)/N of D_o for N ratings, and gives it here.
func FleissKappa(units [][]float64) (kappa float64, err error) {
	defer stats.Wrap("fleiss' kappa", &err)
	if len(units) == 0 || len(units[0]) < 2 {
		return 0, stats.ErrTooShort
	}
	raters := make([]Rater, len(units[0]))
	for i, unit := range units {
		if err := stats.CheckLengths(len(unit), len(raters)); err != nil {
			return 0, fmt.Errorf("unit %d: %w", i, err)
		}
		for r, v := range unit {
			raters[r].Values = append(raters[r].Values, v)
		}
	}
	ratings, err := NewRatings(raters...)
	if err != nil {
		return 0, err
	}
	result, err := Alpha(ratings, Nominal)
	if err != nil {
		return 0, err
	}
	n := float64(result.Ratings)
	return 1 - (1-result.Alpha)*n/(n-1), nil
}
