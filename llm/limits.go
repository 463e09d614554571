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

// limits holds requests back: so many at once, and so many requests and tokens
// a minute. A nil limiter limits nothing.
type limits struct {
	slots    chan struct{}
	requests *rate.Limiter
	tokens   *rate.Limiter
}

// newLimits lets through one second's worth of requests and ten seconds' worth
// of tokens at once, so that no minute sees more than a small part above its
// limit.
func newLimits(p Provider) *limits {
	l := &limits{slots: make(chan struct{}, p.Concurrency)}
	if p.RPM > 0 {
		l.requests = rate.NewLimiter(rate.Limit(p.RPM)/60, max(1, p.RPM/60))
	}
	if p.TPM > 0 {
		l.tokens = rate.NewLimiter(rate.Limit(p.TPM)/60, max(1, p.TPM/6))
	}
	return l
}

// acquire waits until a request that is expected to take so many tokens may be
// sent. release must be called when its reply is complete.
func (l *limits) acquire(ctx context.Context, tokens int) (release func(), err error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, cancelled(ctx)
	}
	release = func() { <-l.slots }
	err = take(ctx, l.requests, 1)
	if err == nil {
		err = take(ctx, l.tokens, tokens)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// take waits for n permits, by bursts, because rate.Limiter refuses to give more
// than a burst at a time. What exceeds a minute's worth isn't waited for: such a
// request can't be helped.
func take(ctx context.Context, l *rate.Limiter, n int) error {
	if l == nil {
		return nil
	}
	n = min(n, int(l.Limit()*60))
	for n > 0 {
		part := min(n, l.Burst())
		if err := l.WaitN(ctx, part); err != nil {
			if ctx.Err() != nil {
				return cancelled(ctx)
			}
			// rate.Limiter gives up beforehand when the deadline would pass.
			return &Error{Kind: Cancelled, Message: err.Error(), cause: context.DeadlineExceeded}
		}
		n -= part
	}
	return nil
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

// estimate is how many tokens a request is expected to take: four bytes of
// prompt to a token, as in English text, and the limit of the reply.
func estimate(req Request) int {
	n := len(req.Schema)
	for _, m := range req.Messages {
		n += len(m.Content)
	}
	limit, ok := replyLimit(req.Options)
	if !ok {
		limit = answerRoom
	}
	return n/4 + limit
}

// limitNames are the options that limit a reply, in the order of precedence.
var limitNames = []string{"max_completion_tokens", "max_tokens", "num_predict"}

// replyLimit is the limit of a reply in tokens, if options set a positive one.
func replyLimit(options map[string]any) (int, bool) {
	for _, name := range limitNames {
		if n, ok := number(options[name]); ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// number reads an integer option, which YAML or JSON may have made a float.
func number(v any) (int, bool) {
	text, err := json.Marshal(v)
	if err != nil {
		return 0, false
	}
	var n int
	return n, v != nil && json.Unmarshal(text, &n) == nil
}
