package limits

import (
	"context"
	"sync"

	"compqa/llm"
)

// Turns lets one request of each kind be sent at a time, while its result decides how the others
// are sent. The zero value works.
type Turns struct{ taken sync.Map } // channels of one element, by kind

// Take waits for the turn of a kind. The caller calls leave when the turn ends.
func (t *Turns) Take(ctx context.Context, kind string) (leave func(), err error) {
	of, _ := t.taken.LoadOrStore(kind, make(chan struct{}, 1))
	turn := of.(chan struct{})
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, llm.ContextError(ctx)
	}
}
