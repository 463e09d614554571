package agreement

import (
	"fmt"
	"slices"

	"compqa/stats"
)

// A Level is a level of measurement. It comes from the schema of the data, not from the values: at the nominal level, half points 4 and 4.5
// disagree completely.
type Level string

const (
	// Nominal values are names. Two names are equal or not.
	Nominal Level = "nominal"
	// Ordinal values have an order. The distance of two values counts the ratings between them.
	Ordinal Level = "ordinal"
	// Interval values have differences that mean the same everywhere on the scale.
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

// An AlphaResult is Krippendorff's alpha, with what it is computed from.
type AlphaResult struct {
	Alpha     float64 // at most 1; 0 is chance agreement, below 0 systematic disagreement
	Agreement float64 // share of pairs of ratings of the same unit that are equal, in [0, 1]
	Units     int     // units with at least two ratings
	Ratings   int     // ratings of these units
}

// Alpha returns Krippendorff's alpha (Hayes and Krippendorff 2007; Krippendorff 2011). Units with fewer than two ratings are dropped first.
// With m_u ratings of unit u, n_c ratings equal to c, and n ratings in total,
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
// Ordinal alpha is interval alpha of mid-ranks, so one computation serves both. It uses sums, without the matrix of coincidences. For N
// units with m raters and V values, the time is O(N·m + V²) at ratio level and O(N·m + V log V) at the other levels. Memory is never
// V².
//
// If alpha is undefined, the error is ErrNoPairableUnits or ErrNoVariation, and the other fields of the result are set. Ratings that never
// vary always agree, but this is not evidence of reliability. A negative value at ratio level is ErrInvalidValue. Ordinal distances depend
// on the marginals, so the alphas of subsets do not average to the alpha of all units. If one rater is constant, or one value dominates,
// alpha can be near 0 or below despite high raw agreement, which AlphaResult.Agreement has. This is intended.
func Alpha(r *Ratings, level Level) (AlphaResult, error) {
	result, _, err := alphaAndSums(r, level)
	return result, err
}

// alphaAndSums returns Alpha's result and the sums from which alpha is computed for other weights.
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
// P is the mean over units of the share of pairs of ratings that are equal, P_e the sum of the squared shares of the categories. units has
// the ratings of each unit. All units have the same number of ratings, at least 2; it does not matter who gave them. Labels are compared
// exactly.
//
// If there is only one label, kappa is undefined (ErrNoVariation). No units, or fewer than two ratings of a unit, are ErrTooShort.
// Different numbers of ratings are ErrLength.
//
// It is computed from nominal alpha, whose D_o differs by the factor (N-1)/N for N ratings.
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
