package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

func TestPause(t *testing.T) {
	p := llm.Provider{Backoff: time.Second}.WithDefaults()
	tests := []struct {
		retries int
		asked   time.Duration
		want    time.Duration // the least pause; a quarter more is the most
	}{
		{0, 0, time.Second}, {1, 0, 2 * time.Second}, {3, 0, 8 * time.Second}, {6, 0, time.Minute}, {1000, 0, time.Minute},
		{0, 17 * time.Second, 17 * time.Second}, {3, time.Second, 8 * time.Second}, {0, time.Hour, time.Minute},
	}
	for _, test := range tests {
		seen := map[time.Duration]bool{}
		for range 200 {
			d := limits.RetryPause(p, test.retries, test.asked)
			if d < test.want || d > test.want+test.want/4 {
				t.Fatalf("pause %s after %d retries, asked for %s: want %s to a quarter more", d, test.retries, test.asked, test.want)
			}
			seen[d] = true
		}
		if len(seen) < 100 {
			t.Errorf("%d different pauses of 200", len(seen))
		}
	}
	if d := limits.RetryPause((llm.Provider{Backoff: time.Hour}).WithDefaults(), 9, 0); d > 75*time.Second {
		t.Errorf("a back-off of an hour pauses %s", d)
	}
}

func TestRetryBudgets(t *testing.T) {
	tests := []struct {
		name     string
		p        llm.Provider
		attempts int
		atMost   time.Duration
	}{
		{"default", llm.Provider{}, 5, 19 * time.Second},
		{"none", llm.Provider{Retries: -1}, 1, 0},
		{"two", llm.Provider{Retries: 2}, 3, 4 * time.Second},
		{"short back-off", llm.Provider{Backoff: time.Millisecond}, 5, 20 * time.Millisecond},
		{"sum of pauses", llm.Provider{Retries: 100, MaxWait: 20 * time.Second}, 5, 20 * time.Second}, // 1 + 2 + 4 + 8; 16 is too much
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.p.Type = llm.TypeOpenAI
				begin := time.Now()
				_, reply, err := chatOnce(t, test.p, refuses(500, ""), ask("Go?"))
				if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retriable || len(reply.Attempts) != test.attempts || e.Attempts != test.attempts {
					t.Errorf("%d attempts, want %d: %v", len(reply.Attempts), test.attempts, err)
				}
				if took := time.Since(begin); took > test.atMost {
					t.Errorf("took %s, want %s at most", took, test.atMost)
				}
			})
		})
	}
}

// TestAttemptTimes: Wait is the time before a request, and Latency the time of the request; they do not overlap.
func TestAttemptTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, func(n int, w http.ResponseWriter, _ *http.Request) {
			time.Sleep(3 * time.Second)
			if n == 0 {
				status(w, 429, "", "Retry-After: 10")
				return
			}
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		}, ask("Go?"))
		if err != nil {
			t.Fatal(err)
		}
		a := reply.Attempts[0]
		b := reply.Attempts[1]
		if a.Wait != 0 || a.Latency != 3*time.Second || b.Wait < 10*time.Second || b.Wait > 12500*time.Millisecond || b.Latency != 3*time.Second {
			t.Errorf("waited %s and %s, took %s and %s", a.Wait, b.Wait, a.Latency, b.Latency)
		}
		if gap := b.Started.Sub(a.Started); gap != a.Latency+b.Wait {
			t.Errorf("started %s apart", gap)
		}
	})
}

func TestCancelledBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI})
		for range 20 {
			reply, err := c.Chat(ctx, ask("Go?"))
			if kindOf(err) != llm.Cancelled || !errors.Is(err, context.Canceled) || len(s.seen()) != 0 || len(reply.Attempts) != 0 {
				t.Fatalf("%v after %d requests and %d attempts", err, len(s.seen()), len(reply.Attempts))
			}
		}
	})
}

// late is a protocol whose reply arrives when the caller cancels.
type late struct{ stop context.CancelFunc }

func (l late) Exchange(context.Context, llm.Request) (llm.Reply, error) {
	l.stop()
	return llm.Reply{Text: goAnswer}, nil
}

func (l late) Models(context.Context) ([]string, error) { return nil, nil }

// TestAnswerThatIsPaidForIsKept: a reply that arrives when the context ends is kept. failsafe-go would return the context's error and drop
// the reply.
func TestAnswerThatIsPaidForIsKept(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	p := llm.Provider{Type: llm.TypeOpenAI}.WithDefaults()
	c := &client{p: p, servers: []*server{{protocol: late{stop}, limiter: limits.New(p, nil)}}, costs: limits.NewCosts(nil, nil)}
	if reply, err := c.Chat(ctx, ask("Go?")); err != nil || reply.Text != goAnswer || len(reply.Attempts) != 1 {
		t.Errorf("text %q, error %v", reply.Text, err)
	}
}

func TestRequestsPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, RPM: 60, Concurrency: 100})
		var all sync.WaitGroup
		for range 121 {
			all.Go(func() {
				if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
					t.Error(err)
				}
			})
		}
		begin := time.Now()
		all.Wait()
		if took := time.Since(begin); took.Round(time.Second) != 122*time.Second { // the first at once, then 120 at 59 per minute
			t.Errorf("121 requests at 60 a minute took %s", took)
		}
	})
}

// TestNoMinuteAboveTheLimit: no minute has more requests or tokens than the limits allow, including the first minute, which begins with a
// burst.
func TestNoMinuteAboveTheLimit(t *testing.T) {
	// The estimate is 1000 tokens: 400 bytes of prompt and 900 tokens of reply.
	req := ask(strings.Repeat("x", 400))
	req.Options = map[string]any{"max_tokens": 900}
	for _, test := range []struct {
		p            llm.Provider
		most, fewest int // requests in a minute
	}{
		{llm.Provider{RPM: 1}, 1, 1},
		{llm.Provider{RPM: 7}, 7, 7},
		{llm.Provider{RPM: 240}, 240, 236},
		{llm.Provider{TPM: 60000}, 60, 58},
	} {
		synctest.Test(t, func(t *testing.T) {
			test.p.Type = llm.TypeOpenAI
			test.p.Concurrency = 100
			s := serve(t, says(strings.Replace(openAIAnswer(goAnswer, "stop"), `"completion_tokens":7`, `"completion_tokens":989`, 1)))
			c := s.client(t, test.p)
			if failed := countErrors(repeat(t.Context(), c, req, 3*test.most+1)); failed > 0 {
				t.Errorf("%+v: %d calls failed", test.p, failed)
			}
			at := s.seen()
			most := 0
			for i := range at {
				n := 0
				for ; i+n < len(at) && at[i+n].when.Sub(at[i].when) < time.Minute; n++ {
				}
				most = max(most, n)
			}
			if most > test.most || most < test.fewest {
				t.Errorf("rpm %d, tpm %d: %d requests within a minute, want %d to %d", test.p.RPM, test.p.TPM, most, test.fewest, test.most)
			}
		})
	}
}

// repeat makes the same call several times, all at once.
func repeat(ctx context.Context, c Client, req llm.Request, calls int) []error {
	var all sync.WaitGroup
	errs := make([]error, calls)
	for i := range calls {
		all.Go(func() { _, errs[i] = c.Chat(ctx, req) })
	}
	all.Wait()
	return errs
}

func TestTokensPerMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The estimate is 1000 tokens: 400 bytes of prompt and 900 tokens of reply.
		req := ask(strings.Repeat("x", 400))
		req.Options = map[string]any{"max_tokens": 900}
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, TPM: 6000})
		begin := time.Now()
		for range 13 {
			if _, err := c.Chat(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		// At 5900 tokens per minute: 900 tokens of the first request (100 may come at once), then the 18 that each request uses, because
		// unused tokens of its 1000 are given back.
		if took := time.Since(begin).Round(time.Second); took != 11*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// TestTokensBeyondTheEstimate: a reply with more tokens than estimated delays the next request. A request for more than a minute's tokens
// waits for a minute and is sent.
func TestTokensBeyondTheEstimate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := strings.Replace(openAIAnswer(goAnswer, "stop"), `"completion_tokens":7`, `"completion_tokens":3089`, 1)
		req := ask(strings.Repeat("x", 400))
		req.Options = map[string]any{"max_tokens": 900}
		s := serve(t, says(body)) // 11 + 3089 tokens, 2100 above the estimate
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, TPM: 6000})
		begin := time.Now()
		for range 2 {
			if _, err := c.Chat(t.Context(), req); err != nil {
				t.Fatal(err)
			}
		}
		// 1000 + 2100 + 1000 tokens, less the first 100, at 5900 per minute.
		if took := time.Since(begin).Round(time.Second); took != 41*time.Second {
			t.Errorf("took %s", took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		req := ask("Go?")
		req.Options = map[string]any{"max_tokens": 1 << 20}
		begin := time.Now()
		if _, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI, TPM: 6000}, says(openAIAnswer(goAnswer, "stop")), req); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begin).Round(time.Second); took != 59*time.Second { // 5900 tokens less 100, at 5900 per minute
			t.Errorf("took %s", took)
		}
	})
}

func TestConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now := 0
		most := 0
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 3})
		var all sync.WaitGroup
		var waits [5]time.Duration
		for range 12 {
			all.Go(func() {
				reply, err := c.Chat(t.Context(), ask("Go?"))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				waits[reply.Attempts[0].Wait/time.Second]++
				mu.Unlock()
				if reply.Attempts[0].Latency != time.Second {
					t.Errorf("latency %s", reply.Attempts[0].Latency)
				}
			})
		}
		all.Wait()
		if most != 3 || waits != [5]time.Duration{3, 3, 3, 3} {
			t.Errorf("%d at once; 12 requests waited for so many seconds: %v", most, waits)
		}
	})
}

// TestDeadlineBeforeTheLimit: a call is cancelled without sending if its deadline comes before the limiter allows it.
func TestDeadlineBeforeTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, RPM: 1, Concurrency: 1})
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		c.Chat(ctx, ask("Go?"))
		_, err := c.Chat(ctx, ask("Go?"))
		if kindOf(err) != llm.Cancelled || !errors.Is(err, context.DeadlineExceeded) || len(s.seen()) != 1 {
			t.Errorf("%v after %d requests", err, len(s.seen()))
		}
		if _, err := c.Chat(t.Context(), ask("Go?")); err != nil {
			t.Errorf("its place isn't free again: %v", err)
		}
	})
}

// TestEmptyAfterFailure: an empty answer is retried exactly once, also if other attempts failed without a reply.
func TestEmptyAfterFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := func(bodies ...string) script { // "": the server fails
			return func(n int, w http.ResponseWriter, _ *http.Request) {
				if body := bodies[min(n, len(bodies)-1)]; body != "" {
					says(body)(n, w, nil)
				} else {
					status(w, 500, `{"error":{"message":"slow down"}}`)
				}
			}
		}
		empty := openAIAnswer("", "stop")
		good := openAIAnswer(goAnswer, "stop")
		for _, test := range []struct {
			script   script
			kind     llm.Kind
			requests int
		}{{answers("", empty, good), llm.Valid, 3}, {answers(empty, "", good), llm.Valid, 3}, {answers("", empty, "", empty, good), llm.Failed, 4}} {
			s, _, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI, Retries: 6}, test.script, ask("Go?"))
			if kindOf(err) != test.kind || len(s.seen()) != test.requests {
				t.Errorf("%v after %d requests, want %s after %d", err, len(s.seen()), test.kind, test.requests)
			}
		}
	})
}
