package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// EffectiveJudges is the number of independent judges that are worth as much as K judges with
// correlated errors (Kish's effective sample size; Kohli, arXiv 2605.29800, 2026), and the mean
// correlation of their errors:
//
//	r_jk = (cov(e_j, e_k) - σ²) / √((var(e_j) - σ²)(var(e_k) - σ²))
//	ρ̄    = mean of r_jk, j < k
//	n    = K / (1 + (K-1)·ρ̄)
//
// errors[j][i] is judge j's score minus the reference's for unit i, in points, without
// missing values. noise is σ², the error variance of the reference, which all errors share; 0
// leaves it in. n is K if ρ̄ = 0 and 1 if ρ̄ = 1; it is above K for negative correlations.
//
// Fewer than two judges or units are ErrTooShort, constant errors, or errors that vary no more
// than the reference, ErrConstant. 1 + (K-1)·ρ̄ ≤ 0 is ErrUndefined.
func EffectiveJudges(errors [][]float64, noise float64) (mean, n float64, err error) {
	k := float64(len(errors))
	if len(errors) < 2 || len(errors[0]) < 2 {
		return 0, 0, fmt.Errorf("effective judges: %w", stats.ErrTooShort)
	}
	deviations := make([][]float64, len(errors))
	for j, e := range errors {
		if err := stats.CheckLengths(len(e), len(errors[0])); err != nil {
			return 0, 0, fmt.Errorf("effective judges: %w", err)
		}
		deviations[j] = stats.Deviations(e)
	}
	covariance := func(a, b int) float64 {
		return stats.Dot(deviations[a], deviations[b])/float64(len(errors[0])-1) - noise
	}
	for a := range errors {
		for b := range a {
			variances := [2]float64{covariance(a, a), covariance(b, b)}
			if variances[0] <= 0 || variances[1] <= 0 {
				return 0, 0, fmt.Errorf("effective judges: %w", stats.ErrConstant)
			}
			mean += covariance(a, b) / math.Sqrt(variances[0]*variances[1])
		}
	}
	mean /= k * (k - 1) / 2
	if mean = bounded(mean); 1+(k-1)*mean <= 0 {
		return 0, 0, fmt.Errorf("effective judges: %w: the errors cancel out", stats.ErrUndefined)
	}
	return mean, k / (1 + (k-1)*mean), nil
}

// A Spread says how many variables a rater really uses.
type Spread struct {
	MeanCorrelation float64 // of the pairs of variables that vary, in [-1, 1]
	Effective       float64 // number of variables, in [1, number of variables that vary]
	Constant        int     // variables that do not vary
}

// CriteriaSums are a rater's variables as sums over each cluster of units, which give the
// correlations of any resample of clusters.
type CriteriaSums struct {
	clusters []moments
	drawn    moments // scratch
}

// moments are the number of units, and the sums and the sums of products of their variables,
// taken from the first unit, so that equal values give exactly 0.
type moments struct {
	n        float64
	sums     []float64
	products [][]float64 // l ≤ k
}

func newMoments(variables int) moments {
	m := moments{sums: make([]float64, variables), products: make([][]float64, variables)}
	for k := range m.products {
		m.products[k] = make([]float64, k+1)
	}
	return m
}

// NewCriteriaSums adds up values[k][i], variable k of unit i, without missing values.
func NewCriteriaSums(values [][]float64, clusters stats.Grouping) (*CriteriaSums, error) {
	s := &CriteriaSums{drawn: newMoments(len(values))}
	for range clusters.Count() {
		s.clusters = append(s.clusters, newMoments(len(values)))
	}
	for _, v := range values {
		if err := errors.Join(stats.CheckLengths(len(v), len(clusters.Of)), stats.CheckFinite(v)); err != nil {
			return nil, fmt.Errorf("correlation of criteria: %w", err)
		}
	}
	for i, c := range clusters.Of {
		m := &s.clusters[c]
		m.n++
		for k, v := range values {
			m.sums[k] += v[i] - v[0]
			for l, other := range values[:k+1] {
				m.products[k][l] += float64((v[i] - v[0]) * (other[i] - other[0]))
			}
		}
	}
	return s, nil
}

// Criteria is the mean correlation r̄ of a rater's variables in the clusters drawn, and the
// participation ratio of the eigenvalues λ of their correlation matrix R, which has K variables
// that vary:
//
//	r̄ = mean of r_kl, k < l
//	d  = (Σ λ)² / Σ λ² = K² / ΣΣ r_kl²
//
// A rater who spreads one impression over all criteria has r̄ and d near 1 (halo effect,
// Thorndike 1920). A variable is constant if its variance is below 1e-12 of its mean square
// difference from the first unit. Fewer than two units, or fewer than three variables that vary,
// are ErrTooShort.
func (s *CriteriaSums) Criteria(drawn []int) (of Spread, err error) {
	s.draw(drawn)
	var varying []int
	for k := range s.drawn.sums {
		if s.varies(k) {
			varying = append(varying, k)
		}
	}
	of.Constant = len(s.drawn.sums) - len(varying)
	n := float64(len(varying))
	if n < 3 {
		return of, fmt.Errorf("correlation of criteria: %w: %v vary, 3 are needed", stats.ErrTooShort, n)
	}
	squares := n
	for i, k := range varying {
		for _, l := range varying[:i] {
			r := s.correlation(k, l)
			of.MeanCorrelation += r / (n * (n - 1) / 2)
			squares += float64(2 * r * r)
		}
	}
	of.Effective = n * n / squares
	return of, nil
}

// Correlations are Pearson's r of pairs of variables k > l in the clusters drawn; ErrConstant if one
// of them is constant.
func (s *CriteriaSums) Correlations(drawn []int, pairs ...[2]int) ([]float64, error) {
	s.draw(drawn)
	r := make([]float64, len(pairs))
	for i, p := range pairs {
		if !s.varies(p[0]) || !s.varies(p[1]) {
			return nil, fmt.Errorf("correlations: %w", stats.ErrConstant)
		}
		r[i] = s.correlation(p[0], p[1])
	}
	return r, nil
}

// draw adds up the clusters drawn.
func (s *CriteriaSums) draw(drawn []int) {
	m := &s.drawn
	m.n = 0
	clear(m.sums)
	for k := range m.products {
		clear(m.products[k])
	}
	for _, c := range drawn {
		m.n += s.clusters[c].n
		for k, sum := range s.clusters[c].sums {
			m.sums[k] += sum
			for l, product := range s.clusters[c].products[k] {
				m.products[k][l] += product
			}
		}
	}
}

// covariance is n times the covariance of two drawn variables, k ≥ l.
func (s *CriteriaSums) covariance(k, l int) float64 {
	return s.drawn.products[k][l] - float64(s.drawn.sums[k]*s.drawn.sums[l])/s.drawn.n
}

func (s *CriteriaSums) varies(k int) bool {
	return s.drawn.n >= 2 && s.covariance(k, k) > 1e-12*s.drawn.products[k][k]
}

func (s *CriteriaSums) correlation(k, l int) float64 {
	return bounded(s.covariance(k, l) / math.Sqrt(s.covariance(k, k)) / math.Sqrt(s.covariance(l, l)))
}

// All is Criteria of all units.
func (s *CriteriaSums) All() (Spread, error) {
	all := make([]int, len(s.clusters))
	for c := range all {
		all[c] = c
	}
	return s.Criteria(all)
}
