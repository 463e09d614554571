package dataset

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"

	"compqa/data"
	"compqa/results/store"
)

// Load reads the records in one or several folders as one run. They must have the same rubric. A system in several records
// is merged if its shared answers have the same texts; otherwise each is shown as "name (dir)". The same applies to judges
// and their scores. Without shared answers or verdicts, equal descriptions are merged.
func Load(dirs ...string) (*Run, error) {
	run, _, err := LoadRescored(nil, nil, dirs...)
	return run, err
}

// LoadRescored is Load with verdicts parsed again by rescore (nil: as recorded), but those of some kinds of judges. It also returns the
// differences.
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
	texts   []map[string][sha256.Size]byte // by run and id of an answer: hash of its text
	labels  []string                       // what a run's folder is called in names
	systems []map[string]string            // by run: a system's name to its name in the whole
	judges  []map[string]string
	answers [][]int // by run and answer: its index in the whole

	whole *Run

	rescore Rescore
	but     []string  // kinds of judges
	anew    Rereading // told by the names in their own runs
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

// Labels returns what records are called: the base names of their folders, or the whole paths where two are equal.
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
