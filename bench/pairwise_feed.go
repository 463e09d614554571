package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// preferences has every judge work through its items, all judges at once, as
// many items of a provider at a time as it has workers.
func (r *pairwiseRun) preferences(ctx context.Context) error {
	var parties []store.PlanCell
	for _, w := range r.work {
		parties = append(parties, store.PlanCell{Judge: w.judge.Name, Planned: len(w.items), Note: w.note})
	}
	r.tell(parties)
	byJudge := map[string][]pairWork{}
	var names []string
	for _, w := range r.work {
		if byJudge[w.judge.Name] == nil {
			names = append(names, w.judge.Name)
		}
		byJudge[w.judge.Name] = append(byJudge[w.judge.Name], w)
	}
	var feeds []func(*sync.WaitGroup) error
	for _, name := range names {
		feeds = append(feeds, func(pending *sync.WaitGroup) error { return r.feedPairs(ctx, byJudge[name], pending) })
	}
	err := r.workers(feeds)
	r.told("preferences")
	return err
}

// workers runs feeds, each of which puts tasks into lanes, until all of them and
// their tasks are done.
func (r *pairwiseRun) workers(feeds []func(pending *sync.WaitGroup) error) error {
	var workers, feeders, pending sync.WaitGroup
	r.lanes = map[string]chan func(){}
	for name, width := range r.config.lanes() {
		lane := make(chan func())
		r.lanes[name] = lane
		for range width {
			workers.Go(func() {
				for task := range lane {
					task()
				}
			})
		}
	}
	failures := make([]error, len(feeds))
	for i, feed := range feeds {
		feeders.Go(func() { failures[i] = feed(&pending) })
	}
	feeders.Wait()
	pending.Wait()
	for _, lane := range r.lanes {
		close(lane)
	}
	workers.Wait()
	return errors.Join(failures...)
}

func (r *pairwiseRun) feedPairs(ctx context.Context, of []pairWork, pending *sync.WaitGroup) error {
	j := of[0].judge
	states, err := r.store.PreferenceStates(j.Name, j.Method)
	if err != nil {
		return err
	}
	for _, w := range of {
		if w.note != "" {
			continue
		}
		for _, it := range w.items {
			state, ok := states[store.PreferenceKey{ID: it.pair.ID, Judge: j.Name, Method: j.Method, Order: it.order}]
			if ok && !(r.retry && state.Status.Retryable()) {
				r.progress.recorded(j.Name, 1)
				continue
			}
			if !r.enter(ctx, j.lane(), pending, func() { r.prefer(ctx, j, it) }) {
				return nil
			}
		}
	}
	return nil
}

// prefer has one item decided and the preference recorded.
func (r *pairwiseRun) prefer(ctx context.Context, j *pairJudge, it pairItem) {
	var calls []string
	o := j.decide(ctx, pairwise.Show(it.pair.Pair, it.order), r.ask(j.Name, j.lanes, &calls))
	if o.Status == data.Pending {
		return
	}
	p := data.Preference{ID: it.pair.ID, Judge: j.Name, Method: j.Method, Order: it.order, Status: o.Status, Choice: string(asPair(o.Choice, it.order)), Rationale: o.Rationale}
	about := store.PreferenceAbout{Fingerprint: it.fingerprint, Reason: o.Reason, Detail: o.Detail}
	file(r.record, p.Status, func(b store.Batch) error { return b.Preference(p, about, calls) })
	r.progress.finished(j.Name, o.Status)
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
	for _, w := range r.work {
		if !w.judge.live() || w.note != "" {
			continue
		}
		states, err := r.store.PreferenceStates(w.judge.Name, w.judge.Method)
		if err != nil {
			return err
		}
		for _, it := range w.items {
			planned++
			state := states[store.PreferenceKey{ID: it.pair.ID, Judge: w.judge.Name, Method: w.judge.Method, Order: it.order}]
			if state.Status != data.Valid && state.Status != data.Skipped {
				missing++
			}
		}
	}
	if left := r.left.because(r.plan.till); left != "" {
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
