package bench

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// preferences has every judge decide on its pairs, all judges at once.
func (r *pairwiseRun) preferences(ctx context.Context) error {
	var parties []party
	for _, w := range r.pairs {
		if w.note == "" {
			parties = append(parties, party{name: w.judge.Name, provider: w.judge.provider(), planned: len(w.items)})
		}
	}
	return r.work(ctx, "preferences", parties, r.preferenceSources())
}

// preferenceSources are a source for each judge.
func (r *pairwiseRun) preferenceSources() (sources []Source) {
	byJudge := map[*pairJudge][]pairWork{}
	for _, w := range r.pairs {
		byJudge[w.judge] = append(byJudge[w.judge], w)
	}
	for i := range r.judges {
		j := &r.judges[i]
		s := Source{Tasks: func(context.Context) iter.Seq2[Task, error] {
			return func(yield func(Task, error) bool) { r.preferenceTasks(j, byJudge[j], yield) }
		}}
		if j.ref != nil && j.ref.Batch && r.fault(j.providers) == "" {
			s.Batch = &batchParty{byPreference(j.Name), j.provider(), j.ref.Model}
		}
		sources = append(sources, s)
	}
	return sources
}

func (r *pairwiseRun) preferenceTasks(j *pairJudge, of []pairWork, yield func(Task, error) bool) {
	states, err := r.states(j.Name, j.Method)
	if err != nil {
		yield(Task{}, err)
		return
	}
	for _, w := range of {
		if w.note != "" {
			continue
		}
		for _, it := range w.items {
			if !yield(Task{Party: byPreference(j.Name), Provider: j.provider(), Fingerprint: it.fingerprint, Recorded: states[it.key(j)], Calls: j.calls,
				Do: func(ctx context.Context, ask Asker) (Item, error) { return j.prefer(ctx, ask, it), nil }}, nil) {
				return
			}
		}
	}
}

// states are what is on record of a judge's preferences. In an estimate there may be no
// record, or none of preferences.
func (r *pairwiseRun) states(judge, method string) (map[store.PreferenceKey]store.State, error) {
	if r.store == nil {
		return nil, nil
	}
	return r.store.PreferenceStates(judge, method)
}

// key says which preference of a judge an item is.
func (it pairItem) key(j *pairJudge) store.PreferenceKey {
	return store.PreferenceKey{ID: it.pair.ID, Judge: j.Name, Method: j.Method, Order: it.order}
}

// prefer has a judge decide on one item.
func (j *pairJudge) prefer(ctx context.Context, ask Asker, it pairItem) Item {
	o := j.decide(ctx, pairwise.Show(it.pair.Pair, it.order), ask.roles(j.providers))
	p := data.Preference{ID: it.pair.ID, Judge: j.Name, Method: j.Method, Order: it.order, Status: o.Status, Choice: string(asPair(o.Choice, it.order)), Rationale: o.Rationale}
	about := store.PreferenceAbout{Fingerprint: it.fingerprint, Reason: o.Reason, Detail: o.Detail}
	return Item{p.Status, func(b store.Batch, calls []string) error { return b.Preference(p, about, calls) }}
}

// asPair is a choice among what was shown as one of the pair's own answers.
func asPair(c data.Choice, order string) data.Choice {
	if order == data.OrderBA {
		return c.Swapped()
	}
	return c
}

// incomplete is how the run ended: with errIncomplete where live judges have
// preferences or grades to be that are not valid, or calls were not made.
func (r *pairwiseRun) incomplete() error {
	missing, planned := 0, 0
	for _, w := range r.pairs {
		if !w.judge.live() || w.note != "" {
			continue
		}
		states, err := r.store.PreferenceStates(w.judge.Name, w.judge.Method)
		if err != nil {
			return err
		}
		for _, it := range w.items {
			planned++
			state := states[it.key(w.judge)]
			if state.Status != data.Valid && state.Status != data.Skipped {
				missing++
			}
		}
	}
	if left := r.unmade.reasons(r.budgets); left != "" {
		return fmt.Errorf("%w: %s", errIncomplete, left)
	}
	if ungraded, err := r.ungraded(); err != nil || ungraded > 0 {
		return cmp.Or(err, fmt.Errorf("%w: %d grades of rationales and %d of %d preferences", errIncomplete, ungraded, missing, planned))
	}
	if missing > 0 {
		return fmt.Errorf("%w: %d of %d preferences; preferences.csv has the reasons, and --retry-failed asks again", errIncomplete, missing, planned)
	}
	return nil
}
