package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// Moments are sums from which the correlations of several variables of the same units are computed, for any resample of clusters. The
// variables are for example the criteria of a rater, or the errors of several judges. The sums are, for each cluster: the number of units,
// each variable, and the products of variables k and l ≤ k.
type Moments struct {
	*stats.Sums
	variables int
}

// NewMoments adds up values[k][i], variable k of unit i, without missing values. Differences from the first unit are added, so that equal
// values give exactly 0. clusters labels each unit.
func NewMoments(values [][]float64, clusters []int) (m Moments, err error) {
	defer stats.Wrap("correlations", &err)
	for _, v := range values {
		if err := errors.Join(stats.CheckLengths(len(v), len(clusters)), stats.CheckFinite(v)); err != nil {
			return m, err
		}
	}
	m.variables = len(values)
	sums := make([]float64, m.product(len(values), 0))
	m.Sums = stats.AddUp(clusters, len(sums), func(i int) []float64 {
		sums[0] = 1
		for k, v := range values {
			sums[1+k] = v[i] - v[0]
			for l, other := range values[:k+1] {
				sums[m.product(k, l)] = (v[i] - v[0]) * (other[i] - other[0])
			}
		}
		return sums
	})
	return m, nil
}

// product returns the index of the sum of products of variables k and l ≤ k.
func (m Moments) product(k, l int) int { return 1 + m.variables + k*(k+1)/2 + l }

// covariance returns n times the covariance of variables k ≥ l.
func (m Moments) covariance(sums []float64, k, l int) float64 {
	return sums[m.product(k, l)] - float64(sums[1+k]*sums[1+l])/sums[0]
}

// Judges returns the mean correlation of the errors of K judges, and the number n of independent judges that are worth as much as these
// (Kish's effective sample size; Kohli, arXiv 2605.29800, 2026). sums is Whole, or the sums of a resample:
//
//	r_jk = (cov(e_j, e_k) - σ²) / √((var(e_j) - σ²)(var(e_k) - σ²))
//	ρ̄    = mean of r_jk, j < k
//	n    = K / (1 + (K-1)·ρ̄)
//
// Variable j is judge j's score minus the reference's, in points. noise is σ², the error variance of the reference, which is part of all
// errors; 0 does not correct for it. n is K if ρ̄ = 0 and 1 if ρ̄ = 1. It is above K for negative correlations.
//
// Fewer than two judges or units are ErrTooShort. Errors that are constant, or vary no more than σ², are ErrConstant. 1 + (K-1)·ρ̄ ≤
// 0 is ErrUndefined.
func (m Moments) Judges(sums []float64, noise float64) (mean, n float64, err error) {
	defer stats.Wrap("effective judges", &err)
	if m.variables < 2 || sums[0] < 2 {
		return 0, 0, stats.ErrTooShort
	}
	covariance := func(a, b int) float64 { return m.covariance(sums, a, b)/(sums[0]-1) - noise }
	for a := range m.variables {
		for b := range a {
			variances := [2]float64{covariance(a, a), covariance(b, b)}
			if variances[0] <= 0 || variances[1] <= 0 || !m.varies(sums, a) || !m.varies(sums, b) {
				return 0, 0, stats.ErrConstant
			}
			mean += covariance(a, b) / math.Sqrt(variances[0]*variances[1])
		}
	}
	k := float64(m.variables)
	mean /= k * (k - 1) / 2
	mean = bounded(mean)
	if 1+(k-1)*mean <= 0 {
		return 0, 0, stats.Reason("the errors cancel out")
	}
	return mean, k / (1 + (k-1)*mean), nil
}

// A Spread says how many different variables a rater effectively uses.
type Spread struct {
	MeanCorrelation float64 // mean over the pairs of variables that vary, in [-1, 1]
	Effective       float64 // effective number of variables, in [1, number of variables that vary]
	Constant        int     // number of variables that do not vary
}

// Spread returns the mean correlation r̄ of a rater's variables, and the participation ratio d of the eigenvalues λ of their correlation
// matrix, for the K variables that vary. sums is Whole, or the sums of a resample:
//
//	r̄ = mean of r_kl, k < l
//	d  = (Σ λ)² / Σ λ² = K² / ΣΣ r_kl²
//
// A rater who lets one impression decide all criteria has r̄ and d near 1 (halo effect, Thorndike 1920). Fewer than two units, or fewer
// than three variables that vary, are ErrTooShort.
func (m Moments) Spread(sums []float64) (spread Spread, err error) {
	var varying []int
	for k := range m.variables {
		if m.varies(sums, k) {
			varying = append(varying, k)
		}
	}
	spread.Constant = m.variables - len(varying)
	n := float64(len(varying))
	if n < 3 {
		return spread, fmt.Errorf("correlation of criteria: %w: %v vary, 3 are needed", stats.ErrTooShort, n)
	}
	squares := n
	for i, k := range varying {
		for _, l := range varying[:i] {
			r := bounded(m.covariance(sums, k, l) / math.Sqrt(m.covariance(sums, k, k)) / math.Sqrt(m.covariance(sums, l, l)))
			spread.MeanCorrelation += r / (n * (n - 1) / 2)
			squares += float64(2 * r * r)
		}
	}
	spread.Effective = n * n / squares
	return spread, nil
}

// varies reports whether a variable varies by more than rounding: its variance is above 1e-12 of its mean squared difference from the first
// unit.
func (m Moments) varies(sums []float64, k int) bool {
	return sums[0] >= 2 && m.covariance(sums, k, k) > 1e-12*sums[m.product(k, k)]
}
