package llm

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/time/rate"
)

// answerRoom is how many tokens a reply is expected to take where the request
// sets no limit.
const answerRoom = 2048

// limits holds requests back: so many at once, so many requests and tokens a
// minute, and none that the server doesn't want. A nil limiter limits nothing.
//
// Calls are let through in the order they came: in a line (see queued), or, where
// requests or tokens a minute are limited, by a turn that is handed on. Who has the
// turn waits for the server, and its reason is that of all.
type limits struct {
	*gate
	turn     chan struct{}
	requests *rate.Limiter
	tokens   *rate.Limiter

	waiting int                // calls that are not under way; guarded by gate.mu, as holds
	holds   map[*hold]struct{} // what they wait for
}

// hold is something that one call, and perhaps all behind it, waits for.
type hold struct {
	why   string
	until time.Time
}

func newLimits(p Provider, notice func(string)) *limits {
	l := &limits{gate: newGate(p, notice), turn: make(chan struct{}, 1), holds: map[*hold]struct{}{}}
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
func (l *limits) acquire(ctx context.Context, c caller, tokens int) (*ticket, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	if l.requests == nil && l.tokens == nil {
		return l.queue(ctx, c, tokens)
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
	defer func() { <-l.turn }()
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
func (l *limits) wait(ctx context.Context, most time.Duration, place <-chan *ticket) (*ticket, error) {
	var over <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		over = timer.C
		defer l.hold("the rate limit that the server tells", most)()
	}
	select {
	case t := <-place:
		return t, nil
	case <-l.changed:
	case <-over:
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
	return nil, nil
}

// hold notes what is waited for until the function it returns is called.
func (l *limits) hold(why string, d time.Duration) (over func()) {
	h := &hold{why, time.Now().Add(d)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holds[h] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.holds, h)
	}
}

// holdForMoney notes a wait for the bills of requests under way.
func (l *limits) holdForMoney() (over func()) {
	return l.hold("the bill of the requests in flight says whether the budget covers more", 0)
}

// waits counts the calls that are not under way.
func (l *limits) waits(change int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting += change
}

// take waits for n permits, by bursts, because rate.Limiter refuses to give more
// than a burst at a time. What exceeds a minute's worth isn't waited for: such a
// request can't be helped.
func (l *limits) take(ctx context.Context, from *rate.Limiter, n int, why string) error {
	if from == nil {
		return nil
	}
	n = min(n, int(from.Limit()*60))
	for n > 0 {
		part := min(n, from.Burst())
		r := from.ReserveN(time.Now(), part)
		if err := l.sleep(ctx, r.Delay(), why); err != nil {
			r.Cancel()
			return err
		}
		n -= part
	}
	return nil
}

// sleep pauses, and gives up beforehand when the deadline would pass.
func (l *limits) sleep(ctx context.Context, d time.Duration, why string) error {
	if d <= 0 {
		return nil
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < d {
		return &Error{Kind: Cancelled, Message: "no time is left to wait for " + why, cause: context.DeadlineExceeded}
	}
	defer l.hold(why, d)()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}

// settle charges what a reply took beyond the estimate; later requests wait for
// it. What it took less isn't given back: a provider counts a request's limit of
// tokens, not its use.
func (l *limits) settle(estimated int, u Usage) {
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
func estimate(req Request) int {
	limit, ok := ReplyLimit(req.Options)
	if !ok {
		limit = answerRoom
	}
	return req.size()/bytesPerToken + limit
}

// limitNames are the options that limit a reply, in the order of precedence.
var limitNames = []string{"max_completion_tokens", "max_tokens", "num_predict"}

// ReplyLimit is the limit of a reply in tokens, if options set a positive one.
func ReplyLimit(options map[string]any) (int, bool) {
	for _, name := range limitNames {
		if n, ok := number(options[name]); ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// number reads an integer option, which YAML or JSON may have made a float.
func number(v any) (int, bool) {
	if v == nil {
		return 0, false // nearly always, and asked several times a call
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0, false
	}
	var n int
	return n, json.Unmarshal(text, &n) == nil
}
