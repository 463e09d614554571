package dataset

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// unique sorts the rows of all runs and removes duplicates. Among equal rows, it keeps the first valid one, or else the first.
func unique[Row any](rows []Row, order func(a, b Row) int, status func(Row) data.Status) []Row {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Or(order(a, b), int(Indicator(status(b) == data.Valid)-Indicator(status(a) == data.Valid)))
	})
	return slices.CompactFunc(rows, func(a, b Row) bool { return order(a, b) == 0 })
}

// mergeAnswers merges the answers of all runs, sorted by ID.
func (m *merger) mergeAnswers() {
	order := func(a, b AnswerRow) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.System, b.System)) }
	renamed := make([][]AnswerRow, len(m.runs)) // with the new names of systems
	for r, run := range m.runs {
		for _, row := range run.Answers {
			row.System = m.systems[r][row.System]
			renamed[r] = append(renamed[r], row)
		}
	}
	m.whole.Answers = unique(slices.Concat(renamed...), order, func(a AnswerRow) data.Status { return a.Status })
	m.answers = make([][]int, len(m.runs))
	for r, rows := range renamed {
		for _, row := range rows {
			index, _ := slices.BinarySearchFunc(m.whole.Answers, row, order)
			m.answers[r] = append(m.answers[r], index)
		}
	}
}

// mergeSheets merges the verdicts of all runs, sorted by judge, answer and repeat.
func (m *merger) mergeSheets() {
	for r, run := range m.runs {
		judges := data.Each(run.Judges, func(p store.Participant) int { return m.whole.JudgeNamed(m.judges[r][p.Name]) })
		for _, s := range run.Sheets {
			s.Rater = int32(judges[s.Rater])
			s.Item = int32(m.answers[r][s.Item])
			m.whole.Sheets = append(m.whole.Sheets, s)
		}
	}
	m.whole.Sheets = unique(m.whole.Sheets, data.CompareSheets, func(s data.Given) data.Status { return s.Status })
}

// mergeRest merges all other rows under the new names, without duplicates. A cell in several plans gets the largest planned number.
func (m *merger) mergeRest() {
	seen := map[any]bool{}
	once := func(key any) bool {
		defer func() { seen[key] = true }()
		return !seen[key]
	}
	cells := map[store.CellKey]int{}
	w := m.whole
	w.Busy = map[string]float64{}
	for r, run := range m.runs {
		system := func(name string) string { return cmp.Or(m.systems[r][name], name) }
		judge := func(name string) string { return cmp.Or(m.judges[r][name], name) }
		plan := func(into *[]store.PlanCell, c store.PlanCell) {
			c.System = system(c.System)
			i, known := cells[c.Key()]
			if !known {
				cells[c.Key()] = len(*into)
				*into = append(*into, c)
				return
			}
			(*into)[i].Planned = max((*into)[i].Planned, c.Planned)
		}
		for _, c := range run.Plan {
			if c.Kind == store.KindVerdict {
				c.Judge = judge(c.Judge)
			}
			plan(&w.Plan, c)
		}
		for _, c := range run.LabelPlan {
			plan(&w.LabelPlan, c)
		}
		for party, seconds := range run.Busy {
			w.Busy[system(party)] += seconds
		}
		w.Questions = append(w.Questions, data.Where(run.Questions, func(q data.Question) bool { return once(q.ID) })...)
		w.Adaptations = append(w.Adaptations, data.Where(run.Adaptations, func(a store.Adaptation) bool { return once(a) })...)
		for _, u := range run.Unplaced {
			u.Judge, u.System = judge(u.Judge), system(u.System)
			if once(u) {
				w.Unplaced = append(w.Unplaced, u)
			}
		}
		for _, a := range run.Attacked {
			a.Judge = judge(a.Judge)
			if once([3]string{a.Judge, a.Attack, a.Answer}) {
				w.Attacked = append(w.Attacked, a)
			}
		}
		for _, b := range run.Costs {
			if b.Kind == store.KindVerdict {
				b.Name = judge(b.Name)
			} else {
				b.Name = system(b.Name)
			}
			w.Costs = append(w.Costs, b)
		}
		for name, dollars := range run.Used {
			w.Used[judge(name)] += dollars
		}
	}
}
