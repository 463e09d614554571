package agreement

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// PrintUnits prints the rows on the terminal: the most important figures, which figures are missing and why, and how to read them.
func PrintUnits(w io.Writer, rows []UnitsRow) error {
	has := func(has func(UnitsRow) bool) bool { return slices.ContainsFunc(rows, has) }
	columns := []string{"criterion", "level", "units_pairable=units", "ratings", "agreement=agree", "alpha:3=alpha [95 %]"}
	if has(func(r UnitsRow) bool { return r.Level == string(agreement.Nominal) }) {
		columns = append(columns, "gwet_ac1=AC1", "kappa=kappa (unweighted)")
	}
	if has(func(r UnitsRow) bool { return r.Level != string(agreement.Nominal) }) {
		columns = append(columns, "gwet_ac2=AC2", "spearman=rho")
	}
	view := table.From(2, rows, columns...)
	for _, row := range view.Rows {
		row[0].Text = table.Short(row[0].Text)
	}
	if err := view.Terminal(w); err != nil {
		return err
	}
	printNotes(w, rows)
	drawn := "units"
	if has(func(r UnitsRow) bool { return r.Clusters.Known }) {
		drawn = "clusters"
	}
	how := "leaving out "
	if has(func(r UnitsRow) bool { return r.Degenerate.Known }) {
		how = "1,000 resamples of "
	}
	single := 0
	for _, row := range rows {
		single += row.Units - row.Pairable
	}
	units := "units: those with at least two ratings"
	if single > 0 {
		units += fmt.Sprintf("; %s one, which is counted under ratings alone", data.Plural(single, "other has", "others have"))
	}
	fmt.Fprintln(w)
	for _, text := range []string{
		units + ". agree: share of equal pairs of ratings of a unit, also by chance.",
		"alpha (Krippendorff's, at the level of the row): 1 is perfect agreement, 0 is chance, below 0 is worse than chance. Brackets: " +
			how + drawn + ".",
		"kappa (unweighted) is Cohen's; AC2 is Gwet's with ordinal weights at ordinal level and quadratic ones above.",
	} {
		table.PrintWrapped(w, text)
	}
	return nil
}

// printNotes prints each different note once, after the criteria that have it.
func printNotes(w io.Writer, rows []UnitsRow) {
	noted := data.Where(rows, func(r UnitsRow) bool { return r.Note != "" })
	if noted != nil {
		fmt.Fprintln(w)
	}
	for _, group := range table.Grouped(noted, func(r UnitsRow) string { return r.Note }) {
		about := ""
		if len(group) < len(rows) {
			about = strings.Join(data.Each(group, func(r UnitsRow) string { return table.Short(r.Criterion) }), ", ") + ": "
		}
		table.PrintWrapped(w, about+group[0].Note)
	}
}
