package plan

import (
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/results/store"
	"compqa/scenarios"
)

// AddRecorded adds to the rubric and the questions of a record the scenarios, systems and judges of a
// configuration, without its files: answers and sources of files are those on record. Verdicts and
// labels of files, and what this program cannot build, are left out.
func (in *Inputs) AddRecorded(c *config.Config, templates map[string]string, db *store.Store) error {
	for _, id := range slices.Sorted(maps.Keys(templates)) {
		if s, err := scenarios.Parse(id, templates[id]); err == nil {
			in.Scenarios = append(in.Scenarios, s)
		}
	}
	cells, err := db.AnswerCells()
	if err != nil {
		return err
	}
	tables, err := db.Summaries()
	if err != nil {
		return err
	}
	for _, ref := range c.Models {
		if ref.Provider == config.ProviderFile {
			s, err := recordedAnswers(db, ref, cells, tables)
			if err != nil {
				return err
			}
			in.Systems = append(in.Systems, s)
		} else if s, err := parties.BuildSystem(c, ref, func() ([]data.PairSources, error) { return db.Sources(ref.Name) }); err == nil {
			in.Systems = append(in.Systems, s)
		}
	}
	for _, ref := range c.Judges {
		if ref.Provider == config.ProviderFile {
			continue
		}
		if built, err := parties.BuildJudge(c, ref, in.Rubric); err == nil {
			in.Judges = append(in.Judges, built...)
		}
	}
	for _, ref := range c.Summaries {
		if ref.Provider == config.ProviderFile {
			continue
		}
		if built, err := parties.BuildSummaryJudges(c, ref); err == nil {
			in.Summaries = append(in.Summaries, built...)
		}
	}
	return nil
}

// recordedAnswers is a system of provider file with its answers on record.
func recordedAnswers(db *store.Store, ref config.Model, cells []store.PlanCell, tables map[string]*data.ContrastTable) (parties.System,
	error) {
	s := parties.System{Participant: store.Participant{Name: ref.Name, Kind: config.KindFile, Family: ref.Family,
		About: "answers from " + ref.Path}}
	for _, cell := range cells {
		if cell.System != ref.Name || cell.Origin != store.FromConfig {
			continue
		}
		s.Fingerprint = cell.Fingerprint
		err := db.EachAnswer(cell.System, cell.Scenario, func(a data.Answer) error {
			a.Table = tables[a.ID]
			s.Existing = append(s.Existing, a)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// NewRecordedPairs is NewPairs with the sets on record in place of those in files. Those that follow
// from others are made again by the tasks.
func NewRecordedPairs(plan *Plan, sets []store.PairSet) (*Pairs, error) {
	p := &Pairs{plan: plan, entry: map[string]config.PairSet{}, recorded: map[string]store.SetPair{}}
	if err := p.choose(); err != nil {
		return nil, err
	}
	var bars config.PairSet // that of LLMBar, which has several sets with names of their own
	for _, entry := range plan.Config.PairSets() {
		p.entry[entry.Name] = entry
		if !slices.ContainsFunc(sets, func(set store.PairSet) bool { return set.Name == entry.Name }) && entry.Name != config.RunSet {
			bars = entry
		}
	}
	for _, set := range sets {
		if set.Name == config.RunSet {
			for _, pair := range set.Pairs {
				p.recorded[pair.ID] = pair
			}
			continue
		}
		entry := p.entry[set.Name]
		if entry.Name == "" && set.Base == "" {
			entry = bars
		}
		if entry.Name != "" {
			p.entry[set.Name] = entry
			p.Sets = append(p.Sets, set)
		}
	}
	return p, nil
}

// asRecorded are those of the run's own pairs that are on record. A preference of people that follows
// from scores which came later is not on record.
func (p *Pairs) asRecorded(listed []data.Pair) []data.Pair {
	listed = slices.DeleteFunc(listed, func(pair data.Pair) bool { return p.recorded[pair.ID].ID == "" })
	for i := range listed {
		if p.recorded[listed[i].ID].Label == data.NoChoice {
			listed[i].Label = data.NoChoice
		}
	}
	return listed
}

// PairSets are the sets of pairs of the last stages: of files, of the run's own answers, and rewritten.
func (s *Sources) PairSets() []store.PairSet { return s.paired.Sets }

// PairJudges are the judges of pairs of the last stages.
func (s *Sources) PairJudges() []parties.PairJudge { return s.paired.judges }
