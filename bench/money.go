package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"compqa/llm"
	"compqa/results/store"
)

// A till is what a run is paid from: a purse for all of it, and one for each
// provider with a budget of its own.
type till struct {
	all *llm.Purse
	own map[string]*llm.Purse
}

// checkBudget refuses a budget over what has no price: it could not be kept.
func (p *plan) checkBudget() error {
	c := p.config
	var unknown []string
	for _, e := range c.liveEntries() {
		if c.Run.Budget == 0 && c.Providers[e.provider].Budget == 0 {
			continue
		}
		if _, known := c.price(e.provider, e.model); !known {
			unknown = append(unknown, fmt.Sprintf("%s %q (%s at %s)", e.what, e.name, e.model, e.provider))
		}
	}
	if unknown == nil {
		return nil
	}
	return usageError{fmt.Errorf("%s: a budget cannot be kept where a price is not known: %s; give the entry one in US dollars a million tokens, price: {input: 2.5, output: 10}, or {input: 0, output: 0} if it is free",
		c.path, strings.Join(unknown, ", "))}
}

// newTill makes the purses, of which nothing is spent yet.
func (p *plan) newTill() *till {
	t := &till{all: llm.NewPurse("the budget", p.config.Run.Budget, 0), own: map[string]*llm.Purse{}}
	for name, provider := range p.config.Providers {
		if provider.Budget > 0 {
			t.own[name] = llm.NewPurse("the budget of provider "+name, provider.Budget, 0)
		}
	}
	return t
}

// openTill makes the purses, less what was spent before.
func (p *plan) openTill(db *store.Store) (*till, error) {
	t := p.newTill()
	return t, p.charge(t, db)
}

// charge takes what the record says was spent before from the purses. What was
// recorded without a price is charged at the present one.
func (p *plan) charge(t *till, db *store.Store) error {
	bills, err := db.CostAccounts()
	if err != nil {
		return fmt.Errorf("reading what was spent: %w", err)
	}
	for _, b := range bills {
		sum := b.Cost
		if price, known := p.config.price(b.Provider, b.Model); known {
			o := b.Open
			cost, _ := price.Cost(llm.Usage{Prompt: &o.Prompt, Cached: &o.Cached, Completion: &o.Completion, Reasoning: &o.Reasoning})
			sum += cost
		}
		t.all.Charge(sum)
		if own := t.own[b.Provider]; own != nil {
			own.Charge(sum)
		}
	}
	return nil
}

// idle reports whether a run has nothing to ask of a model: every cell that would
// is done. What was spent is of no interest then, and adding it up takes time.
func (p *plan) idle(before map[store.CellKey]store.RecordedCell, retry bool) bool {
	over := func(c store.PlanCell) bool {
		done := before[c.Key()]
		return c.Note != "" || isDone(done, c) && !(retry && done.Invalid > 0)
	}
	for i := range p.answers {
		if c := &p.answers[i]; c.system != nil && c.system.Kind == kindModel && !over(c.PlanCell) {
			return false
		}
	}
	for i := range p.verdicts {
		if v := &p.verdicts[i]; v.judge.Kind == kindModel && !over(v.PlanCell) {
			return false
		}
	}
	return true
}

// hooks are what a provider's client tells the run, and is paid from.
func (p *plan) hooks(lane string) llm.Hooks {
	h := llm.Hooks{
		Price: p.config.pricer(lane),
		Notice: func(text string) {
			if p.notice != nil {
				p.notice(lane, text)
			}
		},
	}
	if p.log != nil {
		h.Tried = p.attempted(lane)
	}
	if p.till != nil {
		h.Purses = append(h.Purses, p.till.all)
		if own := p.till.own[lane]; own != nil {
			h.Purses = append(h.Purses, own)
		}
	}
	return h
}

// sums says how much is spent, of how much; "" while nothing is.
func (t *till) sums() string {
	spent, limit := t.all.Spent(), t.all.Limit()
	switch {
	case limit > 0:
		return fmt.Sprintf("%s of %s", llm.Dollars(spent), llm.Dollars(limit))
	case spent > 0:
		return llm.Dollars(spent)
	}
	return ""
}

// A leftover counts the calls that were not made, by what kept them from it.
type leftover struct {
	mu    sync.Mutex
	count map[leftReason]int
	notes []string
}

type leftReason struct {
	kind     llm.Kind // Unaffordable or Unavailable
	provider string
}

// take notes a call that was not made.
func (l *leftover) take(provider string, err error) {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.Unaffordable && e.Kind != llm.Unavailable {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count == nil {
		l.count = map[leftReason]int{}
	}
	l.count[leftReason{e.Kind, provider}]++
}

// note adds a reason in words.
func (l *leftover) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
}

// because says in words why calls were not made, and what to do; "" where all
// were.
func (l *leftover) because(t *till) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	reasons := slices.Clone(l.notes)
	poor := 0
	for reason, n := range l.count {
		if reason.kind == llm.Unaffordable {
			poor += n
			continue
		}
		reasons = append(reasons, fmt.Sprintf("provider %s was given up, %s not asked; the same command takes them up again", reason.provider, counted(n, "call was", "calls were")))
	}
	slices.Sort(reasons)
	if poor > 0 {
		reasons = append([]string{fmt.Sprintf("%s, %s not made; the same command with a larger budget goes on", t.used(), counted(poor, "call was", "calls were"))}, reasons...)
	}
	return strings.Join(reasons, "\n")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// used names the budgets that are used up.
func (t *till) used() string {
	var used []string
	for _, p := range append([]*llm.Purse{t.all}, sortedPurses(t.own)...) {
		if p.Shut() {
			used = append(used, fmt.Sprintf("%s of %s is used up (%s spent)", p.Name(), llm.Dollars(p.Limit()), llm.Dollars(p.Spent())))
		}
	}
	return strings.Join(used, ", ")
}

func sortedPurses(own map[string]*llm.Purse) []*llm.Purse {
	var names []string
	for name := range own {
		names = append(names, name)
	}
	slices.Sort(names)
	purses := make([]*llm.Purse, len(names))
	for i, name := range names {
		purses[i] = own[name]
	}
	return purses
}

// payerKey is under which the context of an item says who pays for its calls.
type payerKey struct{}

// paidBy has the calls made with a context put on somebody's bill.
func paidBy(ctx context.Context, who store.Party) context.Context {
	return context.WithValue(ctx, payerKey{}, who)
}

func payer(ctx context.Context) store.Party {
	who, _ := ctx.Value(payerKey{}).(store.Party)
	return who
}

// newClient makes a provider's client, which asks as many at once as its lane is
// wide.
func (p *plan) newClient(lane string) (llm.Client, error) {
	provider := p.config.Providers[lane]
	provider.Name, provider.Concurrency = lane, p.config.lanes()[lane]
	return llm.New(provider, os.Getenv, p.hooks(lane))
}
