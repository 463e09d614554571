package client

import (
	"context"
	"errors"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

// persist repeats a request until there is an answer, the error is final, the retries or
// the time for pauses (MaxWait) are exhausted, or ctx ends. Failures while the server is
// down do not count: all its calls wait until it is back or given up.
func (c *call) persist(ctx context.Context) error {
	var next pauses
	for {
		before := len(c.attempts)
		err := c.try(ctx)
		next.decide(c, err)
		c.tell(ctx, before, next)
		if !next.again {
			return err
		}
		if err := sleep(ctx, next.pause); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return llm.ContextError(ctx)
	}
}

// tell reports the attempts from the given index on to Hooks.Tried.
func (c *call) tell(ctx context.Context, from int, next pauses) {
	if c.client.tried == nil {
		return
	}
	for i, a := range c.attempts[from:] {
		t := Try{Model: c.req.Model, N: from + i + 1, Wait: a.Wait, Latency: a.Latency, HTTPStatus: a.HTTPStatus, Outcome: a.Outcome,
			Reason: a.Reason}
		if next.again && t.N == len(c.attempts) {
			t.Pause = next.pause
		}
		c.client.tried(ctx, t)
	}
}

// pauses holds the pauses of a call so far, and what comes next.
type pauses struct {
	made   int // without those while the server is down
	waited time.Duration
	again  bool
	pause  time.Duration // before the next attempt
}

// decide chooses whether to retry after err, and after which pause.
func (p *pauses) decide(call *call, err error) {
	c := call.client
	e, ok := errors.AsType[*llm.Error](err)
	p.again = ok && e.Retriable
	if !p.again {
		return
	}
	p.pause = limits.RetryPause(c.p, p.made, e.RetryAfter)
	if c.isDown() {
		p.pause = limits.RetryPause(c.p, p.made, 0) // the limiter already waits as long as the server asked
		return
	}
	if overloaded, failing := e.ServerProblem(); (overloaded || failing) && c.several() && c.usable(call.server) {
		p.pause = 0 // another server is asked
	}
	p.again = p.made < c.p.Retries && p.waited+p.pause <= c.p.MaxWait
	p.made++
	p.waited += p.pause
}
