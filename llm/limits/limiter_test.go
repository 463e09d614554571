package limits

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
)

// TestAdmitted: calls get permits in the order in which they came, at most as many at once as the provider's concurrency, and at most rpm
// in any minute.
func TestAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rpm, atOnce = 120, 4
		l := New(llm.Provider{RPM: rpm, Concurrency: atOnce}, nil)
		began := time.Now()
		var starts []time.Duration
		var held []*Permit
		for call := range 3 * rpm {
			if len(held) == atOnce { // the oldest request ends
				l.Release(held[0], nil)
				held = held[1:]
			}
			l.Enter()
			p, err := l.Acquire(t.Context(), call, 1)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, p)
			starts = append(starts, time.Since(began))
		}
		for i := rpm; i < len(starts); i++ {
			if gap := starts[i] - starts[i-rpm]; gap < time.Minute-time.Second {
				t.Fatalf("requests %d to %d within %s", i-rpm, i, gap)
			}
		}
		if all := starts[len(starts)-1]; all > 3*time.Minute+10*time.Second {
			t.Errorf("%d requests took %s", len(starts), all)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		l.Enter()
		if _, err := l.Acquire(ctx, "one more", 1); err == nil {
			t.Errorf("a call is let through beside %d others", atOnce)
		}
	})
}

// TestTimeouts: a server that replies too late gets fewer requests at once, and more again when it replies in time.
func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := New(llm.Provider{Concurrency: 8}, nil)
		atOnce := func(end *llm.Error) int {
			var held []*Permit
			for {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				l.Enter()
				p, err := l.Acquire(ctx, len(held), 1)
				cancel()
				if err != nil {
					break
				}
				held = append(held, p)
			}
			for _, p := range held {
				l.Release(p, end)
			}
			return len(held)
		}
		if n := atOnce(&llm.Error{Kind: llm.Failed, Retriable: true, TimedOut: true}); n != 8 {
			t.Errorf("%d at first", n)
		}
		fewer := atOnce(nil)
		if fewer >= 8 || fewer < 1 {
			t.Errorf("%d after time-outs", fewer)
		}
		more := 0
		for range 20 {
			more = atOnce(nil)
		}
		if more <= fewer {
			t.Errorf("%d after time-outs, and %d after many replies", fewer, more)
		}
	})
}
