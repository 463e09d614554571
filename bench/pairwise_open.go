package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A commandKind is what the commands that open a record of pairs differ in: the
// entries that they want, and what has to be so beforehand.
type commandKind struct {
	wants func(*PairwiseRef) bool
	check func(*pairwiseRun) error
}

// labelled reports whether people's preference is known of any pair that was read.
func (r *pairwiseRun) labelled() bool {
	return slices.ContainsFunc(r.sets, func(set store.PairSet) bool {
		return slices.ContainsFunc(set.Pairs, func(p store.SetPair) bool { return p.Label.Decided() })
	})
}

// openPairwise reads what a command needs, opens the record and connects to the
// providers that the entries name. What is wrong with the input comes before
// anything is written.
func openPairwise(ctx context.Context, f pairwiseFlags, streams Streams, kind commandKind) (*pairwiseRun, error) {
	if err := f.check(); err != nil {
		return nil, usageError{err}
	}
	c, err := f.configuration()
	if err != nil {
		return nil, err
	}
	return openPairwiseWith(ctx, c, f, streams, kind)
}

// openPairwiseWith is openPairwise by a configuration that is read already.
func openPairwiseWith(ctx context.Context, c *Config, f pairwiseFlags, streams Streams, kind commandKind) (*pairwiseRun, error) {
	r := &pairwiseRun{flags: f, config: c, streams: streams, faults: map[string]string{}}
	var err error
	if r.refs, err = f.entries(c, kind.wants); err != nil {
		return nil, err
	}
	for _, ref := range r.refs {
		if path := c.aspectsPath(*ref); path != "" {
			if _, _, err := readAspects(path); err != nil {
				return nil, err
			}
		}
	}
	src := pairSource{file: f.pairs, llmbar: f.llmbar, margin: f.margin, limit: f.limit}
	if r.sets, r.bar, err = src.read(); err != nil {
		return nil, err
	}
	if err := kind.check(r); err != nil {
		return nil, usageError{err}
	}
	only := *c
	only.Models, only.Judges = nil, nil
	if r.plan, err = newPlan(&only, 0, nil); err != nil {
		return nil, err
	}
	r.plan.config, r.plan.log = c, f.logger
	if err := r.plan.checkBudget(); err != nil {
		return nil, err
	}
	if r.sets == nil {
		db, err := store.Open(f.out)
		if err != nil {
			return nil, usageError{fmt.Errorf("there are no answers to pair: %w; or name pairs by --pairs or --llmbar", err)}
		}
		db.Close()
	}
	db, err := store.Create(f.out)
	if err != nil {
		return nil, err
	}
	r.runner = &runner{plan: r.plan, store: db, retry: f.retryFailed, clients: map[string]llm.Client{}}
	if err := r.prepare(ctx, src); err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// prepare makes the record ready, finds the run's own pairs where no others are
// given, takes in what LLMBar's judges said, and connects.
func (r *pairwiseRun) prepare(ctx context.Context, src pairSource) error {
	var err error
	if r.plan.till, err = r.plan.openTill(r.store); err != nil {
		return err
	}
	if err := r.plan.noteImport(r.store); err != nil {
		return err
	}
	if r.sets == nil {
		own, err := src.ownPairs(r.store, r.plan)
		if err != nil {
			return err
		}
		if len(own.Pairs) == 0 {
			return usageError{fmt.Errorf("%s holds no two valid answers to one question: there is nothing to pair; name pairs by --pairs or --llmbar", r.flags.out)}
		}
		r.sets = []store.PairSet{own}
	}
	if r.bar != nil {
		r.released = readReleasedPreferences(r.bar, r.sets)
	}
	return r.connectPairwise(ctx)
}

// connectPairwise makes a client for each provider that the entries need, and
// the rewriter. One that cannot be used is told in one line.
func (r *pairwiseRun) connectPairwise(ctx context.Context) error {
	need := map[string]bool{}
	for _, ref := range r.refs {
		if slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			continue
		}
		_, lanes := r.config.pairwiseModels(*ref)
		for _, lane := range lanes {
			need[lane] = true
		}
	}
	if m, err := r.rewriterModel(); err != nil {
		return err
	} else if m != nil {
		need[m.Provider] = true
	}
	for _, lane := range slices.Sorted(maps.Keys(need)) {
		client, err := r.plan.client(ctx, lane)
		if err != nil {
			r.faults[lane] = err.Error()
			fmt.Fprintf(r.streams.Err, "skipped: everything of provider %s: %v\n", lane, err)
			if r.flags.strict {
				return fmt.Errorf("provider %s cannot be used: %w", lane, err)
			}
			continue
		}
		r.clients[lane] = client
	}
	return nil
}
