package plan

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// begin records the sets, the given preferences and the plan of preferences, and removes
// preferences from the record that were made with other inputs.
func (r *pairing) begin() error {
	has, err := r.Store.HasPairs()
	if err == nil && has {
		r.before, err = r.Store.LoadPairwise("")
	}
	if err != nil {
		return err
	}
	made, names, err := r.provenance()
	if err != nil {
		return err
	}
	stale, err := r.stale()
	if err != nil {
		return err
	}
	judges, cells, keys := r.given()
	gone, err := r.gone(judges, keys)
	if err != nil {
		return err
	}
	for _, w := range r.work {
		planned := map[string]int{}
		for _, it := range w.Items {
			planned[it.Order]++
		}
		cells = append(cells, byOrder(store.PairwiseCell{Judge: w.judge.Name, Method: w.judge.Method, Dataset: w.Set, Note: w.note},
			planned)...)
	}
	own := make([]store.PairwiseJudge, len(r.judges)) // before those of given preferences
	for i, j := range r.judges {
		own[i] = j.PairwiseJudge
	}
	return r.Store.Write(func(b store.Batch) (err error) {
		if r.begun, err = b.BeginRun(made, time.Now()); err != nil {
			return err
		}
		if err := errors.Join(b.PairSets(r.Sets), b.DropPreferences(append(stale, gone...))); err != nil {
			return err
		}
		for _, g := range r.Given {
			about := store.PreferenceAbout{Fingerprint: config.HashOf("given", g), Detail: struct{}{}}
			if err := b.Preference(g, about, nil); err != nil {
				return err
			}
		}
		return b.SetPairwisePlan(append(own, judges...), names, append(cells, r.kept(cells)...))
	})
}

// provenance is what the part of the run about pairs is made with, and the names of its sets.
func (r *pairing) provenance() (made store.Provenance, names []string, err error) {
	var sources []string
	for _, set := range r.Sets {
		sources, names = append(sources, set.Name+": "+set.Source), append(names, set.Name)
	}
	cfg, err := r.plan.Config.JSON()
	if err != nil {
		return made, nil, config.UsageError{Err: err}
	}
	text, err := json.Marshal(sources)
	program, revision := run.BuildVersion()
	return store.Provenance{Part: store.PartPairs, Program: program, Revision: revision, Config: cfg, Sources: string(text),
		Seed: r.plan.Config.Run.Seed}, names, err
}

// byOrder are the cells of the orders in which something is planned.
func byOrder(cell store.PairwiseCell, planned map[string]int) (cells []store.PairwiseCell) {
	for _, order := range data.Orders {
		if cell.Order, cell.Planned = order, planned[order]; cell.Planned > 0 {
			cells = append(cells, cell)
		}
	}
	return cells
}

// stale are the preferences on record that were made with other inputs than what is planned now.
func (r *pairing) stale() (stale []store.PreferenceKey, err error) {
	for _, w := range r.work {
		states, err := r.states(w.judge)
		if err != nil {
			return nil, err
		}
		for _, it := range w.Items {
			if state, ok := states[it.key(w.judge)]; ok && state.Fingerprint != it.fingerprint {
				stale = append(stale, it.key(w.judge))
			}
		}
	}
	return stale, nil
}

// given are the judges of given preferences, their plan, and the preferences by key.
func (r *pairing) given() (judges []store.PairwiseJudge, cells []store.PairwiseCell, keys map[store.PreferenceKey]bool) {
	type on struct{ judge, method, set string }
	setOf, planned, keys := map[string]string{}, map[on]map[string]int{}, map[store.PreferenceKey]bool{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			setOf[p.ID] = set.Name
		}
	}
	var order []on
	for _, g := range r.Given {
		judge := store.PairwiseJudge{Participant: store.Participant{Name: g.Judge, Kind: config.KindImported,
			About: "given preferences"}, Method: g.Method}
		if data.IsHuman(g.Judge) {
			judge.Kind = config.KindHuman
		}
		if !slices.Contains(judges, judge) {
			judges = append(judges, judge)
		}
		at := on{g.Judge, g.Method, setOf[g.ID]}
		if planned[at] == nil {
			planned[at], order = map[string]int{}, append(order, at)
		}
		planned[at][g.Order]++
		keys[store.PreferenceKey{ID: g.ID, Judge: g.Judge, Method: g.Method, Order: g.Order}] = true
	}
	for _, at := range order {
		cells = append(cells, byOrder(store.PairwiseCell{Judge: at.judge, Method: at.method, Dataset: at.set}, planned[at])...)
	}
	return judges, cells, keys
}

// gone are the recorded preferences of judges of given preferences that are no longer given.
func (r *pairing) gone(judges []store.PairwiseJudge, keys map[store.PreferenceKey]bool) (gone []store.PreferenceKey, err error) {
	here := map[string]bool{}
	for _, set := range r.Sets {
		for _, p := range set.Pairs {
			here[p.ID] = true
		}
	}
	for _, j := range judges {
		states, err := r.Store.PreferenceStates(j.Name, j.Method)
		if err != nil {
			return nil, err
		}
		for key := range states {
			if here[key.ID] && !keys[key] {
				gone = append(gone, key)
			}
		}
	}
	return gone, nil
}

// kept are the cells on record that stay beside a new plan of their sets: those of given preferences
// and, where only some judges are asked, those of the others.
func (r *pairing) kept(plan []store.PairwiseCell) (keep []store.PairwiseCell) {
	if r.before == nil {
		return nil
	}
	given := map[[2]string]bool{}
	for _, j := range r.before.Judges {
		given[[2]string{j.Name, j.Method}] = j.Kind == config.KindImported || j.Kind == config.KindHuman
	}
	keyOf := func(c store.PairwiseCell) store.PairwiseCell {
		return store.PairwiseCell{Judge: c.Judge, Method: c.Method, Dataset: c.Dataset, Order: c.Order}
	}
	planned := map[store.PairwiseCell]bool{}
	for _, c := range plan {
		planned[keyOf(c)] = true
	}
	for _, c := range r.before.Cells {
		here := slices.ContainsFunc(r.Sets, func(s store.PairSet) bool { return s.Name == c.Dataset })
		if here && !planned[keyOf(c)] && (given[[2]string{c.Judge, c.Method}] || r.only != nil || r.samplesOnly) {
			keep = append(keep, c)
		}
	}
	return keep
}
