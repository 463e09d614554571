package limits

import (
	"context"
	"sync"

	"compqa/llm"
)

// First lets the first request of each kind be sent alone: its result decides how the
// others are sent.
type First struct {
	over sync.Map // channels by kind, closed when the first request of the kind has ended
}

// Await waits while the first request of a kind is in flight. waited says that it did,
// so that the caller looks again at what was learnt. Otherwise the caller calls ended when its
// request has ended. If that request decided nothing (the server was down), the next one is
// the first. noteWait records a wait.
func (f *First) Await(ctx context.Context, kind string, noteWait func() func()) (waited bool, ended func(decided bool), err error) {
	own := make(chan struct{})
	first, begun := f.over.LoadOrStore(kind, own)
	if !begun {
		return false, func(decided bool) {
			if !decided {
				f.over.Delete(kind)
			}
			close(own)
		}, nil
	}
	over := first.(chan struct{})
	ended = func(bool) {}
	select {
	case <-over:
		return false, ended, nil
	default:
	}
	defer noteWait()()
	select {
	case <-over:
		return true, ended, nil
	case <-ctx.Done():
		return true, ended, llm.ContextError(ctx)
	}
}
