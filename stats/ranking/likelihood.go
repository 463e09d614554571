package ranking

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// ErrNotConverged says that an iteration did not converge. It has no result then.
var ErrNotConverged error = stats.Reason("the fit did not converge")

// A likelihood is a concave log-likelihood with its gradient and its information (minus the second
// derivatives, of which the upper triangle counts) at parameters x.
type likelihood func(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense)

const (
	newtonSteps    = 200
	newtonAccuracy = 1e-10 // of a step; convergence is quadratic, so the error is its square
	newtonNear     = 1e-10 // gain that a step promises, over the likelihood: below it, sums of many terms differ by rounding
)

// maximise finds the maximum from x by Newton's method, with the factorised information there. It
// halves a step that decreases the likelihood, unless it is near the maximum: there the full step is right, and the values
// before and after it differ by rounding. The maximum must exist. gonum's optimize.Newton was
// rejected: its line search ends in an error at a maximum that is exact to rounding.
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

// sandwich returns the covariance of parameters, clustered by question: with the information H and the
// scores of the questions, the derivatives of their log-likelihoods, as G columns s_c,
//
//	G/(G-1) · H⁻¹ (Σ_c s_c s_cᵀ) H⁻¹
//
// For a pinned H (see matchTable.likelihood) it is the covariance but for one constant added among
// the strengths, which no difference and no product with a score can see.
func sandwich(information *mat.Cholesky, scores *mat.Dense) (*mat.SymDense, error) {
	size, clusters := scores.Dims()
	var influence mat.Dense // H⁻¹ s_c: how far question c moves the fit
	if err := information.SolveTo(&influence, scores); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
	}
	covariance := mat.NewSymDense(size, nil)
	covariance.SymOuterK(float64(clusters)/float64(clusters-1), &influence)
	return covariance, nil
}

// winProbability returns the logistic function of a difference of log strengths.
func winProbability(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
