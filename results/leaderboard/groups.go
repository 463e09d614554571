package leaderboard

import (
	"compqa/results/dataset"
	"compqa/results/table"
)

// A GroupRow is the points of a group of criteria over a judge's valid verdicts;
// AllScenarios as in a LeaderboardRow.
type GroupRow struct {
	Judge    string       `csv:"judge"`
	System   string       `csv:"system"`
	Scenario string       `csv:"scenario"`
	Group    string       `csv:"group"`
	Valid    int          `csv:"valid"`
	Mean     table.Figure `csv:"mean"`
	SD       table.Figure `csv:"sd"`
}

// groupRows are in the order of systems, scenarios (AllScenarios last) and the
// rubric's groups.
func (b *board) groupRows() []GroupRow {
	var rows []GroupRow
	for s, system := range b.Systems {
		var per [][]GroupRow
		for _, c := range b.cellsOf(s) {
			of := make([]GroupRow, len(b.Groups))
			for g, group := range b.Groups {
				of[g] = groupMoments(&b.Calculator, GroupRow{Judge: b.Judges[b.judge].Name, System: system.Name, Scenario: b.Cells[c].Scenario,
					Group: group}, groupTotals(&b.tallies[c], g))
			}
			per, rows = append(per, of), append(rows, of...)
		}
		if per != nil {
			rows = append(rows, groupsOverScenarios(&b.Calculator, per)...)
		}
	}
	return rows
}

func groupMoments(c *dataset.Calculator, r GroupRow, points []float64) GroupRow {
	m := c.Moments(points)
	r.Valid, r.Mean, r.SD = m.N, table.FigureOf(m.Mean), table.FigureOf(m.SD)
	return r
}

func groupTotals(t *dataset.Tally, g int) []float64 {
	if t.Groups == nil {
		return nil
	}
	return t.Groups[g]
}

// groupsOverScenarios combines a system's rows of each scenario.
func groupsOverScenarios(c *dataset.Calculator, per [][]GroupRow) []GroupRow {
	var rows []GroupRow
	for g, r := range per[0] {
		r.Scenario, r.Valid = dataset.AllScenarios, 0
		var means, sds []table.Figure
		for _, of := range per {
			r.Valid += of[g].Valid
			means, sds = append(means, of[g].Mean), append(sds, of[g].SD)
		}
		r.Mean, r.SD = c.MeanKnown(means), c.MeanKnown(sds)
		rows = append(rows, r)
	}
	return rows
}
