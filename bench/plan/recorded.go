package plan

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/data"
	"compqa/results/store"
)

// NewRecordedPairs makes the Pairs of a plan as NewPairs does, but from recorded sets instead of files. It leaves out the set of the run's
// own pairs; the stages make these pairs again.
func NewRecordedPairs(plan *Plan, sets []store.PairSet) (*Pairs, error) {
	p := &Pairs{plan: plan, entry: map[string]config.PairSet{}}
	if err := p.choose(); err != nil {
		return nil, err
	}
	var bars config.PairSet // the entry of LLMBar, whose sets have other names than the entry
	for _, entry := range plan.Config.PairSets() {
		p.entry[entry.Name] = entry
		if !slices.ContainsFunc(sets, func(set store.PairSet) bool { return set.Name == entry.Name }) && entry.Name != config.RunSet {
			bars = entry
		}
	}
	for _, set := range sets {
		if set.Name == config.RunSet {
			p.recorded = data.By(set.Pairs, func(pair store.SetPair) string { return pair.ID })
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

// TakeGiven records the preferences and grades from the files of a configuration, on pairs that the record already has. It asks nobody, and
// the recorded configuration of the run stays. Preferences of the judges in stays remain on record unless the files replace them.
func TakeGiven(c *config.Config, db *store.Store, notes io.Writer, stays []string) (*Planner, error) {
	s := &Planner{Plan: &Plan{Config: c}, Store: db, notes: notes}
	p := Pairs{plan: s.Plan, entry: map[string]config.PairSet{}, same: map[string]bool{}}
	var err error
	p.Sets, err = db.SetsWithPairs()
	if err == nil {
		err = p.choose()
	}
	if err == nil {
		err = p.takeGiven()
	}
	if err == nil {
		err = p.keep(db, stays)
	}
	if err == nil {
		err = p.readGrades()
	}
	if err != nil {
		return nil, err
	}
	s.Paired = &pairing{Planner: s, Pairs: p}
	setOf, err := p.setOf()
	if err != nil {
		return nil, err
	}
	write, err := s.Paired.recording(s.Paired.given(setOf), setOf)
	if err == nil {
		err = db.Write(write)
	}
	if err == nil {
		err = s.Paired.takeGrades()
	}
	return s, err
}

// keep adds to the given preferences of these judges the ones that are only on record, so that recording does not delete them.
func (p *Pairs) keep(db *store.Store, judges []string) error {
	setOf, err := p.setOf()
	if err != nil {
		return err
	}
	given := map[store.At]bool{}
	methods := map[[2]string]bool{}
	for _, g := range p.Given {
		given[store.PreferenceAt(g.ID, g.Judge, g.Method, g.Order)] = true
		if slices.Contains(judges, g.Judge) {
			methods[[2]string{g.Judge, g.Method}] = true
		}
	}
	for _, judge := range slices.SortedFunc(maps.Keys(methods), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		cell := store.PlanCell{Kind: store.KindPreference, Judge: judge[0], Method: judge[1]}
		before, err := store.ResultsOf[data.Preference](db, cell)
		if err != nil {
			return err
		}
		for _, was := range before {
			if !given[store.PreferenceAt(was.ID, was.Judge, was.Method, was.Order)] && setOf[was.ID] != "" {
				p.Given = append(p.Given, was)
			}
		}
	}
	return nil
}

// CheckBeside returns an error if the sets would replace pairs of the record in a folder. A pair's id is then in another set or has other
// texts, or a set of the same name has other pairs.
func (p *Pairs) CheckBeside(dir string) error {
	db, err := store.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	sets, err := db.SetsWithPairs()
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	setOf, _ := p.setOf()
	given := map[string]data.Pair{}
	for _, set := range p.Sets {
		for _, pair := range set.Pairs {
			given[pair.ID] = pair.Pair
		}
	}
	for _, set := range data.Where(sets, func(s store.PairSet) bool { return s.Base == "" }) {
		again := slices.ContainsFunc(p.Sets, func(s store.PairSet) bool { return s.Name == set.Name })
		for _, pair := range set.Pairs {
			one, has := given[pair.ID]
			differs := has && (one.Question != pair.Question || one.A != pair.A || one.B != pair.B)
			if !differs && (!has || setOf[pair.ID] == set.Name) && (has || !again || p.limit > 0) {
				continue
			}
			advice := "import it into another folder (--out DIR)"
			if strings.HasPrefix(pair.ID, set.Name+"-") || !has {
				advice += ", or give the set another name (--set NAME)"
			}
			what := "which this file has, too"
			if differs {
				what = "which this file has with other texts"
			}
			if !has {
				what = "which this file, whose set has the same name, does not have"
			}
			return config.Usagef("%s has the pair %q in the set %s, %s; %s", dir, data.Clip(pair.ID), set.Name, what, advice)
		}
	}
	return nil
}

// OwnPairs returns the number of pairs that can be made of the recorded answers to the plan's questions.
func OwnPairs(plan *Plan, db *store.Store) (int, error) {
	p := *plan
	p.Pairs = &Pairs{plan: &p}
	s, err := NewPlanner(&p, db, false)
	if err != nil {
		return 0, err
	}
	s.Replays = true
	listed, err := s.ownPairs(0)
	return len(listed), err
}
