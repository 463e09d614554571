package bench

import (
	"slices"

	"compqa/bench/plan"
	"compqa/data"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/rubric"
)

// attacks spoil some of the corpus's answers and have the fitted model score them:
// what it cannot see, beside its figures. A calibrated judge would have to be asked
// again; `compqa attack` does.
func (c *calibrating) attacks(fitted *surface.Calibration) ([]judgequality.AttackRow, error) {
	if c.judge != "" {
		return nil, nil
	}
	ids := make([]string, len(c.answers))
	for i, a := range c.answers {
		ids[i] = a.ID
	}
	keep := plan.Smallest(ids, min(attackedInRuns, len(ids)), int64(c.seed))
	answers := slices.DeleteFunc(slices.Clone(c.answers), func(a data.Answer) bool { return !keep[a.ID] })
	totals := map[string]float64{}
	for _, a := range withAttacks(answers, c.seed, data.QuestionOf) {
		for _, points := range rubric.CQA().Points(fitted.Scores(fitted.Expect(a.Pair(), surface.Inputs(data.QuestionOf(a), a.Text), nil))) {
			totals[a.ID] += points
		}
	}
	return judgequality.AttackRows(comparedAttacks(c.name(), answers, totals), rubric.CQA().Max())
}
