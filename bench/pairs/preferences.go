package pairs

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"compqa/bench/run"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// preferences lets all judges decide on their pairs, concurrently.
func (r *Session) preferences(ctx context.Context) error {
	var parties []run.Party
	for _, w := range r.pairs {
		if w.note == "" {
			parties = append(parties, run.Party{Name: w.judge.Name, Provider: w.judge.provider(), Planned: len(w.Items)})
		}
	}
	return r.work(ctx, "preferences", parties, r.PreferenceSources())
}

// PreferenceSources are a source for each judge.
func (r *Session) PreferenceSources() (sources []run.Source) {
	byJudge := map[*PairJudge][]pairWork{}
	for _, w := range r.pairs {
		byJudge[w.judge] = append(byJudge[w.judge], w)
	}
	for i := range r.judges {
		j := &r.judges[i]
		s := run.Source{Tasks: func(context.Context) iter.Seq2[run.Task, error] {
			return func(yield func(run.Task, error) bool) { r.preferenceTasks(j, byJudge[j], yield) }
		}}
		if j.ref != nil && j.ref.Batch && r.fault(j.Providers) == "" {
			s.Batch = &run.BatchParty{Party: byPreference(j.Name), Provider: j.provider(), Model: j.ref.Model}
		}
		sources = append(sources, s)
	}
	return sources
}

func (r *Session) preferenceTasks(j *PairJudge, of []pairWork, yield func(run.Task, error) bool) {
	states, err := r.states(j.Name, j.Method)
	if err != nil {
		yield(run.Task{}, err)
		return
	}
	for _, w := range of {
		if w.note != "" {
			continue
		}
		for _, it := range w.Items {
			if !yield(run.Task{Party: byPreference(j.Name), Provider: j.provider(), Fingerprint: it.fingerprint, Recorded: states[it.key(j)], Calls: j.calls,
				Do: func(ctx context.Context, ask run.Asker) (run.Item, error) { return j.prefer(ctx, ask, it), nil }}, nil) {
				return
			}
		}
	}
}

// states are the recorded states of a judge's preferences; nil without a record, as in an
// estimate.
func (r *Session) states(judge, method string) (map[store.PreferenceKey]store.State, error) {
	if r.Store == nil {
		return nil, nil
	}
	return r.Store.PreferenceStates(judge, method)
}

// key identifies a judge's preference on an item.
func (it pairItem) key(j *PairJudge) store.PreferenceKey {
	return store.PreferenceKey{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.order}
}

// prefer lets a judge decide on one item.
func (j *PairJudge) prefer(ctx context.Context, ask run.Asker, it pairItem) run.Item {
	o := j.Decide(ctx, pairwise.Show(it.Pair.Pair, it.order), ask.Roles(j.Providers))
	p := data.Preference{ID: it.Pair.ID, Judge: j.Name, Method: j.Method, Order: it.order, Status: o.Status, Choice: string(AsPair(o.Choice, it.order)), Rationale: o.Rationale}
	about := store.PreferenceAbout{Fingerprint: it.fingerprint, Reason: o.Reason, Detail: o.Detail}
	return run.Item{Status: p.Status, Write: func(b store.Batch, calls []string) error { return b.Preference(p, about, calls) }}
}

// AsPair is a choice among what was shown as one of the pair's own answers.
func AsPair(c data.Choice, order string) data.Choice {
	if order == data.OrderBA {
		return c.Swapped()
	}
	return c
}

// incomplete is ErrIncomplete if preferences or grades of live judges are not valid, or calls
// were not made.
func (r *Session) incomplete() error {
	missing, planned := 0, 0
	for _, w := range r.pairs {
		if !w.judge.Live() || w.note != "" {
			continue
		}
		states, err := r.Store.PreferenceStates(w.judge.Name, w.judge.Method)
		if err != nil {
			return err
		}
		for _, it := range w.Items {
			planned++
			state := states[it.key(w.judge)]
			if state.Status != data.Valid && state.Status != data.Skipped {
				missing++
			}
		}
	}
	if left := r.Unmade.Reasons(r.Budgets); left != "" {
		return fmt.Errorf("%w: %s", run.ErrIncomplete, left)
	}
	if ungraded, err := r.ungraded(); err != nil || ungraded > 0 {
		return cmp.Or(err, fmt.Errorf("%w: %d grades of rationales and %d of %d preferences", run.ErrIncomplete, ungraded, missing, planned))
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d of %d preferences; preferences.csv has the reasons, and --retry-failed repeats them", run.ErrIncomplete, missing, planned)
	}
	return nil
}
