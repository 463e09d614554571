package limits

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"compqa/llm"
)

// Turns lets one request of each kind go first alone, because its result decides how the others are sent. The zero value is ready for use.
type Turns struct{ taken sync.Map } // *semaphore.Weighted by kind

// Take waits for the turn of a kind until known reports that the result is known. The caller calls leave when its request has ended.
func (t *Turns) Take(ctx context.Context, kind string, known func() bool) (leave func(), err error) {
	none := func() {}
	if known() {
		return none, nil
	}
	turns, _ := t.taken.LoadOrStore(kind, semaphore.NewWeighted(1))
	turn := turns.(*semaphore.Weighted)
	if turn.Acquire(ctx, 1) != nil {
		return nil, llm.ContextError(ctx)
	}
	if known() {
		turn.Release(1)
		return none, nil
	}
	return func() { turn.Release(1) }, nil
}

// Sleep waits for a duration. It returns an error if ctx ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return llm.ContextError(ctx)
	}
}
