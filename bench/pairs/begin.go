package pairs

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

// begin records the plan, and removes preferences from the record that were made with
// other inputs.
func (r *Session) begin() (int64, error) {
	var sources, names []string
	for _, set := range r.Sets {
		sources, names = append(sources, set.Name+": "+set.Source), append(names, set.Name)
	}
	if err := r.readBefore(); err != nil {
		return 0, err
	}
	id, err := r.beginRun(sources)
	if err != nil {
		return 0, err
	}
	stale, err := r.stale()
	if err != nil {
		return 0, err
	}
	return id, r.Store.Write(func(b store.Batch) error {
		if err := errors.Join(b.PairSets(r.Sets), b.DropPreferences(stale)); err != nil {
			return err
		}
		judges, cells, err := r.recordReleased(b)
		if err != nil {
			return err
		}
		givers, given, err := r.recordGiven(b)
		if err != nil {
			return err
		}
		judges, cells = append(judges, givers...), slices.Concat(cells, given, r.cells())
		own := make([]store.PairwiseJudge, len(r.judges)) // before the released ones
		for i, j := range r.judges {
			own[i] = j.PairwiseJudge
		}
		return b.SetPairwisePlan(append(own, judges...), names, append(cells, r.kept(cells)...))
	})
}

// beginRun records what a run is made with.
func (r *Session) beginRun(sources []string) (id int64, err error) {
	cfg, err := r.Config.JSON()
	if err != nil {
		return 0, config.UsageError{Err: err}
	}
	text, err := json.Marshal(sources)
	if err != nil {
		return 0, err
	}
	program, revision := run.BuildVersion()
	made := store.Provenance{Part: store.PartPairs, Program: program, Revision: revision, Config: cfg, Sources: string(text), Seed: r.Config.Run.Seed}
	err = r.Store.Write(func(b store.Batch) error {
		id, err = b.BeginRun(made, time.Now())
		return err
	})
	return id, err
}

// cells are the plan as it is recorded.
func (r *Session) cells() (cells []store.PairwiseCell) {
	for _, w := range r.pairs {
		planned := map[string]int{}
		for _, it := range w.Items {
			planned[it.order]++
		}
		cells = append(cells, byOrder(store.PairwiseCell{Judge: w.judge.Name, Method: w.judge.Method, Dataset: w.Set, Note: w.note}, planned)...)
	}
	return cells
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
