package limits

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"compqa/llm"
)

// amounts counts what was sent to a server.
type amounts struct{ requests, tokens float64 }

// allowance is what a server said that may still be sent to it, so that it isn't
// exceeded and no 429 has to say so. A reply says how it stood when its request
// came in; since then it has shrunk by what was sent and grown as a bucket that
// is filled evenly, which is how OpenAI and Anthropic describe theirs.
type Allowance struct {
	At    time.Time // when the request came in
	sent  float64   // up to then, that request included
	Left  float64
	Limit float64   // 0: not said
	Full  time.Time // when all of limit is there again; zero: nothing is known
}

// wait is how long to wait until need is there, after so much was sent in all.
// Where the limit isn't said, all that is missing comes at the end.
func (a Allowance) Wait(now time.Time, sent, need float64) time.Duration {
	if !now.Before(a.Full) {
		return 0
	}
	left, rate := a.Left-(sent-a.sent), 0.0
	if a.Limit > a.Left {
		rate = (a.Limit - a.Left) / a.Full.Sub(a.At).Seconds()
		left += rate * now.Sub(a.At).Seconds()
		need = min(need, a.Limit) // more can't be had
	}
	switch {
	case left >= need:
		return 0
	case rate == 0:
		return a.Full.Sub(now)
	}
	return min(a.Full.Sub(now), time.Duration((need-left)/rate*float64(time.Second)))
}

// heard takes note of the rate limits in the headers of a reply.
func (t *Permit) ReadHeaders(h http.Header) {
	if !tellsLimits(h) {
		return // most servers
	}
	g := t.limiter
	g.Mu.Lock()
	defer g.Mu.Unlock()
	now := time.Now()
	theirs := llm.ServerTime(h, now)
	for _, kind := range []struct {
		allowance *Allowance
		sent      float64
		names     []rateHeader
	}{
		{&g.requestsLeft, t.sent.requests, requestHeaders},
		{&g.tokensLeft, t.sent.tokens, tokenHeaders},
	} {
		if t.At.Before(kind.allowance.At) {
			continue // of a request that was sent before the one that was heard
		}
		for _, names := range kind.names {
			if h.Get(names.left) == "" {
				continue
			}
			left, ok := amount(h.Get(names.left))
			reset, said := ResetAfter(h.Get(names.reset), theirs)
			if ok && said {
				limit, _ := amount(h.Get(names.limit))
				// The reply says when its headers were written no better than by their
				// arrival; a reset counted from there is late rather than early.
				*kind.allowance = Allowance{At: t.At, sent: kind.sent, Left: left, Limit: limit, Full: now.Add(reset)}
				break
			}
		}
	}
}

func tellsLimits(h http.Header) bool {
	for name := range h {
		if strings.Contains(name, "Ratelimit") {
			return true
		}
	}
	return false
}

// rateHeader is the names of the headers that tell one limit.
type rateHeader struct{ limit, left, reset string }

// Headers of OpenAI and the servers like it, of Anthropic, and without a unit.
var (
	requestHeaders = []rateHeader{
		{"X-Ratelimit-Limit-Requests", "X-Ratelimit-Remaining-Requests", "X-Ratelimit-Reset-Requests"},
		{"Anthropic-Ratelimit-Requests-Limit", "Anthropic-Ratelimit-Requests-Remaining", "Anthropic-Ratelimit-Requests-Reset"},
		{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"},
	}
	tokenHeaders = []rateHeader{
		{"X-Ratelimit-Limit-Tokens", "X-Ratelimit-Remaining-Tokens", "X-Ratelimit-Reset-Tokens"},
		{"Anthropic-Ratelimit-Tokens-Limit", "Anthropic-Ratelimit-Tokens-Remaining", "Anthropic-Ratelimit-Tokens-Reset"},
	}
)

func amount(text string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil && x >= 0 && x < 1e12
}

// resetAfter reads when a limit is whole again: a duration ("6m0s"), seconds, a
// time (RFC 3339), or one since 1970 in seconds or milliseconds; now is what the
// server's clock said as it wrote that.
func ResetAfter(text string, now time.Time) (time.Duration, bool) {
	text = strings.TrimSpace(text)
	if d, err := time.ParseDuration(text); err == nil {
		return max(0, d), true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return max(0, at.Sub(now)), true
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(x >= 0 && x < 1e15):
		return 0, false
	case x > 1e12:
		return max(0, time.UnixMilli(int64(x)).Sub(now)), true
	case x > 1e9:
		return max(0, time.Unix(int64(x), 0).Sub(now)), true
	}
	return time.Duration(x * float64(time.Second)), true
}
