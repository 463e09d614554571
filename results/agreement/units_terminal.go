package agreement

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"compqa/results/table"
	"compqa/stats/agreement"
)

// PrintUnits shows the rows on the terminal: what most people want to know of
// them, what is missing and why, and how to read it.
func PrintUnits(w io.Writer, rows []UnitsRow) error {
	nominal, above, clustered := false, false, false
	for _, r := range rows {
		nominal = nominal || r.Level == agreement.Nominal.String()
		above = above || r.Level != agreement.Nominal.String()
		clustered = clustered || r.Clusters.Known()
	}
	view := &table.Table{Words: 2, Header: []string{"criterion", "level", "units", "ratings", "agree", "alpha [95 %]", "P<.667", "P<.8"}}
	if nominal {
		view.Header = append(view.Header, "AC1", "kappa")
	}
	if above {
		view.Header = append(view.Header, "AC2", "rho")
	}
	for _, r := range rows {
		cells := []string{table.Short(r.Criterion), r.Level, strconv.Itoa(r.Pairable), strconv.Itoa(r.Ratings), r.Agreement.Text(2),
			table.Interval(r.Alpha, r.AlphaLow, r.AlphaHigh, 3), r.Below0667.Text(2), r.Below0800.Text(2)}
		if nominal {
			cells = append(cells, r.GwetAC1.Text(2), r.Kappa.Text(2))
		}
		if above {
			cells = append(cells, r.GwetAC2.Text(2), r.Spearman.Text(2))
		}
		view.Add(cells...)
	}
	if err := view.Terminal(w); err != nil {
		return err
	}
	printNotes(w, rows)
	drawn := "units"
	if clustered {
		drawn = "clusters"
	}
	_, err := fmt.Fprintf(w, `
units: those with two ratings. agree: pairs of ratings of a unit that are equal, chance included.
alpha (Krippendorff): 1 is full agreement, 0 what chance gives, below 0 less than that; by custom
.667 allows tentative conclusions and .8 is reliable. Brackets and P: 1,000 resamples of %s.
`, drawn)
	return err
}

// printNotes shows every note once, with the criteria that it is about.
func printNotes(w io.Writer, rows []UnitsRow) {
	about := map[string][]string{}
	for _, r := range rows {
		about[r.Note] = append(about[r.Note], table.Short(r.Criterion))
	}
	delete(about, "")
	if len(about) > 0 {
		fmt.Fprintln(w)
	}
	for _, r := range rows {
		criteria, ok := about[r.Note]
		switch {
		case !ok:
			continue
		case len(criteria) == len(rows):
			fmt.Fprintln(w, r.Note)
		default:
			fmt.Fprintf(w, "%s: %s\n", strings.Join(criteria, ", "), r.Note)
		}
		delete(about, r.Note)
	}
}
