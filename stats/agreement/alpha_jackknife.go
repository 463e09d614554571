package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// Jackknife is the method of AlphaJackknife's estimate.
const Jackknife stats.Method = "jackknife"

// AlphaJackknife returns alpha with Student's interval around it, from leaving
// out one unit, or one cluster of units, at a time:
//
//	SE² = (N-1)/N Σ_u (alpha_(u) - mean)²,  df = N-1
//
// with N pairable units (or clusters of them). It needs no random numbers, is
// symmetric, and may reach above 1; for 20 units or more its coverage is 93 to
// 96 %. Hughes (2022, arXiv:2210.13265) prefers it for small samples.
//
// If alpha is undefined without one of the units there is no jackknife: the
// error wraps ErrNoVariation or ErrNoPairableUnits. Fewer than two units or
// clusters are ErrOneCluster, no variance is ErrZeroWidth.
func AlphaJackknife(r *Ratings, level Level, clusters []int, confidence float64) (stats.Estimate, error) {
	result, err := Alpha(r, level)
	if err != nil {
		return stats.Estimate{}, err
	}
	est := stats.Estimate{Value: result.Alpha, Level: confidence, N: result.Units, Method: Jackknife}
	leftOut, err := AlphaLeaveOneOut(r, level, clusters)
	if err != nil {
		return est, err
	}
	n := float64(len(leftOut))
	e := stats.Deviations(leftOut)
	est.Clusters, est.DF = len(leftOut), n-1
	est.SE = math.Sqrt((n - 1) / n * stats.Dot(e, e))
	if est.SE < 1e-13 {
		est.SE = 0
		return est, fmt.Errorf("jackknife of alpha: %w", stats.ErrZeroWidth)
	}
	return est, est.SetBounds()
}

// AlphaLeaveOneOut returns the alphas without each pairable unit, or each
// cluster of units with any, in turn: the jackknife values that BCaInterval
// takes. Time is N times that of one resample of AlphaBootstrap.
func AlphaLeaveOneOut(r *Ratings, level Level, clusters []int) ([]float64, error) {
	g, err := newAlphaGroups(r, level, clusters)
	if err != nil {
		return nil, err
	}
	if g.count() < 2 {
		return nil, fmt.Errorf("jackknife of alpha: %w", stats.ErrOneCluster)
	}
	weights := append([]int32(nil), r.patterns.units...)
	leftOut := make([]float64, g.count())
	for c := range leftOut {
		for _, e := range g.of(c) {
			weights[e.kind] -= e.rows
		}
		if leftOut[c], err = g.sums.alpha(weights); err != nil {
			return nil, fmt.Errorf("jackknife of alpha without cluster %d: %w", c, err)
		}
		for _, e := range g.of(c) {
			weights[e.kind] += e.rows
		}
	}
	return leftOut, nil
}
