package ranking

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// ErrNotConverged says that an iteration did not converge. There is no result then.
var ErrNotConverged = fmt.Errorf("%w: the fit did not converge", stats.ErrUndefined)

const (
	newtonSteps    = 200
	newtonAccuracy = 1e-10 // of a step; convergence is quadratic, so the error is its square
)

// outcomes are the probabilities of one match, and the logarithm of D/√(p_i p_j).
type outcomes struct{ first, second, tie, logDenominator float64 }

// at are the outcomes at parameters x: the log strengths and, if ties are modelled, log v.
func (t matchTable) at(x []float64, i, j int) outcomes {
	d, tie := x[i]-x[j], 0.0
	if len(x) > t.k {
		tie = 2 * math.Exp(x[t.k])
	}
	a, b := math.Exp(d/2), math.Exp(-d/2)
	total := a + b + tie
	return outcomes{a / total, b / total, tie / total, math.Log(total)}
}

// likelihood is Davidson's log-likelihood with its gradient and information (minus the second
// derivatives). For one match with outcome y = ½, -½ or 0 (won, lost, tied), and z = 1 for a tie:
//
//	log L = y·d + z·log 2v - log(D/√(p_i p_j)),   d = log p_i - log p_j
//
// so that the gradient is (y, z) less its mean, and the information its covariance.
func (t matchTable) likelihood(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense) {
	k, size := t.k, len(x)
	grad, hess := make([]float64, size), make([]float64, size*size) // the upper triangle of hess
	for i := range k {
		for j := i + 1; j < k; j++ {
			won, lost, tied := t.wins[i*k+j], t.wins[j*k+i], t.ties[i*k+j]
			n := won + lost + tied
			if n == 0 {
				continue
			}
			p := t.at(x, i, j)
			mean := (p.first - p.second) / 2
			value += float64((won-lost)/2*(x[i]-x[j])) - float64(n*p.logDenominator)
			g, h := (won-lost)/2-float64(n*mean), n*((p.first+p.second)/4-float64(mean*mean))
			grad[i] += g
			grad[j] -= g
			hess[i*size+i] += h
			hess[j*size+j] += h
			hess[i*size+j] -= h
			if size > k {
				value += float64(tied * (math.Ln2 + x[k]))
				grad[k] += tied - float64(n*p.tie)
				hess[k*size+k] += float64(n * p.tie * (1 - p.tie))
				cross := n * mean * p.tie // minus the covariance of y and z
				hess[i*size+k] -= cross
				hess[j*size+k] += cross
			}
		}
	}
	t.pin(hess, size)
	return value, mat.NewVecDense(size, grad), mat.NewSymDense(size, hess)
}

// pin makes the information invertible by adding c·11ᵀ on the strengths, which
// leaves the solution for a gradient that sums to zero as it is.
func (t matchTable) pin(hess []float64, size int) {
	c := 0.0
	for i := range t.k {
		c += hess[i*size+i]
	}
	c /= float64(t.k * t.k)
	for i := range t.k {
		for j := range t.k {
			hess[i*size+j] += c
		}
	}
}

// A likelihood is a concave log-likelihood at x, with its gradient and information.
type likelihood func(x []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense)

// maximise finds the maximum from x by Newton's method. It halves a step that decreases
// the likelihood. The maximum must exist. Steps do not change the sum of the strengths.
// gonum's optimize.Newton was rejected: its line search ends in an error at a maximum that is
// exact to rounding. It also returns the factorised information.
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
		// A short step is not checked: the values differ by rounding alone.
		for scale := 1.0; ; scale /= 2 {
			next := make([]float64, len(x))
			for i := range next {
				next[i] = x[i] + float64(scale*step.AtVec(i))
			}
			var reached float64
			reached, gradient, information = l(next)
			if reached >= value || length < 1e-6 {
				x, value = next, reached
				break
			}
			if scale < 1e-12 {
				return nil, nil, fmt.Errorf("%w: no step goes up", ErrNotConverged)
			}
		}
	}
	return nil, nil, fmt.Errorf("%w in %d steps", ErrNotConverged, newtonSteps)
}
