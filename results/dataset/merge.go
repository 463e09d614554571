package dataset

import (
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
