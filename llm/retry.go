package llm

import (
	"context"
	"errors"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// maxPause caps one pause, whatever the server asks for: an hour named by
// mistake mustn't stop a run, and a right one is found out by asking again.
const maxPause = time.Minute

// none is what failsafe-go is told of a reply: it would pass one by value through
// each of its frames, of which there is a stack for every call under way.
type none = struct{}

// persist tries until there is an answer, the error is final, the retries or the
// sum of pauses (MaxWait) are used up, or ctx ends. A failure while the server is
// down counts for neither: all its calls wait until it is back or given up.
//
// The policy of failsafe-go carries it out; what to do is decided here, because
// its own jitter goes both ways and so would ask earlier than Retry-After says,
// because it reads whole seconds alone, and because it has no cap. An outcome
// that came as ctx ended is kept: failsafe-go would drop an answer that is paid
// for.
func (c *call) persist(ctx context.Context) error {
	var (
		err  error
		next pauses
	)
	over := func() {}
	stopped := trying.WithContext(ctx).Run(func() error {
		over()
		before := len(c.attempts)
		err = c.try(ctx)
		next.decide(c.client, err)
		c.tell(ctx, before, next)
		over = func() {}
		if !next.again {
			return nil
		}
		if e, ok := errors.AsType[*Error](err); ok {
			over = c.client.limits.hold("another try after "+e.brief(), next.pause)
		}
		return &another{next.pause}
	})
	over()
	if stopped != nil && ctx.Err() != nil && err != nil {
		return cancelled(ctx)
	}
	return err
}

// trying tries again for as long as it is told to, after the pause it is told of.
var trying = failsafe.With(retrypolicy.NewBuilder[none]().
	WithMaxRetries(-1).
	ReturnLastFailure().
	HandleIf(func(_ none, err error) bool { return err != nil }).
	WithDelayFunc(func(e failsafe.ExecutionAttempt[none]) time.Duration { return e.LastError().(*another).pause }).
	Build())

// another says that another try is to be made.
type another struct{ pause time.Duration }

func (*another) Error() string { return "another try" }

// tell tells the program of the attempts from one on.
func (c *call) tell(ctx context.Context, from int, next pauses) {
	if c.client.tried == nil {
		return
	}
	for i, a := range c.attempts[from:] {
		t := Try{Model: c.req.Model, N: from + i + 1, Wait: a.Wait, Latency: a.Latency, HTTPStatus: a.HTTPStatus, Outcome: a.Outcome, Reason: a.Reason}
		if next.again && t.N == len(c.attempts) {
			t.Pause = next.pause
		}
		c.client.tried(ctx, t)
	}
}

// pauses is how long a call has waited between its tries, and what comes next.
type pauses struct {
	made   int // that count
	waited time.Duration
	again  bool
	pause  time.Duration // before the next try
}

func (p *pauses) decide(c *client, err error) {
	e, ok := errors.AsType[*Error](err)
	p.again = ok && e.Retriable
	if !p.again {
		return
	}
	p.pause = c.p.pause(p.made, e.RetryAfter)
	if c.limits.isDown() {
		p.pause = c.p.pause(p.made, 0) // the gate is shut for as long as the server asked for
		return
	}
	p.again = p.made < c.p.Retries && p.waited+p.pause <= c.p.MaxWait
	p.made++
	p.waited += p.pause
}
