package limits

import (
	"context"
	"slices"
	"time"

	"compqa/llm"
)

// A queued call stands in the gate's line. The line moves when a place becomes
// free, within the call that leaves it: were the next one woken first, to look for
// itself, and that one to wake the next, places would stand empty meanwhile where
// hundreds of requests are under way.
type queued struct {
	call   caller
	tokens int
	place  chan *Permit // has room for it
}

// join lets a call through, or puts it in line.
func (g *limiter) Enqueue(c caller, tokens int) (*Permit, *queued, error) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if len(g.Queued) == 0 {
		if t, _, err := g.admit(c, tokens, time.Now()); t != nil || err != nil {
			return t, nil, err
		}
	}
	w := &queued{c, tokens, make(chan *Permit, 1)}
	g.Queued = append(g.Queued, w)
	return nil, w, nil
}

// move gives places to the first in line, as many as there are. Where some are
// left in line, wait and err are admit's of the first of them.
func (g *limiter) move(now time.Time) (wait time.Duration, err error) {
	for len(g.Queued) > 0 {
		first := g.Queued[0]
		t, wait, err := g.admit(first.call, first.tokens, now)
		if t == nil {
			return wait, err
		}
		g.Queued[0] = nil
		g.Queued = g.Queued[1:]
		first.place <- t
	}
	return 0, nil
}

// look moves the line for those who watch the clock.
func (g *limiter) look() (wait time.Duration, err error) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return g.move(time.Now())
}

// quit takes a call out of the line; a place that it has been given goes back.
func (g *limiter) Dequeue(w *queued) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	if at := slices.Index(g.Queued, w); at >= 0 {
		g.Queued = slices.Delete(g.Queued, at, at+1)
		g.wake() // the next one may need less, and so wait for less
		return
	}
	delete(g.InFlight, <-w.place)
	g.sent.requests--
	g.sent.tokens -= float64(w.tokens)
	g.move(time.Now())
}

// queue waits for a place in line. One of those who wait watches the clock for all
// of them: for the end of a pause, or of a rate limit that the server tells.
func (l *Limits) queue(ctx context.Context, c caller, tokens int) (*Permit, error) {
	t, w, err := l.Enqueue(c, tokens)
	if w == nil {
		return t, err
	}
	select {
	case t := <-w.place:
		return t, nil
	case l.Turn <- struct{}{}:
	case <-ctx.Done():
		l.Dequeue(w)
		return nil, llm.ContextError(ctx)
	}
	defer func() { <-l.Turn }()
	for {
		most, err := l.look()
		if err == nil {
			t, err = l.wait(ctx, most, w.place)
		}
		if t != nil {
			return t, nil
		}
		if err != nil {
			l.Dequeue(w)
			return nil, err
		}
	}
}
