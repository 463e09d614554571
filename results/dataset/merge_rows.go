package dataset

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// mergeAnswers joins the answers of all runs, sorted by id. For duplicates, a valid one
// is preferred, then the first run's.
func (m *merger) mergeAnswers() {
	type entry struct {
		run, index int
		row        AnswerRow
	}
	var all []entry
	m.answers = make([][]int, len(m.runs))
	for r, run := range m.runs {
		m.answers[r] = make([]int, len(run.Answers))
		for i, row := range run.Answers {
			row.System = m.systems[r][row.System]
			all = append(all, entry{r, i, row})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.row.ID, b.row.ID), cmp.Compare(a.row.System, b.row.System), validFirst(a.row.Status, b.row.Status))
	})
	for i, e := range all {
		if i == 0 || all[i-1].row.ID != e.row.ID || all[i-1].row.System != e.row.System {
			m.whole.Answers = append(m.whole.Answers, e.row)
		}
		m.answers[e.run][e.index] = len(m.whole.Answers) - 1
	}
}

func validFirst(a, b data.Status) int {
	switch {
	case a == b:
		return 0
	case a == data.Valid:
		return -1
	case b == data.Valid:
		return 1
	}
	return 0
}

// mergeSheets joins the verdicts of all runs, sorted by judge, answer and repeat. For
// duplicates, a valid one is preferred, then the first run's.
func (m *merger) mergeSheets() {
	at := map[string]int{}
	for j, p := range m.whole.Judges {
		at[p.Name] = j
	}
	for r, run := range m.runs {
		for _, s := range run.Sheets {
			s.Judge, s.Answer = at[m.judges[r][run.Judges[s.Judge].Name]], m.answers[r][s.Answer]
			m.whole.Sheets = append(m.whole.Sheets, s)
		}
	}
	slices.SortStableFunc(m.whole.Sheets, func(a, b Sheet) int {
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat), validFirst(a.Status,
			b.Status))
	})
	m.whole.Sheets = slices.CompactFunc(m.whole.Sheets, func(a, b Sheet) bool {
		return a.Judge == b.Judge && a.Answer == b.Answer && a.Repeat == b.Repeat
	})
}

// mergePlan joins the plans. A cell in several plans has the largest planned number.
func (m *merger) mergePlan() {
	at := map[store.CellKey]int{}
	m.whole.Busy = map[string]float64{}
	for r, run := range m.runs {
		for _, c := range run.Plan {
			c.System = m.systems[r][c.System]
			if c.Kind == store.KindVerdict {
				c.Judge = m.judges[r][c.Judge]
			}
			mergeCell(&m.whole.Plan, at, c)
		}
		for _, c := range run.LabelPlan {
			c.System = m.systems[r][c.System]
			mergeCell(&m.whole.LabelPlan, at, c)
		}
		for system, seconds := range run.Busy {
			m.whole.Busy[m.systems[r][system]] += seconds
		}
	}
}

// mergeCell adds a cell to a plan, or its planned number to the cell that is there.
func mergeCell(plan *[]store.PlanCell, at map[store.CellKey]int, c store.PlanCell) {
	i, known := at[c.Key()]
	if !known {
		at[c.Key()] = len(*plan)
		*plan = append(*plan, c)
		return
	}
	(*plan)[i].Planned = max((*plan)[i].Planned, c.Planned)
}

// mergeRest joins the questions and the imported rows without an answer.
func (m *merger) mergeRest() {
	questions, unplaced := map[string]bool{}, map[store.Unplaced]bool{}
	for r, run := range m.runs {
		for _, q := range run.Questions {
			if !questions[q.ID] {
				questions[q.ID] = true
				m.whole.Questions = append(m.whole.Questions, q)
			}
		}
		for _, u := range run.Unplaced {
			if name, ok := m.judges[r][u.Judge]; ok {
				u.Judge = name
			}
			if name, ok := m.systems[r][u.System]; ok {
				u.System = name
			}
			if !unplaced[u] {
				unplaced[u] = true
				m.whole.Unplaced = append(m.whole.Unplaced, u)
			}
		}
	}
}

// mergeCosts joins the cost accounts, with the new names.
func (m *merger) mergeCosts() {
	for r, run := range m.runs {
		for _, b := range run.Costs {
			names := m.systems[r]
			if b.Kind == store.KindVerdict {
				names = m.judges[r]
			}
			b.Name = cmp.Or(names[b.Name], b.Name)
			m.whole.Costs = append(m.whole.Costs, b)
		}
		for _, a := range run.Adaptations {
			if !slices.Contains(m.whole.Adaptations, a) {
				m.whole.Adaptations = append(m.whole.Adaptations, a)
			}
		}
	}
}
