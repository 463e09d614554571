package bench

import (
	"fmt"
	"io"

	"compqa/judges/surface"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/paper"
	"compqa/results/table"
)

// print tells people what was fitted, and what it is worth.
func (c *calibrating) print(w io.Writer, fitted *surface.Calibration, rows []paper.SheetRow, curve []curvePoint) error {
	made := fitted.Made
	fmt.Fprintf(w, "%s: %d sheets of people on answers to %d questions", c.name(), made.Sheets, made.Questions)
	if made.Taught > 0 {
		fmt.Fprintf(w, "; lessons from %d sheets of %s", made.Taught, joined(made.Teachers))
	}
	fmt.Fprintf(w, ".\nNo figure is of what was learnt: each answer is scored by a model that was fitted without its question.\n\n")
	if err := paper.PrintSheetAgreements(w, rows); err != nil {
		return err
	}
	fmt.Fprintf(w, "\nIn brackets 95 %% of 1,000 resamples of questions.\n")
	for _, f := range fitted.Figures {
		if f.Others != 0 {
			fmt.Fprintf(w, "Over other divisions of the questions the %s is %.3f on average (standard deviation %.3f).\n", f.Name, f.Others, f.OthersSD)
		}
	}
	of := c.covered(fitted)
	fmt.Fprintf(w, "Of people's scores, %.1f %% lie within the bounds for 80 in 100 (totals: %.1f %%). A point more expected is %.2f points more given.\n\n", 100*of.scores, 100*of.totals, of.slope)
	if err := c.printCurve(w, rows[0], curve); err != nil {
		return err
	}
	attacks, err := c.attacks(fitted)
	if err != nil || attacks == nil {
		return err
	}
	fmt.Fprintf(w, "What it cannot see: answers spoilt on purpose (see `compqa attack --help`).\n\n")
	if err := judgequality.PrintAttacks(w, attacks); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// printInputs lists what a calibration knows of an answer.
func printInputs(w io.Writer) {
	for _, in := range surface.SurfaceInputsExplained() {
		fmt.Fprintf(w, "%-36s  %s\n", in[0], in[1])
	}
}

func joined(names []string) string {
	switch n := len(names); n {
	case 0:
		return "nobody"
	case 1:
		return names[0]
	default:
		text := names[0]
		for _, name := range names[1 : n-1] {
			text += ", " + name
		}
		return text + " and " + names[n-1]
	}
}

// printCurve shows what agreement to expect from how many sheets.
func (c *calibrating) printCurve(w io.Writer, all paper.SheetRow, curve []curvePoint) error {
	if len(curve) == 0 {
		return nil
	}
	fmt.Fprintf(w, "From how many sheets of people, drawn at random, what agreement:\n\n")
	if err := paper.PrintSheetAgreements(w, curveRows(all, curve)); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return nil
}

// curveRows are a learning curve as a table, the fit to all sheets last.
func curveRows(all paper.SheetRow, curve []curvePoint) []paper.SheetRow {
	var rows []paper.SheetRow
	for _, p := range curve {
		rows = append(rows, paper.SheetRow{Name: fmt.Sprintf("%d sheets", p.sheets), Kind: "expected", SheetAgreement: paper.SheetAgreement{N: all.N,
			Separate: p.interval(0), Final: p.interval(1), Spearman: p.interval(2), PerCriterion: p.interval(3)}})
	}
	all.Name, all.Kind = fmt.Sprintf("%d sheets", all.N), "all there are"
	return append(rows, all)
}

func (p curvePoint) interval(i int) dataset.Margin {
	f := p.figures[i]
	return dataset.Margin{Value: table.Number(f.mean), Low: table.Number(f.low), High: table.Number(f.high)}
}

// printSuggestions lists answers to be annotated.
func (c *calibrating) printSuggestions(w io.Writer, list []suggestion) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "To be annotated next: answers with uncertain points, unlike those annotated and each other.\n\n")
	for i, s := range list {
		a := c.answers[s.answer]
		fmt.Fprintf(w, "%3d  %-50s  %4.1f points expected, %4.1f to %4.1f possible; likeness to the nearest %.2f\n", i+1, a.ID, s.total, s.low, s.high, s.similarity)
	}
	fmt.Fprintln(w)
}
