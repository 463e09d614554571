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

// besideRubric compares the board with the rubric leaderboards of the run with the answers.
func (s *systemBoard) besideRubric(run *report.Report) (rows []BoardsRow) {
	for _, rubric := range run.Judges {
		if rubric.Kind == dataset.KindFloor || rubric.Kind == dataset.KindHuman {
			continue
		}
		var x, y []float64
		for _, r := range s.rows {
			mean := run.At[dataset.PlanKey{Judge: rubric.Name, System: r.System, Scenario: dataset.AllScenarios}]
			if mean != nil && mean.Mean.Known() {
				x, y = append(x, -float64(r.Rank)), append(y, *mean.Mean.Number)
			}
		}
		if len(x) < 2 {
			continue
		}
		row := BoardsRow{Judge: s.Judge, Method: s.Method, Rubric: rubric.Name, Systems: len(x),
			Spearman: table.FigureOf(s.Value(agreement.Spearman(x, y))), Kendall: table.FigureOf(s.Value(agreement.KendallTauB(x, y)))}
		for i := range x {
			for k := range x {
				row.Disagree += int(dataset.Indicator(x[i] > x[k] && y[i] < y[k]-dataset.EqualMeans))
			}
		}
		rows = append(rows, row)
	}
	return rows
}
