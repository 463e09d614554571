package limits

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"compqa/llm"
)

// Purse is the money that calls are paid from; several Clients may share one. A
// request is sent only when what is spent, what is set aside for the requests
// under way and what is set aside for itself stay within the limit together. The
// first request that doesn't fit shuts the purse to all that costs something.
//
// What is set aside is meant to be no less than what a request comes to: three
// bytes of prompt to a token, and the reply's limit of tokens; where the request
// sets none, one and a half times the longest reply that the model has given here,
// and 2048 at least; its first request goes alone, so that there is one. A longer
// reply than that, and nothing else, can pass the limit, by its excess.
type Budget struct {
	name  string
	limit float64

	mu       sync.Mutex
	spent    float64
	Reserved float64
	Open     int // requests for which something is set aside
	shut     bool
	settled  chan struct{} // closed at each change, and made anew
}

// NewPurse is a purse of which so much is spent already, in US dollars. limit 0
// is none: it counts only. The name stands in errors: "the budget".
func NewBudget(name string, limit, spent float64) *Budget {
	return &Budget{name: name, limit: limit, spent: spent, settled: make(chan struct{})}
}

// Name is the purse's in errors.
func (p *Budget) Name() string { return p.name }

// Spent is what was spent up to now.
func (p *Budget) Spent() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.spent
}

// Charge takes a sum that was spent before.
func (p *Budget) Charge(sum float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += sum
}

// Limit is what may be spent in all; 0: any sum.
func (p *Budget) Limit() float64 { return p.limit }

// Shut says that a request was not sent because the limit didn't cover it.
func (p *Budget) Exhausted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shut
}

// Dollars writes a sum as people read it: to the cent, below a dollar to a
// hundredth of one.
func Dollars(x float64) string {
	if x != 0 && x < 1 {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}

// reserve sets a sum aside, and waits where requests under way may turn out
// cheaper than was set aside for them; hold notes that, until the function it
// returns is called. The error is an *Error.
func (p *Budget) Reserve(ctx context.Context, sum float64, hold func() func()) error {
	for noted := false; ; {
		wait, err := p.tryReserve(sum)
		if wait == nil {
			return err
		}
		if !noted {
			noted = true
			defer hold()()
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return llm.ContextError(ctx)
		}
	}
}

// tryReserve sets a sum aside, or returns what to wait for.
func (p *Budget) tryReserve(sum float64) (wait <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case sum == 0:
		return nil, nil
	case p.limit == 0 || !p.shut && p.spent+p.Reserved+sum <= p.limit:
		p.Reserved += sum
		p.Open++
		return nil, nil
	case !p.shut && p.Open > 0 && p.spent+sum <= p.limit:
		return p.settled, nil
	}
	p.shut = true
	p.changed()
	return nil, llm.Errorf(llm.Unaffordable, "nothing was sent: %s of %s does not cover it (%s spent, %s needed at most)",
		p.name, Dollars(p.limit), Dollars(p.spent), Dollars(sum))
}

// room is what is neither spent nor set aside, +Inf without a limit, and 0 of a
// purse that is shut.
func (p *Budget) Remaining() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.limit == 0:
		return math.Inf(1)
	case p.shut:
		return 0
	}
	return max(0, p.limit-p.spent-p.Reserved)
}

// setAside sets a sum aside that is owed already.
func (p *Budget) ForceReserve(sum float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sum > 0 {
		p.Reserved += sum
		p.Open++
	}
}

// settle puts the cost of a request in the place of what was set aside for it.
func (p *Budget) Settle(reserved, cost float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += cost
	if reserved > 0 {
		p.Open--
		p.Reserved -= reserved
	}
	if p.Open == 0 {
		p.Reserved = 0 // without what rounding has left
	}
	p.changed()
}

func (p *Budget) changed() {
	close(p.settled)
	p.settled = make(chan struct{})
}

// purses are all that a request is paid from.
type Budgets []*Budget

func (ps Budgets) Reserve(ctx context.Context, sum float64, hold func() func()) error {
	for i, p := range ps {
		if err := p.Reserve(ctx, sum, hold); err != nil {
			ps[:i].Settle(sum, 0)
			return err
		}
	}
	return nil
}

// limited reports whether any of them has a limit.
func (ps Budgets) limited() bool {
	return slices.ContainsFunc(ps, func(p *Budget) bool { return p.limit > 0 })
}

func (ps Budgets) Settle(reserved, cost float64) {
	for _, p := range ps {
		p.Settle(reserved, cost)
	}
}
