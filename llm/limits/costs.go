package limits

import (
	"context"
	"sync"

	"compqa/llm"
)

// bills knows what requests cost, before and after they are made.
type Costs struct {
	Price   func(model string) (llm.Price, bool)
	Budgets Budgets

	mu      sync.Mutex
	longest map[string]int           // reply of each model up to now, in tokens
	first   map[string]chan struct{} // closed when a model's first request has ended
}

func NewCosts(price func(model string) (llm.Price, bool), purses Budgets) *Costs {
	b := &Costs{Price: price, Budgets: purses, longest: map[string]int{}, first: map[string]chan struct{}{}}
	if b.Price == nil {
		b.Price = func(string) (llm.Price, bool) { return llm.Price{}, false }
	}
	return b
}

// bytesPerToken is that of English text; other languages have fewer, which is
// why less is taken where a sum is set aside.
const (
	bytesPerToken = 4
	fewestBytes   = 3
	turnTokens    = 16 // that a chat template adds to a message, generously
)

// aside is what a request comes to at most, as far as that can be told; see
// Purse. 0 where the price isn't known.
func (b *Costs) MaxCost(req llm.Request) float64 {
	price, known := b.Price(req.Model)
	if !known {
		return 0
	}
	reply, limited := llm.ReplyLimit(req.Options)
	if !limited {
		b.mu.Lock()
		reply = max(llm.DefaultReplyTokens, b.longest[req.Model]*3/2)
		b.mu.Unlock()
	}
	return price.TokenCost(req.Size()/fewestBytes+turnTokens*len(req.Messages), reply)
}

// alone lets a model's first request go alone where a budget is to be kept and
// nothing limits its replies, and then all others: what one of them takes is known
// then, and so what has to be set aside. Else a budget might be passed by as many
// long replies as there are requests at once. The function it returns is called
// when the request has ended, however it did; hold notes a wait.
func (b *Costs) AwaitFirst(ctx context.Context, req llm.Request, hold func() func()) (ended func(), err error) {
	ended = func() {}
	if _, limited := llm.ReplyLimit(req.Options); !b.Budgets.limited() || limited || b.MaxCost(req) == 0 {
		return ended, nil
	}
	b.mu.Lock()
	over, begun := b.first[req.Model]
	if !begun {
		over = make(chan struct{})
		b.first[req.Model] = over
		ended = func() { close(over) }
	}
	b.mu.Unlock()
	if !begun {
		return ended, nil
	}
	select {
	case <-over:
		return ended, nil
	default:
	}
	defer hold()()
	select {
	case <-over:
		return ended, nil
	case <-ctx.Done():
		return ended, llm.ContextError(ctx)
	}
}

// enter puts a request's cost on its attempt and takes it from the purses.
func (b *Costs) Record(a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, aside float64) {
	if n := a.Usage.Completion; n != nil {
		b.mu.Lock()
		b.longest[req.Model] = max(b.longest[req.Model], *n)
		b.mu.Unlock()
	}
	price, known := b.Price(req.Model)
	if !known {
		return
	}
	cost, estimated := costOf(price, a, req, reply, e, aside)
	a.Cost, a.Estimated = &cost, estimated
	b.Budgets.Settle(aside, cost)
}

// of is the cost of an attempt, see Attempt.Cost. What a server refuses with a
// status of its own, and what never reached it, costs nothing.
func costOf(p llm.Price, a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, aside float64) (cost float64, estimated bool) {
	if cost, told := p.Cost(a.Usage); told {
		return cost, false
	}
	switch received := len(reply.Text) + len(reply.Reasoning); {
	case e != nil && (e.Unbilled || e.HTTPStatus >= 300 || e.HTTPStatus == 0 && e.Kind == llm.Misconfigured):
		return 0, false
	case received > 0 && a.HTTPStatus != 0:
		return p.TokenCost(req.Size()/bytesPerToken, received/bytesPerToken), true
	}
	return aside, true
}
