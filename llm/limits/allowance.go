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

// Allowance is what a server's rate-limit headers allow. The limiter obeys it, so
// that the server does not answer 429. The headers of a reply describe the
// moment when its request arrived. Since then the allowance has shrunk by what was
// sent, and it has grown evenly, as OpenAI and Anthropic describe it.
type Allowance struct {
	At    time.Time // when the request came in
	sent  float64   // up to then, including that request
	Left  float64
	Limit float64   // 0: unknown
	Full  time.Time // when the whole limit is available again; zero: nothing is known
}

// Wait is how long to wait until need is available; sent is the total up to now. If
// the limit is unknown, everything becomes available at the end.
func (a Allowance) Wait(now time.Time, sent, need float64) time.Duration {
	if !now.Before(a.Full) {
		return 0
	}
	left, rate := a.Left-(sent-a.sent), 0.0
	if a.Limit > a.Left {
		rate = (a.Limit - a.Left) / a.Full.Sub(a.At).Seconds()
		left += rate * now.Sub(a.At).Seconds()
		need = min(need, a.Limit) // more is never available
	}
	switch {
	case left >= need:
		return 0
	case rate == 0:
		return a.Full.Sub(now)
	}
	return min(a.Full.Sub(now), time.Duration((need-left)/rate*float64(time.Second)))
}

// ReadHeaders reads the rate limits in the headers of a reply.
func (p *Permit) ReadHeaders(h http.Header) {
	l := p.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	serverNow := llm.ServerTime(h, now)
	for _, kind := range []struct {
		allowance *Allowance
		sent      float64
		names     []rateHeader
	}{
		{&l.requestsLeft, p.sent.requests, requestHeaders},
		{&l.tokensLeft, p.sent.tokens, tokenHeaders},
	} {
		if p.Started.Before(kind.allowance.At) {
			continue // a later request has already reported
		}
		for _, names := range kind.names {
			left, ok := amount(h.Get(names.left))
			reset, known := ResetAfter(h.Get(names.reset), serverNow)
			if ok && known {
				limit, _ := amount(h.Get(names.limit))
				// The headers were written at some time before they arrived. A reset
				// counted from their arrival is late rather than early.
				*kind.allowance = Allowance{At: p.Started, sent: kind.sent, Left: left, Limit: limit, Full: now.Add(reset)}
				break
			}
		}
	}
}

// rateHeader holds the names of the headers of one limit.
type rateHeader struct{ limit, left, reset string }

// The headers of OpenAI and compatible servers, of Anthropic, and those without a unit.
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

// ResetAfter parses the time until a limit is available in full: a duration ("6m0s"),
// seconds, a time (RFC 3339), or a Unix time in seconds or milliseconds. now is the
// server's time when it sent the header.
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
