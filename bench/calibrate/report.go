package calibrate

import (
	"fmt"
	"io"

	"compqa/bench/attack"
	"compqa/data"
	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/rubric"
)

// print describes the fit and its agreement with people.
func (c *fitting) print(w io.Writer, fitted *surface.Calibration, rows []sheetRow) error {
	made := fitted.Made
	fmt.Fprintf(w, "%s: %d human score sheets on answers to %d questions", c.name(), made.Sheets, made.Questions)
	if made.Taught > 0 {
		fmt.Fprintf(w, "; lessons from %d score sheets of %s", made.Taught, data.List(made.Teachers))
	}
	fmt.Fprintf(w, ".\nEach answer is scored by a model that was not fitted to its question.\n\n")
	if err := sheetTable(rows).Terminal(w); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nIn brackets: 95 %% intervals over 1,000 resamples of questions.\n")
	for _, f := range fitted.Figures {
		if f.Others != 0 {
			fmt.Fprintf(w, "Over other divisions of the questions the %s is %.3f on average (standard deviation %.3f).\n", f.Name, f.Others,
				f.OthersSD)
		}
	}
	fmt.Fprintln(w)
	attacks, err := c.attacks(fitted)
	if err != nil || attacks == nil {
		return err
	}
	fmt.Fprintf(w, "What it does not detect: points of answers damaged on purpose (see `compqa attack --help`).\n\n")
	if err := judgequality.AttackTable(attacks).Terminal(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// attacks applies the attacks to some of the corpus's answers and scores them with the fitted model, to show what it cannot
// see. It skips calibrated judges, whose underlying judge would have to score again; `compqa attack` does that.
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
