package ranking

import (
	"fmt"
	"math"

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
// Student's interval of α on G-1 degrees of freedom, taken back from the logit.
// With r the residual and H the information, the covariance is clustered:
//
//	G/(G-1) · H⁻¹ (Σ_c s_c s_cᵀ) H⁻¹,   s_c = Σ_{i in c} r_i·(1, x_i)
//
// It is what length control does to a judge's accuracy, x being the difference
// of lengths: see Dubois et al. 2024 (arXiv:2404.04475), of whose model this is
// the part without systems.
//
// clusters is as for StandardErrors. Outcomes that are all alike, or that x
// separates, are ErrSeparated, a constant x is ErrConstant, fewer than two rows
// ErrTooShort, one cluster ErrOneCluster; x must be finite.
func ShareAtZero(success []bool, x []float64, clusters []int, level float64) (ControlledShare, error) {
	var share ControlledShare
	if err := stats.CheckLengths(len(success), len(x)); err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	if err := stats.CheckFinite(x); err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	if err := overlapping(success, x); err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	g, err := stats.NewGrouping(clusters, len(x))
	if err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	if g.Count() < 2 {
		return share, fmt.Errorf("controlled share: %w", stats.ErrOneCluster)
	}
	l := logistic(success, x)
	fit, err := l.maximise(make([]float64, 2))
	if err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	inverse, err := l.covariance(fit)
	if err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	logit := stats.Estimate{Value: fit[0], Level: level, N: len(x), Clusters: g.Count(), DF: float64(g.Count() - 1), Method: Sandwich}
	logit.SE, share.SlopeSE = logisticErrors(success, x, fit, inverse, g)
	if logit.SE < 1e-12 {
		return share, fmt.Errorf("controlled share: %w", stats.ErrZeroWidth)
	}
	if err := logit.SetBounds(); err != nil {
		return share, fmt.Errorf("controlled share: %w", err)
	}
	share.Slope, share.Estimate = fit[1], logit
	share.Value, share.Low, share.High = winProbability(logit.Value), winProbability(logit.Low), winProbability(logit.High)
	return share, nil
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

// logistic is Σ log P over the intercept and the slope.
func logistic(success []bool, x []float64) likelihood {
	at := func(b, grad, hess []float64) float64 {
		value := 0.0
		for i, v := range x {
			eta := b[0] + float64(b[1]*v)
			p := winProbability(eta)
			r := -p
			if success[i] {
				r = 1 - p
				value -= math.Log1p(math.Exp(-eta))
			} else {
				value -= math.Log1p(math.Exp(eta))
			}
			h := p * winProbability(-eta)
			grad[0] += r
			grad[1] += float64(r * v)
			hess[0] += h
			hess[1] += float64(h * v)
			hess[2] += float64(h * v)
			hess[3] += float64(h * v * v)
		}
		return value
	}
	return likelihood{size: 2, at: at}
}

// logisticErrors are the clustered standard errors of intercept and slope.
func logisticErrors(success []bool, x, fit, inverse []float64, g stats.Grouping) (intercept, slope float64) {
	s := make([][2]float64, g.Count())
	for i, v := range x {
		r := -winProbability(fit[0] + float64(fit[1]*v))
		if success[i] {
			r++
		}
		s[g.Of[i]][0] += r
		s[g.Of[i]][1] += float64(r * v)
	}
	for _, c := range s {
		a, b := stats.Dot(inverse[:2], c[:]), stats.Dot(inverse[2:], c[:])
		intercept += float64(a * a)
		slope += float64(b * b)
	}
	correction := float64(g.Count()) / float64(g.Count()-1)
	return math.Sqrt(correction * intercept), math.Sqrt(correction * slope)
}
