package preferences

import (
	"cmp"
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A BoardsRow compares the ranking of systems by a judge's preferences with the ranking
// by a rubric judge's points.
type BoardsRow struct {
	Judge      string       `csv:"judge"`
	Method     string       `csv:"method"`
	Rubric     string       `csv:"rubric_judge"`
	Systems    int          `csv:"systems"`
	Spearman   table.Figure `csv:"spearman"`
	Kendall    table.Figure `csv:"kendall_tau_b"`
	Disagree   int          `csv:"pairs_disagreed"` // pairs of systems in opposite order
	WithPairs  int          `csv:"people_with_preferences"`
	WithPoints int          `csv:"people_with_points"`
	Undecided  int          `csv:"people_undecided"` // without human scores of both, or without a significant difference
}

// A DisagreementRow is two systems in opposite order by preferences and points, with the
// difference of their mean human scores over answers to the same question and scenario.
type DisagreementRow struct {
	Judge      string       `csv:"judge"`
	Method     string       `csv:"method"`
	Rubric     string       `csv:"rubric_judge"`
	Preferred  string       `csv:"preferred"` // by preferences
	Other      string       `csv:"other"`     // by points
	N          int          `csv:"people_n"`
	Difference table.Figure `csv:"people_difference"` // human points, preferred minus other
	Low        table.Figure `csv:"people_low"`
	High       table.Figure `csv:"people_high"`
	Side       string       `csv:"people_side"` // preferences, points, undecided
}

// The rankings that human scores can support.
const (
	sidePreferences = "preferences"
	sidePoints      = "points"
	sideUndecided   = "undecided"
)

// besideRubric compares the boards with the rubric leaderboards of the run with the
// answers.
func (b *preferenceBoard) besideRubric(boards []systemBoard, run *report.Report) ([]BoardsRow, []DisagreementRow) {
	var rows []BoardsRow
	var all []DisagreementRow
	for _, board := range boards {
		for j, rubric := range run.Judges {
			if rubric.Kind == dataset.KindFloor || rubric.Kind == dataset.KindHuman {
				continue
			}
			row := BoardsRow{Judge: b.Judges[board.judge].Name, Method: b.Judges[board.judge].Method, Rubric: rubric.Name}
			var x, y []float64
			var names []string
			for _, s := range board.rows {
				mean := run.At[dataset.PlanKey{Judge: run.Judges[j].Name, System: s.System, Scenario: dataset.AllScenarios}]
				if mean == nil || !mean.Mean.Known() {
					continue
				}
				names, y = append(names, s.System), append(y, *mean.Mean.Number)
				x = append(x, -float64(s.Rank))
			}
			if row.Systems = len(names); row.Systems < 2 {
				continue
			}
			row.Spearman, row.Kendall = table.FigureOf(b.Coefficient(agreement.Spearman(x, y))), table.FigureOf(b.Coefficient(agreement.KendallTauB(x, y, agreement.KendallNormal)))
			for i := range names {
				for k := range names {
					if x[i] > x[k] && y[i] < y[k]-dataset.EqualMeans {
						d := b.disagreement(run, names[i], names[k])
						d.Judge, d.Method, d.Rubric = row.Judge, row.Method, row.Rubric
						row.take(d.Side)
						all = append(all, d)
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, all
}

func (r *BoardsRow) take(side string) {
	r.Disagree++
	switch side {
	case sidePreferences:
		r.WithPairs++
	case sidePoints:
		r.WithPoints++
	default:
		r.Undecided++
	}
}

// disagreement compares the human scores of two systems.
func (b *preferenceBoard) disagreement(run *report.Report, preferred, other string) DisagreementRow {
	d := DisagreementRow{Preferred: preferred, Other: other, Side: sideUndecided}
	people := run.AnswerTotals(run.References()...)
	if !people.Any() {
		return d
	}
	type place struct {
		question int
		scenario string
	}
	sums, n := [2]map[place]float64{{}, {}}, [2]map[place]float64{{}, {}}
	for i, a := range run.Answers {
		total, ok := people.Of(i)
		at := slices.Index([]string{preferred, other}, a.System)
		if !ok || at < 0 {
			continue
		}
		where := place{run.Question[i], a.Scenario}
		sums[at][where] += total
		n[at][where]++
	}
	var x, y []float64
	var clusters []int
	for _, where := range slices.SortedFunc(maps.Keys(sums[0]), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.scenario, b.scenario))
	}) {
		if n[1][where] > 0 {
			x, y = append(x, sums[0][where]/n[0][where]), append(y, sums[1][where]/n[1][where])
			clusters = append(clusters, where.question)
		}
	}
	if d.N = len(x); d.N == 0 {
		return d
	}
	difference, err := stats.PairedDifference(x, y, clusters, dataset.Confidence)
	d.Difference = table.Number(difference.Value)
	d.Low, d.High = table.FigureOf(b.Value(difference.Low, err)), table.FigureOf(b.Value(difference.High, err))
	switch {
	case d.Low.Known() && *d.Low.Number > 0:
		d.Side = sidePreferences
	case d.High.Known() && *d.High.Number < 0:
		d.Side = sidePoints
	}
	return d
}
