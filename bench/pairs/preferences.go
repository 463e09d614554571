package pairs

import (
	"context"
	"fmt"

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
	for i := range r.judges {
		j := &r.judges[i]
		ref := j.ref
		if r.fault(j.Providers) != "" {
			ref = nil // it has no tasks
		}
		sources = append(sources, source(ref, j.provider(), func(yield func(run.Task, error) bool) { r.preferenceTasks(j, yield) }))
	}
	return sources
}

func (r *Session) preferenceTasks(j *PairJudge, yield func(run.Task, error) bool) {
	states, err := r.states(j)
	if err != nil {
		yield(run.Task{}, err)
		return
	}
	for _, w := range r.pairs {
		if w.judge != j || w.note != "" {
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
func (r *Session) states(j *PairJudge) (map[store.PreferenceKey]store.State, error) {
	if r.Store == nil {
		return nil, nil
	}
	return r.Store.PreferenceStates(j.Name, j.Method)
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
	return run.Item{Status: p.Status, Write: func(b store.Batch, calls []int64) error { return b.Preference(p, about, calls) }}
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
func (r *Session) incomplete(ctx context.Context) error {
	if left := r.Unmade.Reasons(r.Budgets); left != "" {
		return fmt.Errorf("%w: %s", run.ErrIncomplete, left)
	}
	if err := r.Unusable(r.flags.SkipUnreachable); err != nil {
		return err
	}
	missing, planned := 0, 0
	for _, w := range r.pairs {
		if !w.judge.Live() || w.note != "" {
			continue
		}
		states, err := r.states(w.judge)
		if err != nil {
			return err
		}
		planned += len(w.Items)
		for _, it := range w.Items {
			if status := states[it.key(w.judge)].Status; status != data.Valid && status != data.Skipped && status != data.Abstained {
				missing++
			}
		}
	}
	gradings, err := r.gradings()
	if err != nil {
		return err
	}
	ungraded := 0
	for _, g := range gradings {
		states, err := r.grades(g.ref.Name)
		if err != nil {
			return err
		}
		for _, it := range g.items {
			if states[it.work.key(it.judge)].Status != data.Valid {
				ungraded++
			}
		}
	}
	if missing == 0 && ungraded == 0 {
		return nil
	}
	_, sources, err := r.GradeSources()
	if err != nil {
		return err
	}
	advice, err := r.Advice(ctx, append(r.PreferenceSources(), sources...))
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: %d of %d preferences and %d grades of rationales; preferences.csv has the reasons, and %s", run.ErrIncomplete, missing, planned, ungraded, advice)
}
