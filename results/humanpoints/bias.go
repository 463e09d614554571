package humanpoints

import (
	"errors"
	"math"
	"slices"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

const (
	minSystems   = 3  // with human scores, for a prediction
	fewAnswers   = 10 // below which the deviation of a single system is not estimated: that of all systems is used
	combinable   = 5  // systems for a combination of judges
	enoughForPPI = 30 // human scores from which prediction-powered inference within the system replaces shrinkage over systems
)

// A Transfer is what is known of a judge's bias on systems: the differences judge - people, in points, are b_s + e, where
// b_s is drawn from a distribution over systems with mean Bias and standard deviation Tau (stats.RandomEffectsModel).
// Coverage is the share of systems whose b_s is within the interval that is predicted from the other systems alone, at 95 %.
type Transfer struct {
	Judge   string
	Systems int // with human scores
	TransferFigures
	Covered int    // systems within the predicted interval
	Tested  int    // systems that were left out in turn
	Note    string // why there is no prediction

	model   stats.RandomEffects // of the bias on a system that the judge was not fitted on
	effects stats.RandomEffects // … on the systems of effects
	known   biases

	refitted bool // the judge was fitted to these people: model is of fits without each system
}

// TransferFigures are columns of judges.csv.
type TransferFigures struct {
	Bias     stats.Figure `csv:"bias,bias_low,bias_high"` // mean over systems of judge minus human; Knapp and Hartung's interval
	Tau      stats.Figure `csv:"tau,tau_low,tau_high"`    // DerSimonian and Laird's estimate, interval by the Q profile, points
	TauREML  stats.Figure `csv:"tau_reml"`
	Misleads stats.Figure `csv:"may_mislead_by"` // half the width of the interval of the bias on a system that nobody scored, points
	Coverage stats.Figure `csv:"transfer_coverage"`
}

// biases are a judge's mean differences judge - people, one for each system with human scores.
type biases []bias

type bias struct {
	system, n int // n answers
	mean      float64
	se        float64 // clustered by question; the pooled deviation where n is small
}

// newBiases leaves out baselines next to other systems.
func newBiases(x *dataset.Dataset, judge, people dataset.AnswerTotals) (b biases, err error) {
	samples := make([]dataset.Sample, len(x.Systems))
	x.EachDifference(judge, people, func(answer int, difference float64) {
		samples[x.Cells[x.CellOf[answer]].System].Add(difference, x.Question[answer])
	})
	squares, freedom := 0.0, 0
	for s, ranked := range x.Candidates() {
		values := samples[s].Values
		if !ranked || len(values) == 0 {
			continue
		}
		e, err := stats.MeanInterval(values, samples[s].Questions, dataset.Confidence)
		if err != nil && !errors.Is(err, stats.ErrUndefined) {
			return b, err
		}
		b = append(b, bias{s, len(values), e.Value, e.SE})
		for _, v := range values {
			squares += (v - e.Value) * (v - e.Value)
		}
		freedom += len(values) - 1
	}
	pooled := math.Sqrt(squares / float64(max(1, freedom)))
	for i, one := range b {
		if one.n < fewAnswers || !(one.se > 0) {
			b[i].se = pooled / math.Sqrt(float64(one.n))
		}
	}
	return b, nil
}

// of is the place of a system, -1 if there is none.
func (b biases) index(system int) int {
	return slices.IndexFunc(b, func(one bias) bool { return one.system == system })
}

func (b biases) without(system int) biases {
	return data.Where(b, func(one bias) bool { return one.system != system })
}

func (b biases) model() (stats.RandomEffects, error) {
	if len(b) < minSystems {
		return stats.RandomEffects{}, stats.ErrTooShort
	}
	means := data.Each(b, func(one bias) float64 { return one.mean })
	ses := data.Each(b, func(one bias) float64 { return one.se })
	return stats.RandomEffectsModel(means, ses, dataset.Confidence)
}

// measure estimates the distribution of the bias and its coverage. without is the biases of a judge that does not know a
// system, with that on the system.
func (t *Transfer) measure(known biases, without func(system int) (biases, error)) error {
	t.Systems = len(known)
	var err error
	t.model, err = known.model()
	if err != nil {
		return err
	}
	m := t.model
	t.Bias = stats.Between(m.Mean, m.Low, m.High)
	t.Tau = stats.Between(math.Sqrt(m.Tau2), math.Sqrt(m.Tau2Low), math.Sqrt(m.Tau2High))
	t.TauREML = stats.Number(math.Sqrt(m.Tau2REML))
	low, high := m.Predict(0)
	t.Misleads = stats.Number((high - low) / 2)
	for _, b := range known {
		all, err := without(b.system)
		if err != nil {
			return err
		}
		model, err := all.without(b.system).model()
		switch {
		case errors.Is(err, stats.ErrTooShort):
			return nil
		case err != nil:
			return err
		}
		bias := all[all.index(b.system)]
		low, high := model.Predict(bias.se)
		t.Tested++
		t.Covered += int(dataset.Indicator(low <= bias.mean && bias.mean <= high))
	}
	t.Coverage = stats.Number(float64(t.Covered) / float64(t.Tested))
	return nil
}
