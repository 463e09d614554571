package agreement

import (
	"math"

	"compqa/stats"
)

// The figures that Resample returns, as indices.
const (
	OfAlpha = iota // Krippendorff's alpha, interval level
	OfSpearman
	OfPearson
)

// Resample computes alpha, rho and r of x and y, and the same for resamples of whole clusters. Without resampling they equal Alpha,
// Spearman and Pearson. The time of a resample depends on the number of different pairs of values in the drawn clusters, not on the number
// of rows.
//
// To compare two judges on the same rows, subtract their results with Minus: the agreement of one with the reference minus that of the
// other, in the same resamples.
//
// NaN and infinities are ErrInvalidValue, no rows ErrTooShort.
func Resample(x, y []float64, clusters []int, o stats.Resampling) (r *stats.Replicates, err error) {
	defer stats.Wrap("agreement", &err)
	c, err := NewConfusion(x, y, nil, clusters, 0.95)
	if err != nil {
		return nil, err
	}
	figures, err := c.correlations()
	if err != nil {
		return nil, err
	}
	return c.units.Bootstrap(o, figures), nil
}

// correlations returns alpha, rho and r as a Statistic of the weights of the pairs of values.
func (c *Confusion) correlations() (stats.Statistic, error) {
	paired := &Ratings{values: c.Categories}
	for _, p := range c.pairs {
		paired.patterns.add(appendUnitEntries(nil, [][]int32{p[:1], p[1:]}, 0))
	}
	sums, err := newAlphaSums(paired, Interval)
	nx := make([]float64, len(c.Categories))
	ny := make([]float64, len(c.Categories)) // weight of each value of x and y
	dx := make([]float64, len(c.Categories))
	dy := make([]float64, len(c.Categories))
	figures := make([]float64, 3)
	return func(weights []float64) []float64 {
		clear(nx)
		clear(ny)
		for k, w := range weights {
			nx[c.pairs[k][0]] += w
			ny[c.pairs[k][1]] += w
		}
		productMoment := func() float64 {
			sxy := 0.0
			for k, w := range weights {
				sxy += float64(w * dx[c.pairs[k][0]] * dy[c.pairs[k][1]])
			}
			return bounded(sxy / math.Sqrt(sumOfSquares(nx, dx)) / math.Sqrt(sumOfSquares(ny, dy)))
		}
		for v := range sums.counts {
			sums.counts[v] = nx[v] + ny[v]
		}
		figures[OfAlpha] = stats.Defined(sums.alphaOfCounts(weights))
		centredRanksInto(dx, nx)
		centredRanksInto(dy, ny)
		figures[OfSpearman] = productMoment()
		centreInto(dx, sums.scores, nx)
		centreInto(dy, sums.scores, ny)
		figures[OfPearson] = productMoment()
		if constant(nx) || constant(ny) {
			figures[OfSpearman] = math.NaN()
			figures[OfPearson] = math.NaN()
		}
		return figures
	}, err
}

// centreInto sets centred to the values minus their weighted mean.
func centreInto(centred, values, weights []float64) {
	n := 0.0
	mean := 0.0
	for v, w := range weights {
		n += w
		mean += float64(w * values[v])
	}
	mean /= n
	for v, value := range values {
		centred[v] = value - mean
	}
}

// sumOfSquares returns the weighted sum of squared scores.
func sumOfSquares(weights, scores []float64) float64 {
	sum := 0.0
	for v, d := range scores {
		sum += float64(weights[v] * d * d)
	}
	return sum
}

// constant reports whether at most one value has a weight above 0.
func constant(weights []float64) bool {
	occur := 0
	for _, w := range weights {
		if w > 0 {
			occur++
		}
	}
	return occur < 2
}
