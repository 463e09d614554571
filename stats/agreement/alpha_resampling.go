package agreement

import (
	"fmt"

	"compqa/stats"
)

// Krippendorff's customary thresholds: data are reliable from the first, and allow
// tentative conclusions from the second. Report Distribution.Below of both.
const (
	AlphaReliable  = 0.8
	AlphaTentative = 0.667
)

// AlphaBootstrap returns the distribution of alpha over resamples of whole units, or of whole clusters of units (a
// question with all its answers), with the percentile interval. Marginals, expected disagreement and ordinal distances
// are those of each resample. clusters labels every unit of the table, pairable or not; nil makes each unit its own.
//
// Units with fewer than two ratings are dropped first, as for alpha, so they do not change the interval. Resamples
// without variation are degenerate: they are counted, and above 1 % there is no interval (ErrDegenerate). Perfect
// agreement in all resamples is ErrZeroWidth. If alpha itself is undefined, the error is that of Alpha.
//
// For 20 to 367 units of two raters its coverage is within simulation error of 95 %, and no worse than BCa's. Time for
// one resample: the draws, plus the distinct patterns of ratings, plus V (V² with ratio).
func AlphaBootstrap(r *Ratings, level Level, clusters []int, o stats.Resampling) (stats.Distribution, error) {
	g, sums, err := byCluster(r, level, clusters)
	if err != nil {
		return stats.Distribution{}, err
	}
	weights := make([]int32, len(r.patterns.size))
	if all, few := g.counts(len(weights)); few {
		return o.RunCounts(all, sums.alpha)
	}
	return o.Run(g.count(), func(drawn []int) (float64, error) {
		g.accumulate(weights, drawn)
		return sums.alpha(weights)
	})
}

// byCluster are the pairable units by cluster, as patterns with counts. It returns an error if alpha itself is undefined.
func byCluster(r *Ratings, level Level, clusters []int) (groupedCounts, *alphaSums, error) {
	_, sums, err := alphaAndSums(r, level)
	if err != nil {
		return groupedCounts{}, nil, err
	}
	if clusters != nil && len(clusters) != r.units {
		return groupedCounts{}, nil, fmt.Errorf("alpha: %w: %d cluster labels for %d units", stats.ErrLength, len(clusters), r.units)
	}
	var patterns, labels []int
	for u, p := range r.unitPattern {
		if p == unpairable {
			continue
		}
		patterns = append(patterns, p)
		if clusters != nil {
			labels = append(labels, clusters[u])
		}
	}
	grouped, err := stats.NewGrouping(labels, len(patterns))
	return countKinds(patterns, len(r.patterns.size), grouped), sums, err
}

// AlphaJackknife returns alpha with the interval of stats.Jackknife. It leaves out one pairable unit, or one cluster of
// units, at a time. It may exceed 1; with 20 units or more its coverage is 93 to 96 %. Hughes (2022, arXiv:2210.13265)
// prefers it for small samples. Its time is that of N resamples of AlphaBootstrap.
//
// The error wraps ErrNoVariation or ErrNoPairableUnits if alpha is undefined without one of the units, ErrOneCluster
// for fewer than two units or clusters, and ErrZeroWidth if the values do not vary.
func AlphaJackknife(r *Ratings, level Level, clusters []int, confidence float64) (est stats.Estimate, err error) {
	result, err := Alpha(r, level)
	if err != nil {
		return stats.Estimate{}, err
	}
	defer stats.Wrap("jackknife of alpha", &err)
	leftOut, err := leaveOneOut(r, level, clusters)
	if err != nil {
		return stats.Estimate{Value: result.Alpha, Level: confidence, N: result.Units}, err
	}
	est, err = stats.Jackknife(result.Alpha, leftOut, confidence)
	est.N = result.Units
	return est, err
}

// leaveOneOut returns alpha without each pairable unit, or each cluster, in turn.
func leaveOneOut(r *Ratings, level Level, clusters []int) ([]float64, error) {
	g, sums, err := byCluster(r, level, clusters)
	if err != nil {
		return nil, err
	}
	if g.count() < 2 {
		return nil, stats.ErrOneCluster
	}
	weights := append([]int32(nil), r.patterns.units...)
	leftOut, known := make([]float64, g.count()), map[entry]float64{} // without each cluster; without such a unit
	for c := range leftOut {
		entries := g.entries(c)
		if value, ok := known[entries[0]]; ok && len(entries) == 1 {
			leftOut[c] = value
			continue
		}
		for _, e := range entries {
			weights[e.code] -= e.count
		}
		leftOut[c], err = sums.alpha(weights)
		if err != nil {
			return nil, fmt.Errorf("without cluster %d: %w", c, err)
		}
		for _, e := range entries {
			weights[e.code] += e.count
		}
		if len(entries) == 1 {
			known[entries[0]] = leftOut[c]
		}
	}
	return leftOut, nil
}
