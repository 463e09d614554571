package llm

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
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
type gate struct {
	p       Provider
	notice  func(string)
	changed chan struct{} // has an element when who waits should look again

	mu       sync.Mutex
	atOnce   float64              // at present, from 1 to the declared number
	target   float64              // below it atOnce doubles with each round
	underWay map[*ticket]struct{} // requests whose reply isn't complete
	line     []*queued            // calls that wait for a place, in the order they came
	epoch    int                  // grows with each back-off: what was sent before says nothing about it
	closed   time.Time            // nothing is sent before
	reason   string               // why not

	since    time.Time // of the first failure after the last sign of life; zero: all is well
	failures int       // of the server itself since then
	failer   caller    // whose call failed last
	several  bool      // they were of more than one call
	pauses   int       // made since it is down
	gone     bool      // it has been down for so long that nobody waits for it any more

	requestsLeft, tokensLeft allowance
	sent                     amounts   // in all
	last                     time.Time // when the latest request was sent
}

// A server is down after so many failures in a row, without any sign of life
// between them, of more than one call: a request that a server can't digest
// mustn't pass for its end.
const downAfter = 8

// A caller is the call that a request belongs to: any value that is equal to itself alone.
type caller any

// ticket is one request under way.
type ticket struct {
	gate  *gate
	call  caller
	epoch int
	at    time.Time
	sent  amounts // by the gate in all, this request included
}

func newGate(p Provider, notice func(string)) *gate {
	if notice == nil {
		notice = func(string) {}
	}
	most := float64(p.Concurrency)
	return &gate{p: p, notice: notice, atOnce: most, target: most, underWay: map[*ticket]struct{}{}, changed: make(chan struct{}, 1)}
}

// enter lets a request through that is expected to take so many tokens. Without
// a ticket and an error it says for how long to wait before asking again; 0: for
// a change alone. The error says that the server has been given up.
func (g *gate) enter(c caller, tokens int) (*ticket, time.Duration, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.admit(c, tokens, time.Now())
}

// admit is enter for who holds the lock.
func (g *gate) admit(c caller, tokens int, now time.Time) (*ticket, time.Duration, error) {
	if e := g.unavailable(now); e != nil {
		return nil, 0, e
	}
	if wait := g.closed.Sub(now); wait > 0 {
		return nil, wait, nil
	}
	if len(g.underWay) >= int(g.atOnce) {
		return nil, 0, nil
	}
	if now.Sub(g.last) < maxPause { // a reset named by mistake mustn't stop a run
		wait := max(g.requestsLeft.wait(now, g.sent.requests, 1), g.tokensLeft.wait(now, g.sent.tokens, float64(tokens)))
		if wait > 0 {
			return nil, min(wait, maxPause), nil
		}
	}
	g.sent.requests++
	g.sent.tokens += float64(tokens)
	g.last = now
	t := &ticket{gate: g, call: c, epoch: g.epoch, at: now, sent: g.sent}
	g.underWay[t] = struct{}{}
	return t, 0, nil
}

// leave takes note of how a request ended; nil is a success.
func (g *gate) leave(t *ticket, e *Error) {
	g.mu.Lock()
	delete(g.underWay, t)
	said := ""
	busy, ill := e.signs()
	switch {
	case busy || ill:
		said = g.worse(t, e, busy, ill)
	case e != nil && e.forAll:
		said = g.refused(t, e)
	case e == nil || e.HTTPStatus != 0:
		said = g.better(t)
	}
	wait, err := g.move(time.Now())
	plain := e == nil && wait == 0 && err == nil && len(g.line) > 0 // then nobody has to look for more
	g.mu.Unlock()
	if !plain {
		g.wake()
	}
	if said != "" {
		g.notice(said)
	}
}

func (g *gate) wake() {
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// signs says what an error tells about the server: that it has too much to do,
// and that it fails whatever it is asked.
func (e *Error) signs() (busy, ill bool) {
	if e == nil || !e.Retriable {
		return false, false
	}
	busy = e.HTTPStatus == 429 || e.HTTPStatus == 503 || e.HTTPStatus == 529
	return busy, e.HTTPStatus == 0 || e.HTTPStatus >= 500 && e.HTTPStatus != 529
}

// better: the server answers.
func (g *gate) better(t *ticket) (said string) {
	if g.down() || g.gone {
		said = fmt.Sprintf("answers again, after %s", time.Since(g.since).Round(time.Second))
		g.closed = time.Time{}
	}
	g.since, g.failures, g.failer, g.several, g.pauses, g.gone = time.Time{}, 0, nil, false, 0, false
	if t.epoch != g.epoch {
		return said
	}
	if g.atOnce < g.target {
		g.atOnce++
	} else {
		g.atOnce += max(1, float64(g.p.Concurrency)/20) / g.atOnce
	}
	g.atOnce = min(g.atOnce, float64(g.p.Concurrency))
	return said
}

// worse: the server has too much to do, or fails.
func (g *gate) worse(t *ticket, e *Error, busy, ill bool) (said string) {
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	first := t.epoch == g.epoch // that says so after the last back-off
	was := g.down()
	if ill || busy && int(g.atOnce) == 1 { // who refuses even one at a time isn't there for anybody
		g.failed(t)
	}
	isDown := g.down()
	if g.atOnce > 1 && (busy && first || isDown && !was) {
		g.target = max(1, g.atOnce/2)
		g.atOnce = g.target
		g.epoch++
	}
	if busy && e.RetryAfter > 0 {
		g.close(now.Add(min(e.RetryAfter, maxPause)), g.target/2, "the server asked for a pause: "+e.brief())
	}
	if isDown && (first || !was) {
		g.close(now.Add(g.p.pause(g.pauses, e.RetryAfter)), 1, "the server is down: "+e.brief())
		g.pauses++
		if !was {
			said = fmt.Sprintf("is down (%s): paused, and asked again from time to time", e.brief())
		}
	}
	if over := now.Sub(g.since); g.p.GiveUp > 0 && over >= g.p.GiveUp && (isDown || busy) {
		if !g.gone {
			said = fmt.Sprintf("has not answered for %s (%s): given up for now; what is left of it stays pending", over.Round(time.Second), e.brief())
		}
		g.gone = true
		g.close(now.Add(maxPause), 1, e.brief())
	}
	return said
}

// failed counts a failure that is the server's.
func (g *gate) failed(t *ticket) {
	g.failures++
	g.several = g.several || g.failer != nil && g.failer != t.call
	g.failer = t.call
}

// refused: the server is there and does nothing for us, for want of a right key or
// of credit. That doesn't pass by itself: it is given up at once, so that it isn't
// bothered with all the rest.
func (g *gate) refused(t *ticket, e *Error) (said string) {
	now := time.Now()
	if g.since.IsZero() {
		g.since = now
	}
	if g.failed(t); !g.down() {
		return ""
	}
	if !g.gone {
		said = fmt.Sprintf("refuses everything (%s): given up for now; what is left of it stays pending", e.brief())
	}
	g.gone = true
	g.close(now.Add(maxPause), 1, e.brief())
	return said
}

// close lets nothing through before a time, and then at first so many at once.
func (g *gate) close(until time.Time, atOnce float64, why string) {
	if until.After(g.closed) {
		g.closed, g.reason = until, why
	}
	g.atOnce = max(1, atOnce)
	g.epoch++
}

func (g *gate) down() bool { return g.failures >= downAfter && g.several }

// isDown says whether a failure is the server's rather than the call's.
func (g *gate) isDown() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.down()
}

// givenUp is the error of a call that isn't made, because the server has been
// given up; nil where it hasn't, or is being asked whether it is back.
func (g *gate) givenUp() *Error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unavailable(time.Now())
}

func (g *gate) unavailable(now time.Time) *Error {
	if !g.gone || now.After(g.closed) {
		return nil
	}
	return fault(Unavailable, "nothing was sent, the server has not answered for %s: %s", now.Sub(g.since).Round(time.Second), g.reason)
}

// pause is how long to wait after the failure of a try: Backoff, doubled with
// each retry made, or longer where the server says so, at most maxPause; and up
// to a quarter more by chance, never less, so that calls that failed together
// don't come back together.
func (p Provider) pause(retries int, asked time.Duration) time.Duration {
	backoff := min(p.Backoff, maxPause) << min(retries, 10)
	d := min(max(backoff, asked), maxPause)
	return d + time.Duration(rand.Float64()*float64(d)/4)
}
