package plan

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"

	"compqa/bench/config"
	"compqa/bench/parties"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
	"compqa/results/table"
)

// A PairItem is one pair to be shown in one order.
type PairItem struct {
	Pair       *store.SetPair
	Order      string
	given      *data.Preference // nil: it is to be decided
	candidates []string         // of its item, for a judge that lists them
}

// A pairWork is the work of one judge on one set.
type pairWork struct {
	judge *parties.PairJudge
	parties.Decider
	Set   string
	Items []PairItem
	note  string // why it cannot be done
}

// layOut plans the decisions of a judge: on every pair of the sets that it is asked about, except outside its sample and for
// imported answers that cost money. A pair with a bias belongs to the same sample as the pair that it is made of.
func (r *pairing) layOut(j *parties.PairJudge) (all []pairWork) {
	asked := data.Where(r.Sets, func(set store.PairSet) bool {
		return j.Ref == nil || j.Ref.On(r.entry[set.Name].Name) || j.Ref.On(set.Name)
	})
	keep := r.chosen(j, asked)
	for _, set := range asked {
		d, named := j.Under[r.entry[set.Name].Name]
		if !named {
			d = j.Under[""]
		}
		work := pairWork{judge: j, Decider: d, Set: set.Name}
		var candidates map[string][]string
		if m, _ := pairwise.MethodNamed(j.Method); m.Lists {
			candidates = pairwise.CandidatesOf(data.Each(set.Pairs, func(p store.SetPair) data.Pair { return p.Pair }), r.Plan.Config.Run.Seed)
		}
		for i := range set.Pairs {
			p := &set.Pairs[i]
			if !keep[cmp.Or(p.Base, p.ID)] {
				continue
			}
			for _, order := range r.entry[set.Name].Orders(cmp.Or(p.Base, p.ID), r.Plan.Config.Run.Seed) {
				work.Items = append(work.Items, PairItem{Pair: p, Order: order, candidates: candidates[p.Item]})
			}
		}
		if len(work.Items) > 0 {
			all = append(all, work)
		}
	}
	return all
}

// chosen are the ids of the pairs that a judge judges: all that it may, or its sample, the same for
// every judge with that number, in proportion to sets, scenarios and pairs of systems.
func (r *pairing) chosen(j *parties.PairJudge, sets []store.PairSet) map[string]bool {
	imported := map[string]bool{} // systems whose answers were imported
	for _, c := range r.Plan.Answers {
		imported[c.System] = c.Contestant == nil
	}
	var strata [][]string
	for _, set := range sets {
		if set.Base != "" {
			continue
		}
		pairs := data.Where(set.Pairs, func(p store.SetPair) bool {
			return j.Imported || !imported[p.SystemA] && !imported[p.SystemB] || p.AnswerA == ""
		})
		for _, group := range table.Grouped(pairs, func(p store.SetPair) [3]string { return [3]string{p.Scenario, p.SystemA, p.SystemB} }) {
			strata = append(strata, data.Each(group, func(p store.SetPair) string { return p.ID }))
		}
	}
	return config.Draw(cmp.Or(j.Sample, math.MaxInt), strata, r.Plan.Config.Run.Seed)
}

// group is what a planned cell is to verdicts: the pairs of two systems under a scenario.
func (it PairItem) group(w *pairWork) any {
	return struct {
		*pairWork
		scenario, a, b string
	}{w, it.Pair.Scenario, it.Pair.SystemA, it.Pair.SystemB}
}

// key identifies a judge's preference on an item.
func (it PairItem) key(j *parties.PairJudge) store.PreferenceKey {
	return store.PreferenceKey{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.Order}
}

// fingerprint is the hash of all that the preference on an item depends on.
func (w *pairWork) fingerprint(it PairItem) string {
	if it.given != nil {
		return config.HashOf("given", *it.given)
	}
	fingerprint := w.Fingerprint(w.judge.Hinted, *it.Pair)
	if it.candidates != nil {
		fingerprint = config.HashOf(fingerprint, it.candidates)
	}
	return fingerprint
}

// given are the given preferences, as the work of their judges.
func (r *pairing) given(setOf map[string]string) (all []pairWork) {
	for _, preferences := range table.Grouped(r.Given, func(g data.Preference) [3]string {
		return [3]string{g.Judge, g.Method,
			setOf[g.ID]}
	}) {
		work := pairWork{judge: parties.GivenPairJudge(preferences[0].Judge, preferences[0].Method), Set: setOf[preferences[0].ID]}
		for _, g := range preferences {
			work.Items = append(work.Items, PairItem{Pair: &store.SetPair{Pair: data.Pair{ID: g.ID}}, Order: g.Order,
				given: &g})
		}
		all = append(all, work)
	}
	return all
}

// cells are the planned numbers of decisions, by order.
func (w *pairWork) cells() (cells []store.PlanCell) {
	for _, order := range data.Orders {
		shown := data.Where(w.Items, func(it PairItem) bool { return it.Order == order })
		if len(shown) > 0 {
			cells = append(cells, store.PlanCell{Judge: w.judge.Name, Method: w.judge.Method, Dataset: w.Set, Order: order,
				Planned: len(shown), Note: w.note})
		}
	}
	return cells
}

// Cells are the planned preferences of all judges that the configuration asks.
func (r *pairing) Cells() (cells []store.PlanCell) {
	for i := range r.work {
		cells = append(cells, r.work[i].cells()...)
	}
	return cells
}

// begin records the sets, the given preferences and the plan of preferences, and removes
// preferences from the record that were made with other inputs.
func (r *pairing) begin() error {
	var sources, names []string
	for _, set := range r.Sets {
		sources, names = append(sources, set.Name+": "+set.Source), append(names, set.Name)
	}
	made, err := r.Plan.made()
	if err != nil {
		return err
	}
	made.Part, made.Sources = store.PartPairs, string(config.Encoded(sources))
	setOf, _ := r.setOf()
	judges, cells, outdated, err := r.placed(append(slices.Clone(r.work), r.given(setOf)...), setOf)
	if err != nil {
		return err
	}
	some := r.only != nil || r.samplesOnly
	var retired []string
	if r.AllSets && !some {
		recorded, err := r.Store.PairSets()
		if err != nil {
			return err
		}
		retired = data.Where(data.Each(recorded, func(s store.PairSet) string { return s.Name }),
			func(name string) bool { return !slices.Contains(names, name) })
	}
	return r.Store.Write(func(b store.Batch) (err error) {
		r.begun, err = b.BeginRun(made, time.Now())
		if err != nil {
			return err
		}
		if err := errors.Join(b.PairSets(r.Sets), b.DropPreferences(outdated), r.writeGiven(b)); err != nil {
			return err
		}
		return errors.Join(b.SetPairwisePlan(judges, names, cells, some), b.RetirePairSets(retired))
	})
}

// writeGiven records the given preferences.
func (r *pairing) writeGiven(b store.Batch) error {
	for _, g := range r.Given {
		about := store.PreferenceAbout{Fingerprint: config.HashOf("given", g), Detail: data.Detail{Strength: g.Strength}}
		if err := b.Preference(g, about, nil); err != nil {
			return err
		}
	}
	return nil
}

// placed are the judges and the planned cells of work, and the preferences on record that it makes outdated.
func (r *pairing) placed(work []pairWork, setOf map[string]string) (judges []store.PairwiseJudge, cells []store.PlanCell,
	outdated []store.PreferenceKey, err error) {
	judges = data.Each(r.Judges, func(j parties.PairJudge) store.PairwiseJudge { return j.PairwiseJudge })
	for _, w := range work {
		if !slices.Contains(judges, w.judge.PairwiseJudge) {
			judges = append(judges, w.judge.PairwiseJudge)
		}
		cells = append(cells, w.cells()...)
		keys, err := r.outdated(w, setOf)
		if err != nil {
			return nil, nil, nil, err
		}
		outdated = append(outdated, keys...)
		if len(keys) > 0 && w.Items[0].given != nil {
			r.say("%s on %s: %s deleted or replaced, which this input does not have, or has otherwise; give all preferences of a judge or "+
				"person on a set together, or import without --pairs and with --keep %s", w.judge.Name, w.Set,
				data.Plural(len(keys), "preference", "preferences"), w.judge.Name)
		}
	}
	return judges, cells, outdated, nil
}

// outdated are the preferences on record that were made with other inputs than what is planned now, and those on pairs of the
// set that are no longer planned or given: outside a smaller sample, or in an order that is not asked for. Their calls are kept.
func (r *pairing) outdated(w pairWork, setOf map[string]string) (keys []store.PreferenceKey, err error) {
	states, err := r.Store.PreferenceStates(w.judge.Name, w.judge.Method)
	for _, it := range w.Items {
		key := it.key(w.judge)
		if state, recorded := states[key]; recorded && w.fingerprint(it) != state.Fingerprint {
			keys = append(keys, key)
		}
		delete(states, key)
	}
	for key := range states {
		if setOf[key.ID] == w.Set {
			keys = append(keys, key)
		}
	}
	return keys, err
}
