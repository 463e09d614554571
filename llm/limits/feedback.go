package limits

import (
	"fmt"
	"time"

	"compqa/llm"
)

// The limiter adapts to the server as TCP does (Jacobson 1988). It starts with the configured concurrency. When the server reports overload
// or a request times out, it halves the concurrency, at most once for all requests that were in flight together. It raises the concurrency
// by a step with each round of successes. After a pause that the server asked for, it starts at half the concurrency, and after an outage
// at one. Then it doubles with each round, so that waiting calls do not arrive all at once.

// slowdown divides the growth of the concurrency after a time-out, because each attempt at a higher concurrency may cost a whole timeout.
const slowdown = 8

// downAfter is the number of consecutive failures after which a server counts as down. They must be of more than one call, because a single
// request that a server cannot handle says nothing about the server. A server next to others counts as down after downBesideAfter failures:
// failed calls leave it at once, so it would get most calls, and the others can make them.
const (
	downAfter       = 8
	downBesideAfter = 2
)

// adapt learns from the end of a request. It returns a sentence for the user if the server's state has changed, and "" otherwise.
func (l *Limiter) adapt(p *Permit, e *llm.Error) (notice string) {
	overloaded, failing := e.ServerProblem()
	switch {
	case failing:
		if l.latest[0].caller != p.caller {
			l.latest[1] = l.latest[0]
		}
		l.latest[0] = failed{p.caller, time.Now()}
	case (e == nil || e.HTTPStatus != 0) && p.Started.After(l.lastAnswered):
		l.lastAnswered = p.Started
	}
	switch {
	case overloaded || failing:
		return l.onFailure(p, e, overloaded, failing)
	case e != nil && e.Concerns == llm.AllModels:
		return l.onRefusal(p, e)
	case e == nil || e.HTTPStatus != 0:
		return l.onSuccess(p)
	}
	return ""
}

// onSuccess handles a reply, which shows that the server works.
func (l *Limiter) onSuccess(p *Permit) (notice string) {
	if l.isDown() || l.abandoned {
		notice = fmt.Sprintf("answers again, after %s", time.Since(l.failingSince).Round(time.Second))
		l.pausedUntil = time.Time{}
	}
	l.failingSince = time.Time{}
	l.failures = 0
	l.lastFailed = nil
	l.manyFailed = false
	l.pauses = 0
	l.abandoned = false
	if p.epoch != l.epoch {
		return notice
	}
	if l.concurrency < l.target {
		l.concurrency++
	} else {
		step := max(1, float64(l.provider.Concurrency)/20)
		if l.timedOut {
			step /= slowdown
		}
		l.concurrency += step / l.concurrency
	}
	l.concurrency = min(l.concurrency, float64(l.provider.Concurrency))
	return notice
}

// onFailure handles a server that is overloaded or fails. It counts the failure, lowers the concurrency, pauses, and gives the server up
// after GiveUp.
func (l *Limiter) onFailure(p *Permit, e *llm.Error, overloaded, failing bool) (notice string) {
	now := time.Now()
	if l.failingSince.IsZero() {
		l.failingSince = now
	}
	first := p.epoch == l.epoch // the first report after the last reduction
	wasDown := l.isDown()
	if failing || overloaded && int(l.concurrency) == 1 { // a server that refuses even a single request is down
		l.countFailure(p)
	}
	isDown := l.isDown()
	if l.concurrency > 1 && (overloaded && first || isDown && !wasDown) {
		l.target = max(1, l.concurrency/2)
		l.concurrency = l.target
		l.timedOut = e.TimedOut
		l.epoch++
	}
	if overloaded && e.RetryAfter > 0 {
		l.pause(now.Add(min(e.RetryAfter, maxPause)), l.target/2, "the server asked for a pause: "+e.Brief())
	}
	if isDown && (first || !wasDown) {
		l.pause(now.Add(RetryPause(l.provider, l.pauses, e.RetryAfter)), 1, "the server is down: "+e.Brief())
		l.pauses++
		if !wasDown {
			notice = fmt.Sprintf("is down (%s): paused, tried again from time to time", e.Brief())
		}
	}
	if over := now.Sub(l.failingSince); l.provider.GiveUp > 0 && over >= l.provider.GiveUp && (isDown || overloaded && !e.TimedOut) {
		if given := l.abandon(fmt.Sprintf("has not answered for %s", over.Round(time.Second)), e); given != "" {
			notice = given
		}
	}
	return notice
}

// abandon gives the server up: until a pause has passed, calls fail at once.
func (l *Limiter) abandon(what string, e *llm.Error) (notice string) {
	if !l.abandoned {
		notice = fmt.Sprintf("%s (%s): no further calls for now; its remaining calls stay pending", what, e.Brief())
	}
	l.abandoned = true
	l.pause(time.Now().Add(maxPause), 1, e.Brief())
	return notice
}

// onRefusal handles a server that rejects every request, because the key is wrong or the account has no credit. That does not change by
// itself, so once the failures count as down, the server is given up.
func (l *Limiter) onRefusal(p *Permit, e *llm.Error) (notice string) {
	if l.failingSince.IsZero() {
		l.failingSince = time.Now()
	}
	l.countFailure(p)
	if !l.isDown() {
		return ""
	}
	return l.abandon("refuses everything", e)
}

// countFailure counts a failure of the server.
func (l *Limiter) countFailure(p *Permit) {
	l.failures++
	l.manyFailed = l.manyFailed || l.lastFailed != nil && l.lastFailed != p.caller
	l.lastFailed = p.caller
}

// pause makes the limiter send nothing before a time, and then continue with the given concurrency.
func (l *Limiter) pause(until time.Time, concurrency float64, why string) {
	if until.After(l.pausedUntil) {
		l.pausedUntil = until
		l.pauseReason = why
	}
	l.concurrency = max(1, concurrency)
	l.epoch++
}

// isDown reports whether the server counts as down; see downAfter.
func (l *Limiter) isDown() bool {
	if l.OtherServerFree != nil {
		return l.failures >= downBesideAfter && l.manyFailed
	}
	return l.failures >= downAfter && l.manyFailed
}

// IsDown reports whether failures come from the server rather than from single calls.
func (l *Limiter) IsDown() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isDown()
}

// Suspect reports whether a call's failures probably come from the server. sent and failed are when its first request was sent and failed.
// Since then another call must have failed, and the server must not have replied to any request sent after failed. A reply to an earlier
// request says nothing, because the server may have sent it before it went down.
func (l *Limiter) Suspect(c Caller, sent, failed time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lastAnswered.After(failed) {
		return false
	}
	for _, f := range l.latest {
		if f.caller != nil && f.caller != c && !f.when.Before(sent) {
			return true
		}
	}
	return false
}

// unavailable returns the error of calls to a server that has been given up. It returns nil for another server, and when the pause is over
// and one call tests whether the server is back.
func (l *Limiter) unavailable() *llm.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if !l.abandoned || now.After(l.pausedUntil) {
		return nil
	}
	return llm.Errorf(llm.Unavailable, "nothing was sent, because the server has not answered for %s: %s",
		now.Sub(l.failingSince).Round(time.Second), l.pauseReason)
}
