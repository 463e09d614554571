package calibrate

import (
	"compqa/bench/attack"
	"compqa/data"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/rubric"
)

// attacks applies the attacks to some of the corpus's answers and scores them with
// the fitted model, to show what it cannot see. It skips calibrated judges, whose
// underlying judge would have to score again; `compqa attack` does that.
func (c *fitting) attacks(fitted *surface.Calibration) ([]judgequality.AttackRow, error) {
	if c.judge != "" {
		return nil, nil
	}
	answers := attack.Sample(c.Answers, attack.SampleSize, int64(c.seed))
	totals := map[string]float64{}
	for _, a := range attack.ApplyAll(answers, c.seed, data.QuestionOf) {
		for _, points := range rubric.CQA().Points(fitted.Scores(fitted.Expect(a.Pair(), surface.Inputs(data.QuestionOf(a), a.Text), nil))) {
			totals[a.ID] += points
		}
	}
	return judgequality.AttackRows(attack.Compare(c.name(), answers, totals), rubric.CQA().Max())
}
