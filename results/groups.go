package results

import "compqa/data"

// A GroupRow is what a judge's valid verdicts give a group of criteria, in
// points; under AllScenarios as in a LeaderboardRow.
type GroupRow struct {
	Judge    string `csv:"judge"`
	System   string `csv:"system"`
	Scenario string `csv:"scenario"`
	Group    string `csv:"group"`
	Valid    int    `csv:"valid"`
	Mean     Figure `csv:"mean"`
	SD       Figure `csv:"sd"`
}

// groupRows are in order of systems, scenarios (all of them last) and the
// rubric's groups.
func (b *board) groupRows() []GroupRow {
	var rows []GroupRow
	for s, system := range b.Systems {
		var per [][]GroupRow
		for _, c := range b.cellsOf(s) {
			of := make([]GroupRow, len(b.groups))
			for g, group := range b.groups {
				of[g] = b.group(GroupRow{Judge: b.Judges[b.judge].Name, System: system.Name, Scenario: b.cells[c].scenario, Group: group}, b.tallies[c].group(g))
			}
			per, rows = append(per, of), append(rows, of...)
		}
		if per != nil {
			rows = append(rows, b.groupsOverScenarios(per)...)
		}
	}
	return rows
}

func (c *computer) group(r GroupRow, points []float64) GroupRow {
	m := c.moments(points)
	r.Valid, r.Mean, r.SD = m.N, Figure{m.Mean}, Figure{m.SD}
	return r
}

func (t *tally) group(g int) []float64 {
	if t.groups == nil {
		return nil
	}
	return t.groups[g]
}

// groupsOverScenarios puts a system's rows together, scenario by scenario given.
func (c *computer) groupsOverScenarios(per [][]GroupRow) []GroupRow {
	var rows []GroupRow
	for g, r := range per[0] {
		r.Scenario, r.Valid = AllScenarios, 0
		var means, sds []Figure
		for _, of := range per {
			r.Valid += of[g].Valid
			means, sds = append(means, of[g].Mean), append(sds, of[g].SD)
		}
		r.Mean, r.SD = c.meanKnown(means), c.meanKnown(sds)
		rows = append(rows, r)
	}
	return rows
}

// scenarioGroups are group points by scenario over the verdicts on all systems,
// as in Nikishina et al., Figure 7; the deviation is that of these verdicts.
func (b *board) scenarioGroups() []GroupRow {
	var rows []GroupRow
	for _, scenario := range b.scenarios() {
		for g, group := range b.groups {
			var points []float64
			for i, c := range b.cells {
				if c.scenario == scenario {
					points = append(points, b.tallies[i].group(g)...)
				}
			}
			rows = append(rows, b.group(GroupRow{Judge: b.Judges[b.judge].Name, Scenario: scenario, Group: group}, points))
		}
	}
	return rows
}

// An aspectRow is what a judge's valid verdicts give the answers with an aspect,
// or without, as in Nikishina et al., Table 4.
type aspectRow struct {
	judge  string
	aspect bool
	moments
}

// aspectRows are that with an aspect, then that without.
func (b *board) aspectRows() []aspectRow {
	var totals [2][]float64
	for _, s := range b.sheets(b.judge) {
		if s.Status != data.Valid || b.cellOf[s.Answer] < 0 {
			continue
		}
		at := 1
		if b.Answers[s.Answer].Aspect != "" {
			at = 0
		}
		totals[at] = append(totals[at], s.Total)
	}
	name := b.Judges[b.judge].Name
	return []aspectRow{{name, true, b.moments(totals[0])}, {name, false, b.moments(totals[1])}}
}
