package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/plot"
	"compqa/results/table"
	"compqa/rubric"
	"compqa/stats"
)

// JudgesPage returns the page "which judge may be trusted, and where?": a headline, its figures, and sections. If not empty, judge selects
// one judge, and scenario and group narrow the sections that have them. Without people's scores there are no sections.
func (t *Report) JudgesPage(judge, scenario, group string) table.Document {
	d := table.Document{ID: "judges", Title: t.Quality.Trust().Headline(), Lead: t.agreeing()}
	if t.References() == nil || len(t.Quality.Agreements) == 0 {
		return d
	}
	assessed := data.Where(t.Quality.Assessments, func(w judgequality.JudgeAssessment) bool {
		return w.Reference == t.reference() && (judge == "" || w.Judge == judge)
	})
	if len(assessed) == 0 { // the selection is a person or a baseline
		assessed = data.Where(t.Quality.Assessments, func(w judgequality.JudgeAssessment) bool { return w.Reference == t.reference() })
	}
	slices.SortStableFunc(assessed, func(a, b judgequality.JudgeAssessment) int {
		return stats.CompareFigures(a.Alpha.Point(), b.Alpha.Point(), -1)
	})
	totals := t.totalsSection(assessed)
	trusted := t.trustedSection(assessed, scenario)
	criteria := t.criteriaSection(assessed, group)
	alone := ""
	if len(assessed) > 0 && assessed[0].Judge == judge {
		alone = judge
	}
	decisions := t.Quality.DecisionsSection(alone, group)
	decided := table.Section{ID: "decided", Title: "How it is decided", Fold: "the rule, and decisions in sentences", About: decisions.About,
		Notes: decisions.Notes}
	decisions.About = ""
	decisions.Notes = nil
	decisions.Verdict = strings.TrimSpace(strings.TrimPrefix(decisions.Verdict, d.Title+".")) // the page's title says it
	d.Sections = []table.Section{totals, trusted, criteria, decisions, decided, t.Quality.ConsensusSection(alone, group),
		t.calibrationSection(assessed), t.differencesSection(cmp.Or(judge, t.BesidePeople())),
		{ID: "marks", Title: "Marks", Fold: "after the names of judges", Notes: t.Leaderboard.FittedNotes}}
	return d
}

// reference returns the name of the first reference, which is usually the mean of people.
func (t *Report) reference() string { return t.Judges[t.References()[0]].Name }

// agreeing returns the figures behind the headline: how well people agree with each other, and how well model judges agree with one person.
// They come from the decisions on totals.
func (t *Report) agreeing() string {
	if t.References() == nil || len(t.Quality.Agreements) == 0 {
		return ""
	}
	var parts []string
	if among := t.Quality.PeopleAgree[dataset.NoItem]; among.Known {
		parts = append(parts, fmt.Sprintf("%s agree at **%s**", data.Capital(t.howManyPeople()), among.Point().Text(2)))
	}
	var agree []float64
	for _, w := range t.Quality.Assessments {
		if w.Reference != t.reference() || !w.Alpha.Known || t.Judges[t.JudgeNamed(w.Judge)].Kind == dataset.KindEmbedded {
			continue
		}
		single := t.singleOf(w.Judge)
		if !single.Known {
			continue
		}
		agree = append(agree, single.Value)
	}
	if agree != nil {
		who := "a model judge with one person at"
		if len(agree) == 1 {
			who = "the model judge with one person at"
		}
		parts = append(parts, who+" **"+span(agree, 2)+"**")
	}
	if parts == nil {
		return ""
	}
	text := data.Capital(strings.Join(parts, ", "))
	ofTotals := ""
	if len(t.Rubric.Criteria) > 1 {
		ofTotals = " of totals"
	}
	return text + " (alpha" + ofTotals + ")."
}

// lenient says how many points more or fewer than people the model judges give.
func (t *Report) lenient() string {
	var lenient []float64
	for _, w := range t.Quality.Assessments {
		row := table.First(t.Quality.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == w.Judge })
		if w.Reference == t.reference() && row.Leniency.Known && t.Judges[t.JudgeNamed(w.Judge)].Kind != dataset.KindEmbedded {
			lenient = append(lenient, row.Leniency.Value)
		}
	}
	switch len(lenient) {
	case 0:
		return ""
	case 1:
		return "The model judge gives " + signedSpan(lenient, t.pointsDecimals()) + "."
	}
	return "The model judges give " + signedSpan(lenient, t.pointsDecimals()) + "."
}

// singleOf returns how well a judge agrees with one person: on totals, or on the only criterion with a decision.
func (t *Report) singleOf(judge string) (single stats.Figure) {
	decisions := 0
	for _, d := range t.Quality.Decisions {
		if d.Judge != judge {
			continue
		}
		if d.Criterion == judgequality.Totals {
			return d.Single
		}
		single = d.Single
		decisions++
	}
	if decisions != 1 {
		return stats.Figure{}
	}
	return single
}

// span returns the smallest and the largest value, as "0.50 to 0.70".
func span(values []float64, decimals int) string {
	low := stats.Number(slices.Min(values)).Text(decimals)
	high := stats.Number(slices.Max(values)).Text(decimals)
	if low == high {
		return low
	}
	return low + " to " + high
}

// signedSpan describes a range of differences (judge minus people), as "0.5 to 1.2 points more".
func signedSpan(differences []float64, decimals int) string {
	low := slices.Min(differences)
	high := slices.Max(differences)
	switch {
	case low >= 0:
		return span(differences, decimals) + " points more"
	case high <= 0:
		return span([]float64{-low, -high}, decimals) + " points fewer"
	}
	return fmt.Sprintf("%s points fewer to %s more", stats.Number(-low).Text(decimals), stats.Number(high).Text(decimals))
}

// howManyPeople returns the number of people who scored answers, in words.
func (t *Report) howManyPeople() string {
	if n := len(t.Annotators()); n > 2 {
		return fmt.Sprintf("%d people", n)
	}
	return "two people"
}

// agreementOf returns the agreement of a judge with the first reference, at a level and item.
func (t *Report) agreementOf(judge, level, item string) judgequality.AgreementRow {
	return table.First(t.Quality.Agreements, func(r judgequality.AgreementRow) bool {
		return r.Judge == judge && r.Reference == t.reference() && r.Level == level && r.Item == item
	})
}

func (t *Report) judgeCell(name string) table.Cell {
	return table.Cell{Text: name, Mark: t.Mark(name, t.reference()), To: table.ToJudge(name)}
}

// agreementAxis returns an axis from 0, or the smallest figure if it is below 0, to 1.
func agreementAxis(figures []stats.Figure) *table.Axis {
	low := 0.0
	for _, b := range figures {
		for _, f := range []stats.Figure{b.Point(), b.Lower()} {
			if f.Known {
				low = min(low, f.Value)
			}
		}
	}
	return &table.Axis{Low: max(-1, low), High: 1, Dashed: stats.Number(0), Ticks: []float64{0, .5, 1},
		Words: map[float64]string{0: "0 = guessing",
			1: "1 = same"}}
}

// alphaOfTotals is the column with the agreement on totals.
const alphaOfTotals = "alpha with people's mean"

// tunedGroup is the heading above judges that were tuned on the scores that they are compared with.
const tunedGroup = "tuned on these scores, so not comparable"

// totalName says what a total is: a single criterion by its name, or "an answer's total".
func (t *Report) totalName() string {
	if criteria := t.Rubric.Criteria; len(criteria) == 1 {
		return cmp.Or(criteria[0].Name, criteria[0].ID)
	}
	return "an answer's total"
}

// shortScale is the maximum total below which differences of points have one decimal more.
const shortScale = 5

// pointsDecimals returns the number of decimals of differences of points.
func (t *Report) pointsDecimals() int {
	if t.Rubric.Max() < shortScale {
		return 2
	}
	return 1
}

// totalsSection returns each judge's agreement on totals, next to people's agreement with each other. Judges that were tuned on these
// scores form a group of their own.
func (t *Report) totalsSection(assessed []judgequality.JudgeAssessment) table.Section {
	among := t.Quality.PeopleAgree[dataset.NoItem]
	const gives = "compared with people"
	s := table.Section{ID: "totals", Title: "How judges agree with people on " + t.totalName(), Pane: table.Left,
		Table: table.New(1, "judge", alphaOfTotals, gives), Keys: []table.Key{{Mark: "dot", Text: "judge with people's mean, 95 % interval"}}}
	if among.Known {
		s.Keys = append(s.Keys, table.Key{Mark: "among", Text: t.howManyPeople() + " with each other: " + among.Point().Text(2)})
	}
	shown := []stats.Figure{among}
	fitted := func(w judgequality.JudgeAssessment) bool { return t.FittedOn(w.Judge, w.Reference).TrainedOn != "" }
	tuned := slices.ContainsFunc(assessed, fitted)
	assessed = slices.SortedStableFunc(slices.Values(assessed), func(a, b judgequality.JudgeAssessment) int {
		return int(dataset.Indicator(fitted(a)) - dataset.Indicator(fitted(b)))
	})
	for _, w := range assessed {
		alpha := table.Figured(w.Alpha, 2)
		name := t.judgeCell(w.Judge)
		alpha.Class, alpha.Drawn = "key", &table.Drawn{Band: among, Hollow: fitted(w)}
		if tuned {
			name.Row = &table.Row{Group: "judges"}
			if fitted(w) {
				name.Row.Group = tunedGroup
			}
		}
		lenient := table.First(t.Quality.JudgeFigures, func(r judgequality.JudgeRow) bool { return r.Judge == w.Judge }).Leniency.Point()
		more := table.Cell{Text: stats.Missing}
		if lenient.Known {
			more = table.Cell{Text: lenient.Signed(t.pointsDecimals()) + " points", Value: lenient}
		}
		s.Table.Add(name, alpha, more)
		shown = append(shown, w.Alpha)
	}
	s.Table.Draw(alphaOfTotals, agreementAxis(shown))
	return s
}

// pill returns the coloured cell of an answer: "yes", "no", or else "not known".
func pill(answer string) table.Cell {
	switch answer, _, _ = strings.Cut(answer, " at "); answer {
	case "yes":
		return table.Cell{Text: answer, Class: "good"}
	case "no":
		return table.Cell{Text: answer, Class: "bad"}
	}
	return table.Cell{Text: cmp.Or(answer, "not known"), Class: "quiet"}
}

// trustedSection returns whether each judge is better than guessing, and its agreement by scenario.
func (t *Report) trustedSection(assessed []judgequality.JudgeAssessment, scenario string) table.Section {
	scenarios := data.Where(t.Scenarios(), func(s string) bool { return scenario == "" || s == scenario })
	s := table.Section{ID: "trust", Title: "Better than guessing, and in which scenario", Pane: table.Left,
		Lead: "By scenario: alpha (interval) of totals. ○ no better than guessing."}
	if !slices.ContainsFunc(scenarios, func(s string) bool { return s != data.NoScenario }) {
		s.Title = "Better than guessing"
		s.Lead = ""
		scenarios = nil
	}
	several := len(t.Rubric.Criteria) > 1
	s.Table = table.New(1, "judge", "better on totals")
	s.Table.Look = "heat"
	if several {
		s.Table.Header = append(s.Table.Header, "better on criteria")
	}
	standsIn := "in place of one person"
	if several {
		standsIn = "stands in on totals"
	}
	s.Table.Header = append(s.Table.Header, standsIn)
	s.Table.Header = append(s.Table.Header, data.Each(scenarios, dataset.ScenarioName)...)
	for _, w := range assessed {
		row := []any{t.judgeCell(w.Judge), pill(w.Final)}
		if several {
			row = append(row, pill(w.WithinCriterion))
		}
		row = append(row, t.Quality.DecisionOn(w.Judge, judgequality.Totals).Cell())
		for _, s := range scenarios {
			row = append(row, heatCell(t.agreementOf(w.Judge, dataset.LevelScenario, s), table.ToCounted("judge", w.Judge, "scenario", s, "sort",
				"difference")))
		}
		s.Table.Add(row...)
	}
	return s
}

// heatCell returns a cell with an agreement, coloured by its size. It has a mark if the interval includes 0, and links to the
// disagreements.
func heatCell(r judgequality.AgreementRow, to *table.Target) table.Cell {
	if !r.AlphaInterval.Known {
		return table.Cell{Text: stats.Missing, Class: "heat"}
	}
	cell := table.Figured(r.AlphaInterval.Point(), 2)
	cell.Value, cell.Class, cell.To = r.AlphaInterval, table.Heat(r.AlphaInterval.Point(), 0, .9), to
	if r.AlphaInterval.Bounded && r.AlphaInterval.Low <= 0 {
		cell.Mark = " ○"
	}
	return cell
}

// criteriaSection returns the agreement of judges and of people, by criterion.
func (t *Report) criteriaSection(assessed []judgequality.JudgeAssessment, group string) table.Section {
	view := table.New(1, "criterion")
	view.Look = "heat"
	for _, w := range assessed {
		view.Header = append(view.Header, w.Judge)
		view.SetHead(len(view.Header)-1, func(h *table.Head) { h.Mark, h.To = t.Mark(w.Judge, w.Reference), table.ToJudge(w.Judge) })
	}
	people := slices.ContainsFunc(t.Quality.Agreements, func(r judgequality.AgreementRow) bool { return r.Kind == dataset.KindHuman })
	if people {
		view.Header = append(view.Header, "people")
	}
	for _, c := range t.Rubric.Criteria {
		if group != "" && c.Group != group {
			continue
		}
		row := []any{table.Cell{Text: cmp.Or(c.Name, c.ID), Row: &table.Row{Group: groupAbove(t.Rubric, c)}}}
		for _, w := range assessed {
			cell := heatCell(t.agreementOf(w.Judge, dataset.LevelCriterion, c.ID), table.ToCounted("judge", w.Judge, "criterion", c.ID, "sort",
				"difference"))
			if cell.Text != stats.Missing && slices.Contains(strings.Fields(w.Not), c.ID) {
				cell.Mark = " ○"
			} else if slices.Contains(strings.Fields(w.Better), c.ID) {
				cell.Mark = ""
			}
			row = append(row, cell)
		}
		if people {
			cell := heatCell(judgequality.AgreementRow{AlphaInterval: t.Quality.PeopleAgree[c.ID]}, nil)
			cell.Mark = ""
			cell.Class = strings.TrimSpace(cell.Class + " apart")
			row = append(row, cell)
		}
		view.Add(row...)
	}
	return table.Section{ID: "criteria", Title: "Where a judge can be trusted: agreement by criterion", Pane: table.Right, Table: view,
		Lead: "Stronger colour: closer to people. ○ no better than guessing. A cell opens its disagreements."}
}

// groupAbove returns the heading above the criteria of a group. It returns "" if the rubric has a single group.
func groupAbove(r rubric.Rubric, c rubric.Criterion) string {
	if len(r.Groups()) < 2 {
		return ""
	}
	return c.Group
}

// mostFigures is the largest number of judges that are drawn.
const mostFigures = 10

// calibrationSection shows how a judge's points relate to people's points.
func (t *Report) calibrationSection(assessed []judgequality.JudgeAssessment) table.Section {
	return t.Calibration(data.Each(assessed[:min(len(assessed), mostFigures)],
		func(w judgequality.JudgeAssessment) string { return w.Judge })...)
}

// Calibration plots the totals of each judge against people's, one plot for each judge. Judges without answers that people scored are left
// out.
func (t *Report) Calibration(names ...string) table.Section {
	people := t.AnswerTotals(t.References()...)
	s := table.Section{ID: "calibration", Title: "What a judge's points mean in people's points"}
	for _, name := range names {
		totals := t.AnswerTotals(t.JudgeNamed(name))
		var across, up []float64
		for i := range t.Answers {
			x, given := totals.Of(i)
			if y, both := people.Of(i); both && given {
				across = append(across, x)
				up = append(up, y)
			}
		}
		if len(across) == 0 {
			continue
		}
		difference := stats.Mean(across) - stats.Mean(up)
		than := "fewer"
		if difference >= 0 {
			than = "more"
		}
		s.Figures = append(s.Figures, table.Picture{Name: name + " and people, answer by answer",
			Drawing: template.HTML(plot.Calibration(across, up, t.Rubric.Min(), t.Rubric.Max())),
			Caption: fmt.Sprintf("**%s** gives %s points %s than people", strings.ReplaceAll(name, "**", ""),
				stats.Number(math.Abs(difference)).Text(t.pointsDecimals()), than)})
	}
	if s.Figures == nil {
		return table.Section{}
	}
	s.Lead = fmt.Sprintf("Across: the judge's total. Up: people's. Dashed: equal. The line: people's mean where the judge gives that many "+
		"(%d answers or more).",
		plot.FewCalibrated)
	return s
}

// BesidePeople returns the judge to show next to people: the headline judge, or the first judge if people order the systems.
func (t *Report) BesidePeople() string {
	j := t.JudgeNamed(t.Leaderboard.Headline)
	if j >= 0 && !t.People(j) {
		return t.Leaderboard.Headline
	}
	for _, scorer := range t.Scorers() {
		return t.Judges[scorer].Name
	}
	return t.Leaderboard.Headline
}

// mostDifferences is the number of disagreements that the page shows.
const mostDifferences = 4

// differencesSection returns the answers on which a judge differs most from people.
func (t *Report) differencesSection(judge string) table.Section {
	j := t.JudgeNamed(judge)
	if j < 0 || t.People(j) || t.Judges[j].Kind == dataset.KindFloor {
		return table.Section{}
	}
	type gap struct {
		answer     int
		difference float64 // judge minus people
	}
	totals := t.AnswerTotals(j)
	people := t.AnswerTotals(t.References()...)
	var gaps []gap
	t.EachDifference(totals, people, func(answer int, difference float64) { gaps = append(gaps, gap{answer, difference}) })
	slices.SortStableFunc(gaps, func(a, b gap) int { return -cmp.Compare(math.Abs(a.difference), math.Abs(b.difference)) })
	view := table.New(3, "question", "system", "mostly about", judge, "people", "difference")
	for _, g := range gaps[:min(len(gaps), mostDifferences)] {
		if g.difference == 0 {
			break
		}
		a := &t.Answers[g.answer]
		x, _ := totals.Of(g.answer)
		y, _ := people.Of(g.answer)
		difference := table.Points(g.difference)
		difference.Class = "key"
		if g.difference > 0 {
			difference.Text = "+" + difference.Text
		}
		view.Add(table.Cell{Text: a.Asks(), To: &table.Target{Page: "answers", Name: a.ID, Query: []string{"judge", judge, "sort",
			"difference"}}},
			t.SystemName(a.System), data.List(t.mostlyAbout(j, g.answer, g.difference)), table.Points(x), table.Points(y), difference)
	}
	return table.Section{ID: "differences", Title: "Largest disagreements of " + judge, Table: view,
		More: []table.Cell{{Text: fmt.Sprintf("All %d, largest first", len(gaps)), To: table.ToCounted("judge", judge, "sort", "difference")}}}
}

// mostlyAbout returns the criteria that contribute most to the difference between a judge and people on an answer (see MostlyAbout).
func (t *Report) mostlyAbout(judge, answer int, difference float64) []string {
	scores := t.ScoresOn(judge, answer)
	people := t.ScoresOn(t.References()[0], answer)
	return MostlyAbout(t.Rubric, difference, data.Each(t.Rubric.IDs(), func(id string) float64 { return scores[id] - people[id] }))
}

// MostlyAbout returns the names of at most three criteria that contribute most to a difference of totals, in its direction. differences are
// those on each criterion, in the order of the rubric.
func MostlyAbout(criteria rubric.Rubric, total float64, differences []float64) (names []string) {
	type gap struct {
		name string
		size float64
	}
	var gaps []gap
	for i, c := range criteria.Criteria {
		gaps = append(gaps, gap{cmp.Or(c.Name, c.ID), math.Copysign(1, total) * differences[i]})
	}
	slices.SortStableFunc(gaps, func(a, b gap) int { return -cmp.Compare(a.size, b.size) })
	for _, g := range gaps[:min(3, len(gaps))] {
		if g.size > 1e-9 {
			names = append(names, g.name)
		}
	}
	return names
}
