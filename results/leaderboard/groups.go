package leaderboard

import "compqa/results/table"

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
func (b *board) groupRows() (rows []GroupRow) {
	for s, system := range b.Systems {
		for _, of := range b.Scopes(s, b.planned) {
			for g, group := range b.Groups {
				var points [][]float64
				for _, c := range of.Cells {
					if groups := b.tallies[c].Groups; groups != nil {
						points = append(points, groups[g])
					}
				}
				r := GroupRow{Judge: b.Judges[b.judge].Name, System: system.Name, Scenario: of.Scenario, Group: group}
				r.Valid, r.Mean, r.SD = b.means(points)
				rows = append(rows, r)
			}
		}
	}
	return rows
}
