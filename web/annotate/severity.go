package annotate

import (
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
)

// strict returns, by a person's name, a text about that person's severity over the criteria: the mean severity, and on how many criteria
// the person is strict, mild or random. If that is unknown, the text says why. See raters.Severities.
func strict(tables []raters.Table) map[string]string {
	measured := map[string][]raters.Severity{}
	texts := map[string]string{}
	why := ""
	for _, t := range tables {
		if t.Criterion == together || isTotal(t) { // these follow from the other criteria
			continue
		}
		for _, r := range t.Raters {
			texts[r.Name] = ""
		}
		rows, _ := t.Severities("", t.Raters)
		for _, row := range rows {
			if row.Rater == raters.NobodyMeasured {
				why = row.Severity.Reason()
			} else {
				measured[row.Rater] = append(measured[row.Rater], row)
			}
		}
	}
	for name := range texts {
		rows := measured[name]
		if len(rows) == 0 {
			texts[name] = why
			continue
		}
		known := data.Where(rows, func(s raters.Severity) bool { return s.Severity.Known })
		var parts []string
		if len(known) > 0 {
			mean := stats.Number(stats.Mean(data.Each(known, func(s raters.Severity) float64 { return s.Severity.Value })))
			parts = append(parts, "severity "+mean.Signed(2))
		}
		for _, kind := range []struct {
			name string
			is   func(raters.Severity) bool
		}{{"strict", raters.Severity.IsStrict}, {"mild", raters.Severity.IsMild}, {"random", raters.Severity.IsRandom}} {
			if n := len(data.Where(rows, kind.is)); n > 0 {
				parts = append(parts, fmt.Sprintf("%s on %d of %s", kind.name, n, data.Plural(len(rows), "criterion", "criteria")))
			}
		}
		texts[name] = strings.Join(parts, ", ")
	}
	return texts
}
