package leaderboard

import (
	"slices"

	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
)

// A LeaderboardRow is what a judge's verdicts say of a system under a scenario,
// in points; under AllScenarios, of the mean of the scenarios' means, with the
// mean of their sample deviations, as in Nikishina et al., Table 3. A scenario
// without a valid verdict is in neither mean, but in both bounds; what is left of
// such a system has no rank.
type LeaderboardRow struct {
	Judge    string `csv:"judge"`
	System   string `csv:"system"`
	Scenario string `csv:"scenario"`
	Planned  int    `csv:"planned"`
	Valid    int    `csv:"valid"`

	Mean table.Figure `csv:"mean"`
	SD   table.Figure `csv:"sd"`
	Rank table.Figure `csv:"rank"` // among the judge's systems under the scenario; equals share the best

	CILow    table.Figure `csv:"ci_low"` // of the mean, clustered by question
	CIHigh   table.Figure `csv:"ci_high"`
	RankLow  table.Figure `csv:"rank_low"` // ranks that hold for all systems at once
	RankHigh table.Figure `csv:"rank_high"`

	WorstCase table.Figure `csv:"worst_case"` // mean if every planned verdict that is not valid were the rubric's minimum
	BestCase  table.Figure `csv:"best_case"`  // … its maximum

	HumanMean  table.Figure `csv:"human_mean"` // in people's points, by prediction-powered inference
	HumanLow   table.Figure `csv:"human_low"`
	HumanHigh  table.Figure `csv:"human_high"`
	Lambda     table.Figure `csv:"lambda"`
	NHuman     table.Figure `csv:"n_human"` // answers that both people and the judge scored
	NEffective table.Figure `csv:"n_effective"`

	alone, aloneLow, aloneHigh table.Figure // the same from people's scores alone
	partial                    bool         // a scenario of the system has no valid verdict: its mean is no rival to whole ones
}

// A board computes what one judge's verdicts say of the systems.
type board struct {
	*dataset.Dataset
	dataset.Calculator
	judge   int
	tallies []dataset.Tally     // of each cell
	labels  []dataset.Labelling // of each cell; nil for people themselves, and without people
}

func newBoard(x *dataset.Dataset, judge int, people dataset.AnswerTotals) *board {
	b := &board{Dataset: x, judge: judge, tallies: x.Tallies(judge)}
	if !x.People(judge) && people.Any() {
		b.labels = x.Labellings(people, x.AnswerTotals(judge))
	}
	return b
}

// rows are in order of systems and scenarios, all of these last. Their ranks are
// not filled in.
func (b *board) rows() []LeaderboardRow {
	var rows []LeaderboardRow
	for s := range b.Systems {
		of := b.cellsOf(s)
		for _, c := range of {
			rows = append(rows, b.row(s, b.Cells[c].Scenario, []int{c}))
		}
		if len(of) > 0 {
			all := b.row(s, dataset.AllScenarios, of)
			all.partial = slices.ContainsFunc(b.BySystem[s], func(c int) bool { return len(b.tallies[c].Totals) == 0 })
			rows = append(rows, all)
		}
	}
	return rows
}

// cellsOf are the cells of a system in which verdicts of the judge are planned.
func (b *board) cellsOf(system int) []int {
	var of []int
	for _, c := range b.BySystem[system] {
		if b.tallies[c].Planned > 0 {
			of = append(of, c)
		}
	}
	return of
}

// row puts one or several scenarios of a system together.
func (b *board) row(system int, scenario string, cells []int) LeaderboardRow {
	r := LeaderboardRow{Judge: b.Judges[b.judge].Name, System: b.Systems[system].Name, Scenario: scenario}
	var means, sds, worst, best []table.Figure
	var totals [][]float64
	var questions []int
	for _, c := range cells {
		t := &b.tallies[c]
		r.Planned += t.Planned
		r.Valid += len(t.Totals)
		m := b.Moments(t.Totals)
		means, sds = append(means, table.FigureOf(m.Mean)), append(sds, table.FigureOf(m.SD))
		worst, best = append(worst, t.Bound(b.Rubric.Min())), append(best, t.Bound(b.Rubric.Max()))
		if len(t.Totals) > 0 {
			totals, questions = append(totals, t.Totals), append(questions, t.Questions...)
		}
	}
	r.Mean, r.SD = b.MeanKnown(means), b.MeanKnown(sds)
	r.WorstCase, r.BestCase = b.MeanKnown(worst), b.MeanKnown(best)
	if values := b.OverScenarios(totals); values != nil {
		e, err := stats.MeanInterval(values, questions, dataset.Confidence)
		r.CILow, r.CIHigh = table.FigureOf(b.Value(e.Low, err)), table.FigureOf(b.Value(e.High, err))
	}
	if b.labels != nil {
		b.inPeoplesUnits(&r, cells)
	}
	return r
}

// boardTables are the tables of points: a row a system, scenario and judge, by
// group of criteria too, and the differences of systems.
type Tables struct {
	*dataset.Dataset
	Board       []LeaderboardRow
	At          map[dataset.PlanKey]*LeaderboardRow
	Differences []ComparisonRow
	ByGroup     []GroupRow
	byScenario  []GroupRow
	byAspect    []aspectRow
}

// newBoardTables computes each judge's tables, several judges at once: comparing
// every two systems takes most of the time of a report.
func NewTables(x *dataset.Dataset, people dataset.AnswerTotals) (*Tables, error) {
	t := &Tables{Dataset: x, At: map[dataset.PlanKey]*LeaderboardRow{}}
	of := make([]Tables, len(x.Judges))
	err := dataset.SideBySide(len(x.Judges), func(j int) error {
		b := newBoard(x, j, people)
		rows := b.rows()
		of[j] = Tables{Board: rows, Differences: b.rank(rows), ByGroup: b.groupRows(), byScenario: b.scenarioGroups(), byAspect: b.aspectRows()}
		return b.Err
	})
	if err != nil {
		return nil, err
	}
	for _, judge := range of {
		t.Board = append(t.Board, judge.Board...)
		t.Differences = append(t.Differences, judge.Differences...)
		t.ByGroup = append(t.ByGroup, judge.ByGroup...)
		t.byScenario = append(t.byScenario, judge.byScenario...)
		t.byAspect = append(t.byAspect, judge.byAspect...)
	}
	for i := range t.Board {
		r := &t.Board[i]
		t.At[dataset.PlanKey{Judge: r.Judge, System: r.System, Scenario: r.Scenario}] = r
	}
	return t, nil
}

// inPeoplesUnits fills in the mean that people would give, estimated from the
// answers that both scored and the judge's verdicts on the others (see
// stats.PPIMean); the answers that people scored must be a random part of all.
// Over several scenarios it is the mean of the scenarios' means, which takes two
// labels in each, and further verdicts in all of them or in none.
func (b *board) inPeoplesUnits(r *LeaderboardRow, cells []int) {
	var human, judge, others [][]float64
	var s stats.PPISample
	n := 0
	for _, c := range cells {
		l := b.labels[c]
		if len(b.tallies[c].Totals) == 0 {
			continue
		}
		n += len(l.Human)
		human, judge = append(human, l.Human), append(judge, l.Judge)
		s.Clusters = append(s.Clusters, l.Questions...)
		if len(l.Others) > 0 {
			others, s.UnlabelledClusters = append(others, l.Others), append(s.UnlabelledClusters, l.OthersQuestions...)
		}
	}
	r.NHuman = table.Count(n)
	if n == 0 || len(others) > 0 && len(others) < len(human) {
		return
	}
	s.Human, s.Judge, s.Unlabelled = b.OverScenarios(human), b.OverScenarios(judge), b.OverScenarios(others)
	if s.Human == nil || len(others) > 0 && s.Unlabelled == nil {
		return
	}
	p, err := stats.PPIMean(s, dataset.Confidence)
	r.HumanMean, r.HumanLow, r.HumanHigh = table.FigureOf(b.Value(p.Value, err)), table.FigureOf(b.Value(p.Low, err)), table.FigureOf(b.Value(p.High, err))
	r.alone, r.aloneLow, r.aloneHigh = table.FigureOf(b.Value(p.Classical.Value, err)), table.FigureOf(b.Value(p.Classical.Low, err)), table.FigureOf(b.Value(p.Classical.High, err))
	r.Lambda, r.NEffective = table.FigureOf(b.Value(p.Lambda, err)), table.FigureOf(b.Value(p.EffectiveN, err))
}
