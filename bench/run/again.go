package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"compqa/bench/config"
	"compqa/llm"
	"compqa/results/store"
)

// An item whose reply cannot be read is asked for again with other samples, because the
// record keeps the reply to each sample. Samples of one round are less than apart from each other.
const (
	apart      = 1_000_000
	mostRounds = 20
)

// afresh is an Asker that asks for other samples than those on record: those of the first round
// whose first call is not on record.
func afresh(c *config.Config, ask Asker, find func(key string) (store.Call, bool, error)) Asker {
	var mu sync.Mutex
	round := 0
	choose := func(provider string, sample int, req llm.Request) error {
		mu.Lock()
		defer mu.Unlock()
		if round > 0 {
			return nil
		}
		for round = 1; round < mostRounds; round++ {
			of := req
			call, err := newCall(c, store.Party{}, provider, sample+round*apart, &of)
			if err != nil {
				return err
			}
			if _, found, err := find(call.Key); err != nil || !found {
				return err
			}
		}
		return nil
	}
	return func(ctx context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
		if err := choose(provider, sample, req); err != nil {
			return llm.Reply{}, fmt.Errorf("%w: %w", context.Canceled, err)
		}
		return ask(ctx, provider, sample+round*apart, req)
	}
}

// again reports whether a task of a source is asked for with other samples: its recorded reply
// cannot be read. Batches ask for each sample once.
func (t *Task) again(s Source) bool {
	return s.Batch == nil && t.Recorded.Status.Unreadable() && t.Recorded.Fingerprint == t.Fingerprint
}

// RetryFailed is the advice about items that another call could give a result.
const RetryFailed = "--retry-failed asks for them again"

// Advice says what can be done about items without a valid result: repeat them, where
// --retry-failed would make any call for the sources.
func (e *Engine) Advice(ctx context.Context, sources []Source) (string, error) {
	d := &DryRun{Config: e.config, Retry: true, Find: e.find, Asked: func(Task, AskedCall, int) error { return ErrEnough }}
	for _, s := range sources {
		switch err := d.Walk(ctx, s); {
		case errors.Is(err, ErrEnough):
			return RetryFailed, nil
		case err != nil:
			return "", err
		}
	}
	return "the same calls would give the same replies: change the entries' options", nil
}
