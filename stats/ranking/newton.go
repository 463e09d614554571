package ranking

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// ErrNotConverged says that an iteration did not converge. There is no result then.
var ErrNotConverged = fmt.Errorf("%w: the fit did not converge", stats.ErrUndefined)

// A likelihood is a concave log-likelihood of size parameters, the first items
// of which are log strengths that may be shifted together without effect. At x
// it adds the gradient to grad, minus the second derivatives to hess (rows of
// size), both zero before, and returns its value.
type likelihood struct {
	size, items int
	at          func(x, grad, hess []float64) float64
}

const (
	newtonSteps    = 200
	newtonAccuracy = 1e-10 // of a step; convergence is quadratic, so the error is its square
)

// maximise finds the maximum from x by Newton's method. It halves a step that decreases
// the likelihood. The maximum must exist. Steps do not change the sum of the strengths.
// gonum's optimize.Newton was rejected: its line search ends in an error at a maximum that is
// exact to rounding.
func (l likelihood) maximise(x []float64) ([]float64, error) {
	x = append([]float64(nil), x...)
	grad, hess := make([]float64, l.size), make([]float64, l.size*l.size)
	next := make([]float64, l.size)
	direction := mat.NewVecDense(l.size, nil)
	value := l.evaluate(x, grad, hess)
	for range newtonSteps {
		information, err := l.factor(hess)
		if err != nil {
			return nil, err
		}
		if err := information.SolveVecTo(direction, mat.NewVecDense(l.size, grad)); err != nil {
			return nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
		}
		length := mat.Norm(direction, math.Inf(1))
		// A short step is not checked: the values differ by rounding alone.
		for scale := 1.0; ; scale /= 2 {
			for i := range next {
				next[i] = x[i] + float64(scale*direction.AtVec(i))
			}
			reached := l.evaluate(next, grad, hess)
			if reached >= value || length < 1e-6 {
				value = reached
				break
			}
			if scale < 1e-12 {
				return nil, fmt.Errorf("%w: no step goes up", ErrNotConverged)
			}
		}
		x, next = next, x
		if length < newtonAccuracy {
			return x, nil
		}
	}
	return nil, fmt.Errorf("%w in %d steps", ErrNotConverged, newtonSteps)
}

func (l likelihood) evaluate(x, grad, hess []float64) float64 {
	clear(grad)
	clear(hess)
	return l.at(x, grad, hess)
}

// factor is the Cholesky factorisation of the pinned information.
func (l likelihood) factor(hess []float64) (*mat.Cholesky, error) {
	l.pin(hess)
	var information mat.Cholesky
	if !information.Factorize(mat.NewSymDense(l.size, hess)) {
		return nil, fmt.Errorf("%w: the likelihood is flat", ErrNotConverged)
	}
	return &information, nil
}

// pin makes the information invertible by adding c·11ᵀ on the strengths, which
// leaves the solution for a gradient that sums to zero as it is.
func (l likelihood) pin(hess []float64) {
	c := 0.0
	for i := range l.items {
		c += hess[i*l.size+i]
	}
	c /= float64(l.items * l.items)
	for i := range l.items {
		for j := range l.items {
			hess[i*l.size+j] += c
		}
	}
}

// covariance returns the inverse of the pinned information at x, in rows of size:
// the covariance of the centred strengths (and other parameters) but for one
// constant added among the strengths, which no difference and no product with a
// gradient can see.
func (l likelihood) covariance(x []float64) ([]float64, error) {
	grad, hess := make([]float64, l.size), make([]float64, l.size*l.size)
	l.evaluate(x, grad, hess)
	information, err := l.factor(hess)
	if err != nil {
		return nil, err
	}
	var inverse mat.SymDense
	if err := information.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNotConverged, err)
	}
	cov := make([]float64, 0, l.size*l.size)
	for i := range l.size {
		for j := range l.size {
			cov = append(cov, inverse.At(i, j))
		}
	}
	return cov, nil
}
