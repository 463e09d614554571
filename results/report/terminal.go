package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"compqa/results/dataset"
	"compqa/results/table"
)

// print shows the leaderboard, the quality of the judges, and what failed.
func (t *Report) print(w io.Writer, dir string) error {
	table.PrintWrapped(w, t.HeadlineText())
	fmt.Fprintf(w, "\nPoints (%s): mean of the scenarios' means ± mean of their sample deviations (verdicts)\n\n", t.Points())
	compared, others := t.OverallTables()
	if err := compared.Shortened().Terminal(w); err != nil {
		return err
	}
	if others.Rows != nil {
		fmt.Fprintf(w, "\nNot compared, because they have no points in this order:\n\n")
		if err := others.Shortened().Terminal(w); err != nil {
			return err
		}
	}
	if len(t.Agreements) > 0 {
		fmt.Fprintf(w, "\nAgreement with human scores: Krippendorff's alpha (interval level) and Spearman's rho\n\n")
		if err := t.AgreementSummary().Shortened().Terminal(w); err != nil {
			return err
		}
		for _, note := range t.FittedNotes {
			table.PrintWrapped(w, note)
		}
	}
	fmt.Fprintln(w)
	for _, line := range t.AssessmentLines() {
		table.PrintWrapped(w, line)
	}
	fmt.Fprintf(w, "%s: see failures.md\nFull report: %s\nIn the browser: compqa serve %s (as files: compqa site %s --out FOLDER)\n", t.FailuresLine(), filepath.Join(dir, "report.md"), dir, dir)
	return nil
}

// AgreementSummary has one row per pairing, without the shuffled floors.
func (t *Report) AgreementSummary() *table.Table {
	view := &table.Table{Words: 2, Header: []string{"judge", "against", "n", "alpha, all", "alpha, totals", "rho, totals", "alpha in criteria"}}
	for _, r := range t.Agreements {
		if r.Level != dataset.LevelSeparate || r.Kind == dataset.KindFloor && strings.HasPrefix(r.Judge, dataset.ShuffledPrefix) {
			continue
		}
		final, within := t.AgreementAt(r.Judge, r.Reference, dataset.LevelFinal), t.AgreementAt(r.Judge, r.Reference, dataset.LevelWithinCriterion)
		view.Add(r.Judge+t.Mark(r.Judge, r.Reference), r.Reference, strconv.Itoa(r.N), r.AlphaInterval.Value.Text(2), final.AlphaInterval.Value.Text(2), final.Spearman.Value.Text(2), within.AlphaInterval.Value.Text(2))
	}
	return view
}
