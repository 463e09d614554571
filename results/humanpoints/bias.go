package humanpoints

import (
	"errors"
	"math"

	"compqa/results/dataset"
	"compqa/results/trust"
	"compqa/stats"
)

const combinable = 5 // systems for a combination of judges

// A Transfer is what is known of a judge's bias on systems: the differences judge - people, in points, are b_s + e, where
// b_s is drawn from a distribution over systems with mean Bias and standard deviation Tau (stats.RandomEffectsModel).
// Coverage is the share of systems whose b_s is within the interval that is predicted from the other systems alone, at 95 %.
type Transfer struct {
	Judge   string
	Systems int // with human scores
	TransferFigures
	Covered int // systems within the predicted interval
	Tested  int // systems that were left out in turn

	bias     trust.Transfer
	refitted bool // the judge was fitted to these people: bias.Unseen is of fits without each system
}

// TransferFigures are columns of judges.csv.
type TransferFigures struct {
	// The mean over systems of judge minus human, with Knapp and Hartung's interval. Its Why says why nothing is predicted.
	Bias     stats.Figure `csv:"bias,bias_low,bias_high"`
	Tau      stats.Figure `csv:"tau,tau_low,tau_high"` // DerSimonian and Laird's estimate, interval by the Q profile, points
	TauREML  stats.Figure `csv:"tau_reml"`
	Misleads stats.Figure `csv:"may_mislead_by"` // half the width of the interval of the bias on a system that nobody scored, points
	Coverage stats.Figure `csv:"transfer_coverage"`
}

// systemBiases returns the bias of a judge's totals on each system with human scores. Baselines next to other systems are left out.
func systemBiases(x *dataset.Dataset, judge, people dataset.AnswerTotals) (trust.Biases, error) {
	systems := make([]string, len(x.Systems)) // "": it is left out
	for s, ranked := range x.Candidates() {
		if ranked {
			systems[s] = x.Systems[s].Name
		}
	}
	return x.Items(judge, people).Biases(systems)
}

// measure estimates the distribution of the bias and its coverage. without is the biases of a judge that does not know a
// system, with that on the system.
func (t *Transfer) measure(known trust.Biases, without func(system int) (trust.Biases, error)) error {
	t.Systems = len(known)
	var err error
	t.bias.Unseen, err = known.Model()
	if err != nil {
		return err
	}
	m := t.bias.Unseen
	t.Bias = stats.Between(m.Mean, m.Low, m.High)
	t.Tau = stats.Between(math.Sqrt(m.Tau2), math.Sqrt(m.Tau2Low), math.Sqrt(m.Tau2High))
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
