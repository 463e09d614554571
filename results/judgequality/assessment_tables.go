package judgequality

import (
	"slices"
	"strings"

	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
)

// worthText is a section for every judge: what can be said of it, and on which
// figures that rests, with the ceiling and the floors beside it.
func (t *Tables) assessmentText() string {
	if len(t.Assessments) == 0 {
		return "There is no judge in this run beside floors and people.\n\n"
	}
	var b strings.Builder
	for _, w := range t.Assessments {
		title := w.Judge
		if len(t.References()) > 1 {
			title += " against " + w.reference
		}
		b.WriteString("### " + table.EscapeMarkdown(title) + "\n\n")
		for _, line := range w.long(t) {
			b.WriteString(table.EscapeMarkdown(line) + "\n\n")
		}
		b.WriteString(t.besideTable(w).Markdown())
		if view := t.marginTable(w); view.Rows != nil {
			b.WriteString("Its figures less each floor's, on the sheets that both have:\n\n" + view.Markdown())
		}
	}
	return b.String()
}

// shown are the figures of a judge's section.
var shown = []struct {
	title, level string
	of           func(agreement.AgreementRow) (f, low, high table.Figure)
	margin       string
}{
	{"all criteria: alpha", dataset.LevelSeparate, alpha, "alpha"},
	{"all criteria: Pearson", dataset.LevelSeparate, pearson, "Pearson"},
	{"totals: alpha", dataset.LevelFinal, alpha, "alpha"},
	{"totals: Spearman", dataset.LevelFinal, spearman, "Spearman"},
	{"within criteria: alpha", dataset.LevelWithinCriterion, alpha, "alpha"},
	{"within systems: alpha", dataset.LevelWithinSystem, alpha, "alpha"},
}

func alpha(r agreement.AgreementRow) (f, low, high table.Figure) {
	return r.AlphaInterval, r.AlphaIntervalLow, r.AlphaIntervalHigh
}

func spearman(r agreement.AgreementRow) (f, low, high table.Figure) {
	return r.Spearman, r.SpearmanLow, r.SpearmanHigh
}

func pearson(r agreement.AgreementRow) (f, low, high table.Figure) {
	return r.Pearson, r.PearsonLow, r.PearsonHigh
}

// besideTable holds the judge, people against people, and the floors.
func (t *Tables) besideTable(w JudgeAssessment) *table.Table {
	view := &table.Table{Words: 2, Header: []string{"who", "as"}}
	for _, s := range shown {
		view.Header = append(view.Header, s.title)
	}
	at := map[[3]string]agreement.AgreementRow{}
	var whom [][3]string // judge, reference, as
	for _, r := range t.Agreements {
		at[[3]string{r.Judge, r.Reference, r.Level}] = r
		if r.Level != dataset.LevelSeparate {
			continue
		}
		switch {
		case r.Judge == w.Judge && r.Reference == w.reference:
			whom = slices.Insert(whom, 0, [3]string{r.Judge, r.Reference, dataset.KindOfJudge})
		case r.Kind == dataset.KindHuman:
			whom = append(whom, [3]string{r.Judge, r.Reference, "ceiling"})
		case r.Kind == dataset.KindFloor && r.Reference == w.reference && t.under(w, r.Judge):
			whom = append(whom, [3]string{r.Judge, r.Reference, dataset.KindFloor})
		}
	}
	for _, who := range whom {
		name := who[0]
		if who[2] == "ceiling" {
			name += " / " + who[1]
		}
		row := []string{name, who[2]}
		for _, s := range shown {
			f, low, high := s.of(at[[3]string{who[0], who[1], s.level}])
			row = append(row, table.Interval(f, low, high, 3))
		}
		view.Add(row...)
	}
	return view
}

// under says that a floor was set against the judge.
func (t *Tables) under(w JudgeAssessment, floor string) bool {
	return slices.ContainsFunc(t.Floors, func(r FloorRow) bool {
		return r.Judge == w.Judge && r.Reference == w.reference && r.Floor == floor
	})
}

func (t *Tables) marginTable(w JudgeAssessment) *table.Table {
	view := &table.Table{Words: 1, Header: []string{"less"}}
	for _, s := range shown {
		view.Header = append(view.Header, s.title)
	}
	at := map[[2]string]FloorRow{}
	var floors []string
	for _, r := range t.Floors {
		if r.Judge == w.Judge && r.Reference == w.reference && r.Item == dataset.NoItem {
			at[[2]string{r.Floor, r.Level}] = r
			if !slices.Contains(floors, r.Floor) {
				floors = append(floors, r.Floor)
			}
		}
	}
	for _, floor := range floors {
		row := []string{floor}
		for _, s := range shown {
			text := table.None
			for _, m := range at[[2]string{floor, s.level}].margins() {
				if m.figure == s.margin {
					text = marginText(m.Margin)
				}
			}
			row = append(row, text)
		}
		view.Add(row...)
	}
	return view
}
