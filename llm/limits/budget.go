package limits

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"compqa/llm"
)

// Budget limits what calls may cost. Several clients may share one. A request is sent only if the limit covers what is
// spent, what is reserved for the requests in flight, and the reservation of the request itself. The first request that
// does not fit exhausts the budget: nothing that costs money is sent afterwards.
//
// A reservation is an upper bound of the cost: one token for three bytes of prompt, and the limit of the reply. If the
// request sets no limit, it is one and a half times the longest reply of the model so far, and at least 2048 tokens;
// the first request of a model is sent alone, to learn that length. Only a longer reply can exceed the limit, by its
// excess.
type Budget struct {
	Name  string  // in errors, for example "the budget"
	Limit float64 // 0: none

	mu       sync.Mutex
	spent    float64
	Reserved float64
	Open     int           // requests with a reservation
	refused  float64       // most that the first request which did not fit could cost; 0: all fit
	settled  chan struct{} // closed and replaced at each change
}

// NewBudget makes a budget in US dollars, of which some is already spent.
func NewBudget(name string, limit, spent float64) *Budget {
	return &Budget{Name: name, Limit: limit, spent: spent, settled: make(chan struct{})}
}

// Spent returns the sum spent so far.
func (b *Budget) Spent() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Charge adds a sum that was spent before.
func (b *Budget) Charge(sum float64) { b.Settle(0, sum) }

// Refused returns the most that the first request which did not fit could cost. 0: all requests were sent;
// otherwise the budget is exhausted.
func (b *Budget) Refused() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.refused
}

// Exhausted reports whether a request was not sent because the limit did not cover it.
func (b *Budget) Exhausted() bool { return b.Refused() > 0 }

// Dollars formats a sum: in cents, and below one dollar in hundredths of a cent.
func Dollars(x float64) string {
	if x != 0 && x < 1 {
		return fmt.Sprintf("$%.4f", x)
	}
	return fmt.Sprintf("$%.2f", x)
}

// Reserve reserves a sum. It waits while requests in flight may cost less than their
// reservations. The error is an *llm.Error.
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

// tryReserve reserves a sum, or returns the channel to wait for.
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

// Settle replaces a reservation by the cost of the request.
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

func (b *Budget) changed() {
	close(b.settled)
	b.settled = make(chan struct{})
}

// Budgets are all the budgets that a request is charged to.
type Budgets []*Budget

// Reserve reserves a sum in all of them, or in none.
func (ps Budgets) Reserve(ctx context.Context, sum float64) error {
	for i, p := range ps {
		if err := p.Reserve(ctx, sum); err != nil {
			ps[:i].Settle(sum, 0)
			return err
		}
	}
	return nil
}

// Limited reports whether any of them has a limit.
func (ps Budgets) Limited() bool {
	return slices.ContainsFunc(ps, func(b *Budget) bool { return b.Limit > 0 })
}

// Remaining returns what is neither spent nor reserved in any of them: +Inf without a limit, and 0 if a budget is exhausted.
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

// ForceReserve reserves a sum that is already owed in all of them, whatever remains.
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

// Settle replaces a reservation in all of them.
func (ps Budgets) Settle(reserved, cost float64) {
	for _, p := range ps {
		p.Settle(reserved, cost)
	}
}
