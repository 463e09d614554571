package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
	"compqa/results/store"
)

// Budgets are the budget of a run, under the key "", and the budgets of providers that have their own, by provider.
type Budgets map[string]*limits.Budget

// CheckBudget returns an error if a budget is set and the price of a model is unknown, because such a budget could not be kept. With
// AllowUnknownPrices, budgets ignore calls of unknown price.
func CheckBudget(c *config.Config) error {
	if c.AllowUnknownPrices {
		return nil
	}
	var unknown []string
	for _, e := range c.LiveEntries() {
		if c.Run.Budget == 0 && c.Providers[e.Provider].Budget == 0 {
			continue
		}
		if _, known := c.Price(e.Provider, e.Model); !known {
			unknown = append(unknown, fmt.Sprintf("%s %q (%s at %s)", e.What, e.Name, e.Model, e.Provider))
		}
	}
	if unknown == nil {
		return nil
	}
	return config.Usagef("%s: a budget needs all prices, and these are unknown: %s; add one to the entry, in US "+
		"dollars per million tokens, price: {input: 2.5, output: 10}, or {input: 0, output: 0} if it is free; --allow-unknown-prices leaves "+
		"them out of the budget",
		c.File, strings.Join(unknown, ", "))
}

// NewBudgets returns the budgets of a configuration, with nothing spent yet.
func NewBudgets(c *config.Config) Budgets {
	t := Budgets{"": limits.NewBudget("the budget", c.Run.Budget, 0)}
	for name, provider := range c.Providers {
		if provider.Budget > 0 {
			t[name] = limits.NewBudget("the budget of provider "+name, provider.Budget, 0)
		}
	}
	return t
}

// Of returns the budgets that pay for a provider's calls: the run's, and the provider's own if it has one.
func (t Budgets) Of(provider string) []*limits.Budget {
	if budget := t[provider]; budget != nil {
		return []*limits.Budget{t[""], budget}
	}
	return []*limits.Budget{t[""]}
}

// Charge subtracts what earlier commands spent from the budgets. This includes the most that unanswered calls may cost. Calls recorded
// without a price are charged at the current price.
func (t Budgets) Charge(c *config.Config, db *store.Store) error {
	bills, _, err := db.CostAccounts()
	if err != nil {
		return fmt.Errorf("reading what was spent: %w", err)
	}
	for _, b := range bills {
		sum := b.Cost + b.MaybeCost
		if price, known := c.Price(b.Provider, b.Model); known {
			price = b.PriceOf(price)
			cost, _ := price.For(b.Open.Prompt / max(1, b.Unpriced)).Cost(b.Open.Usage())
			sum += cost
		}
		for _, budget := range t.Of(b.Provider) {
			budget.Charge(sum)
		}
	}
	return nil
}

// hooks returns what connects a provider's client to the run: prices, budgets, notices, the log, and what is known about its models.
func (e *Engine) hooks(provider string, known []store.Adaptation) client.Hooks {
	h := client.Hooks{
		Price:   e.config.Pricer(provider),
		Notice:  func(text string) { e.progress.say(provider, text) },
		Budgets: e.Budgets.Of(provider),
		OnAdaptation: func(a llm.Adaptation) {
			if e.Record != nil {
				e.Record.Put(func(b store.Batch) error { return b.Adaptation(store.Adaptation{Provider: provider, Adaptation: a}) })
			}
		},
		BeforeRequest: e.sending,
	}
	for _, a := range known {
		if a.Provider == provider {
			h.KnownAdaptations = append(h.KnownAdaptations, a.Adaptation)
		}
	}
	if e.log != nil {
		h.OnAttempt = attempted(e.log, provider)
	}
	return h
}

// sums formats the amount spent and the run's limit, for instance "$1.20 of $5.00". It returns "" if there is neither.
func (t Budgets) sums() string {
	spent := t[""].Spent()
	limit := t[""].Limit
	switch {
	case limit > 0:
		return fmt.Sprintf("%s of %s", limits.Dollars(spent), limits.Dollars(limit))
	case spent > 0:
		return limits.Dollars(spent)
	}
	return ""
}

// unmadeCalls counts the calls that were not made, by the reason.
type unmadeCalls struct {
	mu           sync.Mutex
	unaffordable int
	givenUp      map[string]int        // calls to providers that did not recover, by provider
	refused      map[string]*unmade    // calls that a provider refuses whatever they ask, by provider
	waiting      map[*batching]*unmade // calls that wait for another batch
	notes        []string
}

// An unmade counts calls that were not made for the same reason.
type unmade struct {
	n   int
	why string
}

// wait counts a call that waits for another batch.
func (l *unmadeCalls) wait(b *batching) {
	l.mu.Lock()
	defer l.mu.Unlock()
	add(&l.waiting, b, b.why)
}

// add counts a call under a key, and keeps the latest reason.
func add[K comparable](calls *map[K]*unmade, key K, why string) {
	if *calls == nil {
		*calls = map[K]*unmade{}
	}
	if (*calls)[key] == nil {
		(*calls)[key] = &unmade{}
	}
	(*calls)[key].n++
	(*calls)[key].why = why
}

// count counts a call that was not made, by the kind of its error. Other errors do not count.
func (l *unmadeCalls) count(provider string, err error) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Concerns != llm.OneCall && e.Attempts > 0:
		add(&l.refused, provider, e.Brief())
	case e.Kind == llm.Unaffordable:
		l.unaffordable++
	case e.Kind == llm.Unavailable:
		if l.givenUp == nil {
			l.givenUp = map[string]int{}
		}
		l.givenUp[provider]++
	}
}

// note adds a reason in words.
func (l *unmadeCalls) note(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notes = append(l.notes, text)
}

// Reasons explains, one reason a line, why calls were not made and what to do. It returns "" if all calls were made.
func (l *unmadeCalls) Reasons(t Budgets) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	reasons := slices.Clone(l.notes)
	for provider, n := range l.givenUp {
		reasons = append(reasons, fmt.Sprintf("provider %s did not recover, %s not made; the same command continues with them", provider,
			data.Plural(n, "call was", "calls were")))
	}
	for provider, calls := range l.refused {
		reasons = append(reasons, fmt.Sprintf("provider %s refused %s (%s); they stay pending: correct this, and run the same command again",
			provider, data.Plural(calls.n, "call", "calls"), calls.why))
	}
	for b, calls := range l.waiting {
		reasons = append(reasons, fmt.Sprintf("%s of %s wait for another batch (%s); the same command continues with them",
			data.Plural(calls.n, "call", "calls"), b.Name, cmp.Or(calls.why, "see above")))
	}
	slices.Sort(reasons)
	if l.unaffordable > 0 {
		reasons = append([]string{fmt.Sprintf("%s, %s not made; run the same command with a larger budget to continue", t.used(),
			data.Plural(l.unaffordable, "call was", "calls were"))}, reasons...)
	}
	return strings.Join(reasons, "\n")
}

// used describes the budgets that are used up.
func (t Budgets) used() string {
	var used []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if p := t[name]; p.Exhausted() {
			used = append(used, fmt.Sprintf("%s of %s is used up (%s spent, %s left; the next call could cost up to %s)", p.Name,
				limits.Dollars(p.Limit), limits.Dollars(p.Spent()),
				limits.Dollars(max(0, p.Limit-p.Spent())), limits.Dollars(p.Refused())))
		}
	}
	return strings.Join(used, ", ")
}
