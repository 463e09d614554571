package client

import (
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
)

// TestSkewedClocks: a time in a server's header is by the server's clock, which its Date header gives. Whether that clock is ahead of ours
// or behind, a pause has the intended length. Our own clock does not matter and may jump, because Go measures durations with its monotonic
// clock.
func TestSkewedClocks(t *testing.T) {
	const pause = 20 * time.Second
	names := map[string]func(h http.Header, when time.Time) (code int){
		"Retry-After": func(h http.Header, when time.Time) int {
			h.Set("Retry-After", when.Format(http.TimeFormat))
			return 429
		},
		"RFC 3339": func(h http.Header, when time.Time) int {
			h.Set("anthropic-ratelimit-requests-remaining", "0")
			h.Set("anthropic-ratelimit-requests-reset", when.Format(time.RFC3339))
			return 200
		},
		"Unix seconds": func(h http.Header, when time.Time) int {
			h.Set("x-ratelimit-remaining", "0")
			h.Set("x-ratelimit-reset", fmt.Sprint(when.Unix()))
			return 200
		},
		"Unix milliseconds": func(h http.Header, when time.Time) int {
			h.Set("x-ratelimit-remaining", "0")
			h.Set("x-ratelimit-reset", fmt.Sprint(when.UnixMilli()))
			return 200
		},
	}
	for name, tell := range names {
		for _, skew := range []time.Duration{0, time.Hour, -time.Hour, 400 * 24 * time.Hour} {
			t.Run(fmt.Sprintf("%s, their clock is %s ahead", name, skew), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(27 * 365 * 24 * time.Hour) // a bubble begins in 2000, when Unix times had fewer digits
					s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
						theirs := time.Now().UTC().Add(skew)
						w.Header().Set("Date", theirs.Format(http.TimeFormat))
						if n == 0 {
							w.WriteHeader(tell(w.Header(), theirs.Add(pause)))
						}
						io.WriteString(w, openAIAnswer(goAnswer, "stop"))
					})
					c := s.client(t, llm.Provider{Type: llm.TypeOpenAI})
					for range 2 {
						if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
							t.Fatal(err)
						}
					}
					seen := s.seen()
					if gap := seen[1].when.Sub(seen[0].when); gap < pause || gap > pause+pause/4+2*time.Second {
						t.Errorf("a pause of %s became %s", pause, gap)
					}
				})
			})
		}
	}
}
