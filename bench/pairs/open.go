package pairs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"compqa/bench/config"
	"compqa/bench/plan"
	"compqa/bench/run"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// labelled reports whether any pair has a known human preference.
func (r *Session) labelled() bool {
	return slices.ContainsFunc(r.Sets, func(set store.PairSet) bool {
		return slices.ContainsFunc(set.Pairs, func(p store.SetPair) bool { return p.Label.Decided() })
	})
}

// open reads the input of a command, opens the record and connects to the providers of the
// wanted entries. Errors of the input, and of check, come before anything is written.
func (f Flags) open(ctx context.Context, c *config.Config, streams run.Streams, wanted func(*config.PairwiseJudge) bool, check func(*Session) error) (r *Session, err error) {
	r = &Session{flags: f, Config: c, streams: streams}
	if r.Refs, err = f.Entries(c, wanted); err != nil {
		return nil, err
	}
	for _, ref := range r.Refs {
		if path := c.AspectsPath(*ref); path != "" {
			if _, _, err := config.ReadAspects(path); err != nil {
				return nil, err
			}
		}
	}
	if r.Sets, r.Bar, err = f.read(); err != nil {
		return nil, err
	}
	if set, err := f.readSet(); err != nil {
		return nil, err
	} else if set != nil {
		r.Sets, r.Given = append(r.Sets, f.set(set.Name, set.Source, set.Pairs)), set.Given
	}
	if r.Sets != nil {
		if err := r.readGiven(); err != nil {
			return nil, err
		}
	}
	if err := check(r); err != nil {
		return nil, config.UsageError{Err: err}
	}
	only := *c
	only.Models, only.Judges = nil, nil
	if r.Plan, err = plan.New(&only, 0, nil); err != nil {
		return nil, err
	}
	r.Plan.Config = c
	if err := run.CheckBudget(c); err != nil {
		return nil, err
	}
	if r.Sets == nil {
		db, err := store.Open(f.Out)
		if err != nil {
			return nil, config.UsageError{Err: fmt.Errorf("there are no answers to pair: %w; or use --pairs or --llmbar", err)}
		}
		db.Close()
	}
	db, err := store.Create(f.Out)
	if err != nil {
		return nil, err
	}
	r.Engine = run.New(c, db, f.Log)
	r.Retry = f.RetryFailed
	if err := f.Join(ctx, r.Engine, r.streams.Err); err != nil {
		db.Close()
		return nil, err
	}
	if err := r.prepare(ctx); err != nil {
		db.Close()
		return nil, err
	}
	return r, nil
}

// prepare prepares the record, makes the run's own pairs if no others are given, and
// connects to the providers that the entries and the rewriter need.
func (r *Session) prepare(ctx context.Context) error {
	if err := errors.Join(r.Budgets.Charge(r.Config, r.Store), r.Plan.NoteImport(r.Store)); err != nil {
		return err
	}
	if r.Sets == nil {
		own, err := r.flags.OwnPairs(r.Store, r.Plan, RecordedAnswers(r.Store))
		if err != nil {
			return err
		}
		if len(own.Pairs) == 0 {
			return config.UsageError{Err: fmt.Errorf("%s has no two valid answers to the same question; use --pairs or --llmbar", r.flags.Out)}
		}
		r.Sets = []store.PairSet{own}
		if err := r.readGiven(); err != nil {
			return err
		}
	}
	var providers []string
	for _, ref := range r.Refs {
		if ref.Provider != config.ProviderFile && !slices.Contains(pairwise.OfflineMethods(), ref.Method) {
			_, of := r.Config.PairwiseModels(*ref)
			providers = slices.AppendSeq(providers, maps.Values(of))
		}
	}
	if grader, err := r.flags.grader(r.Config); err != nil {
		return err
	} else if grader != nil {
		providers = append(providers, grader.Provider)
	}
	m, err := r.rewriterModel()
	if err != nil {
		return err
	}
	if m != nil {
		providers = append(providers, m.Provider)
	}
	r.faults, err = r.Engine.Connect(ctx, providers, r.flags.Strict, r.streams.Err)
	return err
}
