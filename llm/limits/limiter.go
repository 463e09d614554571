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

// Limiter holds requests to one server back. It limits how many are in flight, how many requests and tokens are sent in
// a minute, it sends nothing during a pause that the server asked for, and no more than the server's headers allow. See
// feedback.go for how it adapts to the server.
//
// Calls get their permits in the order in which they asked: one call at a time has the
// turn and waits for the server, and the others wait for the turn.
type Limiter struct {
	provider llm.Provider
	notice   func(string)
	turn     *semaphore.Weighted
	changed  chan struct{} // holds one element when the call that has the turn should look again
	requests *rate.Limiter // per minute; nil: no limit
	tokens   *rate.Limiter

	// Elsewhere reports whether another server takes requests now: calls do not wait for this
	// one then while it pauses. nil without another.
	Elsewhere func() bool

	entered atomic.Int64 // calls between Enter and the end of Acquire

	mu         sync.Mutex
	inFlight   map[*Permit]struct{}
	waitReason string    // why the call that has the turn waits
	waitUntil  time.Time // and for how long at least

	concurrency float64   // requests that may be in flight now, from 1 to the configured number
	target      float64   // below the target, concurrency doubles with each round of successes
	timedOut    bool      // the latest reduction followed a time-out
	epoch       int       // grows with each reduction; replies to requests of an earlier epoch do not count
	pausedUntil time.Time // nothing is sent before
	pauseReason string

	since      time.Time // first failure after the last success; zero: no failure
	failures   int       // of the server since then
	lastFailed Caller    // the call that failed last
	manyFailed bool      // more than one call failed
	pauses     int       // pauses made since the server is down
	abandoned  bool      // the server was down for GiveUp, and calls no longer wait for it
	answered   time.Time // when the latest of the requests was sent to which the server replied
	latest     [2]failed // failures of the server: the latest one, and the latest one of another call

	allowed  [2]Allowance // of requests and of tokens
	sent     amounts
	unused   int       // tokens that requests have waited for and not needed, at most those of a quarter of a minute
	unusedAt time.Time // when the latest of them came
	lastSent time.Time // when the latest request was sent
}

// amounts are the requests and the tokens that were sent to a server since the start.
type amounts [2]float64

// Permit allows one request, from Acquire to Release.
type Permit struct {
	Started time.Time

	caller Caller
	epoch  int
	sent   amounts // with this request
}

// failed is a failure of the server: when it was reported, and of which call.
type failed struct {
	caller Caller
	when   time.Time
}

// Caller identifies the call that a request belongs to: any value that is equal only to itself.
type Caller any

// New makes the limiter of a provider whose defaults are filled in. notice, which may
// be nil, receives a sentence when the server goes down, comes back or is given up.
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

// perMinute allows the requests of one second at once, and that many fewer in the rest
// of a minute, so that no minute has more than n, the first one included.
func perMinute(n int) *rate.Limiter {
	second := n / 60
	return rate.NewLimiter(rate.Limit(n-second)/60, max(1, second))
}

// Acquire waits until a request with this estimate of tokens may be sent. The caller has
// called Enter before, and releases the permit when the reply is complete. The error is an *llm.Error: the
// context has ended, or the server has been given up.
func (l *Limiter) Acquire(ctx context.Context, c Caller, tokens int) (*Permit, error) {
	defer l.entered.Add(-1)
	if l.turn.Acquire(ctx, 1) != nil {
		return nil, llm.ContextError(ctx)
	}
	defer l.turn.Release(1)
	elsewhere := func() bool { return l.Elsewhere != nil && l.Elsewhere() }
	for limited := false; ; limited = true {
		if e := l.unavailable(); e != nil && !elsewhere() {
			return nil, e
		} else if e != nil {
			return nil, ErrElsewhere
		}
		if !limited {
			if err := l.take(ctx, l.requests, 1, "the limit of requests a minute (rpm)"); err != nil {
				return nil, err
			}
			if err := l.take(ctx, l.tokens, tokens-l.takeUnused(tokens), "the limit of tokens a minute (tpm)"); err != nil {
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

// ErrElsewhere is the error of a call that waited for a server that pauses, while another one
// takes requests. The call is to be made there.
var ErrElsewhere = &llm.Error{Kind: llm.Unavailable, Again: true, Message: "another server takes requests"}

// Enter counts a call that is about to Acquire, until that ends.
func (l *Limiter) Enter() { l.entered.Add(1) }

// Load returns the number of calls in flight and waiting for a permit, for each request that may be
// in flight. ready reports whether the server takes requests now: it does not pause, or its
// pause is over and no other request tests whether it is back.
func (l *Limiter) Load() (ready bool, load float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	calls := len(l.inFlight) + int(l.entered.Load())
	return !time.Now().Before(l.pausedUntil) && !(l.down() && calls > 0), float64(calls) / max(1, l.concurrency)
}

// admit returns a permit, or how long to wait before the next attempt; 0: until something changes.
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

// wait waits for a time (0: without a limit) or a change, whichever comes first. State shows why. Only
// the call that has the turn waits.
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

func (l *Limiter) noteWait(why string, until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waitReason = why
	l.waitUntil = until
}

// take waits for n permits of a rate limiter, in parts, because rate.Limiter gives at most one burst at a time. A
// request larger than the limit of a minute waits for that limit only.
func (l *Limiter) take(ctx context.Context, from *rate.Limiter, n int, why string) error {
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

// Release ends a request. e is nil for a success.
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

// SettleTokens replaces the estimate of a request's tokens by those that it used: later requests wait for those beyond
// the estimate, and those that were not needed are given back. If the provider counts more, its answers slow the calls down.
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

// takeUnused takes of n tokens those that earlier requests waited for in the last minute and did not need.
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

// RetryPause returns the pause after a failed attempt: Backoff, doubled with each retry, or
// what the server asked for if that is longer, at most maxPause. Up to a quarter is
// added at random, so that calls that failed together do not return together.
func RetryPause(p llm.Provider, retries int, asked time.Duration) time.Duration {
	backoff := min(p.Backoff, maxPause) << min(retries, 10)
	d := min(max(backoff, asked), maxPause)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}

// maxPause caps one pause, whatever the server asks for: a wrong value of an hour must
// not stop a run, and a right one is found by asking again.
const maxPause = time.Minute
