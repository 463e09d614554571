package preferences

import (
	"compqa/data"
	"compqa/results/dataset"
	"compqa/stats"
)

// A CalibrationRow measures how well a judge's probabilities match its correctness. The probability of a choice comes from the token that
// names it (see Confidence). Only pairs with a known better answer and with a probability in both orders count. The vote of a pair is p(a),
// the mean over both orders of the probability of a, so that a preference for a place cancels out.
//
//	Brier = mean of (p(a) - 1 if a is better, else p(a) - 0)², in [0, 1]; ¼ for a judge that always says ½ (Brier 1950)
type CalibrationRow struct {
	JudgeOn
	N          int          `csv:"n_pairs"`
	Accuracy   stats.Figure `csv:"accuracy,accuracy_low,accuracy_high"`       // of the votes: p(a) above ½ chooses a; exactly ½ is wrong
	Confidence stats.Figure `csv:"confidence,confidence_low,confidence_high"` // mean of the larger of p(a) and 1 - p(a)
	Brier      stats.Figure `csv:"brier,brier_low,brier_high"`
}

// calibration returns the calibration row of the judge, or nil if no pair has a probability in both orders.
func (g group) calibration() []CalibrationRow {
	var right, confident, brier dataset.Sample
	for _, j := range g.pairs {
		p, known := j.probability()
		if !known || !j.Label.Decided() {
			continue
		}
		better := dataset.Indicator(j.Label == data.ChoiceA)
		right.Add(dataset.Indicator(p > 0.5 && better == 1 || p < 0.5 && better == 0), j.Cluster)
		confident.Add(max(p, 1-p), j.Cluster)
		brier.Add((p-better)*(p-better), j.Cluster)
	}
	if right.Values == nil {
		return nil
	}
	return []CalibrationRow{{JudgeOn: g.JudgeOn, N: len(right.Values), Accuracy: g.share(right), Confidence: g.Mean(confident),
		Brier: g.Mean(brier)}}
}

// probability returns the probability that a is better, the mean of both orders. known is false if an order has no choice of a or b with a
// probability.
func (j judged) probability() (p float64, known bool) {
	for _, row := range j.by {
		if row == nil || row.Status != data.Valid || !row.Choice.Decided() || row.Detail.Confidence == nil {
			return 0, false
		}
		if confidence := *row.Detail.Confidence; row.Choice == data.ChoiceA {
			p += confidence / 2
		} else {
			p += (1 - confidence) / 2
		}
	}
	return p, true
}
