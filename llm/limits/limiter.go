package limits

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"compqa/llm"
)

// gate lets requests through to one server: as many at once as it bears, none
// while it has asked for a pause, and one now and then while it is down.
//
// How many go at once is found as TCP finds it (Jacobson, 1988): it begins at
// the declared number, is halved when the server says that it has too much to
// do, at most once for all that were under way together, and grows by a step
// with each round of successes. After a pause that the server asked for it begins
// at a half of that, after a failure at one, and doubles with each round, so that
// whoever waited doesn't come all at once.
type limiter struct {
	p       llm.Provider
	notice  func(string)
	changed chan struct{} // has an element when who waits should look again

	Mu          sync.Mutex
	Concurrency float64              // at present, from 1 to the declared number
	target      float64              // below it atOnce doubles with each round
	InFlight    map[*Permit]struct{} // requests whose reply isn't complete
	Queued      []*queued            // calls that wait for a place, in the order they came
	epoch       int                  // grows with each back-off: what was sent before says nothing about it
	PausedUntil time.Time            // nothing is sent before
	PauseReason string               // why not

	since      time.Time // of the first failure after the last sign of life; zero: all is well
	failures   int       // of the server itself since then
	lastFailed caller    // whose call failed last
	manyFailed bool      // they were of more than one call
	pauses     int       // made since it is down
	abandoned  bool      // it has been down for so long that nobody waits for it any more

	requestsLeft, tokensLeft Allowance
	sent                     amounts   // in all
	last                     time.Time // when the latest request was sent
}

// A server is down after so many failures in a row, without any sign of life
// between them, of more than one call: a request that a server can't digest
// mustn't pass for its end.
const downAfter = 8

// ticket is one request under way.
type Permit struct {
	limiter *limiter
	call    caller
	epoch   int
	At      time.Time
	sent    amounts // by the gate in all, this request included
}

func newLimiter(p llm.Provider, notice func(string)) *limiter {
	if notice == nil {
		notice = func(string) {}
	}
	most := float64(p.Concurrency)
	return &limiter{p: p, notice: notice, Concurrency: most, target: most, InFlight: map[*Permit]struct{}{}, changed: make(chan struct{}, 1)}
}

// enter lets a request through that is expected to take so many tokens. Without
// a ticket and an error it says for how long to wait before asking again; 0: for
// a change alone. The error says that the server has been given up.
func (g *limiter) enter(c caller, tokens int) (*Permit, time.Duration, error) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return g.admit(c, tokens, time.Now())
}

// admit is enter for who holds the lock.
func (g *limiter) admit(c caller, tokens int, now time.Time) (*Permit, time.Duration, error) {
	if e := g.unavailable(now); e != nil {
		return nil, 0, e
	}
	if wait := g.PausedUntil.Sub(now); wait > 0 {
		return nil, wait, nil
	}
	if len(g.InFlight) >= int(g.Concurrency) {
		return nil, 0, nil
	}
	if now.Sub(g.last) < maxPause { // a reset named by mistake mustn't stop a run
		wait := max(g.requestsLeft.Wait(now, g.sent.requests, 1), g.tokensLeft.Wait(now, g.sent.tokens, float64(tokens)))
		if wait > 0 {
			return nil, min(wait, maxPause), nil
		}
	}
	g.sent.requests++
	g.sent.tokens += float64(tokens)
	g.last = now
	t := &Permit{limiter: g, call: c, epoch: g.epoch, At: now, sent: g.sent}
	g.InFlight[t] = struct{}{}
	return t, 0, nil
}

// leave takes note of how a request ended; nil is a success.
func (g *limiter) Release(t *Permit, e *llm.Error) {
	g.Mu.Lock()
	delete(g.InFlight, t)
	said := ""
	busy, ill := e.ServerProblem()
	switch {
	case busy || ill:
		said = g.worse(t, e, busy, ill)
	case e != nil && e.ForAll:
		said = g.refused(t, e)
	case e == nil || e.HTTPStatus != 0:
		said = g.better(t)
	}
	wait, err := g.move(time.Now())
	plain := e == nil && wait == 0 && err == nil && len(g.Queued) > 0 // then nobody has to look for more
	g.Mu.Unlock()
	if !plain {
		g.wake()
	}
	if said != "" {
		g.notice(said)
	}
}

func (g *limiter) wake() {
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// better: the server answers.
func (g *limiter) better(t *Permit) (said string) {
	if g.down() || g.abandoned {
		said = fmt.Sprintf("answers again, after %s", time.Since(g.since).Round(time.Second))
		g.PausedUntil = time.Time{}
	}
	g.since, g.failures, g.lastFailed, g.manyFailed, g.pauses, g.abandoned = time.Time{}, 0, nil, false, 0, false
	if t.epoch != g.epoch {
		return said
	}
	if g.Concurrency < g.target {
		g.Concurrency++
	} else {
		g.Concurrency += max(1, float64(g.p.Concurrency)/20) / g.Concurrency
	}
	g.Concurrency = min(g.Concurrency, float64(g.p.Concurrency))
	return said
}

// worse: the server has too much to do, or fails.
func (g *limiter) worse(t *Permit, e *llm.Error, busy, ill bool) (said string) {
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	first := t.epoch == g.epoch // that says so after the last back-off
	was := g.down()
	if ill || busy && int(g.Concurrency) == 1 { // who refuses even one at a time isn't there for anybody
		g.failed(t)
	}
	isDown := g.down()
	if g.Concurrency > 1 && (busy && first || isDown && !was) {
		g.target = max(1, g.Concurrency/2)
		g.Concurrency = g.target
		g.epoch++
	}
	if busy && e.RetryAfter > 0 {
		g.close(now.Add(min(e.RetryAfter, maxPause)), g.target/2, "the server asked for a pause: "+e.Brief())
	}
	if isDown && (first || !was) {
		g.close(now.Add(RetryPause(g.p, g.pauses, e.RetryAfter)), 1, "the server is down: "+e.Brief())
		g.pauses++
		if !was {
			said = fmt.Sprintf("is down (%s): paused, and asked again from time to time", e.Brief())
		}
	}
	if over := now.Sub(g.since); g.p.GiveUp > 0 && over >= g.p.GiveUp && (isDown || busy) {
		if !g.abandoned {
			said = fmt.Sprintf("has not answered for %s (%s): given up for now; what is left of it stays pending", over.Round(time.Second), e.Brief())
		}
		g.abandoned = true
		g.close(now.Add(maxPause), 1, e.Brief())
	}
	return said
}

// failed counts a failure that is the server's.
func (g *limiter) failed(t *Permit) {
	g.failures++
	g.manyFailed = g.manyFailed || g.lastFailed != nil && g.lastFailed != t.call
	g.lastFailed = t.call
}

// refused: the server is there and does nothing for us, for want of a right key or
// of credit. That doesn't pass by itself: it is given up at once, so that it isn't
// bothered with all the rest.
func (g *limiter) refused(t *Permit, e *llm.Error) (said string) {
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	if g.failed(t); !g.down() {
		return ""
	}
	if !g.abandoned {
		said = fmt.Sprintf("refuses everything (%s): given up for now; what is left of it stays pending", e.Brief())
	}
	g.abandoned = true
	g.close(now.Add(maxPause), 1, e.Brief())
	return said
}

// close lets nothing through before a time, and then at first so many at once.
func (g *limiter) close(until time.Time, atOnce float64, why string) {
	if until.After(g.PausedUntil) {
		g.PausedUntil, g.PauseReason = until, why
	}
	g.Concurrency = max(1, atOnce)
	g.epoch++
}

func (g *limiter) down() bool { return g.failures >= downAfter && g.manyFailed }

// isDown says whether a failure is the server's rather than the call's.
func (g *limiter) IsDown() bool {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return g.down()
}

// givenUp is the error of a call that isn't made, because the server has been
// given up; nil where it hasn't, or is being asked whether it is back.
func (g *limiter) givenUp() *llm.Error {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	return g.unavailable(time.Now())
}

func (g *limiter) unavailable(now time.Time) *llm.Error {
	if !g.abandoned || now.After(g.PausedUntil) {
		return nil
	}
	return llm.Errorf(llm.Unavailable, "nothing was sent, the server has not answered for %s: %s", now.Sub(g.since).Round(time.Second), g.PauseReason)
}

// pause is how long to wait after the failure of a try: Backoff, doubled with
// each retry made, or longer where the server says so, at most maxPause; and up
// to a quarter more by chance, never less, so that calls that failed together
// don't come back together.
func RetryPause(p llm.Provider, retries int, asked time.Duration) time.Duration {
	backoff := min(p.Backoff, maxPause) << min(retries, 10)
	d := min(max(backoff, asked), maxPause)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}

// A caller is the call that a request belongs to: any value that is equal to itself alone.
type caller any

// maxPause caps one pause, whatever the server asks for: an hour named by
// mistake mustn't stop a run, and a right one is found out by asking again.
const maxPause = time.Minute
