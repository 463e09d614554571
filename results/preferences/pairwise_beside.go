package preferences

import (
	"compqa/results/dataset"
	"compqa/results/report"
	"compqa/results/table"
	"compqa/stats/agreement"
)

// A BoardsRow compares the ranking of systems by a judge's preferences with the ranking
// by a rubric judge's points.
type BoardsRow struct {
	Judge    string       `csv:"judge"`
	Method   string       `csv:"method"`
	Rubric   string       `csv:"rubric_judge"`
	Systems  int          `csv:"systems"`
	Spearman table.Figure `csv:"spearman"`
	Kendall  table.Figure `csv:"kendall_tau_b"`
	Disagree int          `csv:"pairs_disagreed"` // pairs of systems in opposite order
}

// besideRubric compares the boards with the rubric leaderboards of the run with the
// answers.
func (b *preferenceBoard) besideRubric(boards []systemBoard, run *report.Report) (rows []BoardsRow) {
	for _, board := range boards {
		for _, rubric := range run.Judges {
			if rubric.Kind == dataset.KindFloor || rubric.Kind == dataset.KindHuman {
				continue
			}
			row := BoardsRow{Judge: b.Judges[board.judge].Name, Method: b.Judges[board.judge].Method, Rubric: rubric.Name}
			var x, y []float64
			for _, s := range board.rows {
				mean := run.At[dataset.PlanKey{Judge: rubric.Name, System: s.System, Scenario: dataset.AllScenarios}]
				if mean != nil && mean.Mean.Known() {
					x, y = append(x, -float64(s.Rank)), append(y, *mean.Mean.Number)
				}
			}
			if row.Systems = len(x); row.Systems < 2 {
				continue
			}
			row.Spearman, row.Kendall = table.FigureOf(b.Value(agreement.Spearman(x, y))), table.FigureOf(b.Value(agreement.KendallTauB(x, y)))
			for i := range x {
				for k := range x {
					row.Disagree += int(dataset.Indicator(x[i] > x[k] && y[i] < y[k]-dataset.EqualMeans))
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}
