package ranking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"compqa/stats"
)

// ErrSeparated says that a covariate separates successes and failures completely, so
// the likelihood of a logistic model has no maximum.
var ErrSeparated error = stats.Reason("the covariate separates successes and failures")

// ControlledShare is a share of successes as it would be with a covariate at zero, and how the covariate moves it.
type ControlledShare struct {
	stats.Estimate         // the share, in [0, 1]; SE and DF of its logit
	Slope          float64 // of the logit, per unit of the covariate; of several, the first
	SlopeSE        float64
	Slopes         []float64 // of all covariates
}

// ShareAtZero fits a logistic model to successes with one covariate x,
//
//	P(success) = 1/(1 + exp(-(α + βx)))
//
// by maximum likelihood and returns the share at x = 0, 1/(1 + exp(-α)), with
// Student's interval of α on G-1 degrees of freedom, taken back from the logit. The covariance is
// clustered (see sandwich); the score of row i with the residual r_i is r_i·(1, x_i).
//
// It is what length control does to a judge's accuracy, x being the difference of lengths: see Dubois et al. 2024
// (arXiv:2404.04475), of whose model this is the part without systems.
//
// clusters is as for StandardErrors. Outcomes that are all alike, or that x separates, are ErrSeparated, a constant x
// is ErrConstant, fewer than two rows ErrTooShort, one cluster ErrOneCluster; x must be finite.
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

// LengthControlledRate returns the share of a's wins over b as it would be if all answers were equally long: the model of AlpacaEval 2
// (Dubois et al. 2024, arXiv:2404.04475, equation 2) without its term for the difficulty of an instruction, which is estimated
// from many systems,
//
//	P(a wins) = 1/(1 + exp(-(θ + φ tanh(d/s)))), d = length of a - length of b, s the standard deviation of d
//
// by maximum likelihood, and of it 1/(1 + exp(-θ)), the probability at d = 0. outcomes are 1 where a wins, 0 where b does, and
// one half for a tie (or any share in between); lengths are in any unit. The interval is as in ShareAtZero. A positive Slope says
// that the judge prefers longer answers.
//
// Equal differences are ErrConstant, fewer than two rows ErrTooShort, one cluster ErrOneCluster; outcomes that the difference
// separates, or that are all alike, are ErrSeparated.
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

// StyleControlledRate returns the share of a's wins over b as it would be if all answers had the same style: style control as
// Arena-Hard has it (github.com/lmarena/arena-hard-auto, show_result.py), for two systems,
//
//	P(a wins) = 1/(1 + exp(-(θ + Σ φ_k x_k/s_k))), s_k the standard deviation of x_k
//
// by maximum likelihood, and of it 1/(1 + exp(-θ)), the probability where all x are zero. style has a row of differences x for each
// outcome, of a less those of b. Arena-Hard takes the mean of each x from it first; of two systems, that would leave their difference
// of style in the rate. outcomes, clusters and the interval are as for LengthControlledRate. A positive one of Slopes, which are per
// standard deviation, says that the judge prefers more of x; a difference that is zero in all rows is left out and its slope is 0.
//
// A difference that is the same in all rows and not zero, or none that is not zero, is ErrConstant, fewer than two rows ErrTooShort,
// one cluster ErrOneCluster; outcomes that are all alike, or that a difference separates, are ErrSeparated, and those that several
// differences separate together, or differences that follow from each other, ErrNotConverged.
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

// rate returns the share of a's wins that the model gives where the covariates are zero; a tie is half a win and half a loss.
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

// atZero returns the share that a model of an intercept and covariates gives where these are zero.
func (m logistic) atZero(g stats.Grouping, level float64) (share ControlledShare, err error) {
	fit, information, err := likelihood(m.likelihood).maximise(make([]float64, len(m.inputs[0])))
	if err != nil {
		return share, err
	}
	scores := mat.NewDense(len(fit), g.Count(), nil)
	for i, x := range m.inputs {
		_, _, r := m.fit(fit, i)
		for k, v := range x {
			scores.Set(k, g.Of[i], scores.At(k, g.Of[i])+float64(r*v))
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

// overlapping makes sure that the likelihood has a maximum: each outcome occurs,
// and on neither side of any x all the successes (Albert and Anderson 1984).
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

// logistic is a model of outcomes whose logit is the sum of a row's inputs times the parameters.
type logistic struct {
	outcomes []float64 // 1, 0, or a share in between
	inputs   [][]float64
}

// at is the logit of a row, its probability, and the outcome less the probability.
func (m logistic) fit(b []float64, i int) (logit, p, residual float64) {
	logit = stats.Dot(b, m.inputs[i])
	p = winProbability(logit)
	return logit, p, m.outcomes[i] - p
}

// likelihood returns Σ log P.
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
