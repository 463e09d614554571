package run

import (
	"context"
	"fmt"
	"sync"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/results/store"
)

// An item whose reply cannot be read is asked for again with other samples, because the
// record keeps the reply to each sample. Samples of one round are less than apart from each other.
const (
	apart      = 1_000_000
	mostRounds = 20
)

// afresh returns an Asker that asks for other samples than those on record: those of the first round
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
			request := req
			call, err := newCall(c, store.Party{}, provider, sample+round*apart, &request)
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

// Advice says what can be done about items without a valid result, of which --retry-failed would ask for some.
func Advice(left, again int) string {
	const same = "the same calls would give the same replies"
	switch {
	case again == 0:
		return same + ": change the entries' options"
	case again >= left:
		return RetryFailed
	}
	return fmt.Sprintf("--retry-failed asks for %d of them again; for the others %s: change the entries' options", again, same)
}

// Again counts the tasks of sources that --retry-failed could give another result: those that it would make a call for, and
// those whose call has been made since, successfully, for another item.
func (e *Engine) Again(ctx context.Context, sources []Source) (n int, err error) {
	counted := false
	d := &DryRun{Config: e.config, Retry: true, Find: e.find,
		Item: func(Task, bool) error { counted = false; return nil },
		Asked: func(Task, AskedCall, int) error {
			if !counted {
				n++
				counted = true
			}
			return nil
		},
		Read: func(_ Task, i Item) {
			if i.Status == data.Valid || i.Status == data.Abstained {
				n++
			}
		}}
	for _, s := range sources {
		if err := d.Walk(ctx, s); err != nil {
			return n, err
		}
	}
	return n, nil
}
