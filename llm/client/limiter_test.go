package client

import (
	"compqa/data/sharedtest"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

// busyServer answers up to capacity requests at once, each after a second. It responds to further requests with status 429 immediately.
type busyServer struct {
	mu       sync.Mutex
	capacity int
	now      int
	refused  int
}

func (b *busyServer) serve(_ int, w http.ResponseWriter, _ *http.Request) {
	b.mu.Lock()
	if b.now >= b.capacity {
		b.refused++
		b.mu.Unlock()
		status(w, 429, `{"error":{"message":"too many requests at once"}}`)
		return
	}
	b.now++
	b.mu.Unlock()
	time.Sleep(time.Second)
	b.mu.Lock()
	b.now--
	b.mu.Unlock()
	io.WriteString(w, openAIAnswer(goAnswer, "stop"))
}

// askAll makes calls, workers of them at a time, and returns their errors.
func askAll(ctx context.Context, c Client, calls, workers int) []error {
	var all sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, calls)
	for range workers {
		all.Go(func() {
			for i := next.Add(1) - 1; i < int64(calls); i = next.Add(1) - 1 {
				_, errs[i] = c.Chat(ctx, ask(fmt.Sprintf("Question %d?", i)))
			}
		})
	}
	all.Wait()
	return errs
}

func countErrors(errs []error) (n int) {
	for _, err := range errs {
		if err != nil {
			n++
		}
	}
	return n
}

// TestOverload: a client with concurrency 64 learns that a server can handle 8 at once, and wastes few requests. When the server can handle
// 64, the client returns to 64.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &busyServer{capacity: 8}
		s := serve(t, server.serve)
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 64, Retries: 8})
		begin := time.Now()
		if failed := countErrors(askAll(t.Context(), c, 640, 64)); failed > 0 {
			t.Errorf("%d of 640 calls failed", failed)
		}
		took := time.Since(begin)
		// 640 calls of one second take 80 s with 8 in flight.
		if took > 112*time.Second {
			t.Errorf("took %s, more than 1.4 times the floor of 80 s", took)
		}
		if share := float64(server.refused) / float64(len(s.seen())); share > 0.25 {
			t.Errorf("%d of %d requests were refused", server.refused, len(s.seen()))
		}
		t.Logf("at 8 in flight: %s, %d of %d requests refused", took.Round(time.Second), server.refused, len(s.seen()))

		server.capacity = 64
		begin = time.Now()
		if failed := countErrors(askAll(t.Context(), c, 1280, 64)); failed > 0 {
			t.Errorf("%d of 1280 calls failed", failed)
		}
		if took = time.Since(begin); took > 45*time.Second { // 20 s with 64 in flight; the increase takes about 18 rounds
			t.Errorf("after recovery 1280 calls took %s", took)
		}
		if st := c.State(); st.Concurrency != 64 {
			t.Errorf("after recovery %d at once", st.Concurrency)
		}
		t.Logf("at 64 in flight again: %s", took.Round(time.Second))
	})
}

// TestOneSlot: a server with one slot queues its requests. Calls time out in that queue, so the concurrency falls. No call fails, and the
// message names both limits.
func TestOneSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slot := make(chan bool, 1)
		s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			select {
			case slot <- true:
			case <-r.Context().Done():
				return
			}
			defer func() { <-slot }()
			time.Sleep(3 * time.Second)
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		var timedOut atomic.Int64
		var reason atomic.Value
		c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test/v1", Concurrency: 8, Timeout: 8 * time.Second}, testEnv, Hooks{
			Transport: s.transport, OnAttempt: func(_ context.Context, x AttemptEvent) {
				if x.Outcome != llm.Valid {
					timedOut.Add(1)
					reason.Store(x.Reason)
				}
			}})
		if err != nil {
			t.Fatal(err)
		}
		if failed := countErrors(askAll(t.Context(), c, 64, 8)); failed > 0 {
			t.Errorf("%d of 64 calls failed", failed)
		}
		if n := timedOut.Load(); n > 24 {
			t.Errorf("%d attempts timed out", n)
		}
		text, _ := reason.Load().(string)
		if !strings.Contains(text, "within 8s (timeout of the provider)") || !strings.Contains(text, "lower the concurrency") {
			t.Errorf("the reason says %q", text)
		}
	})
}

// TestRetryAfterIsForAll: one response with Retry-After delays every call of the provider. Afterwards they do not come all at once.
func TestRetryAfterIsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 100 {
				status(w, 429, "", "Retry-After: 30")
				return
			}
			time.Sleep(time.Second)
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 20})
		if failed := countErrors(askAll(t.Context(), c, 400, 20)); failed > 0 {
			t.Errorf("%d calls failed", failed)
		}
		var after []time.Duration // time from the refused request to each later one
		for _, r := range s.seen() {
			if d := r.when.Sub(s.seen()[100].when); d > 0 {
				after = append(after, d)
			}
		}
		if after[0] < 30*time.Second || after[0] > 31*time.Second {
			t.Errorf("the first request after a pause of 30 s came after %s", after[0])
		}
		within := func(d time.Duration) (n int) {
			for _, a := range after {
				if a < after[0]+d {
					n++
				}
			}
			return n
		}
		if a, b, c := within(time.Second), within(2*time.Second), within(3*time.Second); a != 5 || b != 5+10 || c != 5+10+10 {
			t.Errorf("%d, %d, %d requests within the first seconds after the pause; want a quarter of 20, then a half", a, b, c)
		}
	})
}

// TestRateHeaders: a server that reports its rate limit refuses less than half as many requests as a silent one.
func TestRateHeaders(t *testing.T) {
	styles := map[string]func(h http.Header, left float64, full time.Duration){
		"openai": func(h http.Header, left float64, full time.Duration) {
			h.Set("x-ratelimit-limit-requests", "60")
			h.Set("x-ratelimit-remaining-requests", fmt.Sprint(int(left)))
			h.Set("x-ratelimit-reset-requests", full.String())
		},
		"anthropic": func(h http.Header, left float64, full time.Duration) {
			h.Set("anthropic-ratelimit-requests-limit", "60")
			h.Set("anthropic-ratelimit-requests-remaining", fmt.Sprint(int(left)))
			h.Set("anthropic-ratelimit-requests-reset", time.Now().Add(full).Format(time.RFC3339))
		},
		"silent": func(http.Header, float64, time.Duration) {},
	}
	refusals := map[string]int{}
	for name, tell := range styles {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			left := 60.0
			when := time.Now() // a bucket of 60 that gets one per second
			s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				mu.Lock()
				left, when = min(60, left+time.Since(when).Seconds()), time.Now()
				if left < 1 {
					refusals[name]++
					mu.Unlock()
					status(w, 429, "")
					return
				}
				left--
				tell(w.Header(), left, time.Duration((60-left)*float64(time.Second)))
				mu.Unlock()
				time.Sleep(2 * time.Second)
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			})
			c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 16})
			begin := time.Now()
			askAll(t.Context(), c, 240, 16)
			t.Logf("%s: 240 calls in %s, %d refused", name, time.Since(begin), refusals[name])
			if took := time.Since(begin); name != "silent" && took > 200*time.Second {
				t.Errorf("%s: 240 calls took %s; a bucket of 60 and one a second give them in 180 s", name, took)
			}
		})
	}
	if 2*refusals["openai"] > refusals["silent"] || 2*refusals["anthropic"] > refusals["silent"] {
		t.Errorf("refused: %v; with rate headers less than half of those without", refusals)
	}
}

func TestAllowance(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	in := func(s float64) time.Time { return now.Add(time.Duration(s * float64(time.Second))) }
	tests := []struct {
		name       string
		a          limits.Allowance
		value      float64 // seconds after the headers were written
		sent, need float64
		want       float64 // seconds of waiting
	}{
		{"nothing known", limits.Allowance{}, 0, 100, 1, 0},
		{"enough", limits.Allowance{SentAt: now, Remaining: 5, Limit: 60, ResetAt: in(55)}, 0, 0, 5, 0},
		{"one missing, one a second", limits.Allowance{SentAt: now, Remaining: 0, Limit: 60, ResetAt: in(60)}, 0, 0, 1, 1},
		{"sent since", limits.Allowance{SentAt: now, Remaining: 5, Limit: 60, ResetAt: in(55)}, 0, 5, 1, 1},
		{"come back since", limits.Allowance{SentAt: now, Remaining: 0, Limit: 60, ResetAt: in(60)}, 10, 10, 1, 1},
		{"whole again", limits.Allowance{SentAt: now, Remaining: 0, Limit: 60, ResetAt: in(60)}, 60, 100, 1, 0},
		{"limit not said", limits.Allowance{SentAt: now, Remaining: 0, ResetAt: in(60)}, 10, 0, 1, 50},
		{"more than the limit", limits.Allowance{SentAt: now, Remaining: 0, Limit: 60, ResetAt: in(60)}, 0, 0, 1000, 60},
	}
	for _, test := range tests {
		got := test.a.Wait(in(test.value), test.sent, test.need).Seconds()
		if got < test.want-1e-6 || got > test.want+1e-6 {
			t.Errorf("%s: wait %v s, want %v", test.name, got, test.want)
		}
	}
	for text, want := range map[string]float64{
		"6m0s": 360, "20ms": 0.02, "1.5": 1.5, "2026-01-02T03:04:15Z": 10, "1767323055": 10, "1767323055000": 10, "2020-01-02T03:04:15Z": 0,
	} {
		if d, ok := limits.ResetAfter(text, now); !ok || d.Seconds() != want {
			t.Errorf("reset %q is %s, %t", text, d, ok)
		}
	}
	for _, text := range []string{"", "soon", "-3", "NaN", "1e300"} {
		if d, ok := limits.ResetAfter(text, now); ok && d != 0 {
			t.Errorf("reset %q is %s", text, d)
		}
	}
}

// said collects the notices of a client.
type said struct {
	mu    sync.Mutex
	lines []string
}

func (s *said) add(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, text)
}

// TestServerComesBack: a server that is down for three minutes costs time and a few requests, but no call fails.
func TestServerComesBack(t *testing.T) {
	for _, v := range voices {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			down := func() bool { d := time.Since(begin); return d > 10*time.Second && d < 190*time.Second }
			var asked atomic.Int64
			s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				if down() {
					asked.Add(1)
					conn, _, _ := w.(http.Hijacker).Hijack()
					conn.Close()
					return
				}
				time.Sleep(time.Second)
				io.WriteString(w, v.answer(goAnswer, "stop"))
			})
			var notices said
			p := llm.Provider{Name: "test", Type: v.kind, BaseURL: "http://server.test", Concurrency: 8}
			c, err := New(p, testEnv, Hooks{Transport: s.transport, Notice: notices.add})
			if err != nil {
				t.Fatal(err)
			}
			time.AfterFunc(100*time.Second, func() {
				st := c.State()
				if st.InFlight+st.Waiting != 8 || !strings.Contains(st.WaitReason, "the server is down") || st.WaitLeft <= 0 || !strings.Contains(st.String(), "waiting another") {
					t.Errorf("in the middle of it: %+v, %s", st, st)
				}
			})
			if failed := countErrors(askAll(t.Context(), c, 160, 8)); failed > 0 {
				t.Errorf("%s: %d of 160 calls failed", v.kind, failed)
			}
			if n := asked.Load(); n > 8+16 { // those in flight and their first retries, then probes 1, 2, 4 … 60 s apart
				t.Errorf("%s: it was asked %d times while it was down", v.kind, n)
			}
			if l := notices.lines; len(l) != 2 || !strings.HasPrefix(l[0], "is down (no complete reply") || !strings.HasPrefix(l[1], "answers again, after 3m") {
				t.Errorf("said %q", l)
			}
			if took := time.Since(begin); took > 4*time.Minute+30*time.Second { // 20 s of work, 180 s of outage, a probe at most 75 s later
				t.Errorf("%s: took %s", v.kind, took)
			}
		})
	}
}

// TestEverythingIsTooMuch: a server refuses everything with status 429 for two minutes and does not say for how long, as when another
// program has used up a quota per minute. This costs time, but no call fails.
func TestEverythingIsTooMuch(t *testing.T) {
	for _, workers := range []int{4, 8, 64} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				if since := time.Since(begin); since > 5*time.Second && since < 125*time.Second {
					status(w, 429, "quota")
					return
				}
				time.Sleep(time.Second)
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			})
			c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: workers})
			if failed := countErrors(askAll(t.Context(), c, 20*workers, workers)); failed > 0 {
				t.Errorf("%d at once: %d of %d calls failed", workers, failed, 20*workers)
			}
			if n := len(s.seen()); n > 25*workers {
				t.Errorf("%d at once: %d requests", workers, n)
			}
			if took := time.Since(begin); took > 5*time.Minute {
				t.Errorf("%d at once: took %s", workers, took)
			}
		})
	}
}

// TestServerStaysAway: a server that stays down is given up. The remaining calls end at once, as pending.
func TestServerStaysAway(t *testing.T) {
	for _, fault := range []struct {
		name string
		do   script
	}{
		{"500", refuses(500, "crash")},
		{"429 for ever", refuses(429, "quota", "Retry-After: 60")},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, fault.do)
			c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 8})
			begin := time.Now()
			errs := askAll(t.Context(), c, 1000, 8)
			kinds := map[llm.Kind]int{}
			for _, err := range errs {
				kinds[kindOf(err)]++
			}
			took := time.Since(begin)
			t.Logf("%s: %v after %s and %d requests", fault.name, kinds, took.Round(time.Second), len(s.seen()))
			if kinds[llm.Unavailable] < 950 || kinds[llm.Unavailable]+kinds[llm.Failed] != 1000 || took < 10*time.Minute || took > 15*time.Minute || len(s.seen()) > 100 {
				t.Errorf("%s: %v after %s and %d requests", fault.name, kinds, took, len(s.seen()))
			}
			if e, ok := errors.AsType[*llm.Error](errs[999]); !ok || e.Status() != "pending" || !strings.Contains(e.Message, "has not answered for 1") || e.Attempts != 0 {
				t.Errorf("%s: the last error is %v", fault.name, errs[999])
			}
		})
	}
}

// TestRefusesEverything: a server that refuses everything, because of a wrong key or a lack of credit, gets few of the calls. A server that
// refuses only some requests gets all calls.
func TestRefusesEverything(t *testing.T) {
	for _, test := range []struct {
		name   string
		do     script
		fewest int // fewest of 1000 calls that end as Unavailable
	}{
		{"no credit", refuses(429, `{"error":{"message":"You exceeded your quota","code":"insufficient_quota"}}`), 980},
		{"wrong key", refuses(401, `{"error":{"message":"Incorrect API key"}}`), 980},
		{"one model", refuses(403, `{"error":{"message":"not this model"}}`), 0},
		{"now and then", func(n int, w http.ResponseWriter, r *http.Request) {
			if n%2 == 0 {
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
				return
			}
			status(w, 401, "")
		}, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, test.do)
			var notices said
			p := llm.Provider{Name: "test", Type: llm.TypeOpenAI, BaseURL: "http://server.test", Concurrency: 8}
			c, err := New(p, testEnv, Hooks{Transport: s.transport, Notice: notices.add})
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			kinds := map[llm.Kind]int{}
			for _, err := range askAll(t.Context(), c, 1000, 8) {
				kinds[kindOf(err)]++
			}
			if left := kinds[llm.Unavailable]; left < test.fewest || (left > 0) != (test.fewest > 0) || len(s.seen()) != 1000-left || time.Since(begin) > time.Second {
				t.Errorf("%s: %v after %d requests and %s", test.name, kinds, len(s.seen()), time.Since(begin))
			}
			if l := notices.lines; (len(l) == 1 && strings.HasPrefix(l[0], "refuses everything (HTTP 4")) != (test.fewest > 0) {
				t.Errorf("%s: said %q", test.name, l)
			}
		})
	}
}

// TestGivenUpAndBack: a provider that was given up gets a request from time to time.
func TestGivenUpAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var well atomic.Bool
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			if !well.Load() {
				status(w, 502, "")
				return
			}
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 4, GiveUp: time.Minute})
		askAll(t.Context(), c, 100, 4)
		well.Store(true)
		time.Sleep(2 * time.Minute)
		if failed := countErrors(askAll(t.Context(), c, 100, 4)); failed > 0 {
			t.Errorf("%d of 100 calls failed after it came back", failed)
		}
	})
}

// TestPoison: a request that a server cannot handle fails alone.
func TestPoison(t *testing.T) {
	for _, workers := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, nil)
			s.replace(func(n int, w http.ResponseWriter, _ *http.Request) {
				if strings.Contains(s.seen()[n].raw, "Question 3?") {
					status(w, 500, "crash")
					return
				}
				time.Sleep(100 * time.Millisecond)
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			})
			c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 8})
			errs := askAll(t.Context(), c, 40, workers)
			if countErrors(errs) != 1 || kindOf(errs[3]) != llm.Failed || len(s.seen()) != 39+5 {
				t.Errorf("%d workers: %d errors, %v after %d requests", workers, countErrors(errs), errs[3], len(s.seen()))
			}
		})
	}
}

// TestRandomFaults: with 30 % of status 429, 10 % of status 500 and 5 % of dropped connections at random, no call fails.
func TestRandomFaults(t *testing.T) {
	calls := 400
	if sharedtest.Soaking(t) {
		calls = 2000
	}
	synctest.Test(t, func(t *testing.T) {
		var n atomic.Int64
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			time.Sleep(50 * time.Millisecond)
			switch pick := n.Add(1) * 7919 % 20; {
			case pick < 6:
				status(w, 429, "")
			case pick < 8:
				status(w, 500, "")
			case pick < 9:
				conn, _, _ := w.(http.Hijacker).Hijack()
				conn.Close()
			default:
				io.WriteString(w, openAIAnswer(goAnswer, "stop"))
			}
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 64, Retries: 12, Backoff: 10 * time.Millisecond})
		begin := time.Now()
		if failed := countErrors(askAll(t.Context(), c, calls, 64)); failed > 0 {
			t.Errorf("%d of %d calls failed", failed, calls)
		}
		t.Logf("%d calls in %s, %d requests", calls, time.Since(begin).Round(time.Millisecond), len(s.seen()))
		if took := time.Since(begin); took > time.Minute {
			t.Errorf("took %s", took)
		}
	})
}

// TestSoakRandomFaults runs TestRandomFaults with all cases.
func TestSoakRandomFaults(t *testing.T) {
	sharedtest.Soak(t)
	TestRandomFaults(t)
}

// TestCancelledInTheQueue: a call that is cancelled while it waits leaves the queue to the others.
func TestCancelledInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			time.Sleep(10 * time.Second)
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Concurrency: 1})
		var all sync.WaitGroup
		for i := range 4 {
			all.Go(func() {
				ctx := t.Context()
				if i > 0 {
					var stop context.CancelFunc
					ctx, stop = context.WithTimeout(ctx, time.Duration(i)*time.Second)
					defer stop()
					time.Sleep(time.Millisecond)
				}
				_, err := c.Chat(ctx, ask("Go?"))
				if want := map[bool]llm.Kind{true: llm.Valid, false: llm.Cancelled}[i == 0]; kindOf(err) != want {
					t.Errorf("call %d: %v", i, err)
				}
			})
		}
		synctest.Wait()
		all.Wait()
		if _, err := c.Chat(t.Context(), ask("Go?")); err != nil || len(s.seen()) != 2 {
			t.Errorf("%v after %d requests", err, len(s.seen()))
		}
		if st := c.State(); st.InFlight != 0 || st.Waiting != 0 || st.String() != "" || st.WaitReason != "" {
			t.Errorf("left behind: %+v", st)
		}
	})
}

func TestStateInWords(t *testing.T) {
	for want, s := range map[string]llm.State{
		"":                                       {Concurrency: 3, MaxConcurrency: 8},
		"8 in flight":                            {InFlight: 8, Concurrency: 8, MaxConcurrency: 8},
		"8 in flight, the oldest for 1m0s":       {InFlight: 8, Concurrency: 8, MaxConcurrency: 8, Oldest: time.Minute},
		"3 in flight, 3 of 8 at once, 5 waiting": {InFlight: 3, Concurrency: 3, MaxConcurrency: 8, Waiting: 5},
		"0 in flight, 5 waiting another 12s: it is off": {Concurrency: 8, MaxConcurrency: 8, Waiting: 5, WaitReason: "it is off", WaitLeft: 12 * time.Second},
		"0 in flight, 5 waiting: the budget":            {Concurrency: 8, MaxConcurrency: 8, Waiting: 5, WaitReason: "the budget"},
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
}

// TestNoticesHoldNoKey: the key is in no notice, state or error, whatever a server repeats.
func TestNoticesHoldNoKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, refuses(500, "your key "+testKey+" crashed me"))
		var said said
		p := llm.Provider{Name: "test", Type: llm.TypeOpenAI, BaseURL: "http://server.test", APIKeyEnv: "TEST_KEY", GiveUp: time.Minute}
		c, err := New(p, testEnv, Hooks{Transport: s.transport, Notice: said.add})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(30*time.Second, func() { said.add(c.State().String()) })
		errs := askAll(t.Context(), c, 40, 8)
		said.add(errs[39].Error())
		if text := strings.Join(said.lines, "\n"); strings.Contains(text, testKey) || !strings.Contains(text, "crashed me") {
			t.Errorf("said %s", text)
		}
	})
}

func TestRefusedConnectionCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
		}}
		purse := limits.NewBudget("the budget", 1, 0)
		c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test"}, testEnv,
			Hooks{Transport: refused, Budgets: []*limits.Budget{purse}, Price: func(string) (llm.Price, bool) { return llm.PerMillion(1, 1, 1), true }})
		if err != nil {
			t.Fatal(err)
		}
		reply, _ := c.Chat(t.Context(), ask("Go?"))
		if len(reply.Attempts) != 5 || *reply.Attempts[0].Cost != 0 || reply.Attempts[0].Estimated || purse.Spent() != 0 {
			t.Errorf("%d attempts, %s spent", len(reply.Attempts), limits.Dollars(purse.Spent()))
		}
	})
}

// TestRetriesEndBeforeTheServerIsDown: a call has used its retries before it is known that the server is down. It waits with the others, is
// answered when the server is back, and stays pending if the server is given up. A reply to a request that was sent before the failures
// says nothing about the server. A reply to a later request shows that the server works, so a call that the server cannot answer fails
// after its retries.
func TestRetriesEndBeforeTheServerIsDown(t *testing.T) {
	outage := func(t *testing.T, length time.Duration) (kinds []llm.Kind, attempts []int) {
		t.Helper()
		begin := time.Now()
		var s *scripted
		s = serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			text := s.seen()[n].raw
			if strings.Contains(text, "Slow?") { // sent before the outage, answered during it
				time.Sleep(2500 * time.Millisecond)
			} else if strings.Contains(text, "Never?") || time.Since(begin) < length {
				status(w, 502, "")
				return
			}
			io.WriteString(w, openAIAnswer(goAnswer, "stop"))
		})
		c := s.client(t, llm.Provider{Type: llm.TypeOpenAI, Retries: 2, Concurrency: 8, Backoff: time.Second, GiveUp: time.Hour})
		kinds = make([]llm.Kind, 3)
		attempts = make([]int, 3)
		var calls sync.WaitGroup
		for i, text := range []string{"Slow?", "Never?", "Go?"} {
			calls.Go(func() {
				reply, err := c.Chat(t.Context(), ask(text))
				attempts[i] = len(reply.Attempts)
				if err != nil {
					kinds[i] = kindOf(err)
				}
			})
		}
		calls.Wait()
		return kinds, attempts
	}
	synctest.Test(t, func(t *testing.T) {
		if kinds, attempts := outage(t, 10*time.Minute); kinds[0] != "" || kinds[2] != "" || attempts[2] <= 3 {
			t.Errorf("an outage of 10 minutes: %v after %v attempts", kinds, attempts)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		if kinds, _ := outage(t, 10*time.Hour); kinds[0] != "" || kinds[1] != llm.Unavailable || kinds[2] != llm.Unavailable {
			t.Errorf("an outage of 10 hours: %v", kinds)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		if kinds, attempts := outage(t, 0); kinds[1] == "" || kinds[1] == llm.Unavailable || attempts[1] != 3 {
			t.Errorf("one call that the server cannot answer: %v after %v attempts", kinds, attempts)
		}
	})
}
