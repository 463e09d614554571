package ranking

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// ErrSeparated says that a covariate separates successes and failures completely, so
// the likelihood of a logistic model has no maximum.
var ErrSeparated = fmt.Errorf("%w: the covariate separates successes and failures", stats.ErrUndefined)

// ControlledShare is a share of successes as it would be with a covariate at
// zero, and how the covariate moves it.
type ControlledShare struct {
	stats.Estimate         // the share, in [0, 1]; its SE and DF are those of its logit
	Slope          float64 // of the logit, per unit of the covariate
	SlopeSE        float64
}

// ShareAtZero fits a logistic model to successes with one covariate x,
//
//	P(success) = 1/(1 + exp(-(α + βx)))
//
// by maximum likelihood and returns the share at x = 0, 1/(1 + exp(-α)), with
// Student's interval of α on G-1 degrees of freedom, taken back from the logit. The covariance is
// clustered (see sandwich); the score of row i with the residual r_i is r_i·(1, x_i).
//
// It is what length control does to a judge's accuracy, x being the difference
// of lengths: see Dubois et al. 2024 (arXiv:2404.04475), of whose model this is
// the part without systems.
//
// clusters is as for StandardErrors. Outcomes that are all alike, or that x
// separates, are ErrSeparated, a constant x is ErrConstant, fewer than two rows
// ErrTooShort, one cluster ErrOneCluster; x must be finite.
func ShareAtZero(success []bool, x []float64, clusters []int, level float64) (ControlledShare, error) {
	share, err := shareAtZero(success, x, clusters, level)
	if err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	return share, nil
}

func shareAtZero(success []bool, x []float64, clusters []int, level float64) (share ControlledShare, err error) {
	if err := cmp.Or(stats.CheckLengths(len(success), len(x)), stats.CheckFinite(x)); err != nil {
		return share, err
	}
	if err := overlapping(success, x); err != nil {
		return share, err
	}
	g, err := stats.NewGrouping(clusters, len(x))
	if err != nil {
		return share, err
	}
	if g.Count() < 2 {
		return share, stats.ErrOneCluster
	}
	model := logistic{success, x}
	fit, information, err := likelihood(model.likelihood).maximise(make([]float64, 2))
	if err != nil {
		return share, err
	}
	scores := mat.NewDense(2, g.Count(), nil)
	for i, v := range x {
		r, c := model.residual(fit, i), g.Of[i]
		scores.Set(0, c, scores.At(0, c)+r)
		scores.Set(1, c, scores.At(1, c)+float64(r*v))
	}
	covariance, err := sandwich(information, scores)
	if err != nil {
		return share, err
	}
	share.Estimate = stats.Estimate{Value: fit[0], Level: level, N: len(x), Clusters: g.Count(), DF: float64(g.Count() - 1), Method: Sandwich,
		SE: math.Sqrt(covariance.At(0, 0))}
	share.Slope, share.SlopeSE = fit[1], math.Sqrt(covariance.At(1, 1))
	if share.SE < 1e-12 {
		return share, stats.ErrZeroWidth
	}
	err = share.SetBounds()
	share.Value, share.Low, share.High = winProbability(share.Value), winProbability(share.Low), winProbability(share.High)
	return share, err
}

// overlapping makes sure that the likelihood has a maximum: each outcome occurs,
// and on neither side of any x all the successes (Albert and Anderson 1984).
func overlapping(success []bool, x []float64) error {
	if len(x) < 2 {
		return stats.ErrTooShort
	}
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range x {
		of := 0
		if success[i] {
			of = 1
		}
		low[of], high[of] = min(low[of], v), max(high[of], v)
	}
	switch {
	case min(low[0], low[1]) == max(high[0], high[1]):
		return stats.ErrConstant
	case high[0] <= low[1] || high[1] <= low[0]:
		return ErrSeparated
	}
	return nil
}

// logistic is a model of successes by a covariate, with the parameters intercept and slope.
type logistic struct {
	success []bool
	x       []float64
}

func (m logistic) logit(b []float64, i int) float64 { return b[0] + float64(b[1]*m.x[i]) }

// residual is the outcome of a row, 1 or 0, less its probability.
func (m logistic) residual(b []float64, i int) float64 {
	r := -winProbability(m.logit(b, i))
	if m.success[i] {
		r++
	}
	return r
}

// likelihood is Σ log P.
func (m logistic) likelihood(b []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense) {
	grad, hess := make([]float64, 2), make([]float64, 4)
	for i, v := range m.x {
		eta, r := m.logit(b, i), m.residual(b, i)
		h := winProbability(eta) * winProbability(-eta)
		if m.success[i] {
			eta = -eta
		}
		value -= math.Log1p(math.Exp(eta))
		grad[0] += r
		grad[1] += float64(r * v)
		hess[0] += h
		hess[1] += float64(h * v)
		hess[3] += float64(h * v * v)
	}
	return value, mat.NewVecDense(2, grad), mat.NewSymDense(2, hess)
}
