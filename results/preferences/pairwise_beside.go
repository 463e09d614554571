package preferences

import (
	"cmp"
	"maps"
	"slices"

	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// BesideOn names a judge and the rubric judge that it is compared with.
type BesideOn struct {
	Judge  string `csv:"judge"`
	Method string `csv:"method"`
	Rubric string `csv:"rubric_judge"`
}

// A BoardsRow compares the ranking of systems by a judge's preferences with the ranking
// by a rubric judge's points.
type BoardsRow struct {
	BesideOn
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
	BesideOn
	Preferred  string        `csv:"preferred"` // by preferences
	Other      string        `csv:"other"`     // by points
	N          int           `csv:"people_n"`
	Difference table.Bounded `csv:"people_difference,people_low,people_high"` // human points, preferred minus other
	Side       string        `csv:"people_side"`                              // preferences, points, undecided
}

// besideRubric compares the boards with the rubric leaderboards of the run with the
// answers.
func (b *preferenceBoard) besideRubric(boards []systemBoard, run *report.Report) (rows []BoardsRow, all []DisagreementRow) {
	people := humanMeans(run)
	for _, board := range boards {
		for _, rubric := range run.Judges {
			if rubric.Kind == dataset.KindFloor || rubric.Kind == dataset.KindHuman {
				continue
			}
			row := BoardsRow{BesideOn: BesideOn{b.Judges[board.judge].Name, b.Judges[board.judge].Method, rubric.Name}}
			var x, y []float64
			var names []string
			for _, s := range board.rows {
				mean := run.At[dataset.PlanKey{Judge: rubric.Name, System: s.System, Scenario: dataset.AllScenarios}]
				if mean != nil && mean.Mean.Known() {
					names, x, y = append(names, s.System), append(x, -float64(s.Rank)), append(y, *mean.Mean.Number)
				}
			}
			if row.Systems = len(names); row.Systems < 2 {
				continue
			}
			row.Spearman, row.Kendall = table.FigureOf(b.Value(agreement.Spearman(x, y))), table.FigureOf(b.Value(agreement.KendallTauB(x, y)))
			for i := range names {
				for k := range names {
					if x[i] > x[k] && y[i] < y[k]-dataset.EqualMeans {
						d := DisagreementRow{BesideOn: row.BesideOn, Preferred: names[i], Other: names[k]}
						b.compareHuman(&d, &row, people)
						all = append(all, d)
					}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, all
}

// A place is where the answers of two systems are compared.
type place struct {
	question int
	scenario string
}

// humanMeans are the mean human scores of each system at each place.
func humanMeans(run *report.Report) map[string]map[place]float64 {
	people := run.AnswerTotals(run.References()...)
	if !people.Any() {
		return nil
	}
	scores := map[string]map[place][]float64{}
	for i, a := range run.Answers {
		if total, ok := people.Of(i); ok {
			if scores[a.System] == nil {
				scores[a.System] = map[place][]float64{}
			}
			at := place{run.Question[i], a.Scenario}
			scores[a.System][at] = append(scores[a.System][at], total)
		}
	}
	means := map[string]map[place]float64{}
	for system, at := range scores {
		means[system] = map[place]float64{}
		for where, of := range at {
			total := 0.0
			for _, score := range of {
				total += score
			}
			means[system][where] = total / float64(len(of))
		}
	}
	return means
}

// compareHuman compares the human scores of two systems and counts the result.
func (b *preferenceBoard) compareHuman(d *DisagreementRow, row *BoardsRow, people map[string]map[place]float64) {
	var x, y []float64
	var clusters []int
	for _, where := range slices.SortedFunc(maps.Keys(people[d.Preferred]), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.question, b.question), cmp.Compare(a.scenario, b.scenario))
	}) {
		if other, ok := people[d.Other][where]; ok {
			x, y, clusters = append(x, people[d.Preferred][where]), append(y, other), append(clusters, where.question)
		}
	}
	if d.N = len(x); d.N > 0 {
		d.Difference, _ = b.paired(x, y, clusters)
	}
	row.Disagree++
	switch {
	case d.Difference.Above():
		d.Side = "preferences"
		row.WithPairs++
	case d.Difference.Below():
		d.Side = "points"
		row.WithPoints++
	default:
		d.Side = "undecided"
		row.Undecided++
	}
}
