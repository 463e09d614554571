package results

import (
	"cmp"
	"database/sql"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"

	"compqa/data"
)

// Load reads the records in one or several folders as one run. They must have
// been made with the same rubric. A system that stands in several is one where
// the answers that it gave in both have the same text; otherwise each is shown
// as "name (dir)". So is a judge whose verdicts on an answer differ. Where two
// runs have nothing of a name in common, it is one when it is described alike.
func Load(dirs ...string) (*Run, error) {
	var m merger
	for _, dir := range dirs {
		s, err := Open(dir)
		if err != nil {
			return nil, err
		}
		err = m.add(s, dir, len(dirs) > 1)
		s.Close()
		if err != nil {
			return nil, err
		}
	}
	switch len(m.runs) {
	case 0:
		return nil, fmt.Errorf("no folder of a run is given")
	case 1:
		return m.runs[0], nil
	}
	return m.merge()
}

// A merger makes one run of several.
type merger struct {
	runs    []*Run
	texts   [][]uint64          // by run and answer: hash of its text
	labels  []string            // what a run's folder is called in names
	systems []map[string]string // by run: a system's name to its name in the whole
	judges  []map[string]string
	answers [][]int // by run and answer: its index in the whole

	whole *Run
}

func (m *merger) add(s *Store, dir string, several bool) error {
	run, err := s.load(dir)
	if err != nil {
		return err
	}
	m.runs = append(m.runs, run)
	if !several {
		return nil
	}
	texts, err := s.textHashes(run.Answers)
	if err != nil {
		return fmt.Errorf("reading %s: %w", s.path, err)
	}
	m.texts = append(m.texts, texts)
	return nil
}

// textHashes are those of the answers' texts; answers are sorted by id.
func (s *Store) textHashes(answers []AnswerRow) ([]uint64, error) {
	hashes := make([]uint64, len(answers))
	at := 0
	err := s.each(`SELECT id, text FROM answers ORDER BY id`, nil, func(rows *sql.Rows) error {
		var id string
		var text sql.RawBytes
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		if at < len(answers) && answers[at].ID == id {
			h := fnv.New64a()
			h.Write(text)
			hashes[at] = h.Sum64()
			at++
		}
		return nil
	})
	return hashes, err
}

func (m *merger) merge() (*Run, error) {
	first := m.runs[0]
	m.whole = &Run{Rubric: first.Rubric}
	for _, run := range m.runs {
		if run.Made[0].RubricHash != first.Made[0].RubricHash {
			return nil, fmt.Errorf("%s was judged by rubric %q and %s by rubric %q, or by two versions of one: their points do not compare, so that they need a report each",
				first.Dirs[0], first.Rubric.Name, run.Dirs[0], run.Rubric.Name)
		}
		m.whole.Dirs, m.whole.Made = append(m.whole.Dirs, run.Dirs...), append(m.whole.Made, run.Made...)
	}
	m.label()
	m.systems = m.names(func(run *Run) []Party { return run.Systems }, m.sameAnswers)
	m.mergeAnswers()
	m.judges = m.names(func(run *Run) []Party { return run.Judges }, m.sameVerdicts)
	m.whole.Systems = m.parties(func(run *Run) []Party { return run.Systems }, m.systems)
	m.whole.Judges = m.parties(func(run *Run) []Party { return run.Judges }, m.judges)
	slices.SortStableFunc(m.whole.Judges, func(a, b Party) int { return cmp.Compare(kindRank[a.Kind], kindRank[b.Kind]) })
	m.mergeSheets()
	m.mergePlan()
	m.mergeRest()
	return m.whole, nil
}

// label calls a run by its folder's last name, or by the whole path where two
// share it.
func (m *merger) label() {
	seen := map[string]int{}
	for _, run := range m.runs {
		seen[filepath.Base(run.Dirs[0])]++
	}
	for _, run := range m.runs {
		label := filepath.Base(run.Dirs[0])
		if seen[label] > 1 {
			label = filepath.ToSlash(filepath.Clean(run.Dirs[0]))
		}
		m.labels = append(m.labels, label)
	}
}

// sameness is what two runs say of one name.
type sameness int

const (
	nothingShared sameness = iota
	agreed
	contradicted
)

// names gives every party of every run its name in the whole: runs in which a
// name stands for the same share it.
func (m *merger) names(of func(*Run) []Party, same func(name string, a, b int) sameness) []map[string]string {
	renamed := make([]map[string]string, len(m.runs))
	for r := range renamed {
		renamed[r] = map[string]string{}
	}
	for r, run := range m.runs {
		for _, p := range of(run) {
			if _, done := renamed[r][p.Name]; done {
				continue
			}
			sets := m.sets(p.Name, of, same)
			for _, set := range sets {
				name := p.Name
				if len(sets) > 1 {
					name += " (" + m.labels[set[0]] + ")"
				}
				for _, member := range set {
					renamed[member][p.Name] = name
				}
			}
		}
	}
	return renamed
}

// sets puts the runs that have a name into sets in which it stands for the same.
func (m *merger) sets(name string, of func(*Run) []Party, same func(name string, a, b int) sameness) [][]int {
	find := func(r int) (Party, bool) {
		parties := of(m.runs[r])
		i := slices.IndexFunc(parties, func(p Party) bool { return p.Name == name })
		if i < 0 {
			return Party{}, false
		}
		return parties[i], true
	}
	var sets [][]int
	for r := range m.runs {
		p, ok := find(r)
		if !ok {
			continue
		}
		differs := func(other int) bool {
			switch same(name, other, r) {
			case agreed:
				return false
			case contradicted:
				return true
			}
			q, _ := find(other)
			return q.Kind != p.Kind || q.About != p.About
		}
		at := slices.IndexFunc(sets, func(set []int) bool { return !slices.ContainsFunc(set, differs) })
		if at < 0 {
			sets, at = append(sets, nil), len(sets)
		}
		sets[at] = append(sets[at], r)
	}
	return sets
}

// sameAnswers compares the texts of the answers that a system gave in two runs.
func (m *merger) sameAnswers(system string, a, b int) sameness {
	found := nothingShared
	ours, theirs := m.runs[a].Answers, m.runs[b].Answers
	for i, k := 0, 0; i < len(ours) && k < len(theirs); {
		switch order := cmp.Compare(ours[i].ID, theirs[k].ID); {
		case order < 0:
			i++
		case order > 0:
			k++
		default:
			if ours[i].System == system && theirs[k].System == system && ours[i].Status == data.Valid && theirs[k].Status == data.Valid {
				if m.texts[a][i] != m.texts[b][k] {
					return contradicted
				}
				found = agreed
			}
			i, k = i+1, k+1
		}
	}
	return found
}

// mergeAnswers joins the answers of all runs in order of their ids; of one that
// several hold, a valid one goes before another, then the first run's.
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

// sameVerdicts compares the scores that a judge gave in two runs to the same
// answers.
func (m *merger) sameVerdicts(judge string, a, b int) sameness {
	found := nothingShared
	named := func(p Party) bool { return p.Name == judge }
	ours := m.runs[a].sheets(slices.IndexFunc(m.runs[a].Judges, named))
	theirs := m.runs[b].sheets(slices.IndexFunc(m.runs[b].Judges, named))
	for i, k := 0, 0; i < len(ours) && k < len(theirs); {
		order := cmp.Or(cmp.Compare(m.answers[a][ours[i].Answer], m.answers[b][theirs[k].Answer]), cmp.Compare(ours[i].Repeat, theirs[k].Repeat))
		switch {
		case order < 0:
			i++
		case order > 0:
			k++
		default:
			if ours[i].Status == data.Valid && theirs[k].Status == data.Valid {
				if !slices.Equal(ours[i].Scores, theirs[k].Scores) {
					return contradicted
				}
				found = agreed
			}
			i, k = i+1, k+1
		}
	}
	return found
}

// mergeSheets joins the verdicts of all runs in order of judges, answers and
// repeats; of one that several hold, a valid one goes before another, then the
// first run's.
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
		return cmp.Or(cmp.Compare(a.Judge, b.Judge), cmp.Compare(a.Answer, b.Answer), cmp.Compare(a.Repeat, b.Repeat), validFirst(a.Status, b.Status))
	})
	m.whole.Sheets = slices.CompactFunc(m.whole.Sheets, func(a, b Sheet) bool {
		return a.Judge == b.Judge && a.Answer == b.Answer && a.Repeat == b.Repeat
	})
}

// parties are those of all runs under their new names, each as the first run
// describes it.
func (m *merger) parties(of func(*Run) []Party, renamed []map[string]string) []Party {
	var all []Party
	for r, run := range m.runs {
		for _, p := range of(run) {
			p.Name = renamed[r][p.Name]
			if !slices.ContainsFunc(all, func(q Party) bool { return q.Name == p.Name }) {
				all = append(all, p)
			}
		}
	}
	return all
}

// mergePlan joins the plans. A cell that several runs plan is as large as the
// largest: what is on record beyond it is counted where it is found.
func (m *merger) mergePlan() {
	at := map[[4]string]int{}
	for r, run := range m.runs {
		for _, c := range run.Plan {
			c.System = m.systems[r][c.System]
			if c.Kind == KindVerdict {
				c.Judge = m.judges[r][c.Judge]
			}
			key := [4]string{c.Kind, c.Judge, c.System, c.Scenario}
			if i, ok := at[key]; ok {
				m.whole.Plan[i].Planned = max(m.whole.Plan[i].Planned, c.Planned)
				continue
			}
			at[key] = len(m.whole.Plan)
			m.whole.Plan = append(m.whole.Plan, c)
		}
	}
}

// mergeRest joins the questions, and the imported rows without an answer.
func (m *merger) mergeRest() {
	questions, unplaced := map[string]bool{}, map[Unplaced]bool{}
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
