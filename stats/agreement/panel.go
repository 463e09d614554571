package agreement

import (
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

// Criteria is the mean correlation r̄ of a rater's variables, and the participation ratio of
// the eigenvalues λ of their correlation matrix R, which has K variables that vary:
//
//	r̄ = mean of r_kl, k < l
//	d  = (Σ λ)² / Σ λ² = K² / ΣΣ r_kl²
//
// A rater who spreads one impression over all criteria has r̄ and d near 1 (halo effect,
// Thorndike 1920). values[k][i] is variable k of unit i, without missing values. Fewer than
// two units, or fewer than three variables that vary, are ErrTooShort.
func Criteria(values [][]float64) (s Spread, err error) {
	var varying [][]float64
	for _, v := range values {
		if len(v) < 2 {
			return s, fmt.Errorf("correlation of criteria: %w", stats.ErrTooShort)
		}
		z, err := standardised(v)
		switch {
		case err == stats.ErrConstant:
			s.Constant++
		case err != nil:
			return s, fmt.Errorf("correlation of criteria: %w", err)
		default:
			varying = append(varying, z)
		}
	}
	k := float64(len(varying))
	if k < 3 {
		return s, fmt.Errorf("correlation of criteria: %w: %v vary, 3 are needed", stats.ErrTooShort, k)
	}
	squares := k
	for a := range varying {
		for b := range a {
			r := bounded(stats.Dot(varying[a], varying[b]))
			s.MeanCorrelation += r / (k * (k - 1) / 2)
			squares += float64(2 * r * r)
		}
	}
	s.Effective = k * k / squares
	return s, nil
}
