// Package limits delays requests to one server: it limits requests in flight, requests
// and tokens per minute, and costs (the budget), and it pauses if the server asks for it.
//
// Calls proceed in the order in which they arrived. Concurrency adapts to what the server
// can handle, up to the declared number.
package limits

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"compqa/llm"
)

// Limiter delays requests to one server. It limits how many are in flight, and how many requests and tokens are sent in a minute. It sends
// nothing during a pause that the server asked for, and no more than the server's headers allow. feedback.go says how it adapts to the
// server.
//
// Calls get their permits in the order in which they asked. One call at a time has the turn and waits for the server; the others wait for
// the turn.
type Limiter struct {
	provider llm.Provider
	notice   func(string)
	turn     *semaphore.Weighted
	changed  chan struct{} // has an element when the call with the turn should look again
	requests *rate.Limiter // requests per minute; nil: no limit
	tokens   *rate.Limiter // tokens per minute; nil: no limit

	// OtherServerFree reports whether another server of the provider takes requests now. If it does, calls do not wait while this server
	// pauses. It is nil without another server.
	OtherServerFree func() bool

	entered atomic.Int64 // number of calls between Enter and the end of Acquire

	mu         sync.Mutex
	inFlight   map[*Permit]struct{}
	waitReason string    // why the call with the turn waits
	waitUntil  time.Time // when the call with the turn may continue at the earliest

	concurrency float64   // number of requests that may be in flight now, from 1 to the configured number
	target      float64   // below target, the concurrency doubles with each round of successes
	timedOut    bool      // the latest reduction followed a time-out
	epoch       int       // number of reductions; replies to requests of an earlier epoch do not raise the concurrency
	pausedUntil time.Time // nothing is sent before
	pauseReason string

	failingSince time.Time // the first failure after the last success; zero: no failure
	failures     int       // number of failures of the server since then
	lastFailed   Caller    // the call that failed last
	manyFailed   bool      // more than one call failed
	pauses       int       // number of pauses since the server is down
	abandoned    bool      // the server was given up, and calls no longer wait for it
	lastAnswered time.Time // when the latest request with a reply was sent
	latest       [2]failed // the latest failure of the server, and the latest failure of another call

	allowed  [2]Allowance // for requests and for tokens
	sent     amounts
	unused   int       // tokens that requests waited for and did not use; at most a quarter of a minute's tokens
	unusedAt time.Time // when unused last grew
	lastSent time.Time // when the latest request was sent
}

// amounts has the requests and the tokens that were sent to a server since the start.
type amounts [2]float64

// Permit allows one request, from Acquire to Release.
type Permit struct {
	Started time.Time

	caller Caller
	epoch  int
	sent   amounts // sent so far, including this request
}

// A failed is a failure of the server: of which call, and when it was reported.
type failed struct {
	caller Caller
	when   time.Time
}

// Caller identifies the call that a request belongs to. It is any value that is equal only to itself.
type Caller any

// New returns the limiter of a provider whose defaults are filled in. notice may be nil. It receives a sentence when the server goes down,
// comes back or is given up.
func New(p llm.Provider, notice func(string)) *Limiter {
	if notice == nil {
		notice = func(string) {}
	}
	most := float64(p.Concurrency)
	l := &Limiter{
		provider: p, notice: notice, concurrency: most, target: most,
		turn: semaphore.NewWeighted(1), changed: make(chan struct{}, 1),
		inFlight: map[*Permit]struct{}{},
	}
	if p.RPM > 0 {
		l.requests = perMinute(p.RPM)
	}
	if p.TPM > 0 {
		l.tokens = perMinute(p.TPM)
	}
	return l
}

// perMinute returns a rate limiter of n events per minute. One second's share may come at once; the rest is spread so that no minute has
// more than n events, including the first.
func perMinute(n int) *rate.Limiter {
	second := n / 60
	return rate.NewLimiter(rate.Limit(n-second)/60, max(1, second))
}

// Acquire waits until a request with about this number of tokens may be sent. Call Enter before it, and Release when the reply is complete.
// The error is an *llm.Error: the context has ended, the server was given up, or ErrElsewhere.
func (l *Limiter) Acquire(ctx context.Context, c Caller, tokens int) (*Permit, error) {
	defer l.entered.Add(-1)
	if l.turn.Acquire(ctx, 1) != nil {
		return nil, llm.ContextError(ctx)
	}
	defer l.turn.Release(1)
	elsewhere := func() bool { return l.OtherServerFree != nil && l.OtherServerFree() }
	for limited := false; ; limited = true {
		if e := l.unavailable(); e != nil && !elsewhere() {
			return nil, e
		} else if e != nil {
			return nil, ErrElsewhere
		}
		if !limited {
			if err := l.waitForPermits(ctx, l.requests, 1, "the limit of requests a minute (rpm)"); err != nil {
				return nil, err
			}
			if err := l.waitForPermits(ctx, l.tokens, tokens-l.takeUnused(tokens), "the limit of tokens a minute (tpm)"); err != nil {
				return nil, err
			}
		}
		permit, wait := l.admit(c, tokens)
		switch {
		case permit != nil:
			return permit, nil
		case wait > 0 && elsewhere():
			return nil, ErrElsewhere
		}
		if err := l.wait(ctx, wait, l.changed, "the server's rate limit"); err != nil {
			return nil, err
		}
	}
}

// ErrElsewhere tells a call that waits for a pausing server to use another server, which takes requests now.
var ErrElsewhere = &llm.Error{Kind: llm.Unavailable, OtherForm: true, Message: "another server takes requests"}

// Enter counts a call until its Acquire ends.
func (l *Limiter) Enter() { l.entered.Add(1) }

// Load returns the number of calls that are in flight or wait for a permit, divided by the number of requests that may be in flight. ready
// reports whether the server takes requests now: it does not pause, or its pause is over and no other request tests it.
func (l *Limiter) Load() (ready bool, load float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := len(l.inFlight) + int(l.entered.Load())
	return !time.Now().Before(l.pausedUntil) && !(l.isDown() && calls > 0), float64(calls) / max(1, l.concurrency)
}

// admit returns a permit, or how long to wait before the next attempt. A wait of 0 means to wait until something changes.
func (l *Limiter) admit(c Caller, tokens int) (*Permit, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if wait := l.pausedUntil.Sub(now); wait > 0 {
		return nil, wait
	}
	if len(l.inFlight) >= int(l.concurrency) {
		return nil, 0
	}
	need := amounts{1, float64(tokens)}
	for i, a := range l.allowed {
		wait := a.Wait(now, l.sent[i], need[i])
		if wait > 0 && now.Sub(l.lastSent) < maxPause { // a wrong reset time must not stop a run
			return nil, min(wait, maxPause)
		}
	}
	for i := range need {
		l.sent[i] += need[i]
	}
	l.lastSent = now
	permit := &Permit{Started: now, caller: c, epoch: l.epoch, sent: l.sent}
	l.inFlight[permit] = struct{}{}
	return permit, 0
}

// wait waits for a duration or for a change, whichever comes first. A duration of 0 has no limit. State shows the reason why. Only the call
// with the turn waits here.
func (l *Limiter) wait(ctx context.Context, d time.Duration, changed <-chan struct{}, why string) error {
	var over <-chan time.Time
	if d > 0 {
		l.noteWait(why, time.Now().Add(d))
		defer l.noteWait("", time.Time{})
		timer := time.NewTimer(d)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-changed:
	case <-over:
	case <-ctx.Done():
		return llm.ContextError(ctx)
	}
	return nil
}

// noteWait sets the reason that State shows.
func (l *Limiter) noteWait(why string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waitReason = why
	l.waitUntil = until
}

// waitForPermits waits for n permits of a rate limiter. It takes them in parts, because a rate.Limiter gives at most one burst at a time. A
// request for more than a minute's limit waits for one minute's limit.
func (l *Limiter) waitForPermits(ctx context.Context, from *rate.Limiter, n int, why string) error {
	if from == nil {
		return nil
	}
	n = min(n, int(from.Limit()*60))
	for n > 0 {
		part := min(n, from.Burst())
		r := from.ReserveN(time.Now(), part)
		n -= part
		d := r.Delay()
		if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
			r.Cancel()
			return &llm.Error{Kind: llm.Cancelled, Message: "there is no time left to wait for " + why, Cause: context.DeadlineExceeded}
		}
		if d > 0 {
			if err := l.wait(ctx, d, nil, why); err != nil {
				r.Cancel()
				return err
			}
		}
	}
	return nil
}

// Release ends a request. e is nil if it succeeded.
func (l *Limiter) Release(p *Permit, e *llm.Error) {
	l.mu.Lock()
	delete(l.inFlight, p)
	notice := l.adapt(p, e)
	l.mu.Unlock()
	select {
	case l.changed <- struct{}{}:
	default:
	}
	if notice != "" {
		l.notice(notice)
	}
}

// SettleTokens corrects the token count of a request once its actual use is known. Later requests wait for tokens beyond the estimate, and
// get back tokens that were not used.
func (l *Limiter) SettleTokens(estimated int, u llm.Usage) {
	if l.tokens == nil || u.Prompt == nil || u.Completion == nil {
		return
	}
	most := int(l.tokens.Limit() * 60)
	if unused := min(estimated, most) - *u.Prompt - *u.Completion; unused > 0 {
		l.mu.Lock()
		l.unused, l.unusedAt = min(l.unused+unused, most/4), time.Now()
		l.mu.Unlock()
	}
	for more := *u.Prompt + *u.Completion - estimated; more > 0; {
		part := min(more, l.tokens.Burst())
		l.tokens.ReserveN(time.Now(), part)
		more -= part
	}
}

// takeUnused takes at most n of the tokens that requests of the last minute waited for and did not use. It returns how many.
func (l *Limiter) takeUnused(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.unusedAt) > time.Minute {
		l.unused = 0
	}
	taken := min(n, l.unused)
	l.unused -= taken
	return taken
}

// State describes the requests in flight, and what the other calls wait for.
func (l *Limiter) State() llm.State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := llm.State{InFlight: len(l.inFlight), Concurrency: int(l.concurrency), MaxConcurrency: l.provider.Concurrency,
		WaitReason: l.waitReason}
	now := time.Now()
	for p := range l.inFlight {
		s.Oldest = max(s.Oldest, now.Sub(p.Started))
	}
	if s.WaitReason != "" {
		s.WaitLeft = max(0, l.waitUntil.Sub(now))
	}
	if d := l.pausedUntil.Sub(now); d > 0 {
		s.WaitReason = l.pauseReason
		s.WaitLeft = d
	}
	return s
}

// EstimateTokens returns the expected number of tokens of a request: its prompt and the limit of its reply.
func EstimateTokens(req llm.Request) int {
	limit, ok := llm.ReplyLimit(req.Options)
	if !ok {
		limit = llm.DefaultReplyTokens
	}
	return req.Size()/bytesPerToken + limit
}

// RetryPause returns the pause after a failed attempt: Backoff, doubled with each retry, or the pause that the server asked for if it is
// longer; at most maxPause. It adds up to a quarter at random, so that calls that failed together do not return together.
func RetryPause(p llm.Provider, retries int, asked time.Duration) time.Duration {
	backoff := min(p.Backoff, maxPause) << min(retries, 10)
	d := min(max(backoff, asked), maxPause)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}

// maxPause is the longest single pause, even if the server asks for more. A wrong value of an hour must not stop a run. If the value is
// right, asking again shows it.
const maxPause = time.Minute
