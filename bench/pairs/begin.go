package pairs

import (
	"encoding/json"
	"time"

	"compqa/bench/config"
	"compqa/bench/run"
	"compqa/data"
	"compqa/results/store"
)

// begin records the plan, and removes preferences from the record that were made with
// other inputs.
func (r *Session) begin() (int64, error) {
	var sources, names []string
	for _, set := range r.Sets {
		sources, names = append(sources, set.Name+": "+set.Source), append(names, set.Name)
	}
	id, err := r.beginRun(sources)
	if err != nil {
		return 0, err
	}
	var judges []store.PairwiseJudge
	for _, j := range r.judges {
		judges = append(judges, j.PairwiseJudge)
	}
	judges = append(judges, r.released.judges...)
	stale, err := r.stale()
	if err != nil {
		return 0, err
	}
	return id, r.Store.Write(func(b store.Batch) error {
		if err := b.PairSets(r.Sets); err != nil {
			return err
		}
		if err := b.DropPreferences(stale); err != nil {
			return err
		}
		for _, p := range r.released.preferences {
			if err := b.Preference(p.Preference, p.about, nil); err != nil {
				return err
			}
		}
		return b.SetPairwisePlan(judges, names, r.cells())
	})
}

// beginRun records what a run is made with.
func (r *Session) beginRun(sources []string) (int64, error) {
	cfg, err := r.Config.JSON()
	if err != nil {
		return 0, config.UsageError{Err: err}
	}
	text, err := json.Marshal(sources)
	if err != nil {
		return 0, err
	}
	program, revision := run.BuildVersion()
	return r.Store.BeginPairwise(store.PairwiseMade{Program: program, Revision: revision, Config: cfg, Sources: string(text), Seed: r.Config.Run.Seed}, time.Now())
}

// cells are the plan as it is recorded.
func (r *Session) cells() []store.PairwiseCell {
	var cells []store.PairwiseCell
	for _, w := range r.pairs {
		planned := map[string]int{}
		for _, it := range w.Items {
			planned[it.order]++
		}
		for _, order := range data.Orders {
			if planned[order] > 0 {
				cells = append(cells, store.PairwiseCell{Judge: w.judge.Name, Method: w.judge.Method, Dataset: w.Set, Order: order, Planned: planned[order], Note: w.note})
			}
		}
	}
	return append(cells, r.released.cells...)
}

// stale are the preferences on record that were made with other inputs than what is
// planned now.
func (r *Session) stale() ([]store.PreferenceKey, error) {
	var stale []store.PreferenceKey
	for _, w := range r.pairs {
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
