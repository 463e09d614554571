package ranking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"compqa/stats"
)

// ErrSeparated means that a covariate separates successes and failures completely, so that the likelihood of a logistic model has no
// maximum.
var ErrSeparated error = stats.Reason("the covariate separates successes and failures")

// A ControlledShare is the share of successes that a logistic model predicts for a covariate of zero, with the covariate's effect.
type ControlledShare struct {
	stats.Estimate         // the share, in [0, 1]; SE and DF of its logit
	Slope          float64 // change of the logit per unit of the (first) covariate
	SlopeSE        float64
	Slopes         []float64 // Slope of each covariate
}

// ShareAtZero fits a logistic model to successes with one covariate x,
//
//	P(success) = 1/(1 + exp(-(α + βx)))
//
// by maximum likelihood. It returns the share at x = 0, 1/(1 + exp(-α)), with Student's interval of α on G-1 degrees of freedom,
// transformed back from the logit. The covariance is clustered (see sandwich): the score of row i with the residual r_i is r_i·(1, x_i).
//
// It serves for length control of a judge's accuracy, with x the difference of lengths: see Dubois et al. 2024 (arXiv:2404.04475), whose
// model it is without the terms for systems.
//
// clusters is as for StandardErrors. x must be finite. Outcomes that are all equal, or that x separates, are ErrSeparated; a constant x is
// ErrConstant; fewer than two rows are ErrTooShort; one cluster is ErrOneCluster.
func ShareAtZero(success []bool, x []float64, clusters []int, level float64) (share ControlledShare, err error) {
	defer stats.Wrap("controlled share", &err)
	if err := stats.CheckLengths(len(success), len(x)); err != nil {
		return share, err
	}
	if err := stats.CheckFinite(x); err != nil {
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
	model := logistic{outcomes: make([]float64, len(x)), inputs: make([][]float64, len(x))}
	for i, v := range x {
		model.inputs[i] = []float64{1, v}
		if success[i] {
			model.outcomes[i] = 1
		}
	}
	return model.atZero(g, level)
}

// LengthControlledRate returns the share of a's wins over b that would result if all answers were equally long. It is the model of
// AlpacaEval 2 (Dubois et al. 2024, arXiv:2404.04475, equation 2) without the term for the difficulty of an instruction, which needs many
// systems,
//
//	P(a wins) = 1/(1 + exp(-(θ + φ tanh(d/s)))), d = length of a - length of b, s the standard deviation of d
//
// by maximum likelihood. The share is 1/(1 + exp(-θ)), the probability at d = 0. outcomes are 1 if a wins, 0 if b wins, and one half for a
// tie, or any share in between. Lengths can be in any unit. The interval is as for ShareAtZero. A positive Slope means that the judge
// prefers longer answers.
//
// If all differences are equal, the error is ErrConstant; fewer than two rows are ErrTooShort, one cluster ErrOneCluster. Outcomes that are
// all equal, or that the difference separates, are ErrSeparated.
func LengthControlledRate(outcomes, difference []float64, clusters []int, level float64) (share ControlledShare, err error) {
	defer stats.Wrap("length-controlled rate", &err)
	if err := stats.CheckLengths(len(outcomes), len(difference)); err != nil {
		return share, err
	}
	if err := stats.CheckFinite(difference); err != nil {
		return share, err
	}
	if err := stats.CheckFinite(outcomes); err != nil {
		return share, err
	}
	if len(outcomes) < 2 {
		return share, stats.ErrTooShort
	}
	sd := stat.StdDev(difference, nil)
	if sd == 0 {
		return share, stats.ErrConstant
	}
	inputs := make([][]float64, len(outcomes))
	for i, d := range difference {
		inputs[i] = []float64{1, math.Tanh(d / sd)}
	}
	return logistic{outcomes, inputs}.rate(clusters, level)
}

// StyleControlledRate returns the share of a's wins over b that would result if all answers had the same style. It is the style control of
// Arena-Hard (github.com/lmarena/arena-hard-auto, show_result.py) for two systems,
//
//	P(a wins) = 1/(1 + exp(-(θ + Σ φ_k x_k/s_k))), s_k the standard deviation of x_k
//
// by maximum likelihood. The share is 1/(1 + exp(-θ)), the probability if all x are zero. style has a row for each outcome, of differences
// x: a minus b. Arena-Hard first subtracts the mean of each x; with two systems, that would leave their difference of style in the rate.
// outcomes, clusters and the interval are as for LengthControlledRate. Slopes are per standard deviation; a positive one means that the
// judge prefers more of x. A difference that is zero in all rows is left out, with slope 0.
//
// If a difference is the same in all rows and not zero, or all differences are zero, the error is ErrConstant. Fewer than two rows are
// ErrTooShort, one cluster ErrOneCluster. Outcomes that are all equal, or that one difference separates, are ErrSeparated. Outcomes that
// only several differences together separate, or linearly dependent differences, are ErrNotConverged.
func StyleControlledRate(outcomes []float64, style [][]float64, clusters []int, level float64) (share ControlledShare, err error) {
	defer stats.Wrap("style-controlled rate", &err)
	if err := stats.CheckLengths(len(outcomes), len(style)); err != nil {
		return share, err
	}
	if err := stats.CheckFinite(outcomes); err != nil {
		return share, err
	}
	if len(outcomes) < 2 {
		return share, stats.ErrTooShort
	}
	model := logistic{outcomes, make([][]float64, len(outcomes))}
	for i := range model.inputs {
		model.inputs[i] = []float64{1}
	}
	var used []int
	for k := range style[0] {
		x := make([]float64, len(style))
		for i, row := range style {
			x[i] = row[k]
		}
		sd := stat.StdDev(x, nil)
		switch err := stats.CheckFinite(x); {
		case err != nil:
			return share, err
		case slices.Min(x) == 0 && slices.Max(x) == 0:
			continue
		case slices.Min(x) == slices.Max(x):
			return share, stats.ErrConstant
		}
		used = append(used, k)
		for i, v := range x {
			model.inputs[i] = append(model.inputs[i], v/sd)
		}
	}
	if len(used) == 0 {
		return share, stats.ErrConstant
	}
	share, err = model.rate(clusters, level)
	slopes := make([]float64, len(style[0]))
	for i, slope := range share.Slopes {
		slopes[used[i]] = slope
	}
	share.Slopes = slopes
	return share, err
}

// rate returns the share of a's wins that the model predicts if all covariates are zero. A tie counts as half a win and half a loss.
func (m logistic) rate(clusters []int, level float64) (share ControlledShare, err error) {
	g, err := stats.NewGrouping(clusters, len(m.outcomes))
	if err != nil {
		return share, err
	}
	if g.Count() < 2 {
		return share, stats.ErrOneCluster
	}
	for k := 1; k < len(m.inputs[0]); k++ {
		var success []bool
		var x []float64
		for i, outcome := range m.outcomes {
			if outcome > 0 {
				success = append(success, true)
				x = append(x, m.inputs[i][k])
			}
			if outcome < 1 {
				success = append(success, false)
				x = append(x, m.inputs[i][k])
			}
		}
		if err := overlapping(success, x); err != nil {
			return share, err
		}
	}
	return m.atZero(g, level)
}

// atZero returns the share that a model with an intercept and covariates predicts if all covariates are zero.
func (m logistic) atZero(g stats.Grouping, level float64) (share ControlledShare, err error) {
	fit, information, err := likelihood(m.likelihood).maximise(make([]float64, len(m.inputs[0])))
	if err != nil {
		return share, err
	}
	scores := mat.NewDense(len(fit), g.Count(), nil)
	for i, x := range m.inputs {
		_, _, r := m.fit(fit, i)
		for k, v := range x {
			scores.Set(k, g.ClusterOf[i], scores.At(k, g.ClusterOf[i])+float64(r*v))
		}
	}
	covariance, err := sandwich(information, scores)
	if err != nil {
		return share, err
	}
	share.Estimate = stats.Estimate{Value: fit[0], Level: level, N: len(m.inputs), Clusters: g.Count(), DF: float64(g.Count() - 1),
		SE: math.Sqrt(covariance.At(0, 0))}
	share.Slope, share.SlopeSE, share.Slopes = fit[1], math.Sqrt(covariance.At(1, 1)), fit[1:]
	if share.SE < 1e-12 {
		return share, stats.ErrZeroWidth
	}
	err = share.SetBounds()
	share.Value, share.Low, share.High = winProbability(share.Value), winProbability(share.Low), winProbability(share.High)
	return share, err
}

// overlapping checks that the likelihood has a maximum: both outcomes occur, and no value of x separates successes from failures (Albert
// and Anderson 1984).
func overlapping(success []bool, x []float64) error {
	if len(x) < 2 {
		return stats.ErrTooShort
	}
	low := [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	for i, v := range x {
		total := 0
		if success[i] {
			total = 1
		}
		low[total] = min(low[total], v)
		high[total] = max(high[total], v)
	}
	switch {
	case min(low[0], low[1]) == max(high[0], high[1]):
		return stats.ErrConstant
	case high[0] <= low[1] || high[1] <= low[0]:
		return ErrSeparated
	}
	return nil
}

// A logistic is a model of outcomes. The logit of a row is the sum of its inputs times the parameters.
type logistic struct {
	outcomes []float64 // 1, 0, or a share in between
	inputs   [][]float64
}

// fit returns the logit of row i at parameters b, its probability, and the outcome minus the probability.
func (m logistic) fit(b []float64, i int) (logit, p, residual float64) {
	logit = stats.Dot(b, m.inputs[i])
	p = winProbability(logit)
	return logit, p, m.outcomes[i] - p
}

// likelihood returns Σ log P, with its gradient and information.
func (m logistic) likelihood(b []float64) (value float64, gradient *mat.VecDense, information *mat.SymDense) {
	grad := make([]float64, len(b))
	hess := make([]float64, len(b)*len(b))
	for i, x := range m.inputs {
		eta, p, r := m.fit(b, i)
		h := p * winProbability(-eta)
		y := m.outcomes[i]
		if y > 0 {
			value -= y * math.Log1p(math.Exp(-eta))
		}
		if y < 1 {
			value -= (1 - y) * math.Log1p(math.Exp(eta))
		}
		for j, v := range x {
			grad[j] += float64(r * v)
			for k := j; k < len(x); k++ {
				hess[j*len(b)+k] += float64(h * v * x[k])
			}
		}
	}
	return value, mat.NewVecDense(len(b), grad), mat.NewSymDense(len(b), hess)
}
