package agreement

import (
	"fmt"

	"compqa/stats"
)

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
