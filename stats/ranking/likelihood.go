package ranking

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// ErrNotConverged means that an iteration did not converge and has no result.
var ErrNotConverged error = stats.Reason("the fit did not converge")

// A likelihood returns a concave log-likelihood at parameters x, with its gradient and its information (minus the second derivatives). Only
// the upper triangle of the information is used.
type likelihood func(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense)

const (
	newtonSteps    = 200
	newtonAccuracy = 1e-10 // of a step; convergence is quadratic, so the error is the square
	newtonNear     = 1e-10 // expected gain of a step relative to the likelihood; below it, rounding in sums of many terms dominates
)

// maximise finds the maximum from x by Newton's method, and returns it with the factorised information there. The maximum must exist. A
// step that decreases the likelihood is halved. Near the maximum the full step is kept, because there the values before and after it only
// differ by rounding. gonum's optimize.Newton was rejected, because its line search returns an error at a maximum that is exact up to
// rounding.
func (l likelihood) maximise(x []float64) ([]float64, *mat.Cholesky, error) {
	value, gradient, information := l(x)
	length := math.Inf(1)
	for range newtonSteps {
		var factor mat.Cholesky
		if !factor.Factorize(information) {
			return nil, nil, fmt.Errorf("%w: the likelihood is flat", ErrNotConverged)
		}
		if length < newtonAccuracy {
			return x, &factor, nil
		}
		var step mat.VecDense
		if err := factor.SolveVecTo(&step, gradient); err != nil {
			return nil, nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
		}
		length = mat.Norm(&step, math.Inf(1))
		near := mat.Dot(gradient, &step)/2 <= newtonNear*math.Abs(value)
		for scale := 1.0; ; scale /= 2 {
			next := make([]float64, len(x))
			for i := range next {
				next[i] = x[i] + float64(scale*step.AtVec(i))
			}
			var reached float64
			reached, gradient, information = l(next)
			if reached >= value || near {
				x = next
				value = reached
				break
			}
			if scale < 1e-12 {
				return nil, nil, fmt.Errorf("%w: no step goes up", ErrNotConverged)
			}
		}
	}
	return nil, nil, fmt.Errorf("%w in %d steps", ErrNotConverged, newtonSteps)
}

// sandwich returns the covariance of parameters, clustered by question. H is the information. The G columns s_c of scores are the
// derivatives of the questions' log-likelihoods:
//
//	G/(G-1) · H⁻¹ (Σ_c s_c s_cᵀ) H⁻¹
//
// For an H with a term added (see matchTable.likelihood), the covariances of the strengths are shifted by one constant. It cancels in
// differences and in products with a score.
func sandwich(information *mat.Cholesky, scores *mat.Dense) (*mat.SymDense, error) {
	size, clusters := scores.Dims()
	var influence mat.Dense // H⁻¹ s_c: how far question c moves the parameters
	if err := information.SolveTo(&influence, scores); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
	}
	covariance := mat.NewSymDense(size, nil)
	covariance.SymOuterK(float64(clusters)/float64(clusters-1), &influence)
	return covariance, nil
}

// winProbability returns 1/(1 + exp(-d)) for a difference d of log strengths.
func winProbability(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
