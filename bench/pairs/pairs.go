package pairs

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/data"
	"compqa/data/sources"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// RunSet is the name of the set of a run's own pairs.
const RunSet = "run"

// read reads the pairs of files, before anything is written. Without a file it returns none:
// the pairs are the run's own.
func (f Flags) read() ([]store.PairSet, *sources.LLMBar, error) {
	var sets []store.PairSet
	if f.Pairs != "" {
		listed, err := data.ReadPairs(f.Pairs)
		if err != nil {
			return nil, nil, config.UsageError{Err: err}
		}
		name := strings.TrimSuffix(filepath.Base(f.Pairs), filepath.Ext(f.Pairs))
		sets = append(sets, f.set(name, f.Pairs, listed))
	}
	if f.Llmbar == "" {
		return sets, nil, nil
	}
	bar, err := sources.ReadLLMBar(f.Llmbar)
	if err != nil {
		return nil, nil, config.UsageError{Err: err}
	}
	for _, set := range bar.Sets {
		sets = append(sets, f.set(set.Name, "LLMBar", set.Pairs))
	}
	return sets, bar, nil
}

// set makes a set of pairs, all of them or the first --limit.
func (f Flags) set(name, source string, listed []data.Pair) store.PairSet {
	if f.Limit > 0 && len(listed) > f.Limit {
		listed = listed[:f.Limit]
	}
	set := store.PairSet{Name: name, Source: source}
	for _, p := range listed {
		set.Pairs = append(set.Pairs, store.SetPair{Pair: p, WordsA: pairwise.Length(p.A), WordsB: pairwise.Length(p.B)})
	}
	return set
}

// OwnPairs are all pairs of valid answers of two systems to the same question,
// under the same scenario, of the same repeat. The system that comes first in
// tables is a. People's preference follows from their mean points; a difference of up to the
// margin is a tie.
func (f Flags) OwnPairs(db *store.Store, p *plan.Plan, answers func(each func(data.Answer) error) error) (store.PairSet, error) {
	var people map[string]float64
	if db != nil {
		var err error
		if people, err = db.PeopleTotals(); err != nil {
			return store.PairSet{}, err
		}
	}
	type place struct {
		scenario, pair, aspect string
		repeat                 int
	}
	at := map[place][]data.Answer{}
	err := answers(func(a data.Answer) error {
		if a.Status != data.Valid {
			return nil
		}
		where := place{a.Scenario, a.Pair(), a.Aspect, a.Repeat}
		at[where] = append(at[where], a)
		return nil
	})
	if err != nil {
		return store.PairSet{}, err
	}
	var listed []data.Pair
	for _, where := range slices.SortedFunc(maps.Keys(at), func(x, y place) int {
		return cmp.Or(strings.Compare(x.scenario, y.scenario), strings.Compare(x.pair, y.pair), strings.Compare(x.aspect, y.aspect), cmp.Compare(x.repeat, y.repeat))
	}) {
		answers := at[where]
		for i := range answers {
			for k := i + 1; k < len(answers); k++ {
				if answers[i].System != answers[k].System {
					listed = append(listed, f.ownPair(p, answers[i], answers[k], people))
				}
			}
		}
	}
	set := f.set(RunSet, "answers of the run", listed)
	set.Margin = &f.Margin
	return set, nil
}

// RecordedAnswers reads the answers on record, in the systems' order.
func RecordedAnswers(db *store.Store) func(each func(data.Answer) error) error {
	return func(each func(data.Answer) error) error {
		cells, err := db.AnswerCells()
		for _, c := range cells {
			if err == nil {
				err = db.EachAnswer(c.System, c.Scenario, each)
			}
		}
		return err
	}
}

func (f Flags) ownPair(p *plan.Plan, a, b data.Answer, people map[string]float64) data.Pair {
	q := p.Question(a)
	pair := data.Pair{
		ID:       fmt.Sprintf("%s ~ %s", a.ID, b.ID),
		Question: q.Text, A: a.Text, B: b.Text, Label: data.NoChoice, Cluster: q.Pair(), Domain: "scenario " + a.Scenario,
		Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect, SystemA: a.System, SystemB: b.System, Scenario: a.Scenario,
		AnswerA: a.ID, AnswerB: b.ID,
	}
	if a.Scenario == data.NoScenario {
		pair.Domain = "no scenario"
	}
	x, scoredA := people[a.ID]
	y, scoredB := people[b.ID]
	if scoredA && scoredB {
		pair.Label = Preferred(x, y, f.Margin)
	}
	return pair
}

// Preferred is the human preference computed from human scores.
func Preferred(a, b, margin float64) data.Choice {
	const rounding = 1e-9
	switch {
	case a-b > margin+rounding:
		return data.ChoiceA
	case b-a > margin+rounding:
		return data.ChoiceB
	}
	return data.ChoiceTie
}

// A pairItem is one pair to be shown in one order.
type pairItem struct {
	Pair        store.SetPair
	order       string
	fingerprint string
}

// A pairWork is the work of one judge on one set.
type pairWork struct {
	judge *PairJudge
	Set   string
	Items []pairItem
	note  string // why it cannot be done
}

// LayOut plans the decisions: every judge decides on every pair of every set in the given
// orders, except outside its sample and for imported answers that cost money. A pair with a
// bias belongs to the same sample as the pair that it is made of.
func LayOut(judges []PairJudge, sets []store.PairSet, orders []string, imported map[string]bool, seed int64) []pairWork {
	var all []pairWork
	for i := range judges {
		j := &judges[i]
		keep := j.chosen(sets, imported, seed)
		for _, set := range sets {
			work := pairWork{judge: j, Set: set.Name}
			for _, p := range set.Pairs {
				if !keep[cmp.Or(p.Base, p.ID)] {
					continue
				}
				for _, order := range orders {
					work.Items = append(work.Items, pairItem{p, order, Fingerprint(j, p)})
				}
			}
			if len(work.Items) > 0 {
				all = append(all, work)
			}
		}
	}
	return all
}

// Fingerprint is the hash of all that a judge's preference on a pair depends on.
func Fingerprint(j *PairJudge, p store.SetPair) string {
	gold := data.NoChoice
	if j.Hinted {
		gold = p.Label
	}
	return config.HashOf(j.identity, p.ID, p.Question, p.A, p.B, gold, p.Object1, p.Object2, p.Aspect)
}

// chosen are the ids of the pairs that a judge judges: all that it may, or its
// sample, the same for every judge with that number, in proportion to sets,
// scenarios and pairs of systems.
func (j *PairJudge) chosen(sets []store.PairSet, imported map[string]bool, seed int64) map[string]bool {
	strata := map[string][]string{}
	var names []string
	total := 0
	for _, set := range sets {
		if set.Base != "" {
			continue
		}
		for _, p := range set.Pairs {
			if !j.Imported && (imported[p.SystemA] || imported[p.SystemB]) && p.AnswerA != "" {
				continue
			}
			stratum := strings.Join([]string{set.Name, p.Scenario, p.SystemA, p.SystemB}, "\x00")
			if strata[stratum] == nil {
				names = append(names, stratum)
			}
			strata[stratum] = append(strata[stratum], p.ID)
			total++
		}
	}
	sizes := make([]int, len(names))
	for i, name := range names {
		sizes[i] = len(strata[name])
	}
	shares := sizes
	if j.Sample > 0 && j.Sample < total {
		shares = plan.Proportional(j.Sample, sizes)
	}
	keep := map[string]bool{}
	for i, name := range names {
		if shares[i] == sizes[i] {
			for _, id := range strata[name] {
				keep[id] = true
			}
			continue
		}
		maps.Copy(keep, plan.Smallest(strata[name], shares[i], seed))
	}
	return keep
}
