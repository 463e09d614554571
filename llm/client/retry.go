package client

import (
	"context"
	"errors"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

// persist sends a request again until one of these ends it: there is an answer, the error is final, the retries or the time for pauses
// (MaxWait) are used up, or ctx ends. Failures while all servers are down do not count: all calls wait until a server is back or given up.
// A call may use up its retries before it is known that the servers are down. Then it waits like the others.
func (c *call) persist(ctx context.Context) error {
	p := c.client.p
	made := 0
	waited := time.Duration(0) // sum of pauses, without those while the servers are down
	paid := false              // an empty reply, which is paid for, was already retried
	sent := time.Now()
	var failed time.Time // when the first attempt failed
	for {
		before := len(c.attempts)
		err := c.attempt(ctx)
		e, ok := errors.AsType[*llm.Error](err)
		again := ok && e.Retriable
		if failed.IsZero() {
			failed = time.Now()
		}
		var pause time.Duration
		switch {
		case !again:
		case c.client.isDown():
			pause = limits.RetryPause(p, made, 0) // the limiter already waits as long as the server asked for
		default:
			pause = limits.RetryPause(p, made, e.RetryAfter)
			overloaded, failing := e.ServerProblem()
			if (overloaded || failing) && c.client.hasSeveralServers() && c.client.usable(c.server) {
				pause = 0 // another server is asked
			}
			left := made < p.Retries || failing && p.Retries > 0 && c.client.suspect(c, sent, failed)
			again = left && waited+pause <= p.MaxWait && !(e.OneRetry && paid)
			made = min(made+1, p.Retries)
			paid = paid || e.OneRetry
			waited += pause
		}
		c.reportAttempts(ctx, before, again, pause)
		if !again {
			return err
		}
		if err := limits.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// reportAttempts reports attempts from index from on to Hooks.OnAttempt.
func (c *call) reportAttempts(ctx context.Context, from int, again bool, pause time.Duration) {
	if c.client.onAttempt == nil {
		return
	}
	for i, a := range c.attempts[from:] {
		a.Raw = "" // secrets are removed from it only at the end of the call
		t := AttemptEvent{Model: c.req.Model, N: from + i + 1, Attempt: a}
		if again && t.N == len(c.attempts) {
			t.Pause = pause
		}
		c.client.onAttempt(ctx, t)
	}
}
