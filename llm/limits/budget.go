package limits

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"compqa/llm"
)

// Budget limits the cost of calls. Several clients may share one. A request is sent only if the limit covers three sums: what is spent,
// what is reserved for requests in flight, and the request's own reservation. The first request that does not fit exhausts the budget:
// afterwards nothing that costs money is sent.
//
// A reservation is an upper bound of the cost, from one token for three bytes of the prompt and the limit of the reply. If the request sets
// no limit, one and a half times the model's longest reply so far counts, and at least 2048 tokens. The first request to a model is sent
// alone, to learn this length. Only a longer reply can exceed the budget, by its excess.
type Budget struct {
	Name  string  // in errors, for example "the budget"
	Limit float64 // 0: no limit

	mu       sync.Mutex
	spent    float64
	Reserved float64
	Open     int           // number of requests with a reservation
	refused  float64       // possible cost of the first request that did not fit; 0: all requests fit
	settled  chan struct{} // closed and replaced at each change
}

// NewBudget returns a budget in US dollars. spent is the sum that is already spent.
func NewBudget(name string, limit, spent float64) *Budget {
	return &Budget{Name: name, Limit: limit, spent: spent, settled: make(chan struct{})}
}

// Spent returns the sum spent so far.
func (b *Budget) Spent() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Charge adds a sum that was spent earlier.
func (b *Budget) Charge(sum float64) { b.Settle(0, sum) }

// Refused returns the possible cost of the first request that did not fit. It returns 0 if the budget is not exhausted.
func (b *Budget) Refused() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// Exhausted reports whether a request was not sent because the limit did not cover it.
func (b *Budget) Exhausted() bool { return b.Refused() > 0 }

// Dollars formats a sum: $12.34, or below one dollar $0.1234.
func Dollars(x float64) string {
	if x != 0 && x < 1 {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}

// Reserve reserves a sum. If the sum does not fit now, it waits for requests in flight, which may cost less than their reservations. The
// error is an *llm.Error.
func (b *Budget) Reserve(ctx context.Context, sum float64) error {
	for {
		wait, err := b.tryReserve(sum)
		if wait == nil {
			return err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return llm.ContextError(ctx)
		}
	}
}

// tryReserve reserves a sum and returns nil. If it may fit later, it returns a channel that is closed at the next change.
func (b *Budget) tryReserve(sum float64) (wait <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	exhausted := b.refused > 0
	switch {
	case sum == 0:
		return nil, nil
	case b.Limit == 0 || !exhausted && b.spent+b.Reserved+sum <= b.Limit:
		b.Reserved += sum
		b.Open++
		return nil, nil
	case !exhausted && b.Open > 0 && b.spent+sum <= b.Limit:
		return b.settled, nil
	}
	if !exhausted {
		b.refused = sum
	}
	b.changed()
	return nil, llm.Errorf(llm.Unaffordable, "nothing was sent: %s of %s does not cover the call (%s spent, up to %s needed)",
		b.Name, Dollars(b.Limit), Dollars(b.spent), Dollars(sum))
}

// Settle replaces a reservation by the actual cost of the request.
func (b *Budget) Settle(reserved, cost float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent += cost
	if reserved > 0 {
		b.Open--
		b.Reserved -= reserved
	}
	if b.Open == 0 {
		b.Reserved = 0 // removes rounding errors
	}
	b.changed()
}

// changed wakes the requests that wait for a change.
func (b *Budget) changed() {
	close(b.settled)
	b.settled = make(chan struct{})
}

// Budgets are all budgets that a request is charged to.
type Budgets []*Budget

// Reserve reserves a sum in all budgets, or in none.
func (ps Budgets) Reserve(ctx context.Context, sum float64) error {
	for i, p := range ps {
		if err := p.Reserve(ctx, sum); err != nil {
			ps[:i].Settle(sum, 0)
			return err
		}
	}
	return nil
}

// Limited reports whether any of the budgets has a limit.
func (ps Budgets) Limited() bool {
	return slices.ContainsFunc(ps, func(b *Budget) bool { return b.Limit > 0 })
}

// Remaining returns the smallest sum that is neither spent nor reserved in the budgets. It is +Inf without limits, and 0 if a budget is
// exhausted.
func (ps Budgets) Remaining() float64 {
	room := math.Inf(1)
	for _, b := range ps {
		b.mu.Lock()
		if b.refused > 0 {
			room = 0
		} else if b.Limit > 0 {
			room = min(room, max(0, b.Limit-b.spent-b.Reserved))
		}
		b.mu.Unlock()
	}
	return room
}

// ForceReserve reserves a sum that is already owed, in all budgets and regardless of what remains.
func (ps Budgets) ForceReserve(sum float64) {
	for _, b := range ps {
		b.mu.Lock()
		if sum > 0 {
			b.Reserved += sum
			b.Open++
		}
		b.mu.Unlock()
	}
}

// Settle replaces a reservation in all budgets.
func (ps Budgets) Settle(reserved, cost float64) {
	for _, p := range ps {
		p.Settle(reserved, cost)
	}
}
