package report

import (
	"cmp"
	"slices"
	"strings"

	"compqa/results/compare"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/leaderboard"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation"
	"compqa/rubric"
	"compqa/stats"
)

// Leader returns which system leads the board, whether this is certain, and who would put another system first.
func (t *Report) Leader() table.Finding {
	return t.leader(t.Leaderboard.Places, Selection{}, t.otherLeaders())
}

// leader returns which system leads places, which are sorted by the points of the selection. others says who would put another system
// first.
func (t *Report) leader(places []leaderboard.Place, selection Selection, others []string) table.Finding {
	ranked := ranked(places)
	switch len(ranked) {
	case 0:
		return trust.NoRanks(t.noOrder())
	case 1:
		return trust.OnlyRanked(t.SystemName(ranked[0].System))
	}
	return t.lead(ranked, selection, others).Finding()
}

// lead describes the first of at least two ranked places, and the other systems that may be first.
func (t *Report) lead(ranked []leaderboard.Place, selection Selection, others []string) trust.Lead {
	first := ranked[0]
	second := ranked[1]
	lead := trust.Lead{First: t.SystemName(first.System), Second: t.SystemName(second.System), Others: others, FewQuestions: first.Few,
		Points: [2]stats.Figure{first.Points, second.Points}, Measure: t.measure(selection)}
	for _, other := range ranked[1:] {
		if mayBeFirst(other) {
			lead.Rivals = append(lead.Rivals, t.SystemName(other.System))
		}
	}
	if first.RankHigh.Known {
		lead.Lowest = int(first.RankHigh.Value)
	}
	return lead
}

// aroundLeader returns the findings that a reader should know next to Leader: points, rivals, systems that are clearly behind, and how few
// questions decide. It returns nil with fewer than two ranked systems.
func (t *Report) aroundLeader() (all table.Findings) {
	ranked := ranked(t.Leaderboard.Places)
	if len(ranked) < 2 {
		return nil
	}
	lead := t.lead(ranked, Selection{}, t.otherLeaders())
	points := []stats.Figure{ranked[0].Points}
	behind := []string(nil)
	for _, place := range ranked[1:] {
		if mayBeFirst(place) {
			points = append(points, place.Points)
		} else if slices.Contains(ranked[0].Above, place.System) {
			behind = append(behind, t.SystemName(place.System))
		}
	}
	who := t.NameOfJudge(t.Leaderboard.Headline) + " gives"
	switch t.Leaderboard.By {
	case leaderboard.ByHumanPoints:
		who = "People would give"
	case leaderboard.ByPeople:
		who = "People gave"
	}
	all = lead.ContextFindings(who, t.Rubric.Max(), points, behind)
	for _, f := range t.Leaderboard.Fragile {
		if f.Judge == t.Leaderboard.Headline {
			by := ""
			if t.Leaderboard.By == leaderboard.ByHumanPoints {
				by = t.NameOfJudge(t.Leaderboard.Headline)
			}
			all = append(all, trust.FewQuestions(by, t.SystemName(f.Target), f.Removed, f.Of))
			break
		}
	}
	return all
}

// mayBeFirst reports whether the system of a place may be the best one.
func mayBeFirst(place leaderboard.Place) bool {
	return place.RankLow.Known && place.RankLow.Value == 1 && !place.Few
}

// noOrder returns why nobody orders the systems, if the reason is that judges contradict themselves or scored too little. Else it returns
// "".
func (t *Report) noOrder() string {
	if !strings.HasPrefix(t.Leaderboard.Sentence, judgequality.NoOrder) {
		return ""
	}
	return t.Leaderboard.Sentence
}

// Findings returns the conclusions of the record. For a run, the leader comes first, then what the judges may be used for; for a
// validation, the judges come first. Then follow how judges' rankings compare with people's, and the effects of scenarios and aspects. The
// first finding is the headline.
func (t *Report) Findings() table.Findings {
	leader := append(table.Findings{t.Leader()}, t.aroundLeader()...)
	judges := t.Quality.JudgeFindings()
	effects := slices.Concat(t.Quality.OrderFindings(), t.scenarioFindings(), t.aspectFindings())
	if cheaper := t.cheaper(); cheaper.Text != "" {
		leader = append(leader, cheaper)
	}
	if t.Validation() && len(judges) > 0 {
		return slices.Concat(judges, leader, effects)
	}
	return slices.Concat(leader, judges, effects)
}

// Validation reports whether the record comes from a validation, see IsValidation.
func (t *Report) Validation() bool { return IsValidation(t.Dataset) }

// IsValidation reports whether a record was made by compqa validate from a file with the values of judges and people, and not by a run.
func IsValidation(x *dataset.Dataset) bool { return x.Rubric.Name == validation.RubricName }

// ordered reports whether the points of a selection are those that order the board.
func (t *Report) ordered(selection Selection) bool {
	return selection.Scenario == "" && selection.Group == "" && (selection.Judge == "" || selection.Judge == t.Leaderboard.Judge &&
		t.Leaderboard.By != leaderboard.ByHumanPoints)
}

// measure describes the points of a selection, as "points by NAME in scenario 1 on GROUP".
func (t *Report) measure(selection Selection) string {
	if t.ordered(selection) && t.Leaderboard.By == leaderboard.ByHumanPoints {
		return "human points"
	}
	text := "points by " + t.NameOfJudge(cmp.Or(selection.Judge, t.Leaderboard.Headline))
	if selection.Scenario != "" {
		text += " in scenario " + dataset.ScenarioName(selection.Scenario)
	}
	if selection.Group != "" {
		text += " on " + selection.Group
	}
	return text
}

// pair compares two systems by the points of a selection. If both are ranked, the tests behind their rank ranges say which is above. Else
// the comparison is that of comparisons.csv.
func (t *Report) pair(a, b string, selection Selection) trust.Pair {
	p := trust.Pair{A: t.SystemName(a), B: t.SystemName(b), Measure: t.measure(selection)}
	if t.ordered(selection) {
		t.pairOfPlaces(&p, a, b)
		return p
	}
	judge := cmp.Or(selection.Judge, t.Leaderboard.Headline)
	scenario := cmp.Or(selection.Scenario, dataset.AllScenarios)
	x := t.Leaderboard.At[dataset.PlanKey{Judge: judge, System: a, Scenario: scenario}]
	y := t.Leaderboard.At[dataset.PlanKey{Judge: judge, System: b, Scenario: scenario}]
	if x == nil || y == nil {
		return p
	}
	p.Points = [2]stats.Figure{x.Points(), y.Points()}
	if x.Rank.Known && y.Rank.Known {
		p.Above = above(a, x.Above, b, y.Above)
		p.FewQuestions = t.fewShared(x) || t.fewShared(y)
		return p
	}
	d, sign := t.difference(judge, scenario, a, b)
	p.FewQuestions = !d.Difference.Known
	if d.Adjusted.Known && d.Adjusted.Value <= 1-dataset.Confidence && d.Difference.Value != 0 {
		p.Above = sign
		if d.Difference.Value < 0 {
			p.Above = -sign
		}
	}
	return p
}

// pairOfPlaces fills in a pair from the places of both systems on the board.
func (t *Report) pairOfPlaces(p *trust.Pair, a, b string) {
	place := func(system string) leaderboard.Place {
		return table.First(t.Leaderboard.Places, func(place leaderboard.Place) bool { return place.System == system })
	}
	x := place(a)
	y := place(b)
	p.Points, p.FewQuestions, p.Above = [2]stats.Figure{x.Points, y.Points}, x.Few || y.Few, above(a, x.Above, b, y.Above)
	for _, one := range []leaderboard.Place{y, x} {
		if !one.Rank.Known {
			p.Without, p.Why = t.SystemName(one.System), one.Rank.Reason()
		}
	}
	if t.Leaderboard.By == "" {
		p.Why = ""
	}
}

// above returns 1 if a is significantly above b, -1 if b is above a, and else 0. belowA and belowB list the systems that a and b are
// significantly above.
func above(a string, belowA []string, b string, belowB []string) int {
	switch {
	case slices.Contains(belowA, b):
		return 1
	case slices.Contains(belowB, a):
		return -1
	}
	return 0
}

// difference returns the row of two systems in comparisons.csv. sign is 1 if the row's difference is a minus b, and -1 if it is b minus a.
func (t *Report) difference(judge, scenario, a, b string) (row leaderboard.ComparisonRow, sign int) {
	row = table.First(t.Leaderboard.Differences, func(r leaderboard.ComparisonRow) bool {
		return r.Judge == judge && r.Scenario == scenario &&
			(r.SystemA == a && r.SystemB == b || r.SystemA == b && r.SystemB == a)
	})
	if row.SystemA == a {
		return row, 1
	}
	return row, -1
}

// AllPairs compares each pair of systems by the points of a selection. It returns how many pairs differ clearly, and the pairs that have
// points.
func (t *Report) AllPairs(systems []string, selection Selection) (finding table.Finding, pairs map[[2]string]trust.Pair) {
	pairs = map[[2]string]trust.Pair{}
	clear := 0
	all := 0
	for i, a := range systems {
		for _, b := range systems[i+1:] {
			p := t.pair(a, b, selection)
			if p.Without != "" || !p.Points[0].Known || !p.Points[1].Known {
				continue
			}
			pairs[[2]string{a, b}] = p
			all++
			if p.Above != 0 && !p.FewQuestions {
				clear++
			}
		}
	}
	return trust.Pairs(clear, all, t.measure(selection)), pairs
}

// A Two compares two systems of a record by the points of a selection.
type Two struct {
	*Report
	First, Second string
	Of            Selection
	compare.Comparison
	People []compare.Row // the rows by people; nil if they did not score both systems, or if the points are theirs
}

// Two compares two systems by the judge of a selection. Questions with the largest differences come first.
func (t *Report) Two(a, b string, selection Selection) (two *Two, err error) {
	two = &Two{Report: t, First: a, Second: b, Of: selection}
	first := two.side(a, selection.Scenario)
	second := two.side(b, selection.Scenario)
	err = two.Add(two.Judge(), first, second)
	if err != nil {
		return two, err
	}
	two.SortMoved()
	if two.Rows[0].Questions == 0 || two.References() == nil || two.Judge() == two.reference() {
		return two, nil
	}
	var people compare.Comparison
	err = people.Add(two.reference(), first, second)
	if len(people.Rows) > 1 {
		two.People = people.Rows
	}
	return two, err
}

// Judge returns the judge whose points are compared, question by question.
func (two *Two) Judge() string { return cmp.Or(two.Of.Judge, two.Leaderboard.Headline) }

func (two *Two) side(system, scenario string) compare.Side {
	return compare.Side{Dataset: two.Dataset, System: system, Scenario: scenario, Group: two.Of.Group}
}

// In returns the comparison of the same two systems in one scenario.
func (two *Two) In(scenario string) (*Two, error) {
	selection := two.Of
	selection.Scenario = scenario
	return two.Report.Two(two.First, two.Second, selection)
}

// Findings returns the conclusions on the two systems, in this order:
//   - which system is ahead by the board's order
//   - which is ahead by the selection, if its points are not those of the board
//   - the evidence by the judge and by people
//   - the questions and criteria behind it
func (two *Two) Findings() (all table.Findings) {
	if two.Rows[0].Questions == 0 {
		return nil
	}
	a := two.SystemName(two.First)
	b := two.SystemName(two.Second)
	judge := two.NameOfJudge(two.Judge())
	order := two.pair(two.First, two.Second, Selection{})
	all = append(all, order.Finding())
	if !two.ordered(two.Of) {
		p := two.pair(two.First, two.Second, two.Of)
		if two.Of.Group != "" { // only totals have ranks
			d := two.Rows[0].Difference
			p.Points = [2]stats.Figure{two.Rows[0].A, two.Rows[0].B}
			p.FewQuestions = !d.Known
			p.Above = 0
			if trust.ClearlyNonZero(d) {
				p.Above = -1
				if d.AboveZero() {
					p.Above = 1
				}
			}
		}
		all = append(all, p.Finding())
	}
	evidence := two.Evidence()
	var people *trust.Difference
	if len(evidence) > 1 {
		people = &evidence[1]
	}
	all = append(all, trust.PairFindings(order, evidence[0], people)...)
	for _, d := range evidence {
		all = append(all, d.Finding())
	}
	wins, even, losses := two.Counts()
	all = append(all, trust.Questions(judge, a, b, wins, even, losses))
	return append(all, two.byCriterion(judge, a, b)...)
}

// Evidence returns the difference by the judge, and the difference by people if they scored both systems.
func (two *Two) Evidence() []trust.Difference {
	a := two.SystemName(two.First)
	b := two.SystemName(two.Second)
	scope := two.scope()
	all := []trust.Difference{{By: two.NameOfJudge(two.Judge()) + scope, A: a, B: b, Value: two.Rows[0].Difference}}
	if two.People != nil {
		all = append(all, trust.Difference{By: trust.People + scope, A: a, B: b, Value: two.People[0].Difference})
	}
	return all
}

// scope describes the scenario and the criteria of the selection, to follow a name.
func (two *Two) scope() (text string) {
	if two.Of.Scenario != "" {
		text = ", scenario " + dataset.ScenarioName(two.Of.Scenario)
	}
	if two.Of.Group != "" {
		text += ", on " + two.Of.Group
	}
	return text
}

// byCriterion names the criteria on which each system is clearly better by the judge, and those on which people clearly say the opposite.
func (two *Two) byCriterion(judge, a, b string) (all table.Findings) {
	var better, worse, opposite []string
	for i, r := range two.Rows[1:] {
		c := two.Criterion(r)
		name := cmp.Or(c.Name, r.Criterion)
		switch {
		case !trust.ClearlyNonZero(r.Difference):
		case r.Difference.AboveZero():
			better = append(better, name)
		default:
			worse = append(worse, name)
		}
		if two.People != nil && trust.Opposed(two.People[i+1].Difference, r.Difference) {
			opposite = append(opposite, name)
		}
	}
	if better != nil {
		all = append(all, trust.ClearCriteria(judge, a, better))
	}
	if worse != nil {
		all = append(all, trust.ClearCriteria(judge, b, worse))
	}
	if opposite != nil {
		all = append(all, trust.Opposite(judge, opposite))
	}
	return all
}

// Criterion returns the criterion of a row.
func (two *Two) Criterion(r compare.Row) rubric.Criterion {
	return two.Rubric.Criteria[slices.Index(two.Rubric.IDs(), r.Criterion)]
}

// Counts returns the numbers of questions on which the first system has more points, equal points, and fewer points.
func (two *Two) Counts() (wins, even, losses int) {
	for _, m := range two.Moved {
		if m.Difference.Value > 0 {
			wins++
		} else {
			losses++
		}
	}
	return wins, two.Rows[0].Asked - len(two.Moved), losses
}
