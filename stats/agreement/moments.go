package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// Moments are variables of the same units, such as the criteria of a rater or the errors of several
// judges, as sums over each cluster of units. They give the correlations of any resample of clusters.
type Moments struct {
	variables int
	clusters  [][]float64 // units, sums of the variables, sums of the products of variables k and l ≤ k
	all       []int
	drawn     []float64
}

// NewMoments adds up values[k][i], variable k of unit i, without missing values. Sums are of the
// differences from the first unit, so that equal values give exactly 0.
func NewMoments(values [][]float64, clusters stats.Grouping) (*Moments, error) {
	for _, v := range values {
		if err := errors.Join(stats.CheckLengths(len(v), len(clusters.Of)), stats.CheckFinite(v)); err != nil {
			return nil, fmt.Errorf("correlations: %w", err)
		}
	}
	m := &Moments{variables: len(values)}
	size := m.product(len(values), 0)
	m.drawn = make([]float64, size)
	for c := range clusters.Count() {
		m.clusters, m.all = append(m.clusters, make([]float64, size)), append(m.all, c)
	}
	for i, c := range clusters.Of {
		numbers := m.clusters[c]
		numbers[0]++
		for k, v := range values {
			numbers[1+k] += v[i] - v[0]
			for l, other := range values[:k+1] {
				numbers[m.product(k, l)] += float64((v[i] - v[0]) * (other[i] - other[0]))
			}
		}
	}
	return m, nil
}

// product is the place of the product of variables k and l ≤ k.
func (m *Moments) product(k, l int) int { return 1 + m.variables + k*(k+1)/2 + l }

// draw adds up the clusters drawn; nil: all.
func (m *Moments) draw(drawn []int) {
	clear(m.drawn)
	if drawn == nil {
		drawn = m.all
	}
	for _, c := range drawn {
		for i, v := range m.clusters[c] {
			m.drawn[i] += v
		}
	}
}

// covariance is n times the covariance of two drawn variables, k ≥ l.
func (m *Moments) covariance(k, l int) float64 {
	return m.drawn[m.product(k, l)] - float64(m.drawn[1+k]*m.drawn[1+l])/m.drawn[0]
}

// Judges is the number of independent judges that are worth as much as K judges with
// correlated errors (Kish's effective sample size; Kohli, arXiv 2605.29800, 2026), and the mean
// correlation of their errors, in the clusters drawn (nil: in all):
//
//	r_jk = (cov(e_j, e_k) - σ²) / √((var(e_j) - σ²)(var(e_k) - σ²))
//	ρ̄    = mean of r_jk, j < k
//	n    = K / (1 + (K-1)·ρ̄)
//
// Variable j is judge j's score minus the reference's, in points. noise is σ², the error variance of the reference,
// which all errors share; 0 leaves it in. n is K if ρ̄ = 0 and 1 if ρ̄ = 1; it is above K for negative correlations.
//
// Fewer than two judges or units are ErrTooShort, constant errors, or errors that vary no more
// than the reference, ErrConstant. 1 + (K-1)·ρ̄ ≤ 0 is ErrUndefined.
func (m *Moments) Judges(drawn []int, noise float64) (mean, n float64, err error) {
	defer stats.Wrap("effective judges", &err)
	m.draw(drawn)
	if m.variables < 2 || m.drawn[0] < 2 {
		return 0, 0, stats.ErrTooShort
	}
	covariance := func(a, b int) float64 { return m.covariance(a, b)/(m.drawn[0]-1) - noise }
	for a := range m.variables {
		for b := range a {
			variances := [2]float64{covariance(a, a), covariance(b, b)}
			if variances[0] <= 0 || variances[1] <= 0 || !m.varies(a) || !m.varies(b) {
				return 0, 0, stats.ErrConstant
			}
			mean += covariance(a, b) / math.Sqrt(variances[0]*variances[1])
		}
	}
	k := float64(m.variables)
	mean /= k * (k - 1) / 2
	mean = bounded(mean)
	if 1+(k-1)*mean <= 0 {
		return 0, 0, fmt.Errorf("%w: the errors cancel out", stats.ErrUndefined)
	}
	return mean, k / (1 + (k-1)*mean), nil
}

// A Spread says how many variables a rater really uses.
type Spread struct {
	MeanCorrelation float64 // of the pairs of variables that vary, in [-1, 1]
	Effective       float64 // number of variables, in [1, number of variables that vary]
	Constant        int     // variables that do not vary
}

// Spread is the mean correlation r̄ of a rater's variables in the clusters drawn (nil: in all), and the participation
// ratio of the eigenvalues λ of their correlation matrix R, which has K variables that vary:
//
//	r̄ = mean of r_kl, k < l
//	d  = (Σ λ)² / Σ λ² = K² / ΣΣ r_kl²
//
// A rater who spreads one impression over all criteria has r̄ and d near 1 (halo effect,
// Thorndike 1920). Fewer than two units, or fewer than three variables that vary, are ErrTooShort.
func (m *Moments) Spread(drawn []int) (spread Spread, err error) {
	m.draw(drawn)
	var varying []int
	for k := range m.variables {
		if m.varies(k) {
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
			r := bounded(m.covariance(k, l) / math.Sqrt(m.covariance(k, k)) / math.Sqrt(m.covariance(l, l)))
			spread.MeanCorrelation += r / (n * (n - 1) / 2)
			squares += float64(2 * r * r)
		}
	}
	spread.Effective = n * n / squares
	return spread, nil
}

// varies reports whether the variance of a variable is above 1e-12 of its mean square difference from the first unit.
func (m *Moments) varies(k int) bool {
	return m.drawn[0] >= 2 && m.covariance(k, k) > 1e-12*m.drawn[m.product(k, k)]
}
