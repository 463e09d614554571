package judgequality

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/agreement"
	"compqa/results/dataset"
	"compqa/results/table"
)

// levelWords name the levels over all units.
var levelWords = map[string]string{
	dataset.LevelSeparate:        "over all criteria",
	dataset.LevelFinal:           "on totals",
	dataset.LevelWithinCriterion: "within criteria",
	dataset.LevelWithinSystem:    "within systems",
}

// AssessmentLines summarise the quality of each judge in one sentence.
func (t *Tables) AssessmentLines() []string {
	switch {
	case len(t.Agreements) == 0:
		return []string{"Judge quality cannot be assessed without human scores."}
	case len(t.Assessments) == 0:
		return []string{"This run has no judges except floors and people."}
	}
	var lines []string
	for _, w := range t.Assessments {
		lines = append(lines, w.summary(len(t.References()) > 1))
	}
	return lines
}

// summary is the assessment in one sentence.
func (w JudgeAssessment) summary(several bool) string {
	name := w.Judge
	if several {
		name += " (reference " + w.reference + ")"
	}
	var beaten, not []string
	for _, l := range w.Levels {
		switch {
		case l.NotBeaten != nil:
			not = append(not, levelWords[l.Level]+" ("+strings.Join(l.NotBeaten, ", ")+")")
		case l.Beaten != nil:
			beaten = append(beaten, levelWords[l.Level])
		}
	}
	switch {
	case beaten == nil && not == nil && w.few():
		return fmt.Sprintf("%s: not enough data: it shares %s on %s with %s; at least %d questions are needed.",
			name, data.Plural(w.n, "score sheet", "score sheets"), data.Plural(w.questions, "question", "questions"), w.reference, minQuestions)
	case beaten == nil && not == nil:
		return name + ": agreement with " + w.reference + " is undefined."
	case beaten == nil:
		return "WARNING: " + name + " does not beat every floor at any level: " + strings.Join(not, "; ") + "."
	}
	text := name + " beats every floor " + data.List(beaten)
	if not != nil {
		text += ", but not " + strings.Join(not, "; ")
	}
	if len(w.Not) > 0 {
		text += fmt.Sprintf("; not on %d of %d single criteria", len(w.Not), len(w.Not)+len(w.Better))
	}
	return text + "; can replace an annotator: " + w.AltTestResult() + "."
}

// AltTestResult is whether the judge can replace an annotator.
func (w JudgeAssessment) AltTestResult() string {
	switch {
	case w.WithinCriteria().NotBeaten != nil:
		return "no"
	case w.AltTest.Test == nil || w.few():
		return "cannot be said"
	}
	if v := w.AltTest.Strictest(); v != nil {
		return "yes at epsilon " + table.Shortest(v.Epsilon)
	}
	return "no"
}

func (w JudgeAssessment) WithinCriteria() levelAssessment {
	return w.Levels[slices.Index(wholeLevels, dataset.LevelWithinCriterion)]
}

// assessmentText is the part of agreement.md about the quality of each judge.
func (t *Tables) assessmentText() string {
	if len(t.Assessments) == 0 {
		return t.AssessmentLines()[0] + "\n\n"
	}
	var b strings.Builder
	for _, line := range t.AssessmentLines() {
		b.WriteString("- " + table.EscapeMarkdown(line) + "\n")
	}
	b.WriteString("\n")
	if view := t.criteriaTable(); view.Rows != nil {
		b.WriteString("Criteria on which a judge does not beat every floor, each tested by itself:\n\n" + view.Markdown())
	}
	b.WriteString("### The alternative-annotator test\n\nCan the judge replace an annotator? The test compares, on each answer, the distance of the judge's total and of the annotator's total from those of the other annotators (Calderon et al. 2025). " +
		"The winning rate is the share of annotators that the judge can replace; the test is passed at 0.5 and above. epsilon is the advantage that the annotator is given for the higher cost of human scores. *advantage* is the share of score sheets on which the judge is at least as close as the annotator, *ties* the share on which both are equally close.\n\n" + t.altTestTable().Markdown())
	if view := t.ceilingTable(); view.Rows != nil {
		b.WriteString("Agreement on totals with one annotator: the alpha of the judge minus the alpha of another annotator, on the score sheets of all three.\n\n" + view.Markdown())
	}
	for _, w := range t.Assessments {
		title := w.Judge
		if len(t.References()) > 1 {
			title += " against " + w.reference
		}
		b.WriteString("### " + table.EscapeMarkdown(title) + "\n\n" + t.besideTable(w).Markdown())
		if view := t.marginTable(w); view.Rows != nil {
			b.WriteString("The judge's figures minus those of each floor, on the score sheets of both:\n\n" + view.Markdown())
		}
	}
	return b.String()
}

func (t *Tables) criteriaTable() *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "against", "criteria"}}
	for _, w := range t.Assessments {
		var names []string
		for _, id := range w.Not {
			names = append(names, t.ItemName(dataset.LevelCriterion, id))
		}
		if names != nil {
			view.Add(w.Judge, w.reference, strings.Join(names, ", "))
		}
	}
	return view
}

func (t *Tables) altTestTable() *table.Table {
	view := &table.Table{Words: 4, Header: []string{"judge", "against", "result", "winning rates", "annotators", "advantage", "ties"}}
	for _, w := range t.Assessments {
		s := w.AltTest
		row := []string{w.Judge, w.reference, w.AltTestResult(), s.ratesText(), strconv.Itoa(s.Annotators), table.None, table.None}
		if s.Test != nil {
			row[5], row[6] = table.Number(s.Test.Advantage).Text(2), table.Number(s.Test.TieRate).Text(2)
		}
		view.Add(row...)
	}
	return view
}

// ratesText lists the winning rates, or what the test needs.
func (s altTest) ratesText() string {
	switch {
	case s.Test == nil && s.Lacks == nil:
		return "needs 3 annotators"
	case s.Test == nil:
		return fmt.Sprintf("needs %d annotators with %d shared score sheets each; the largest number is %d", s.Lacks.NeedAnnotators, s.Lacks.NeedItems, s.Lacks.MostItems)
	}
	var rates []string
	for _, v := range s.Test.Verdicts {
		rates = append(rates, fmt.Sprintf("%.2f at epsilon %s", v.WinningRate, table.Shortest(v.Epsilon)))
	}
	return strings.Join(rates, ", ")
}

func (t *Tables) ceilingTable() *table.Table {
	view := &table.Table{Words: 3, Header: []string{"judge", "with annotator", "other annotator", "n", "alpha difference"}}
	seen := map[string]bool{}
	for _, w := range t.Assessments {
		if seen[w.Judge] { // the same for every reference
			continue
		}
		seen[w.Judge] = true
		for _, r := range w.AltTest.Ceilings {
			if r.Totals.Value.Known() {
				view.Add(w.Judge, r.Annotator, r.Other, strconv.Itoa(r.n), MarginText(r.Totals))
			}
		}
	}
	return view
}

// assessedFigures are the columns of a judge's tables.
var assessedFigures = []struct {
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

// besideTable shows the judge, pairs of annotators, and the floors.
func (t *Tables) besideTable(w JudgeAssessment) *table.Table {
	view := &table.Table{Words: 2, Header: []string{"rater", "kind"}}
	for _, f := range assessedFigures {
		view.Header = append(view.Header, f.title)
	}
	add := func(name, kind string, r agreement.AgreementRow) {
		row := []string{name, kind}
		for _, f := range assessedFigures {
			figure, low, high := f.of(t.AgreementAt(r.Judge, r.Reference, f.level))
			row = append(row, table.Interval(figure, low, high, 3))
		}
		view.Add(row...)
	}
	add(w.Judge, dataset.KindOfJudge, agreement.AgreementRow{Judge: w.Judge, Reference: w.reference})
	for _, r := range t.Agreements {
		switch {
		case r.Level != dataset.LevelSeparate:
		case r.Kind == dataset.KindHuman:
			add(r.Judge+" / "+r.Reference, "ceiling", r)
		case r.Kind == dataset.KindFloor && r.Reference == w.reference && t.isFloorOf(w, r.Judge):
			add(r.Judge, dataset.KindFloor, r)
		}
	}
	return view
}

func (t *Tables) isFloorOf(w JudgeAssessment, floor string) bool {
	return slices.ContainsFunc(t.Floors, func(r FloorRow) bool {
		return r.Judge == w.Judge && r.Reference == w.reference && r.Floor == floor
	})
}

// marginTable shows the judge's figures minus those of each floor.
func (t *Tables) marginTable(w JudgeAssessment) *table.Table {
	view := &table.Table{Words: 1, Header: []string{"floor"}}
	for _, f := range assessedFigures {
		view.Header = append(view.Header, f.title)
	}
	margins := map[[3]string]dataset.Margin{} // floor, level, figure
	var floors []string
	for _, r := range t.Floors {
		if r.Judge != w.Judge || r.Reference != w.reference || r.Item != dataset.NoItem {
			continue
		}
		if !slices.Contains(floors, r.Floor) {
			floors = append(floors, r.Floor)
		}
		for _, m := range r.margins() {
			margins[[3]string{r.Floor, r.Level, m.figure}] = m.Margin
		}
	}
	for _, floor := range floors {
		row := []string{floor}
		for _, f := range assessedFigures {
			row = append(row, MarginText(margins[[3]string{floor, f.level, f.margin}]))
		}
		view.Add(row...)
	}
	return view
}

// MarginText is a difference with its sign and interval, and whether it differs
// significantly from 0.
func MarginText(m dataset.Margin) string {
	if !m.Value.Known() {
		return table.None
	}
	text := table.Interval(m.Value, m.Low, m.High, 3)
	if *m.Value.Number > 0 {
		text = "+" + text
	}
	switch {
	case m.Above():
		text += " above"
	case m.Below():
		text += " below"
	}
	return text
}
