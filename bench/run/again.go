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

// If a reply cannot be read, --retry-failed asks again with other sample numbers, because the record keeps the reply to each number. The
// numbers of round n lie n*apart above the original ones.
const (
	apart      = 1_000_000
	mostRounds = 20
)

// afresh returns an Asker that asks with the sample numbers of the first round whose first call is not on record. find looks up a call by
// its key.
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

// again reports whether a task's recorded reply cannot be read, so that the task asks with other sample numbers. A source with batches
// never does, because batches ask for each number once.
func (t *Task) again(s Source) bool {
	return s.Batch == nil && t.Recorded.Status.Unreadable() && t.Recorded.Fingerprint == t.Fingerprint
}

// RetryFailed is the advice on results that another call could improve.
const RetryFailed = "--retry-failed asks for them again"

// Advice says what to do about left results that are not valid. again is how many of them --retry-failed would ask for.
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

// Again counts the tasks for which --retry-failed could give another result. For such a task it would make a call, or another task has
// meanwhile made the same call successfully.
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
