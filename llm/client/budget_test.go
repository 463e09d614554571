package client

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
)

func pad(n int) string { return strings.Repeat("x", n) }

// priced returns a client of a server whose replies have a random number of tokens up to 1000, at 100 dollars per million tokens. charged
// counts the tokens. If fault is not nil, every third request fails.
func priced(t *testing.T, charged *atomic.Int64, fault script, purses ...*limits.Budget) Client {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	used := make([]int, 10_000)
	for i := range used {
		used[i] = random.IntN(1000) + 1
	}
	s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(used[n]) * time.Millisecond)
		if fault != nil && n%3 == 1 {
			fault(n, w, r)
			return
		}
		charged.Add(int64(used[n] + 11))
		io.WriteString(w, strings.Replace(openAIAnswer(goAnswer, "stop"), `"completion_tokens":7`, fmt.Sprintf(`"completion_tokens":%d`, used[n]), 1))
	})
	c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test", Concurrency: 16}, testEnv,
		Hooks{Transport: s.transport, Budgets: purses, Price: func(string) (llm.Price, bool) { return llm.PerMillion(100, 100, 100), true }})
	if err != nil {
		t.Fatal(err)
	}
	return limitedClient{c}
}

// limitedClient sets a limit of tokens, so that a reservation is an upper bound.
type limitedClient struct{ Client }

func (c limitedClient) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	req.Options = map[string]any{"max_tokens": 1000}
	return c.Client.Chat(ctx, req)
}

// TestBudget: the limit is never exceeded, and less than the possible cost of one call remains. The other calls end as pending; with a
// larger budget they are made.
func TestBudget(t *testing.T) {
	for name, fault := range map[string]script{"well": nil, "with faults": refuses(500, "crash")} {
		synctest.Test(t, func(t *testing.T) {
			var charged atomic.Int64
			purse := limits.NewBudget("the budget", 5, 0)
			errs := askAll(t.Context(), priced(t, &charged, fault, purse), 1000, 16)
			paid := float64(charged.Load()) * 1e-4
			spent := purse.Spent()
			unpaid := 0
			for _, err := range errs {
				if kindOf(err) == llm.Unaffordable {
					unpaid++
				}
			}
			if spent > 5 || spent < 5-0.11 || spent < paid-1e-9 || !purse.Exhausted() {
				t.Errorf("%s: %v spent of 5, %v charged, shut %t", name, spent, paid, purse.Exhausted())
			}
			if unpaid < 800 || unpaid != countErrors(errs) {
				t.Errorf("%s: %d of 1000 calls weren't paid, %d have errors", name, unpaid, countErrors(errs))
			}
			if got := errs[999].Error(); !strings.Contains(got, "the budget of $5.00 does not cover the call") {
				t.Errorf("%s: %s", name, got)
			}
			more := limits.NewBudget("the budget", 8, spent)
			if errs := askAll(t.Context(), priced(t, &charged, fault, more), 10, 4); countErrors(errs) > 0 || more.Spent() <= spent {
				t.Errorf("%s: with more money %d of 10 calls failed", name, countErrors(errs))
			}
		})
	}
}

// TestPurses: several clients share one budget, and one client has two budgets.
func TestPurses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var charged atomic.Int64
		all := limits.NewBudget("the budget", 3, 0)
		budget := limits.NewBudget("the budget of provider a", 1, 0)
		a := priced(t, &charged, nil, all, budget)
		b := priced(t, &charged, nil, all)
		errs := askAll(t.Context(), a, 100, 8)
		if !budget.Exhausted() || all.Exhausted() || budget.Spent() > 1 || budget.Spent() != all.Spent() || countErrors(errs) == 0 {
			t.Errorf("own %v, all %v", budget.Spent(), all.Spent())
		}
		if !strings.Contains(errs[99].Error(), "the budget of provider a of $1.00") {
			t.Error(errs[99])
		}
		askAll(t.Context(), b, 100, 8)
		if !all.Exhausted() || all.Spent() > 3 || all.Spent() < 2.8 {
			t.Errorf("all %v", all.Spent())
		}
		if all.Open != 0 || all.Reserved != 0 || budget.Open != 0 || budget.Reserved != 0 {
			t.Errorf("set aside yet: %+v, %+v", all, budget)
		}
	})
}

// TestFreeCallsGoOn: free calls are made after the budget is exhausted. A budget that is already spent pays for no other call.
func TestFreeCallsGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, says(openAIAnswer(goAnswer, "stop")))
		purse := limits.NewBudget("the budget", 1, 2)
		client := func(p llm.Price) Client {
			c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test"}, testEnv,
				Hooks{Transport: s.transport, Budgets: []*limits.Budget{purse}, Price: func(string) (llm.Price, bool) { return p, true }})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if _, err := client(llm.PerMillion(1, 1, 1)).Chat(t.Context(), ask("Go?")); kindOf(err) != llm.Unaffordable || len(s.seen()) != 0 {
			t.Errorf("%v after %d requests", err, len(s.seen()))
		}
		if _, err := client(llm.Free()).Chat(t.Context(), ask("Go?")); err != nil {
			t.Error(err)
		}
	})
}

// TestAside: without a limit in the request, the reservation depends on the longest reply so far.
func TestAside(t *testing.T) {
	b := limits.NewCosts(func(string) (llm.Price, bool) { return llm.PerMillion(1e6, 1e6, 1e6), true }, nil)
	req := ask(pad(300))
	if got := b.MaxCost(req); got != 100+16+2048 {
		t.Errorf("at first %v", got)
	}
	b.Record(&llm.Attempt{Usage: tokens(1, 0, 4000, 3000)}, req, &llm.Reply{}, nil, 0)
	if got := b.MaxCost(req); got != 100+16+6000 {
		t.Errorf("after a long reply %v", got)
	}
	req.Options = map[string]any{"max_tokens": 10}
	if got := b.MaxCost(req); got != 100+16+10 {
		t.Errorf("with a limit %v", got)
	}
}

// TestLongReplies: replies far longer than the first reservation do not exceed the budget, however many calls there are at once. The first
// call is made alone, and shows how long replies are.
func TestLongReplies(t *testing.T) {
	for name, first := range map[string]script{"well": nil, "the first fails": refuses(400, "no"), "the first is lost": refuses(500, "crash")} {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				time.Sleep(time.Second)
				if n == 1 && first != nil {
					first(n, w, r)
					return
				}
				io.WriteString(w, strings.Replace(openAIAnswer(goAnswer, "stop"), `"completion_tokens":7`, `"completion_tokens":6000`, 1))
			})
			purse := limits.NewBudget("the budget", 2, 0) // replies cost 6 cents each; 2 are reserved for the first
			c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test", Concurrency: 64}, testEnv,
				Hooks{Transport: s.transport, Budgets: []*limits.Budget{purse}, Price: func(string) (llm.Price, bool) { return llm.PerMillion(1, 1, 10), true }})
			if err != nil {
				t.Fatal(err)
			}
			errs := askAll(t.Context(), c, 200, 64)
			spent := purse.Spent()
			if first == nil && (spent > 2 || spent < 1.9 || countErrors(errs) != 200-len(s.seen())) {
				t.Errorf("%s: %v spent of 2 in %d requests", name, spent, len(s.seen()))
			}
			if first != nil && (!purse.Exhausted() || len(s.seen()) < 30) {
				t.Errorf("%s: %v spent in %d requests", name, spent, len(s.seen()))
			}
			if n := s.seen(); len(n) > 1 && n[1].when.Sub(n[0].when) < time.Second {
				t.Errorf("%s: the first did not go alone", name)
			}
		})
	}
}

func TestWaitingForMoneyIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		purse := limits.NewBudget("the budget", 1, 0)
		if err := purse.Reserve(t.Context(), 0.9); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := purse.Reserve(ctx, 0.5); kindOf(err) != llm.Cancelled {
			t.Error(err)
		}
		purse.Settle(0.9, 0.4)
		if err := purse.Reserve(t.Context(), 0.5); err != nil {
			t.Error(err)
		}
	})
}

func TestDollars(t *testing.T) {
	for want, x := range map[string]float64{"$0.00": 0, "$0.0123": 0.01234, "$1.00": 1, "$12.35": 12.345678} {
		if got := limits.Dollars(x); got != want {
			t.Errorf("%v is %s", x, got)
		}
	}
}
