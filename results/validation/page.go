package validation

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strconv"

	"compqa/results/table"
)

//go:embed page.html
var pageHTML string

var page = template.Must(template.New("page").Parse(pageHTML))

// A captioned is a table of the page.
type captioned struct {
	Caption string
	*table.Table
}

// HTML writes the result as one page without scripts. title says what was read, command how the page
// is made again.
func (r *Result) HTML(title, command string, threshold float64) func(io.Writer) error {
	var alerts []string
	for _, p := range r.Pairings {
		alerts = append(alerts, r.alerts(p, threshold)...)
	}
	joined := r.joined()
	if of := r.failures(); of != "" {
		joined = append(joined, of)
	}
	heads := table.Where(r.Rows, func(row Row) bool { return row.Reference != Among && row.Reference != All })
	tables := []captioned{
		{"Judges and people", r.summary()},
		{"Against each person, their mean and their majority", table.View(3, heads, "judge", "criterion", "reference", "n", "agreement",
			"kappa", "kappa_weighted", "ac1", "alpha", "spearman")},
		{"Rates", table.View(3, table.Where(heads, func(row Row) bool { return row.TPR.Known() || row.Corrected.Known() }), "judge", "criterion",
			"reference", "tpr", "tnr", "precision", "f1", "rate_judge", "rate_people", "rate_corrected", "floor_constant", "floor_shuffled")},
		{"Values of people and of the judge", r.confusion()},
		{"Systems in people's units", table.View(3, r.Systems, "judge", "criterion", "system", "rank", "n_judged", "n_labelled", "judge_mean", "predicted")},
		{"Differences of systems", table.View(4, r.Differences, "judge", "criterion", "system_a", "system_b", "n_questions", "difference", "p_adjusted")},
		{"Slices", table.View(4, r.Slices, "judge", "criterion", "column", "value", "n", "alpha", "mae", "p_adjusted")},
		{"What has changed", table.View(2, r.Drift, "judge", "criterion", "n_same_text", "agreement", "of_judge", "change", "of_answers")},
	}
	return func(w io.Writer) error {
		return page.Execute(w, map[string]any{"Title": title, "Command": command, "Joined": joined, "Tables": tables, "Worst": r.Disagreements,
			"Alerts": slices.Concat(r.changes(), r.ranking(), r.sliced(), r.Sentences, alerts, r.Notes), "Seed": r.o.Seed})
	}
}

func (r *Result) confusion() *table.Table {
	t := &table.Table{Words: 4, Header: []string{"judge", "criterion", "people", "judged", "count"}}
	for _, c := range r.Cells {
		t.Add(c.Judge, c.Criterion, c.People, c.Judged, strconv.Itoa(c.Count))
	}
	return t
}
