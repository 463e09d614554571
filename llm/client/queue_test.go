package client

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

// Calls go in the order they came; one that is cancelled in line leaves its place
// to the next.
func TestLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits.NewLimits(llm.Provider{Concurrency: 2}.WithDefaults(), nil)
		var order []int
		var tickets []*limits.Permit
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range 6 {
			mine := t.Context()
			if i == 3 {
				mine = ctx
			}
			all.Go(func() {
				got, err := l.Acquire(mine, &call{}, 1)
				if (err != nil) != (i == 3) {
					t.Errorf("call %d: error %v", i, err)
				}
				if err == nil {
					order, tickets = append(order, i), append(tickets, got)
				}
			})
			synctest.Wait()
		}
		for want := 2; want <= 5; want++ {
			if len(order) != want {
				t.Fatalf("%v are let through, not %d of them", order, want)
			}
			if want == 3 {
				cancel()
				synctest.Wait()
			}
			l.Release(tickets[want-2], nil)
			synctest.Wait()
		}
		all.Wait()
		l.Release(tickets[3], nil)
		l.Release(tickets[4], nil)
		if !slices.Equal(order, []int{0, 1, 2, 4, 5}) || len(l.InFlight) != 0 || len(l.Queued) != 0 {
			t.Errorf("%v were let through, %d are under way, %d in line", order, len(l.InFlight), len(l.Queued))
		}
	})
}

// When the first in line is cancelled, who needs many tokens, the next one, who needs
// few, does not wait for as long as the first would have had to.
func TestLineMovesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits.NewLimits(llm.Provider{Concurrency: 4}.WithDefaults(), nil)
		first, err := l.Acquire(t.Context(), &call{}, 1)
		if err != nil {
			t.Fatal(err)
		}
		first.ReadHeaders(http.Header{"X-Ratelimit-Limit-Tokens": {"1000"}, "X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"50s"}})
		l.Release(first, nil)
		_, many, _ := l.Enqueue(&call{}, 1000)
		began := time.Now()
		waited := make(chan time.Duration)
		go func() {
			l.Acquire(t.Context(), &call{}, 20)
			waited <- time.Since(began)
		}()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		l.Dequeue(many)
		if d := <-waited; d > 5*time.Second {
			t.Errorf("the next one waited for %s", d)
		}
	})
}

// Whatever is cancelled, refused or put off, no place gets lost and none is given
// twice.
func TestNoPlaceGetsLost(t *testing.T) {
	for seed := range uint64(30) {
		synctest.Test(t, func(t *testing.T) {
			const width = 4
			chance := rand.New(rand.NewPCG(seed, 1))
			var mu sync.Mutex
			draw := func(n int) int {
				mu.Lock()
				defer mu.Unlock()
				return chance.IntN(n)
			}
			s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Duration(draw(50)) * time.Millisecond)
				switch draw(10) {
				case 0:
					w.Header().Set("Retry-After", "1")
					status(w, 429, `{"error":{"message":"later"}}`)
				case 1:
					status(w, 500, `{"error":{"message":"broken"}}`)
				default:
					io.WriteString(w, openAIAnswer(goAnswer, "stop"))
				}
			})
			c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: width, Retries: 3, Backoff: time.Millisecond})
			var all sync.WaitGroup
			for range 200 {
				all.Go(func() {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if draw(3) == 0 {
						time.AfterFunc(time.Duration(draw(1500))*time.Millisecond, cancel)
					}
					c.Chat(ctx, ask("Go?"))
				})
			}
			all.Wait()
			l := c.(*client).limits
			if len(l.InFlight) != 0 || len(l.Queued) != 0 || l.Waiting != 0 || len(l.Turn) != 0 {
				t.Errorf("seed %d: %d under way, %d in line, %d waiting, %d watch", seed, len(l.InFlight), len(l.Queued), l.Waiting, len(l.Turn))
			}
			c.Chat(t.Context(), ask("Go?")) // comes to an end
		})
	}
}
