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
		cells := b.cellsOf(s)
		per := make([][]GroupRow, len(b.Groups)) // the scenarios' rows
		for _, c := range cells {
			for g, group := range b.Groups {
				var m dataset.Moments
				if groups := b.tallies[c].Groups; groups != nil {
					m = b.Moments(groups[g])
				}
				per[g] = append(per[g], GroupRow{b.Judges[b.judge].Name, system.Name, b.Cells[c].Scenario, group, m.N, table.FigureOf(m.Mean),
					table.FigureOf(m.SD)})
				rows = append(rows, per[g][len(per[g])-1])
			}
		}
		for _, of := range per {
			if len(cells) > 0 {
				rows = append(rows, b.groupOverScenarios(of))
			}
		}
	}
	return rows
}

// groupOverScenarios combines a system's rows of a group.
func (b *board) groupOverScenarios(of []GroupRow) GroupRow {
	all := of[0]
	all.Scenario, all.Valid = dataset.AllScenarios, 0
	var means, sds []table.Figure
	for _, r := range of {
		all.Valid += r.Valid
		means, sds = append(means, r.Mean), append(sds, r.SD)
	}
	all.Mean, all.SD = b.MeanKnown(means), b.MeanKnown(sds)
	return all
}
