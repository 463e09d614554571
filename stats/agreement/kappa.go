package agreement

import (
	"fmt"

	"compqa/stats"
)

// CohenKappa returns the agreement of two raters beyond chance (Cohen 1960), at most 1,
//
//	kappa = 1 - D_o/D_e
//
// with D_o the share of pairs that differ, and D_e that of two independent raters with these
// marginals. Each rater has marginals of their own, unlike in alpha. Labels are compared
// exactly, and have no order.
//
// If both raters use one and the same label only, kappa is undefined (ErrNoVariation); no
// pairs are ErrTooShort, NaN is ErrInvalidValue.
func CohenKappa(x, y []float64) (float64, error) {
	if err := stats.CheckLengths(len(x), len(y)); err != nil {
		return 0, fmt.Errorf("kappa: %w", err)
	}
	if len(x) == 0 {
		return 0, fmt.Errorf("kappa: %w", stats.ErrTooShort)
	}
	same, total := 0.0, float64(len(x))
	nx, ny := map[float64]float64{}, map[float64]float64{}
	for i := range x {
		if x[i] != x[i] || y[i] != y[i] {
			return 0, fmt.Errorf("kappa: %w: pair %d is %v, %v", stats.ErrInvalidValue, i, x[i], y[i])
		}
		if x[i] == y[i] {
			same++
		}
		nx[x[i]]++
		ny[y[i]]++
	}
	byChance := 0.0 // a sum of whole numbers, the same in any order
	for label, n := range nx {
		byChance += float64(n * ny[label])
	}
	if byChance == total*total {
		return 0, fmt.Errorf("kappa of %d pairs: %w", len(x), stats.ErrNoVariation)
	}
	return 1 - (total-same)/total/((total*total-byChance)/(total*total)), nil
}
