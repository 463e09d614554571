package client

import (
	"compqa/data/sharedtest"
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

// TestQueueOrder: calls get permits in the order in which they asked. The place of a cancelled call goes to the next call.
func TestQueueOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limits.New(llm.Provider{Concurrency: 2}.WithDefaults(), nil)
		var order []int
		var permits []*limits.Permit
		var all sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		for i := range 6 {
			mine := t.Context()
			if i == 3 {
				mine = ctx
			}
			all.Go(func() {
				l.Enter()
				got, err := l.Acquire(mine, &call{}, 1)
				if (err != nil) != (i == 3) {
					t.Errorf("call %d: error %v", i, err)
				}
				if err == nil {
					order = append(order, i)
					permits = append(permits, got)
				}
			})
			synctest.Wait()
		}
		for want := 2; want <= 5; want++ {
			if len(order) != want {
				t.Fatalf("%v got permits, not %d calls", order, want)
			}
			if want == 3 {
				cancel()
				synctest.Wait()
			}
			l.Release(permits[want-2], nil)
			synctest.Wait()
		}
		all.Wait()
		l.Release(permits[3], nil)
		l.Release(permits[4], nil)
		if s := l.State(); !slices.Equal(order, []int{0, 1, 2, 4, 5}) || s.InFlight != 0 {
			t.Errorf("%v got permits, %d are in flight", order, s.InFlight)
		}
	})
}

// TestNoPlaceGetsLost: cancelled, refused and delayed calls lose no place in the queue, and no place is given twice.
func TestNoPlaceGetsLost(t *testing.T) {
	seeds := uint64(3)
	if sharedtest.Soaking(t) {
		seeds = 30
	}
	for seed := range seeds {
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
			if s := c.State(); s.InFlight != 0 || s.Waiting != 0 {
				t.Errorf("seed %d: %d in flight, %d waiting", seed, s.InFlight, s.Waiting)
			}
			c.Chat(t.Context(), ask("Go?")) // ends
		})
	}
}

// TestSoakNoPlaceGetsLost runs TestNoPlaceGetsLost with all cases.
func TestSoakNoPlaceGetsLost(t *testing.T) {
	sharedtest.Soak(t)
	TestNoPlaceGetsLost(t)
}
