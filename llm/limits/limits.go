package limits

import (
	"context"
	"time"

	"golang.org/x/time/rate"

	"compqa/llm"
)

// limits holds requests back: so many at once, so many requests and tokens a
// minute, and none that the server doesn't want. A nil limiter limits nothing.
//
// Calls are let through in the order they came: in a line (see queued), or, where
// requests or tokens a minute are limited, by a turn that is handed on. Who has the
// turn waits for the server, and its reason is that of all.
type Limits struct {
	*limiter
	Turn     chan struct{}
	requests *rate.Limiter
	tokens   *rate.Limiter

	Waiting     int                      // calls that are not under way; guarded by gate.mu, as holds
	WaitReasons map[*waitReason]struct{} // what they wait for
}

// hold is something that one call, and perhaps all behind it, waits for.
type waitReason struct {
	Why   string
	Until time.Time
}

func NewLimits(p llm.Provider, notice func(string)) *Limits {
	l := &Limits{limiter: newLimiter(p, notice), Turn: make(chan struct{}, 1), WaitReasons: map[*waitReason]struct{}{}}
	if p.RPM > 0 {
		l.requests = perMinute(p.RPM)
	}
	if p.TPM > 0 {
		l.tokens = perMinute(p.TPM)
	}
	return l
}

// perMinute lets one second's worth through at once, and that much less in the
// rest of a minute, so that none sees more than n, the first one included.
func perMinute(n int) *rate.Limiter {
	second := n / 60
	return rate.NewLimiter(rate.Limit(n-second)/60, max(1, second))
}

// acquire waits until a request that is expected to take so many tokens may be
// sent. leave must be called with the ticket when its reply is complete.
func (l *Limits) Acquire(ctx context.Context, c caller, tokens int) (*Permit, error) {
	if ctx.Err() != nil {
		return nil, llm.ContextError(ctx)
	}
	if l.requests == nil && l.tokens == nil {
		return l.queue(ctx, c, tokens)
	}
	select {
	case l.Turn <- struct{}{}:
	case <-ctx.Done():
		return nil, llm.ContextError(ctx)
	}
	defer func() { <-l.Turn }()
	if e := l.givenUp(); e != nil {
		return nil, e
	}
	if err := l.take(ctx, l.requests, 1, "the limit of requests a minute (rpm)"); err != nil {
		return nil, err
	}
	if err := l.take(ctx, l.tokens, tokens, "the limit of tokens a minute (tpm)"); err != nil {
		return nil, err
	}
	for {
		t, wait, err := l.enter(c, tokens)
		if t != nil || err != nil {
			return t, err
		}
		if _, err := l.wait(ctx, wait, nil); err != nil {
			return nil, err
		}
	}
}

// wait waits for a change of the gate, or for a place given to who waits, and no
// longer than so long; 0: as long as it takes.
func (l *Limits) wait(ctx context.Context, most time.Duration, place <-chan *Permit) (*Permit, error) {
	var over <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
		defer l.NoteWait("the rate limit that the server tells", most)()
	}
	select {
	case t := <-place:
		return t, nil
	case <-l.changed:
	case <-over:
	case <-ctx.Done():
		return nil, llm.ContextError(ctx)
	}
	return nil, nil
}

// hold notes what is waited for until the function it returns is called.
func (l *Limits) NoteWait(why string, d time.Duration) (over func()) {
	h := &waitReason{why, time.Now().Add(d)}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.WaitReasons[h] = struct{}{}
	return func() {
		l.Mu.Lock()
		defer l.Mu.Unlock()
		delete(l.WaitReasons, h)
	}
}

// holdForMoney notes a wait for the bills of requests under way.
func (l *Limits) NoteBudgetWait() (over func()) {
	return l.NoteWait("the bill of the requests in flight says whether the budget covers more", 0)
}

// waits counts the calls that are not under way.
func (l *Limits) AddWaiting(change int) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	l.Waiting += change
}

// take waits for n permits, by bursts, because rate.Limiter refuses to give more
// than a burst at a time. What exceeds a minute's worth isn't waited for: such a
// request can't be helped.
func (l *Limits) take(ctx context.Context, from *rate.Limiter, n int, why string) error {
	if from == nil {
		return nil
	}
	n = min(n, int(from.Limit()*60))
	for n > 0 {
		part := min(n, from.Burst())
		r := from.ReserveN(time.Now(), part)
		if err := l.Sleep(ctx, r.Delay(), why); err != nil {
			r.Cancel()
			return err
		}
		n -= part
	}
	return nil
}

// sleep pauses, and gives up beforehand when the deadline would pass.
func (l *Limits) Sleep(ctx context.Context, d time.Duration, why string) error {
	if d <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return &llm.Error{Kind: llm.Cancelled, Message: "no time is left to wait for " + why, Cause: context.DeadlineExceeded}
	}
	defer l.NoteWait(why, d)()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return llm.ContextError(ctx)
	}
}

// settle charges what a reply took beyond the estimate; later requests wait for
// it. What it took less isn't given back: a provider counts a request's limit of
// tokens, not its use.
func (l *Limits) Settle(estimated int, u llm.Usage) {
	if l.tokens == nil || u.Prompt == nil || u.Completion == nil {
		return
	}
	for more := *u.Prompt + *u.Completion - estimated; more > 0; {
		part := min(more, l.tokens.Burst())
		l.tokens.ReserveN(time.Now(), part)
		more -= part
	}
}

// estimate is how many tokens a request is expected to take: those of its
// prompt, and the limit of the reply.
func EstimateTokens(req llm.Request) int {
	limit, ok := llm.ReplyLimit(req.Options)
	if !ok {
		limit = llm.DefaultReplyTokens
	}
	return req.Size()/bytesPerToken + limit
}
