package agreement

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"compqa/results/table"
	"compqa/stats/agreement"
)

// PrintUnits shows the rows on the terminal: what most people want to know of
// them, what is missing and why, and how to read it.
func PrintUnits(w io.Writer, rows []UnitsRow) error {
	has := func(of func(UnitsRow) bool) bool { return slices.ContainsFunc(rows, of) }
	columns := []string{"criterion", "level", "units_pairable=units", "ratings", "agreement=agree", "alpha:3=alpha [95 %]",
		"p_below_0667=P<.667", "p_below_0800=P<.8"}
	if has(func(r UnitsRow) bool { return r.Level == agreement.Nominal.String() }) {
		columns = append(columns, "kappa")
	}
	if has(func(r UnitsRow) bool { return r.Level != agreement.Nominal.String() }) {
		columns = append(columns, "spearman=rho")
	}
	view := table.View(2, rows, columns...)
	for _, row := range view.Rows {
		row[0].Text = table.Short(row[0].Text)
	}
	if err := view.Terminal(w); err != nil {
		return err
	}
	var notes []string
	for i, r := range rows { // every note once, with the criteria that it is about
		same := table.Where(rows, func(other UnitsRow) bool { return other.Note == r.Note })
		if r.Note == "" || slices.IndexFunc(rows, func(other UnitsRow) bool { return other.Note == r.Note }) < i {
			continue
		}
		var about []string
		for _, of := range same {
			about = append(about, table.Short(of.Criterion))
		}
		text := strings.Join(about, ", ") + ": " + r.Note
		if len(same) == len(rows) {
			text = r.Note
		}
		notes = append(notes, text)
	}
	if notes != nil {
		fmt.Fprintln(w, "\n"+strings.Join(notes, "\n"))
	}
	drawn := "units"
	if has(func(r UnitsRow) bool { return r.Clusters.Known() }) {
		drawn = "clusters"
	}
	_, err := fmt.Fprintf(w, `
units: those with at least two ratings. agree: share of equal pairs of ratings of a unit, also by chance.
alpha (Krippendorff): 1 is perfect agreement, 0 is chance, below 0 is worse than chance. Common limits
are .667 for tentative and .8 for reliable conclusions. Brackets and P: 1,000 resamples of %s.
`, drawn)
	return err
}
