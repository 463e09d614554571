package bench

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// A commandKind is what the commands that open a record of pairs differ in: the
// entries that they want, and what has to be so beforehand.
type commandKind struct {
	wants func(*config.PairwiseJudge) bool
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
		return nil, config.UsageError{Err: err}
	}
	c, err := f.configuration()
	if err != nil {
		return nil, err
	}
	return openPairwiseWith(ctx, c, f, streams, kind)
}

// openPairwiseWith is openPairwise by a configuration that is read already.
func openPairwiseWith(ctx context.Context, c *config.Config, f pairwiseFlags, streams Streams, kind commandKind) (*pairwiseRun, error) {
	r := &pairwiseRun{flags: f, config: c, streams: streams}
	var err error
	if r.refs, err = f.entries(c, kind.wants); err != nil {
		return nil, err
	}
	for _, ref := range r.refs {
		if path := c.AspectsPath(*ref); path != "" {
			if _, _, err := config.ReadAspects(path); err != nil {
				return nil, err
			}
		}
	}
	src := pairSource{file: f.pairs, llmbar: f.llmbar, margin: f.margin, limit: f.limit}
	if r.sets, r.bar, err = src.read(); err != nil {
		return nil, err
	}
	if err := kind.check(r); err != nil {
		return nil, config.UsageError{Err: err}
	}
	only := *c
	only.Models, only.Judges = nil, nil
	if r.plan, err = newPlan(&only, 0, nil); err != nil {
		return nil, err
	}
	r.plan.config = c
	if err := checkBudget(c); err != nil {
		return nil, err
	}
	if r.sets == nil {
		db, err := store.Open(f.out)
		if err != nil {
			return nil, config.UsageError{Err: fmt.Errorf("there are no answers to pair: %w; or name pairs by --pairs or --llmbar", err)}
		}
		db.Close()
	}
	db, err := store.Create(f.out)
	if err != nil {
		return nil, err
	}
	r.engine = newEngine(c, db, f.logger)
	r.retry = f.retryFailed
	if err := r.prepare(ctx, src); err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// prepare makes the record ready, finds the run's own pairs where no others are
// given, takes in what LLMBar's judges said, and connects.
func (r *pairwiseRun) prepare(ctx context.Context, src pairSource) error {
	if err := r.budgets.charge(r.config, r.store); err != nil {
		return err
	}
	if err := r.plan.noteImport(r.store); err != nil {
		return err
	}
	if r.sets == nil {
		own, err := src.ownPairs(r.store, r.plan, recordedAnswers(r.store))
		if err != nil {
			return err
		}
		if len(own.Pairs) == 0 {
			return config.UsageError{Err: fmt.Errorf("%s holds no two valid answers to one question: there is nothing to pair; name pairs by --pairs or --llmbar", r.flags.out)}
		}
		r.sets = []store.PairSet{own}
	}
	if r.bar != nil {
		r.released = readReleasedPreferences(r.bar, r.sets)
	}
	return r.connectPairwise(ctx)
}

// connectPairwise connects to the providers that the entries and the rewriter need.
func (r *pairwiseRun) connectPairwise(ctx context.Context) error {
	var providers []string
	for _, ref := range r.refs {
		if !slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			_, of := r.config.PairwiseModels(*ref)
			providers = slices.AppendSeq(providers, maps.Values(of))
		}
	}
	m, err := r.rewriterModel()
	if err != nil {
		return err
	}
	if m != nil {
		providers = append(providers, m.Provider)
	}
	r.faults, err = r.engine.connect(ctx, providers, r.flags.strict, r.streams.Err)
	return err
}
