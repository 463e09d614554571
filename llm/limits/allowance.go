package limits

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"compqa/llm"
)

// Allowance is the state of one rate limit, as a server's headers report it. The limiter obeys it, so that the server does not reply with
// status 429. The headers describe the moment when the request arrived. Since then, requests have used part of the allowance, and it has
// grown at a constant rate, as OpenAI and Anthropic document.
type Allowance struct {
	SentAt    time.Time // when the request was sent
	Sent      float64   // requests or tokens sent up to then, including that request
	Remaining float64
	Limit     float64   // 0: unknown
	ResetAt   time.Time // when the whole limit is available again; zero: nothing is known
}

// Wait returns how long to wait until need is available. sent is the total sent up to now. If the limit is unknown, everything becomes
// available only at the time Full.
func (a Allowance) Wait(now time.Time, sent, need float64) time.Duration {
	if !now.Before(a.ResetAt) {
		return 0
	}
	left := a.Remaining - (sent - a.Sent)
	rate := 0.0
	if a.Limit > a.Remaining {
		rate = (a.Limit - a.Remaining) / a.ResetAt.Sub(a.SentAt).Seconds()
		left += rate * now.Sub(a.SentAt).Seconds()
		need = min(need, a.Limit) // more is never available
	}
	if left >= need {
		return 0
	}
	return time.Duration(min(a.ResetAt.Sub(now).Seconds(), (need-left)/rate) * float64(time.Second))
}

// rateHeaders are the names of the headers about requests and about tokens: of OpenAI and compatible servers, of Anthropic, and without a
// unit.
var rateHeaders = [2][]string{
	{"X-Ratelimit-%s-Requests", "Anthropic-Ratelimit-Requests-%s", "X-Ratelimit-%s"},
	{"X-Ratelimit-%s-Tokens", "Anthropic-Ratelimit-Tokens-%s"},
}

// ReadHeaders reads rate limits from the headers of a reply. It ignores them if a later request has already reported.
func (l *Limiter) ReadHeaders(p *Permit, h http.Header) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, names := range rateHeaders {
		for _, name := range names {
			value := func(what string) string { return h.Get(fmt.Sprintf(name, what)) }
			left, counted := amount(value("Remaining"))
			if !counted || p.Started.Before(l.allowed[i].SentAt) { // a later request has reported already
				continue
			}
			reset, known := ResetAfter(value("Reset"), llm.ServerTime(h, now))
			if !known {
				continue
			}
			limit, _ := amount(value("Limit"))
			// The headers were written at some time before they arrived. A reset counted from their arrival
			// is late rather than early.
			l.allowed[i] = Allowance{SentAt: p.Started, Sent: p.sent[i], Remaining: left, Limit: limit, ResetAt: now.Add(reset)}
			break
		}
	}
}

// amount parses a header's number. It returns false for a text that is not a number from 0 to 1e12.
func amount(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x < 1e12) {
		return 0, false
	}
	return x, true
}

// ResetAfter parses the time until a limit is fully available. The text is a duration ("6m0s"), seconds, a time (RFC 3339), or a Unix time
// in seconds or milliseconds. now is the server's time when it sent the header.
func ResetAfter(text string, now time.Time) (time.Duration, bool) {
	x, err := strconv.ParseFloat(text, 64)
	when := now.Add(time.Duration(x * float64(time.Second)))
	switch {
	case err != nil:
		when, err = time.Parse(time.RFC3339, text)
		if err != nil {
			d, err := time.ParseDuration(text)
			return max(0, d), err == nil
		}
	case !(x >= 0 && x < 1e15):
		return 0, false
	case x > 1e12:
		when = time.UnixMilli(int64(x))
	case x > 1e9:
		when = time.Unix(int64(x), 0)
	}
	return max(0, when.Sub(now)), true
}
