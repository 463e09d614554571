package board

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/leaderboard"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/rubric"
)

// comparison is the page "do two systems differ?". All its differences are the first system minus the second.
func (v *view) comparison(string) (page, error) {
	p := page{Title: "Do two systems differ?"}
	a, b, judge, systems := v.get("a"), v.get("b"), cmp.Or(v.get("judge"), v.s.headline()), names(v.s.Systems)
	scenario := cmp.Or(v.get("scenario"), dataset.AllScenarios)
	p.Fields = []field{v.choice("a", "First system", "choose", systems...), v.choice("b", "Second system", "choose", systems...),
		v.selector("judge", "By the points of", v.s.headline()), v.selector("scenario", "Scenario", dataset.AllScenarios)}
	if a == "" || b == "" {
		p.Title = "Which systems differ?"
		p.Sections = append(p.Sections, v.allPairs(judge, scenario)...)
		return p, nil
	}
	p.Fields = append(p.Fields, v.selector("group", "Criteria", "all"))
	p.Title = v.s.SystemName(a) + " and " + v.s.SystemName(b)
	if a == b {
		p.Notes = append(p.Notes, "Both sides are the same system.")
	}
	c, err := v.compared(a, b)
	if err != nil {
		return p, err
	}
	if c.Rows[0].Questions == 0 {
		p.Sections = append(p.Sections, words("Nothing to compare",
			judge+" scored no answers of both systems to the same question "+under(scenario)+"."))
		return p, nil
	}
	two := &twoSystems{view: v, a: a, b: b, judge: judge, scenario: scenario, Comparison: c}
	two.people, err = compare.People(v.side(b, v.get("scenario")), v.side(a, v.get("scenario")))
	if err != nil {
		return p, err
	}
	p.Title, p.Lead = two.title(), two.lead()
	scenarios, err := two.scenarios()
	if err != nil {
		return p, err
	}
	p.Sections = append(p.Sections, two.bar(), v.show(two.criteria()), v.show(scenarios), v.show(two.places()), two.questions())
	texts, err := two.texts()
	if err == nil && texts.Columns != nil {
		p.Sections = append(p.Sections, texts)
	}
	return p, err
}

// side are the answers of a system under a scenario, "" for all, on the selected criteria.
func (v *view) side(system, scenario string) compare.Side {
	return compare.Side{Dataset: v.s.Dataset, System: system, Scenario: scenario, Group: v.get("group"), Own: true}
}

// compared is two systems by the selected points, differences a − b; questions with the largest differences come first.
func (v *view) compared(a, b string) (c compare.Comparison, err error) {
	err = c.Add(cmp.Or(v.get("judge"), v.s.headline()), v.side(b, v.get("scenario")), v.side(a, v.get("scenario")))
	slices.SortStableFunc(c.Moved, func(a, b compare.Move) int {
		return cmp.Compare(math.Abs(*b.Difference.Number), math.Abs(*a.Difference.Number))
	})
	return c, err
}

// twoSystems is the page of two systems. In its rows, the second system is A and the first is B, so that B − A is the first
// minus the second.
type twoSystems struct {
	*view
	a, b, judge, scenario string
	compare.Comparison
	people []compare.Row // as Rows, by people; nil: they did not score both
}

// settled reports whether an interval leaves out 0, from enough questions.
func settled(difference table.Bounded) bool {
	return difference.Interval() && !difference.Few && (*difference.Low.Number > 0 || *difference.High.Number < 0)
}

// sign is that of a known difference.
func sign(difference table.Bounded) float64 { return math.Copysign(1, *difference.Value.Number) }

// adjusted is the test of the two systems' totals among all pairs of systems; missing on a group of criteria.
func (t *twoSystems) adjusted() table.Figure {
	if t.s.report == nil || t.get("group") != "" {
		return table.Figure{}
	}
	return table.First(t.s.report.Differences, func(r leaderboard.ComparisonRow) bool {
		return r.Judge == t.judge && r.Scenario == t.scenario &&
			(r.SystemA == t.a && r.SystemB == t.b || r.SystemA == t.b && r.SystemB == t.a)
	}).Adjusted
}

// title says who is ahead, if that is clear, and whether people's scores say the same.
func (t *twoSystems) title() string {
	total, p := t.Rows[0].Difference, t.adjusted()
	a, b := t.s.SystemName(t.a), t.s.SystemName(t.b)
	if wins, even, losses := t.counts(); !total.Interval() && even == 0 && min(wins, losses) == 0 && wins+losses >= dataset.FewQuestions {
		if losses > 0 {
			a, b = b, a
		}
		return fmt.Sprintf("%s has more points than %s on all %d questions", a, b, wins+losses)
	}
	if !settled(total) || p.Known() && *p.Number > 1-dataset.Confidence {
		return fmt.Sprintf("%s and %s: no clear difference", a, b)
	}
	if sign(total) < 0 {
		a, b = b, a
	}
	title := fmt.Sprintf("%s is ahead of %s by %s", a, b, pointsText(math.Abs(*total.Value.Number)))
	if t.get("group") != "" { // no test of it is adjusted for the number of pairs
		return fmt.Sprintf("%s has %s more than %s%s", a, pointsText(math.Abs(*total.Value.Number)), b, t.on())
	}
	switch {
	case t.people == nil:
		return title
	case !settled(t.people[0].Difference):
		return title + "; people's scores alone do not settle it"
	case sign(t.people[0].Difference) == sign(total):
		return title + ", and people say the same"
	}
	return title + "; people say the opposite"
}

// pointsText are points with one decimal, or two if there were nothing left.
func pointsText(points float64) string {
	text := table.Number(points).Text(1)
	if text == "0.0" {
		text = table.Number(points).Text(2)
	}
	if text == "1.0" {
		return text + " point"
	}
	return text + " points"
}

// plain is a name in a text in which ** is bold.
func plain(name string) string { return strings.ReplaceAll(name, "**", "") }

// lead counts questions, and names the criteria on which the difference is clear.
func (t *twoSystems) lead() string {
	wins, even, losses := t.counts()
	a, b := plain(t.s.SystemName(t.a)), plain(t.s.SystemName(t.b))
	text := fmt.Sprintf("%s gives %s more points on **%d of %d** questions and %s on %d; %d are even.", plain(t.judge), a, wins,
		wins+even+losses, b, losses, even)
	var better, worse, opposite []string
	for i, r := range t.Rows[1:] {
		name := "**" + plain(cmp.Or(t.criterion(r).Name, r.Criterion)) + "**"
		if settled(r.Difference) && sign(r.Difference) > 0 {
			better = append(better, name)
		} else if settled(r.Difference) {
			worse = append(worse, name)
		}
		if t.people != nil && settled(t.people[i+1].Difference) && sign(t.people[i+1].Difference) != sign(r.Difference) &&
			*r.Difference.Value.Number != 0 {
			opposite = append(opposite, name)
		}
	}
	for _, of := range []struct {
		who      string
		criteria []string
	}{{a, better}, {b, worse}} {
		if of.criteria != nil {
			text += fmt.Sprintf(" %s is clearly better on %s.", of.who, listOf(of.criteria))
		}
	}
	if opposite != nil {
		text += " People clearly say the opposite on " + listOf(opposite) + "."
	}
	if t.people != nil {
		text += fmt.Sprintf(" People's figures are of %d and %d answers.", t.people[0].ValidB, t.people[0].ValidA)
	}
	return text
}

// criterion is that of a row.
func (t *twoSystems) criterion(r compare.Row) rubric.Criterion {
	return t.s.Rubric.Criteria[slices.Index(t.s.Rubric.IDs(), r.Criterion)]
}

// listOf are at most four names, or three and the number of the others.
func listOf(names []string) string {
	if len(names) > 4 {
		names = append(slices.Clone(names[:3]), fmt.Sprintf("%d other criteria", len(names)-3))
	}
	return data.List(names)
}

// counts are the questions on which the first system has more points, as many, and fewer.
func (t *twoSystems) counts() (wins, even, losses int) {
	for _, m := range t.Moved {
		if *m.Difference.Number > 0 {
			wins++
		} else {
			losses++
		}
	}
	return wins, t.Rows[0].Asked - len(t.Moved), losses
}

// bar is how many questions each system wins.
func (t *twoSystems) bar() part {
	wins, even, losses := t.counts()
	a, b := t.s.SystemName(t.a), t.s.SystemName(t.b)
	keys := []table.Key{{Mark: "losses", Text: fmt.Sprintf("%s better on %s", b, data.Plural(losses, "question", "questions"))},
		{Mark: "even", Text: fmt.Sprintf("even on %d", even)}, {Mark: "wins", Text: fmt.Sprintf("%s better on %d", a, wins)}}
	var svg strings.Builder
	svg.WriteString(`<svg class="wins" aria-hidden="true">`)
	from, all := 0.0, float64(wins+even+losses)
	for _, of := range []struct {
		class string
		n     int
	}{{"losses", losses}, {"even", even}, {"wins", wins}} {
		share := 100 * float64(of.n) / all
		if of.n > 0 {
			fmt.Fprintf(&svg, `<rect class="%s" x="%.2f%%" width="%.2f%%" height="26"></rect>`, of.class, from, share)
		}
		if share >= 4 {
			fmt.Fprintf(&svg, `<text class="%s" x="%.2f%%" y="18" text-anchor="middle">%d</text>`, of.class, from+share/2, of.n)
		}
		from += share
	}
	svg.WriteString("</svg>")
	shown := words("", "")
	shown.ID, shown.Keys = "wins", keys
	shown.Picture = template.HTML(svg.String())
	return shown
}

// drawn is the cell of a difference by the judge, drawn with people's.
func (t *twoSystems) drawn(difference, people table.Bounded) table.Cell {
	cell := table.Signed(difference, 2)
	cell.Drawn = &table.Drawn{Others: people, Hollow: !settled(difference)}
	if settled(difference) {
		cell.Class = "key"
	}
	return cell
}

// axis is that of the differences that are shown.
func (t *twoSystems) axis(shown []table.Bounded) *table.Axis {
	axis := table.AxisOver("", append(shown, table.Bounded{Value: table.Number(0)})...)
	axis.Ends = [2]string{t.s.SystemName(t.b) + " better", t.s.SystemName(t.a) + " better"}
	return axis
}

// differenceTable is a table of differences, with people's where they scored both systems.
func (t *twoSystems) differenceTable(of string) *table.Table {
	view := table.New(1, of, "difference")
	if t.people != nil {
		view.Header = append(view.Header, "people")
	}
	return view
}

// addDifference adds a row to it.
func (t *twoSystems) addDifference(view *table.Table, name table.Cell, difference, people table.Bounded) {
	row := []any{name, t.drawn(difference, people)}
	if t.people != nil {
		cell := table.Signed(people.Value, 2)
		cell.Value = people
		row = append(row, cell)
	}
	view.Add(row...)
}

func (t *twoSystems) criteria() table.Section {
	view := t.differenceTable("criterion")
	var shown []table.Bounded
	for i, r := range t.Rows[1:] {
		c := t.criterion(r)
		var people table.Bounded
		if t.people != nil {
			people = t.people[i+1].Difference
		}
		t.addDifference(view, table.Cell{Text: cmp.Or(c.Name, c.ID), Row: &table.Row{Group: c.Group}}, r.Difference, people)
		shown = append(shown, r.Difference, people)
	}
	keys := []table.Key{{Mark: "dot", Text: t.judge + ", 95 % interval"}, {Mark: "hollow", Text: "0 is in the interval"}}
	if t.people != nil {
		keys = append(keys, table.Key{Mark: "diamond", Text: "people, in the scenarios that they scored for both"})
	}
	return table.Section{ID: "criteria", Title: "By criterion", Pane: table.Left, Keys: keys, Table: view.Draw("difference", t.axis(shown)),
		About: fmt.Sprintf("Mean points by %s%s, %s minus %s, over the %s that both answered %s, question by question. Intervals are "+
			"not adjusted for the number of criteria.", t.judge, t.on(), t.s.SystemName(t.a), t.s.SystemName(t.b),
			data.Plural(t.Rows[0].Questions, "question", "questions"), under(t.scenario))}
}

// scenarios are the differences of totals: over all scenarios, and under each.
func (t *twoSystems) scenarios() (table.Section, error) {
	view := t.differenceTable("scenario")
	shown := []table.Bounded{t.Rows[0].Difference}
	add := func(name string, difference table.Bounded, people []compare.Row) {
		var by table.Bounded
		if people != nil {
			by = people[0].Difference
		}
		t.addDifference(view, table.Cell{Text: name}, difference, by)
		shown = append(shown, difference, by)
	}
	add(t.scenario, t.Rows[0].Difference, t.people)
	for _, scenario := range t.s.scenarios {
		if t.get("scenario") != "" || len(t.s.scenarios) == 1 {
			break
		}
		var c compare.Comparison
		if err := c.Add(t.judge, t.side(t.b, scenario), t.side(t.a, scenario)); err != nil {
			return table.Section{}, err
		}
		people, err := compare.People(t.side(t.b, scenario), t.side(t.a, scenario))
		if err != nil {
			return table.Section{}, err
		}
		if c.Rows[0].Questions > 0 {
			add(scenario, c.Rows[0].Difference, people)
		}
	}
	s := table.Section{ID: "scenarios", Title: "By scenario", Pane: table.Right, Table: view.Draw("difference", t.axis(shown)),
		About: fmt.Sprintf("Points of %s%s.", table.Shortest(t.s.Rubric.Max()), t.on())}
	if t.scenario == dataset.AllScenarios && len(view.Rows) > 1 {
		s.About += " All: the mean of the scenarios."
	}
	if p := t.adjusted(); p.Known() {
		text := table.Probability(p).Text
		if !strings.HasPrefix(text, "<") {
			text = "= " + text
		}
		s.About += " For the first row, p " + text + ", adjusted for all pairs of systems (Holm)."
	}
	return s, nil
}

// places are where the systems stand in the ranking.
func (t *twoSystems) places() table.Section {
	view := table.New(1, "points", t.s.SystemName(t.a), t.s.SystemName(t.b))
	if t.a == t.b {
		return table.Section{}
	}
	both := func(name string, of func(system string) table.Cell) {
		x, y := of(t.a), of(t.b)
		if x.Text != table.None || y.Text != table.None {
			view.Add(table.Cell{Text: name}, x, y)
		}
	}
	r := t.s.report
	if r != nil && r.By == leaderboard.ByHumanPoints {
		both("that people would give", func(system string) table.Cell {
			place := table.First(r.Places, func(p leaderboard.Place) bool { return p.System == system })
			return table.Figured(place.Points, 1)
		})
	}
	if r != nil {
		both("that people gave", func(system string) table.Cell { return table.Figured(r.HumanPoints.PeoplesMean(system), 1) })
	}
	view.Add(table.Cell{Text: "that " + t.judge + " gave" + t.on()}, table.Figured(t.Rows[0].B, 1), table.Figured(t.Rows[0].A, 1))
	if r != nil {
		both("possible ranks", func(system string) table.Cell {
			place := table.First(r.Places, func(p leaderboard.Place) bool { return p.System == system })
			cell := table.Cell{Text: table.None}
			if place.RankLow.Known() && !place.Few {
				cell.Text = place.RankLow.Text(0) + " to " + place.RankHigh.Text(0)
			} else if place.Rank.Known() {
				cell.Text = place.Rank.Text(0)
			}
			return cell
		})
	}
	return table.Section{ID: "standing", Title: "Where each stands", Pane: table.Right, Table: view}
}

// mostListed is the number of questions on the page of two systems; the others are one click away.
const mostListed = 8

// questions are those on which the systems differ, the largest difference first.
func (t *twoSystems) questions() part {
	s := table.Section{ID: "questions", Title: "Questions that differ most",
		Table: table.New(2, "question", "mostly about", t.s.SystemName(t.a), t.s.SystemName(t.b), "difference")}
	s.Lead = "Points of " + plain(t.judge) + t.on() + "; several answers of a system to a question: their mean."
	if t.Moved == nil {
		return words(s.Title, "Both systems have equal points on every question.")
	}
	row := func(i int) {
		m := t.Moved[i]
		asked := m.Asked
		asked.Pair = table.First(t.s.asked(), func(q askedPair) bool { return q.pair == asked.Pair }).text
		difference := table.Signed(m.Difference, 1)
		difference.Class = "key"
		about := report.MostlyAbout(t.s.Rubric, *m.Difference.Number, m.Criteria)
		s.Table.Add(table.Cell{Text: asked.String(), To: t.questionOf(m.Asked, t.a, t.b)},
			strings.Join(about[:min(2, len(about))], ", "), table.Figured(m.B, 1), table.Figured(m.A, 1), difference)
	}
	whole := t.get("table") == s.ID || t.get("as") != ""
	if by, _, _ := t.sorted(); by == s.ID || whole {
		links := t.list(&s, len(t.Moved), row)
		shown := t.show(s)
		shown.Links = links
		return shown
	}
	for i := range t.Moved[:min(mostListed, len(t.Moved))] {
		row(i)
	}
	shown := t.show(s)
	if len(t.Moved) > mostListed && t.static == nil {
		shown.Links = []table.Link{{Text: fmt.Sprintf("All %d, largest difference first", len(t.Moved)), Address: t.here("table", s.ID)}}
	}
	return shown
}

// texts are the two answers to the question that differs most, side by side; a static copy has each text once, elsewhere.
func (t *twoSystems) texts() (shown part, err error) {
	if len(t.Moved) == 0 || t.static != nil {
		return part{}, nil
	}
	both := t.besides(t.Moved[0].Asked, t.a, t.b)
	if both == nil {
		return part{}, nil
	}
	answer := &t.s.Answers[both[0][0]]
	shown = words("Side by side: "+answer.Asks(), "")
	for _, i := range both[0] {
		_, c, err := t.column(i, both[0][:])
		if err != nil {
			return shown, err
		}
		shown.Columns = append(shown.Columns, c)
	}
	return shown, nil
}

// under is which answers a comparison is about.
func under(scenario string) string {
	if scenario == dataset.AllScenarios {
		return "in all scenarios of each"
	}
	return "under scenario " + scenario
}

// mostInMatrix is the number of systems in the matrix of pairs.
const mostInMatrix = 16

// allPairs are all pairs of systems, as a matrix and as a list.
func (v *view) allPairs(judge, scenario string) []part {
	if v.s.report == nil {
		return []part{words("", "The differences of all pairs are being computed.")}
	}
	rows := table.Where(v.s.report.Differences, func(r leaderboard.ComparisonRow) bool {
		return r.Judge == judge && r.Scenario == scenario && r.Questions > 0
	})
	if len(rows) == 0 {
		return []part{words("", "There are no two systems with points by "+judge+" for the same questions.")}
	}
	about := "By " + judge + ", over the questions that both answered " + under(scenario) + "."
	matrix := v.show(v.matrix(rows, about))
	list := table.Section{ID: "pairs", Title: "All pairs of systems, with intervals",
		About: "Points, first minus second. " + about + " Intervals are 95 %; p is adjusted for all pairs (Holm), the intervals are not.",
		Table: table.New(2, "first", "second", "questions", "first minus second", "adjusted p")}
	links := v.list(&list, len(rows), func(i int) {
		r := rows[i]
		list.Table.Add(table.Cell{Text: r.SystemA, To: pairOfSystems(r.SystemA, r.SystemB)}, r.SystemB, r.Questions,
			table.Signed(r.Difference, 2), table.Probability(r.Adjusted))
	})
	shown := v.show(list)
	shown.Links, shown.Folded = links, v.get("page") == "" && v.get("by") == "" && len(matrix.Table.Rows) > 0
	return []part{matrix, shown}
}

func pairOfSystems(a, b string) *table.Target {
	return &table.Target{Page: "compare", Query: []string{"a", a, "b", b}}
}

// matrix is the points of each row's system minus those of each column's. Systems are in the order of
// their mean difference from the others.
func (v *view) matrix(rows []leaderboard.ComparisonRow, about string) table.Section {
	type pair struct{ a, b string }
	of, most := map[pair]leaderboard.ComparisonRow{}, 0.0
	sum, n := map[string]float64{}, map[string]float64{} // of the differences from the others
	for _, r := range rows {
		of[pair{r.SystemA, r.SystemB}] = r
		if r.Difference.Known() {
			d := *r.Difference.Value.Number
			sum[r.SystemA], sum[r.SystemB], most = sum[r.SystemA]+d, sum[r.SystemB]-d, max(most, math.Abs(d))
			n[r.SystemA], n[r.SystemB] = n[r.SystemA]+1, n[r.SystemB]+1
		}
	}
	var systems []string
	for _, p := range v.s.Systems {
		if slices.ContainsFunc(rows, func(r leaderboard.ComparisonRow) bool { return r.SystemA == p.Name || r.SystemB == p.Name }) {
			systems = append(systems, p.Name)
		}
	}
	slices.SortStableFunc(systems, func(a, b string) int { return -cmp.Compare(sum[a]/max(1, n[a]), sum[b]/max(1, n[b])) })
	left := ""
	if n := len(systems) - mostInMatrix; n > 0 {
		systems = systems[:mostInMatrix]
		left = fmt.Sprintf(" The %d systems with the highest mean differences are shown; %d are in the list alone.", mostInMatrix, n)
	}
	view := table.New(1, append([]string{"system"}, table.Each(systems, v.s.SystemName)...)...)
	view.Look = "heat"
	for i, a := range systems {
		row := []any{table.Cell{Text: v.s.SystemName(a), To: table.ToSystem(a)}}
		for j, b := range systems {
			r, known := of[pair{a, b}]
			by := 1.0 // a − b
			if !known {
				r, by = of[pair{b, a}], -1
			}
			cell := table.Cell{Text: table.None, Class: "heat"}
			if r.Difference.Known() {
				difference := table.Number(by * *r.Difference.Value.Number)
				cell = table.Signed(difference, 1)
				cell.Class = "heat"
				if certain := r.Adjusted.Known() && *r.Adjusted.Number <= 1-dataset.Confidence && !r.Difference.Few; !certain {
					cell.Mark = " ○"
				} else if *difference.Number > 0 {
					cell.Class = table.Heat(difference, -most/5, most) // h1 and more: not the grey of nothing
				}
				if i < j || v.static == nil {
					cell.To = pairOfSystems(a, b)
				}
			}
			row = append(row, cell)
		}
		view.Add(row...)
	}
	return table.Section{ID: "matrix", Table: view, About: about + left,
		Lead: "Points of the row's system minus those of the column's. Coloured: clearly ahead (p ≤ 0.05, adjusted for all pairs). " +
			"○ not clear. A cell opens the comparison."}
}
