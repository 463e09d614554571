package bench

import (
	"fmt"
	"io"

	"compqa/judges/surface"
	"compqa/results/judgequality"
	"compqa/results/paper"
)

// print tells people what was fitted, and what it is worth.
func (c *calibrating) print(w io.Writer, fitted *surface.Calibration, rows []paper.SheetRow) error {
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
