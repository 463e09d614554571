package validation

import (
	"fmt"
	"strings"

	"compqa/results/table"
)

// Document is the result as a page. command is how the page is made again.
func (r *Result) Document(title, command string, threshold float64) table.Document {
	people := table.Where(r.Rows, func(row Row) bool {
		return row.Reference != Among && row.Reference != All && row.Reference != Single
	})
	rates := table.Where(people, func(row Row) bool { return row.TPR.Known() || row.Corrected.Known() })
	all := []table.Section{
		{Title: "Judges and people", Table: r.summary(), About: "agree, kappa: against the majority of people. alpha: Krippendorff's against " +
			"their mean, " +
			"at interval level (of labels, which have no mean, nominal: single). single: alpha over all pairs of the judge and one person; " +
			"people: over those of two people. A " +
			"judge that agrees with a person as people do with each other has equal figures there. " + r.assumption()},
		{Title: "What to know", About: list(r.sentences(threshold))},
		{Title: "Against each person, their mean and their majority", Table: table.View(3, people, "judge", "criterion", "reference", "n",
			"agreement", "kappa=kappa (unweighted)",
			"kappa_weighted=kappa (quadratic)", "ac1", "level=level of alpha", "alpha", "spearman")},
		{Title: "Rates (positive: yes, pass; negative: no, fail)", Table: table.View(3, rates, "judge", "criterion", "reference", "tpr", "tnr",
			"precision", "f1", "rate_judge", "rate_people", "rate_corrected", "floor_constant", "floor_shuffled")},
		{Title: "Values of people and of the judge", Table: table.View(4, r.Cells, "judge", "criterion", "people", "judged", "count")},
		{Title: "Systems in people's units", Table: table.View(3, r.Systems, "judge", "criterion", "system", "rank", "n_judged", "n_labelled",
			"judge_mean", "predicted")},
		{Title: "Differences of systems", Table: table.View(4, r.Differences, "judge", "criterion", "system_a", "system_b", "n_questions",
			"difference", "p_adjusted")},
		{Title: "Slices", Table: table.View(4, r.Slices, "judge", "criterion", "column", "value", "n", "alpha", "mae", "p_adjusted")},
		{Title: "What has changed", Table: table.View(2, r.Drift, "judge", "criterion", "n_same_text", "agreement", "of_judge", "change",
			"of_answers")},
	}
	sections := table.Each(all, cut)
	for i, d := range r.Disagreements {
		s := table.Section{ID: fmt.Sprintf("case-%d", i+1), Title: fmt.Sprintf("%s: judge %s, people %s", d.Criterion, d.Judged, d.People),
			Verdict: strings.Join(filled(d.ID, d.System, d.Question), " · "),
			Quote:   d.Text}
		if i == 0 {
			sections = append(sections, table.Section{Title: "Where judge and people differ most", About: "The items with the largest gaps."})
		}
		if d.Reason != "" {
			s.Notes = []table.Note{{Text: "The judge: " + d.Reason}}
		}
		sections = append(sections, s)
	}
	sections = append(sections, table.Section{Title: "How it was made", Listing: command, About: fmt.Sprintf(
		"Seed %d. Intervals have 95 %%, clustered by group or question. Every figure is in tables.", r.o.Seed)})
	return table.Document{Title: "Validation of " + title, Lead: list(append(r.joined(), filled(r.closing(threshold))...)), Sections: sections}
}

// mostRows is the number of rows of a table, and of sentences, that the page shows.
const mostRows = 500

// cut leaves out what is too much for a page.
func cut(s table.Section) table.Section {
	if s.Table != nil && len(s.Table.Rows) > mostRows {
		s.About = strings.TrimSpace(fmt.Sprintf("%s The first %d of %d rows; all are in tables.", s.About, mostRows, len(s.Table.Rows)))
		shown := *s.Table
		shown.Rows = shown.Rows[:mostRows]
		s.Table = &shown
	}
	return s
}

// list is a list of sentences in the text of a section.
func list(sentences []string) string {
	if len(sentences) == 0 {
		return ""
	}
	if more := len(sentences) - mostRows; more > 0 {
		sentences = append(sentences[:mostRows:mostRows], fmt.Sprintf("%d more lines: compqa validate --json prints all", more))
	}
	one := strings.NewReplacer("\n", " ", "\r", " ")
	for i, s := range sentences {
		sentences[i] = one.Replace(s)
	}
	return "- " + strings.Join(sentences, "\n- ")
}
