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
func FleissKappa(units [][]float64) (float64, error) {
	if len(units) == 0 || len(units[0]) < 2 {
		return 0, fmt.Errorf("fleiss' kappa: %w", stats.ErrTooShort)
	}
	n := float64(len(units[0]))
	all, alike := map[float64]float64{}, 0.0
	for i, unit := range units {
		if err := stats.CheckLengths(len(unit), len(units[0])); err != nil {
			return 0, fmt.Errorf("fleiss' kappa: unit %d: %w", i, err)
		}
		if err := stats.CheckFinite(unit); err != nil {
			return 0, fmt.Errorf("fleiss' kappa: unit %d: %w", i, err)
		}
		own := map[float64]float64{}
		for _, v := range unit {
			own[v]++
			all[v]++
		}
		for _, k := range own {
			alike += k * (k - 1)
		}
	}
	total := n * float64(len(units))
	observed, expected := alike/(total*(n-1)), 0.0
	for _, k := range all {
		expected += k * k
	}
	if expected == total*total {
		return 0, fmt.Errorf("fleiss' kappa of %d units: %w", len(units), stats.ErrNoVariation)
	}
	expected /= total * total
	return (observed - expected) / (1 - expected), nil
}
