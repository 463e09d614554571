package dataset

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
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
	return int(Indicator(b == data.Valid) - Indicator(a == data.Valid))
}

// mergeSheets joins the verdicts of all runs, sorted by judge, answer and repeat. For
// duplicates, a valid one is preferred, then the first run's.
func (m *merger) mergeSheets() {
	for r, run := range m.runs {
		var judges []int
		for _, p := range run.Judges {
			judges = append(judges, m.whole.JudgeNamed(m.judges[r][p.Name]))
		}
		for _, s := range run.Sheets {
			s.Judge, s.Answer = judges[s.Judge], m.answers[r][s.Answer]
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

// mergeRest joins all other rows under their new names, each once. A cell in several plans has the largest
// planned number.
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
		for of, seconds := range run.Busy {
			w.Busy[system(of)] += seconds
		}
		w.Questions = append(w.Questions, table.Where(run.Questions, func(q data.Question) bool { return once(q.ID) })...)
		w.Adaptations = append(w.Adaptations, table.Where(run.Adaptations, func(a store.Adaptation) bool { return once(a) })...)
		for _, u := range run.Unplaced {
			if u.Judge, u.System = judge(u.Judge), system(u.System); once(u) {
				w.Unplaced = append(w.Unplaced, u)
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
	}
}
