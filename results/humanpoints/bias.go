package humanpoints

import (
	"errors"
	"math"

	"compqa/results/dataset"
	"compqa/results/trust"
	"compqa/stats"
)

const combinable = 5 // least number of systems that people scored for combining judges

// A Transfer describes how far a judge's bias varies between systems. The difference judge minus people on system s, in points, is b_s + e.
// The bias b_s is drawn from a distribution over systems with mean Bias and standard deviation Tau (stats.RandomEffectsModel). Coverage is
// the share of systems whose bias is inside the 95 % interval that is predicted from the other systems alone.
type Transfer struct {
	Judge   string
	Systems int // number of systems with human scores
	TransferFigures
	Covered int // number of tested systems whose bias is inside the predicted interval
	Tested  int // number of systems for which an interval was predicted from the others

	bias     trust.Transfer
	refitted bool // the judge was fitted to these people's scores, so bias.Unseen comes from fits without each system
}

// TransferFigures are the columns of judges.csv about the transfer of a judge to other systems.
type TransferFigures struct {
	// Bias is the mean over systems of judge minus human, with Knapp and Hartung's interval. Its Why is the reason if nothing can be
	// predicted.
	Bias     stats.Figure `csv:"bias,bias_low,bias_high"`
	Tau      stats.Figure `csv:"tau,tau_low,tau_high"` // estimate of DerSimonian and Laird with the interval by the Q profile, in points
	TauREML  stats.Figure `csv:"tau_reml"`
	Misleads stats.Figure `csv:"may_mislead_by"` // half the width of the predicted interval of the bias on an unscored system, in points
	Coverage stats.Figure `csv:"transfer_coverage"`
}

// systemBiases returns the bias of a judge's totals on each system with human scores. It leaves out baselines if there are other systems.
func systemBiases(x *dataset.Dataset, judge, people dataset.AnswerTotals) (trust.Biases, error) {
	systems := make([]string, len(x.Systems)) // "": it is left out
	for s, ranked := range x.Candidates() {
		if ranked {
			systems[s] = x.Systems[s].Name
		}
	}
	return x.Items(judge, people).Biases(systems)
}

// measure estimates the distribution of the bias, and its coverage by leaving out each system in turn. without(s) returns the biases of the
// judge if system s was not used to fit it; the bias on s is included.
func (t *Transfer) measure(known trust.Biases, without func(system int) (trust.Biases, error)) error {
	t.Systems = len(known)
	var err error
	t.bias.Unseen, err = known.Model()
	if err != nil {
		return err
	}
	m := t.bias.Unseen
	t.Bias = stats.WithInterval(m.Mean, m.Low, m.High)
	t.Tau = stats.WithInterval(math.Sqrt(m.Tau2), math.Sqrt(m.Tau2Low), math.Sqrt(m.Tau2High))
	t.TauREML = stats.Number(math.Sqrt(m.Tau2REML))
	low, high := m.Predict(0)
	t.Misleads = stats.Number((high - low) / 2)
	for _, b := range known {
		all, err := without(b.System)
		if err != nil {
			return err
		}
		model, err := all.Without(b.System).Model()
		switch {
		case errors.Is(err, stats.ErrTooShort):
			return nil
		case err != nil:
			return err
		}
		bias := all[all.Index(b.System)]
		low, high := model.Predict(bias.SE)
		t.Tested++
		t.Covered += int(dataset.Indicator(low <= bias.Mean && bias.Mean <= high))
	}
	t.Coverage = stats.Number(float64(t.Covered) / float64(t.Tested))
	return nil
}
