package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"
)

// maxPause caps one pause, whatever the server asks for: an hour named by
// mistake mustn't stop a run, and a right one is found out by asking again.
const maxPause = time.Minute

// persist tries until there is an answer, the error is final, the retries or the
// sum of pauses (MaxWait) are used up, or ctx ends.
//
// The policy of failsafe-go decides; the pauses are ours, because its own jitter
// goes both ways and so would ask earlier than Retry-After says, because it reads
// whole seconds alone, and because it has no cap. An outcome that came as ctx
// ended is kept: failsafe-go would drop an answer that is paid for.
func (c *call) persist(ctx context.Context) (Reply, error) {
	var (
		reply  Reply
		err    error
		pause  time.Duration
		waited time.Duration
	)
	p := c.client.p
	policy := retrypolicy.NewBuilder[Reply]().
		WithMaxRetries(p.Retries).
		ReturnLastFailure().
		HandleIf(func(_ Reply, err error) bool {
			e, ok := errors.AsType[*Error](err)
			return ok && e.Retriable && waited+pause <= p.MaxWait
		}).
		WithDelayFunc(func(failsafe.ExecutionAttempt[Reply]) time.Duration {
			waited += pause
			return pause
		}).
		Build()
	_, stopped := failsafe.With(policy).WithContext(ctx).GetWithExecution(func(run failsafe.Execution[Reply]) (Reply, error) {
		reply, err = c.try(ctx)
		if e, ok := errors.AsType[*Error](err); ok {
			pause = p.pause(run.Retries(), e.RetryAfter)
		}
		return reply, err
	})
	if stopped != nil && ctx.Err() != nil && err != nil {
		return reply, cancelled(ctx)
	}
	return reply, err
}

// pause is how long to wait after the failure of a try: Backoff, doubled with
// each retry made, or longer where the server says so, at most maxPause; and up
// to a quarter more by chance, never less, so that calls that failed together
// don't come back together.
func (p Provider) pause(retries int, asked time.Duration) time.Duration {
	backoff := min(p.Backoff, maxPause) << min(retries, 10)
	d := min(max(backoff, asked), maxPause)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}
