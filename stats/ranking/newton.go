package ranking

import (
	"fmt"
	"math"

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
func (l likelihood) maximise(x []float64) ([]float64, error) {
	x = append([]float64(nil), x...)
	grad, hess := make([]float64, l.size), make([]float64, l.size*l.size)
	next, direction := make([]float64, l.size), make([]float64, l.size)
	value := l.evaluate(x, grad, hess)
	for range newtonSteps {
		l.pin(hess)
		if !stats.Cholesky(hess, l.size) {
			return nil, fmt.Errorf("%w: the likelihood is flat", ErrNotConverged)
		}
		copy(direction, grad)
		stats.SolveCholesky(hess, l.size, direction)
		length := 0.0
		for _, s := range direction {
			length = math.Max(length, math.Abs(s))
		}
		// A short step is not checked: the values differ by rounding alone.
		for scale := 1.0; ; scale /= 2 {
			for i := range next {
				next[i] = x[i] + float64(scale*direction[i])
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
	l.pin(hess)
	if !stats.Cholesky(hess, l.size) {
		return nil, fmt.Errorf("%w: the likelihood is flat", ErrNotConverged)
	}
	cov := make([]float64, l.size*l.size)
	for i := range l.size {
		row := cov[i*l.size : (i+1)*l.size]
		row[i] = 1
		stats.SolveCholesky(hess, l.size, row)
	}
	return cov, nil
}
