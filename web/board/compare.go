package board

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/stats"
)

// comparison returns the page "do two systems differ?". All differences on it are first system minus second.
func (v *view) comparison(string) (page, error) {
	a := v.get("a")
	b := v.get("b")
	p := page{Fields: []field{v.system("a", "Compare"), v.system("b", "with"),
		v.selector("judge", "by points of", v.order()), v.selector("scenario", "Scenario", dataset.AllScenarios)}}
	if a == "" || b == "" {
		p.Title, p.Sections = v.allPairs(report.Selection{Judge: v.get("judge"), Scenario: v.get("scenario")})
		return p, nil
	}
	p.Fields = append(p.Fields, v.selector("group", "Criteria", "all"))
	p.Title = v.s.SystemName(a) + " and " + v.s.SystemName(b)
	if a == b {
		p.Notes = append(p.Notes, "Both sides are the same system.")
	}
	compared, err := v.s.report.Two(a, b, v.selectedPoints())
	if err != nil {
		return p, err
	}
	two := &twoSystems{view: v, Two: compared}
	if two.Rows[0].Questions == 0 {
		p.Sections = append(p.Sections, textPart("Nothing to compare",
			two.Judge()+" scored no answers of both systems to the same question "+two.scenarioText()+"."))
		return p, nil
	}
	if a != b {
		findings := two.Findings()
		measured := func(f table.Finding) bool { // findings whose figures the page shows below
			return f.Claim == trust.ClaimDifference || f.Claim == trust.ClaimEvidence || f.Claim == trust.ClaimCriterion
		}
		p.Title, p.Lead = findings.Headline(), withoutBold(strings.Join(slices.DeleteFunc(findings[1:], measured).Texts(), " "))
	}
	p.Sections = append(p.Sections, v.sectionPart(two.evidence()), two.bar())
	if two.Rows[0].Difference.Known {
		scenarios, err := two.scenarios()
		if err != nil {
			return p, err
		}
		p.Sections = append(p.Sections, v.sectionPart(two.criteria(scenarios)), v.sectionPart(scenarios))
	}
	p.Sections = append(p.Sections, two.questions())
	texts, err := two.texts()
	if err == nil && texts.Columns != nil {
		p.Sections = append(p.Sections, texts)
	}
	return p, err
}

// system returns a field to choose a system.
func (v *view) system(name, label string) field {
	list := [][2]string{{"", "choose"}}
	for _, s := range v.s.Systems {
		list = append(list, [2]string{s.Name, v.s.SystemName(s.Name)})
	}
	return field{Name: name, Label: label, Options: v.options(name, list...)}
}

// A twoSystems builds the page that compares two systems.
type twoSystems struct {
	*view
	*report.Two
}

// withoutBold removes ** from a name, which would make a text bold.
func withoutBold(name string) string { return strings.ReplaceAll(name, "**", "") }

// bar returns a bar of the numbers of questions that each system wins.
func (t *twoSystems) bar() part {
	wins, even, losses := t.Counts()
	a := t.SystemName(t.First)
	b := t.SystemName(t.Second)
	keys := []table.Key{{Mark: "losses", Text: fmt.Sprintf("%s better on %s", b, data.Plural(losses, "question", "questions"))},
		{Mark: "even", Text: fmt.Sprintf("even on %d", even)}, {Mark: "wins", Text: fmt.Sprintf("%s better on %d", a, wins)}}
	var svg strings.Builder
	svg.WriteString(`<svg class="wins" aria-hidden="true">`)
	from := 0.0
	all := float64(wins + even + losses)
	for _, part := range []struct {
		class string
		n     int
	}{{"losses", losses}, {"even", even}, {"wins", wins}} {
		share := 100 * float64(part.n) / all
		if part.n > 0 {
			fmt.Fprintf(&svg, `<rect class="%s" x="%.2f%%" width="%.2f%%" height="26"></rect>`, part.class, from, share)
		}
		if share >= 4 {
			fmt.Fprintf(&svg, `<text class="%s" x="%.2f%%" y="18" text-anchor="middle">%d</text>`, part.class, from+share/2, part.n)
		}
		from += share
	}
	svg.WriteString("</svg>")
	shown := textPart("On how many questions is each better, by "+t.Judge()+"?", "")
	shown.ID = "wins"
	shown.Keys = keys
	shown.Picture = template.HTML(svg.String())
	return shown
}

// differenceCell returns a cell that draws the judge's difference and people's.
func (t *twoSystems) differenceCell(difference, people stats.Figure) table.Cell {
	cell := table.Signed(difference.Point(), 2)
	cell.Value = difference
	cell.Drawn = &table.Drawn{Others: people, Hollow: !trust.ClearlyNonZero(difference)}
	if trust.ClearlyNonZero(difference) {
		cell.Class = "key"
	}
	return cell
}

// axis returns the common axis of the shown differences.
func (t *twoSystems) axis(shown []stats.Figure) *table.Axis {
	axis := table.AxisOver("", append(shown, stats.Number(0))...)
	axis.Ends = [2]string{t.SystemName(t.Second) + " better", t.SystemName(t.First) + " better"}
	return axis
}

// differenceTable returns an empty table of differences. It has a column for people's differences if they scored both systems.
func (t *twoSystems) differenceTable(judge string) *table.Table {
	view := table.New(1, judge, "difference")
	if t.People != nil {
		view.Header = append(view.Header, "people")
	}
	return view
}

// addDifference adds a row to a table of differences.
func (t *twoSystems) addDifference(view *table.Table, name table.Cell, difference, people stats.Figure) {
	row := []any{name, t.differenceCell(difference, people)}
	if t.People != nil {
		cell := table.Signed(people.Point(), 2)
		cell.Value = people
		if trust.ClearlyNonZero(people) {
			cell.Class = "key"
		}
		if trust.Opposed(people, difference) {
			cell.Mark = " opposite"
			cell.Class = "bad"
		}
		row = append(row, cell)
	}
	view.Add(row...)
}

// criteria returns the differences on each criterion. It takes the left column if scenarios, the section on the right, is not empty.
func (t *twoSystems) criteria(scenarios table.Section) table.Section {
	view := t.differenceTable("criterion")
	pane := table.Left
	if scenarios.Empty() { // the column of scenarios would be empty
		pane = table.Whole
	}
	var shown []stats.Figure
	for i, r := range t.Rows[1:] {
		c := t.Criterion(r)
		var people stats.Figure
		if t.People != nil {
			people = t.People[i+1].Difference
		}
		t.addDifference(view, table.Cell{Text: cmp.Or(c.Name, c.ID), Row: &table.Row{Group: c.Group}}, r.Difference, people)
		shown = append(shown, r.Difference, people)
	}
	return table.Section{ID: "criteria", Title: "By criterion", Pane: pane, Table: view.Draw("difference", t.axis(shown)),
		About: fmt.Sprintf("Mean points by %s%s, %s minus %s, over the %s that both answered %s, question by question and scenario by "+
			"scenario. Intervals are "+
			"not adjusted for the number of criteria.", t.Judge(), t.on(), t.SystemName(t.First), t.SystemName(t.Second),
			data.Plural(t.Rows[0].Questions, "question", "questions"), t.scenarioText())}
}

// scenarios returns the differences of totals under each scenario. It is empty if there is only one scenario or the systems share none.
func (t *twoSystems) scenarios() (table.Section, error) {
	view := t.differenceTable("scenario")
	var shown []stats.Figure
	add := func(name string, difference stats.Figure, people []compare.Row) {
		var by stats.Figure
		if people != nil {
			by = people[0].Difference
		}
		t.addDifference(view, table.Cell{Text: name}, difference, by)
		shown = append(shown, difference, by)
	}
	if t.Of.Scenario != "" || len(t.s.scenarios) == 1 {
		return table.Section{}, nil // evidence already shows the only difference
	}
	for _, scenario := range t.s.scenarios {
		in, err := t.In(scenario)
		if err != nil {
			return table.Section{}, err
		}
		if in.Rows[0].Questions > 0 {
			add(dataset.ScenarioName(scenario), in.Rows[0].Difference, in.People)
		}
	}
	if len(view.Rows) == 0 {
		return table.Section{}, nil // the systems share no scenario
	}
	s := table.Section{ID: "scenarios", Title: "By scenario", Pane: table.Right, Table: view.Draw("difference", t.axis(shown)),
		About: fmt.Sprintf("Points of %s%s.", stats.Shortest(t.s.Rubric.Max()), t.on())}
	return s, nil
}

// evidence returns a table of the different ways to estimate the difference.
func (t *twoSystems) evidence() table.Section {
	view := table.New(1, "by", "points more", "based on", "says")
	s := table.Section{ID: "evidence", Title: "How sure?", Table: view, Keys: t.keys(),
		About: "Ahead or behind: 0 is outside the interval, which is that of this pair alone. The headline follows the ranks, whose intervals " +
			"are adjusted for all pairs of systems."}
	var shown []stats.Figure
	for _, d := range t.Evidence() {
		cell := t.differenceCell(d.Value, stats.Figure{})
		cell.Text = d.Value.Signed(2)
		name := table.Cell{Text: d.By, Class: "judges"}
		if strings.HasPrefix(name.Text, trust.People) {
			name.Class = "persons"
			cell.Drawn.Others = d.Value
			cell.Drawn.Alone = true
		}
		if !d.Value.Known {
			cell.Drawn = &table.Drawn{Empty: true}
		} else {
			shown = append(shown, d.Value)
		}
		view.Add(name, cell, table.Cell{Text: d.Basis()}, d.OrderCell())
	}
	view.Draw("points more", t.axis(shown))
	return s
}

// keys explains the marks of the judge and of people.
func (t *twoSystems) keys() []table.Key {
	keys := []table.Key{{Mark: "dot", Text: t.NameOfJudge(t.Judge()) + ", 95 % interval"}, {Mark: "hollow", Text: "0 is in the interval"}}
	if t.People != nil {
		keys = append(keys, table.Key{Mark: "diamond", Text: "people"})
	}
	return keys
}

// mostListed is the maximum number of questions on the page of two systems. A link leads to the others.
const mostListed = 8

// questions returns the questions on which the systems differ, the largest difference first.
func (t *twoSystems) questions() part {
	s := table.Section{ID: "questions", Title: "Questions that differ most",
		Table: table.New(2, "question", "mostly about", t.SystemName(t.First), t.SystemName(t.Second), "difference")}
	s.Lead = "Points of " + withoutBold(t.Judge()) + t.on() + "; several answers of a system to a question: their mean."
	if t.Moved == nil {
		return textPart(s.Title, "Both systems have equal points on every question.")
	}
	whole := t.get("table") == s.ID || t.get("as") != ""
	by, _, _ := t.sortOrder()
	whole = whole || by == s.ID
	if !whole {
		s.Table = table.New(1, "question", "difference")
	}
	row := func(i int) {
		m := t.Moved[i]
		asked := m.Asked
		asked.Pair = table.First(t.s.askedOnce(), func(q askedPair) bool { return q.pair == asked.Pair }).text
		difference := table.Signed(m.Difference, 1)
		difference.Class = "key"
		question := table.Cell{Text: asked.String(), To: t.questionOf(m.Asked, t.First, t.Second)}
		if !whole {
			s.Table.Add(question, difference)
			return
		}
		about := report.MostlyAbout(t.s.Rubric, m.Difference.Value, m.Criteria)
		s.Table.Add(question, strings.Join(about[:min(2, len(about))], ", "), table.Figured(m.A, 1), table.Figured(m.B, 1), difference)
	}
	if whole {
		links := t.list(&s, len(t.Moved), row)
		shown := t.sectionPart(s)
		shown.Links = links
		return shown
	}
	for i := range t.Moved[:min(mostListed, len(t.Moved))] {
		row(i)
	}
	shown := t.sectionPart(s)
	if len(t.Moved) > mostListed && t.static == nil {
		shown.Links = []table.Link{{Text: fmt.Sprintf("All %d, largest difference first", len(t.Moved)), Address: t.addressWith("table", s.ID)}}
	}
	return shown
}

// texts returns both answers to the question with the largest difference, side by side. On a static site it returns nothing, because the
// texts are on other pages.
func (t *twoSystems) texts() (shown part, err error) {
	if len(t.Moved) == 0 || t.static != nil {
		return part{}, nil
	}
	both := t.besides(t.Moved[0].Asked, t.First, t.Second)
	if both == nil {
		return part{}, nil
	}
	answer := &t.s.Answers[both[0][0]]
	shown = textPart("Side by side: "+answer.Asks(), "")
	for _, i := range both[0] {
		_, c, err := t.column(i, both[0][:])
		if err != nil {
			return shown, err
		}
		shown.Columns = append(shown.Columns, c)
	}
	return shown, nil
}

// scenarioText returns in words the scenario that a comparison is about.
func (t *twoSystems) scenarioText() string { return scenarioWords(t.Of.Scenario) }

func scenarioWords(scenario string) string {
	if scenario == "" {
		return "under the same scenarios"
	}
	return "under scenario " + dataset.ScenarioName(scenario)
}

// mostInMatrix is the maximum number of systems in the matrix of pairs.
const mostInMatrix = 16

// allPairs returns the comparisons of all pairs of systems, as a matrix and as a list, and the title above them.
func (v *view) allPairs(selection report.Selection) (title string, parts []part) {
	judge := cmp.Or(selection.Judge, v.s.headline())
	rows := data.Where(v.s.report.Leaderboard.Differences, func(r leaderboard.ComparisonRow) bool {
		return r.Judge == judge && r.Scenario == cmp.Or(selection.Scenario, dataset.AllScenarios) && r.Questions > 0
	})
	if len(rows) == 0 {
		return "No pairs of systems", []part{textPart("", "There are no two systems with points by "+judge+" for the same questions.")}
	}
	found, pairs := v.s.report.AllPairs(names(v.s.Systems), selection)
	matrix := v.sectionPart(v.matrix(pairs))
	about := "By " + judge + ", over the questions that both answered " + scenarioWords(selection.Scenario) + "."
	list := table.Section{ID: "pairs", Title: "All pairs of systems by the points of " + judge + ", with intervals",
		About: "Points, first minus second. " + about + " Intervals are 95 %; p is adjusted for all pairs (Holm), the intervals are not.",
		Table: table.New(2, "first", "second", "questions", "first minus second", "adjusted p")}
	links := v.list(&list, len(rows), func(i int) {
		r := rows[i]
		list.Table.Add(table.Cell{Text: r.SystemA, To: pairOfSystems(r.SystemA, r.SystemB)}, r.SystemB, r.Questions,
			table.Signed(r.Difference, 2), table.Probability(r.Adjusted))
	})
	shown := v.sectionPart(list)
	shown.Links, shown.Folded = links, v.get("page") == "" && v.get("by") == "" && len(pairs) > 0
	return found.Title(), []part{matrix, shown}
}

func pairOfSystems(a, b string) *table.Target {
	return &table.Target{Page: "compare", Query: []string{"a", a, "b", b}}
}

// matrix returns a table of the points of each row's system minus those of each column's. Systems with the most points come first.
func (v *view) matrix(pairs map[[2]string]trust.Pair) table.Section {
	points := map[string]float64{}
	for names, p := range pairs {
		for i, system := range names {
			points[system] = p.Points[i].Value
		}
	}
	systems := slices.SortedFunc(maps.Keys(points), func(a, b string) int {
		return cmp.Or(-cmp.Compare(points[a], points[b]), strings.Compare(a, b))
	})
	left := ""
	if n := len(systems) - mostInMatrix; n > 0 {
		systems = systems[:mostInMatrix]
		left = fmt.Sprintf(" The %d systems with the most points are shown.", mostInMatrix)
	}
	most := 0.0
	if len(systems) > 0 {
		most = points[systems[0]] - points[systems[len(systems)-1]]
	}
	view := table.New(1, append([]string{"system"}, data.Each(systems, v.s.SystemName)...)...)
	view.Look = "heat"
	for i, a := range systems {
		row := []any{table.Cell{Text: v.s.SystemName(a), To: table.ToSystem(a)}}
		for j, b := range systems {
			pair, known := pairs[[2]string{a, b}]
			if !known {
				pair, known = pairs[[2]string{b, a}]
			}
			cell := table.Cell{Text: stats.Missing, Class: "heat"}
			if known {
				difference := stats.Number(points[a] - points[b])
				cell = table.Signed(difference, 1)
				cell.Class = "heat"
				if pair.Above == 0 || pair.FewQuestions {
					cell.Mark = " ○"
				} else if difference.Value > 0 {
					cell.Class = table.Heat(difference, -most/5, most) // class h1 or more, because h0 is the grey of no difference
				}
				if i < j || v.static == nil {
					cell.To = pairOfSystems(a, b)
				}
			}
			row = append(row, cell)
		}
		view.Add(row...)
	}
	measure := ""
	for _, p := range pairs {
		measure = p.Measure
	}
	return table.Section{ID: "matrix", Table: view, About: strings.TrimSpace(left),
		Lead: "The row's system minus the column's, in " + withoutBold(measure) +
			". Coloured: clearly ahead, by the tests that the ranks follow from " +
			"(adjusted for all pairs). ○ no clear difference. A cell opens the comparison."}
}
