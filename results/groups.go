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

// groupRows are in order of judges, systems, scenarios (all of them last) and
// the rubric's groups.
func (x *index) groupRows(tallies [][]tally) ([]GroupRow, error) {
	var rows []GroupRow
	var c computer
	for j, judge := range x.Judges {
		for s, system := range x.Systems {
			var per [][]GroupRow
			for _, at := range x.bySystem[s] {
				if tallies[j][at].planned == 0 {
					continue
				}
				of := make([]GroupRow, len(x.groups))
				for g, group := range x.groups {
					of[g] = c.group(GroupRow{Judge: judge.Name, System: system.Name, Scenario: x.cells[at].scenario, Group: group}, tallies[j][at].group(g))
				}
				per, rows = append(per, of), append(rows, of...)
			}
			if per != nil {
				rows = append(rows, c.groupsOverScenarios(per)...)
			}
		}
	}
	return rows, c.err
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

// scenarioGroups are a judge's group points by scenario over the verdicts on all
// systems, as in Nikishina et al., Figure 7; the deviation is that of these
// verdicts.
func (x *index) scenarioGroups(tallies [][]tally) ([]GroupRow, error) {
	var rows []GroupRow
	var c computer
	for j, judge := range x.Judges {
		for _, scenario := range x.scenarios() {
			for g, group := range x.groups {
				var points []float64
				for at, cell := range x.cells {
					if cell.scenario == scenario {
						points = append(points, tallies[j][at].group(g)...)
					}
				}
				rows = append(rows, c.group(GroupRow{Judge: judge.Name, Scenario: scenario, Group: group}, points))
			}
		}
	}
	return rows, c.err
}

// An aspectRow is what a judge's valid verdicts give the answers with an aspect,
// or without, as in Nikishina et al., Table 4.
type aspectRow struct {
	judge  string
	aspect bool
	moments
}

func (x *index) aspectRows() ([]aspectRow, error) {
	var rows []aspectRow
	var c computer
	for j, judge := range x.Judges {
		var totals [2][]float64 // with, without
		for _, s := range x.sheets(j) {
			if s.Status != data.Valid || x.cellOf[s.Answer] < 0 {
				continue
			}
			at := 1
			if x.Answers[s.Answer].Aspect != "" {
				at = 0
			}
			totals[at] = append(totals[at], s.Total)
		}
		rows = append(rows, aspectRow{judge.Name, true, c.moments(totals[0])}, aspectRow{judge.Name, false, c.moments(totals[1])})
	}
	return rows, c.err
}
