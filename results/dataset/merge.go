package dataset

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// Load reads the records in one or more folders as one run. All records must have the same rubric. A system in several records is merged if
// the texts of its shared answers are equal; otherwise it appears as "name (dir)" for each. The same holds for judges and their scores.
// Without shared answers or verdicts, equal descriptions are merged.
func Load(dirs ...string) (*Run, error) {
	run, _, err := LoadRescored(nil, nil, dirs...)
	return run, err
}

// LoadRescored is Load, but rescore parses each verdict's reply again (nil keeps verdicts as recorded). Judges whose kind is in but are not
// parsed again. The Rereading has the differences.
func LoadRescored(rescore Rescore, but []string, dirs ...string) (*Run, Rereading, error) {
	m := merger{rescore: rescore, but: but}
	for _, dir := range dirs {
		s, err := store.Open(dir)
		if err != nil {
			return nil, Rereading{}, err
		}
		err = m.add(s, dir, len(dirs) > 1)
		s.Close()
		if err != nil {
			return nil, Rereading{}, err
		}
	}
	switch len(m.runs) {
	case 0:
		return nil, Rereading{}, fmt.Errorf("no run folder is given")
	case 1:
		return m.runs[0], m.anew, nil
	}
	run, err := m.merge()
	return run, m.anew, err
}

// A merger merges several runs.
type merger struct {
	runs    []*Run
	texts   []map[string][sha256.Size]byte // by run and ID of an answer: hash of its text
	labels  []string                       // the name of each run's folder, for names of systems and judges
	systems []map[string]string            // by run: the name of a system there, and its name in the merged run
	judges  []map[string]string            // the same for judges
	answers [][]int                        // by run and answer: index in the merged run

	whole *Run

	rescore Rescore
	but     []string  // kinds of judges whose verdicts are not parsed again
	anew    Rereading // with the names of judges in their own runs
}

func (m *merger) add(s *store.Store, dir string, several bool) error {
	run, anew, err := loadRescored(s, dir, m.rescore, m.but)
	if err != nil {
		return err
	}
	m.anew = Rereading{m.anew.Read + anew.Read, append(m.anew.Changes, anew.Changes...)}
	m.runs = append(m.runs, run)
	if !several {
		return nil
	}
	texts := map[string][sha256.Size]byte{}
	err = store.EachOf(s, store.KindAnswer, func(a struct{ ID, Text string }) error {
		texts[a.ID] = sha256.Sum256([]byte(a.Text))
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.Path, err)
	}
	m.texts = append(m.texts, texts)
	return nil
}

// merge merges the runs. It compares rubrics, names systems and judges, merges answers and sheets under the new names, and then all other
// rows. Different rubrics are an error.
func (m *merger) merge() (*Run, error) {
	first := m.runs[0]
	m.whole = &Run{Rubric: first.Rubric, Used: map[string]float64{}}
	for _, run := range m.runs {
		if run.Made[0].RubricHash != first.Made[0].RubricHash {
			return nil,
				fmt.Errorf("%s was judged with rubric %q and %s with rubric %q, or with different versions of a rubric: their points are not "+
					"comparable; report them separately",
					first.Dirs[0], first.Rubric.Name, run.Dirs[0], run.Rubric.Name)
		}
		m.whole.Dirs = append(m.whole.Dirs, run.Dirs...)
		m.whole.Made = append(m.whole.Made, run.Made...)
		m.whole.Begun = max(m.whole.Begun, run.Begun)
	}
	m.labels = Labels(m.whole.Dirs)
	m.systems, m.whole.Systems = m.names(func(run *Run) []store.Participant { return run.Systems }, m.sameAnswers)
	m.whole.Renamed = map[string]string{}
	for _, names := range m.systems {
		for recorded, name := range names {
			if name != recorded {
				m.whole.Renamed[name] = recorded
			}
		}
	}
	m.mergeAnswers()
	m.judges, m.whole.Judges = m.names(func(run *Run) []store.Participant { return run.Judges }, m.sameVerdicts)
	slices.SortStableFunc(m.whole.Judges, compareJudges)
	m.mergeSheets()
	m.mergeRest()
	return m.whole, nil
}

// Labels returns short names of records: the base names of their folders. Where two base names are equal, it returns the whole paths.
func Labels(dirs []string) []string {
	labels := data.Each(dirs, filepath.Base)
	for i, dir := range dirs {
		base := filepath.Base(dir)
		if len(data.Where(dirs, func(other string) bool { return filepath.Base(other) == base })) > 1 {
			labels[i] = filepath.ToSlash(filepath.Clean(dir))
		}
	}
	return labels
}

// sameness says whether two runs agree on what a name stands for.
type sameness int

const (
	nothingShared sameness = iota // they have no common answers or verdicts
	agreed
	contradicted
)

// names gives each system (or judge) of each run its name in the merged run. It also lists the parties under these names, as the first run
// describes them. Runs that agree on a name share it. If not all agree, each group of runs that agree adds the folder of its first run to
// the name. same compares a name in two runs. If the runs share nothing, equal descriptions agree.
func (m *merger) names(participants func(*Run) []store.Participant, same func(name string, a, b int) sameness) (renamed []map[string]string,
	parties []store.Participant) {
	sets := map[string][][]int{} // by name: groups of runs that agree on it
	for r, run := range m.runs {
		for _, p := range participants(run) {
			differs := func(other int) bool {
				switch same(p.Name, other, r) {
				case agreed:
					return false
				case contradicted:
					return true
				}
				theirs := participants(m.runs[other])
				q := theirs[store.Named(theirs, p.Name)]
				return q.Kind != p.Kind || q.About != p.About
			}
			all := sets[p.Name]
			index := slices.IndexFunc(all, func(set []int) bool { return !slices.ContainsFunc(set, differs) })
			if index < 0 {
				index = len(all)
				all = append(all, nil)
			}
			all[index] = append(all[index], r)
			sets[p.Name] = all
		}
	}
	for range m.runs {
		renamed = append(renamed, map[string]string{})
	}
	for recorded, all := range sets {
		for _, set := range all {
			name := recorded
			if len(all) > 1 {
				name += " (" + m.labels[set[0]] + ")"
			}
			for _, r := range set {
				renamed[r][recorded] = name
			}
		}
	}
	for r, run := range m.runs {
		for _, p := range participants(run) {
			p.Name = renamed[r][p.Name]
			if store.Named(parties, p.Name) < 0 {
				parties = append(parties, p)
			}
		}
	}
	return renamed, parties
}

// sameAnswers compares the texts of a system's valid answers that two runs share.
func (m *merger) sameAnswers(system string, a, b int) sameness {
	hashes := func(r int) map[string][sha256.Size]byte {
		texts := map[string][sha256.Size]byte{}
		for _, row := range m.runs[r].Answers {
			if row.System == system && row.Status == data.Valid {
				texts[row.ID] = m.texts[r][row.ID]
			}
		}
		return texts
	}
	return compareShared(hashes(a), hashes(b), func(x, y [sha256.Size]byte) bool { return x == y })
}

// sameVerdicts compares a judge's valid scores of the answers that two runs share.
func (m *merger) sameVerdicts(judge string, a, b int) sameness {
	values := func(r int) map[[2]int][]float64 {
		scores := map[[2]int][]float64{}
		for _, s := range m.runs[r].SheetsOf(m.runs[r].JudgeNamed(judge)) {
			if s.Status == data.Valid {
				scores[[2]int{m.answers[r][s.Item], int(s.Repeat)}] = s.Scores
			}
		}
		return scores
	}
	return compareShared(values(a), values(b), slices.Equal[[]float64])
}

// compareShared returns agreed if all shared items are equal, contradicted if one differs, and nothingShared if there are none.
func compareShared[K comparable, V any](ours, theirs map[K]V, equal func(a, b V) bool) sameness {
	found := nothingShared
	for key, item := range ours {
		if other, shared := theirs[key]; shared && !equal(item, other) {
			return contradicted
		} else if shared {
			found = agreed
		}
	}
	return found
}

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
