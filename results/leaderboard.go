package results

import (
	"slices"

	"compqa/stats"
)

// confidence is the level of every interval in a report.
const confidence = 0.95

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

	Mean Figure `csv:"mean"`
	SD   Figure `csv:"sd"`
	Rank Figure `csv:"rank"` // among the judge's systems under the scenario; equals share the best

	CILow    Figure `csv:"ci_low"` // of the mean, clustered by question
	CIHigh   Figure `csv:"ci_high"`
	RankLow  Figure `csv:"rank_low"` // ranks that hold for all systems at once
	RankHigh Figure `csv:"rank_high"`

	WorstCase Figure `csv:"worst_case"` // mean if every planned verdict that is not valid were the rubric's minimum
	BestCase  Figure `csv:"best_case"`  // … its maximum

	HumanMean  Figure `csv:"human_mean"` // in people's points, by prediction-powered inference
	HumanLow   Figure `csv:"human_low"`
	HumanHigh  Figure `csv:"human_high"`
	Lambda     Figure `csv:"lambda"`
	NHuman     Figure `csv:"n_human"` // answers that both people and the judge scored
	NEffective Figure `csv:"n_effective"`

	alone, aloneLow, aloneHigh Figure // the same from people's scores alone
	partial                    bool   // a scenario of the system has no valid verdict: its mean is no rival to whole ones
}

// A board computes what one judge's verdicts say of the systems.
type board struct {
	*index
	computer
	judge   int
	tallies []tally     // of each cell
	labels  []labelling // of each cell; nil for people themselves, and without people
}

func (x *index) board(judge int, people answerTotals) *board {
	b := &board{index: x, judge: judge, tallies: x.tallies(judge)}
	if !x.people(judge) && people.any() {
		b.labels = x.labellings(people, x.answerTotals(judge))
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
			rows = append(rows, b.row(s, b.cells[c].scenario, []int{c}))
		}
		if len(of) > 0 {
			all := b.row(s, AllScenarios, of)
			all.partial = slices.ContainsFunc(b.bySystem[s], func(c int) bool { return len(b.tallies[c].totals) == 0 })
			rows = append(rows, all)
		}
	}
	return rows
}

// cellsOf are the cells of a system in which verdicts of the judge are planned.
func (b *board) cellsOf(system int) []int {
	var of []int
	for _, c := range b.bySystem[system] {
		if b.tallies[c].planned > 0 {
			of = append(of, c)
		}
	}
	return of
}

// row puts one or several scenarios of a system together.
func (b *board) row(system int, scenario string, cells []int) LeaderboardRow {
	r := LeaderboardRow{Judge: b.Judges[b.judge].Name, System: b.Systems[system].Name, Scenario: scenario}
	var means, sds, worst, best []Figure
	var totals [][]float64
	var questions []int
	for _, c := range cells {
		t := &b.tallies[c]
		r.Planned += t.planned
		r.Valid += len(t.totals)
		m := b.moments(t.totals)
		means, sds = append(means, Figure{m.Mean}), append(sds, Figure{m.SD})
		worst, best = append(worst, t.bound(b.Rubric.Min())), append(best, t.bound(b.Rubric.Max()))
		if len(t.totals) > 0 {
			totals, questions = append(totals, t.totals), append(questions, t.questions...)
		}
	}
	r.Mean, r.SD = b.meanKnown(means), b.meanKnown(sds)
	r.WorstCase, r.BestCase = b.meanKnown(worst), b.meanKnown(best)
	if values := b.overScenarios(totals); values != nil {
		e, err := stats.MeanInterval(values, questions, confidence)
		r.CILow, r.CIHigh = Figure{b.value(e.Low, err)}, Figure{b.value(e.High, err)}
	}
	if b.labels != nil {
		b.inPeoplesUnits(&r, cells)
	}
	return r
}

// boardTables are the tables of points: a row a system, scenario and judge, by
// group of criteria too, and the differences of systems.
type boardTables struct {
	*index
	board       []LeaderboardRow
	at          map[planKey]*LeaderboardRow
	differences []ComparisonRow
	byGroup     []GroupRow
	byScenario  []GroupRow
	byAspect    []aspectRow
}

// newBoardTables computes each judge's tables, several judges at once: comparing
// every two systems takes most of the time of a report.
func newBoardTables(x *index, people answerTotals) (*boardTables, error) {
	t := &boardTables{index: x, at: map[planKey]*LeaderboardRow{}}
	of := make([]boardTables, len(x.Judges))
	err := sideBySide(len(x.Judges), func(j int) error {
		b := x.board(j, people)
		rows := b.rows()
		of[j] = boardTables{board: rows, differences: b.rank(rows), byGroup: b.groupRows(), byScenario: b.scenarioGroups(), byAspect: b.aspectRows()}
		return b.err
	})
	if err != nil {
		return nil, err
	}
	for _, judge := range of {
		t.board = append(t.board, judge.board...)
		t.differences = append(t.differences, judge.differences...)
		t.byGroup = append(t.byGroup, judge.byGroup...)
		t.byScenario = append(t.byScenario, judge.byScenario...)
		t.byAspect = append(t.byAspect, judge.byAspect...)
	}
	for i := range t.board {
		r := &t.board[i]
		t.at[planKey{r.Judge, r.System, r.Scenario}] = r
	}
	return t, nil
}
