package stats

import (
	"fmt"
	"math"
)

// Jackknife returns a statistic with Student's interval from its values without each of G units or
// clusters (Tukey 1958):
//
//	SE² = (G-1)/G Σ_c (θ_(c) - mean)²,  df = G-1
//
// It is deterministic and symmetric. Fewer than two values are ErrOneCluster; values that do not
// vary are ErrZeroWidth, with the value filled in.
func Jackknife(value float64, leftOut []float64, level float64) (Estimate, error) {
	est := Estimate{Value: value, Level: level, Clusters: len(leftOut)}
	if len(leftOut) < 2 {
		return est, fmt.Errorf("jackknife: %w", ErrOneCluster)
	}
	n := float64(len(leftOut))
	e := Deviations(leftOut)
	est.DF = n - 1
	est.SE = math.Sqrt((n - 1) / n * Dot(e, e))
	if est.SE < 1e-13 {
		est.SE = 0
		return est, fmt.Errorf("jackknife: %w", ErrZeroWidth)
	}
	return est, est.SetBounds()
}
