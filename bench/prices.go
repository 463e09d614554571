package bench

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"compqa/llm"
)

// checkMoney checks prices, budgets and what is to be asked in batches.
func (c *Config) checkMoney() error {
	for pattern, price := range c.Prices {
		if err := price.Check(); err != nil {
			return fmt.Errorf("prices: %q: %w", pattern, err)
		}
	}
	for name, p := range c.Providers {
		if p.Budget < 0 {
			return fmt.Errorf("provider %q: budget cannot be negative", name)
		}
	}
	type place struct{ provider, model string }
	priced := map[place]string{}
	for _, e := range c.liveEntries() {
		if e.batch && c.Providers[e.provider].Type != llm.TypeOpenAI {
			return fmt.Errorf("%s: batch needs a provider of type %s", e.what, llm.TypeOpenAI)
		}
		if e.price == nil {
			continue
		}
		if err := e.price.Check(); err != nil {
			return fmt.Errorf("%s: price: %w", e.what, err)
		}
		at := place{e.provider, e.model}
		text := hashOf(e.price)
		if other, ok := priced[at]; ok && other != text {
			return fmt.Errorf("%s: another entry gives a different price for %s at %s; it has one", e.what, e.model, e.provider)
		}
		priced[at] = text
	}
	return nil
}

// A liveEntry is what models and judges behind a provider have in common.
type liveEntry struct {
	what            string // for messages
	provider, model string
	price           *llm.Price
	batch           bool
}

func (c *Config) liveEntries() []liveEntry {
	var list []liveEntry
	add := func(what, provider, model string, price *llm.Price, batch bool) {
		if _, live := c.Providers[provider]; live {
			list = append(list, liveEntry{what, provider, model, price, batch})
		}
	}
	for _, m := range c.Models {
		add(fmt.Sprintf("model %q", m.Name), m.Provider, m.Model, m.Price, m.Batch)
	}
	for _, j := range c.Judges {
		add(fmt.Sprintf("judge %q", j.Name), j.Provider, j.Model, j.Price, j.Batch)
	}
	for _, ref := range c.Pairwise {
		for _, role := range ref.ownRoles() {
			add(fmt.Sprintf("pairwise judge %q", ref.Name), role.Provider, role.Model, role.Price, false)
		}
	}
	return list
}

// price is what a model costs at a provider: what its entry says, or prices (the
// longest pattern that fits), or the built-in list; false where none of them
// knows.
func (c *Config) price(provider, model string) (llm.Price, bool) {
	for _, e := range c.liveEntries() {
		if e.provider == provider && e.model == model && e.price != nil {
			return *e.price, true
		}
	}
	best, found := "", false
	for pattern := range c.Prices {
		if fits(pattern, model) && (!found || cmp.Or(cmp.Compare(len(pattern), len(best)), strings.Compare(best, pattern)) > 0) {
			best, found = pattern, true
		}
	}
	if found {
		return c.Prices[best], true
	}
	return llm.KnownPrice(c.Providers[provider], model)
}

// pricer is price for one provider, ready to be asked with every call.
func (c *Config) pricer(provider string) func(model string) (llm.Price, bool) {
	type answer struct {
		price llm.Price
		known bool
	}
	var asked sync.Map // model → answer
	return func(model string) (llm.Price, bool) {
		if a, ok := asked.Load(model); ok {
			return a.(answer).price, a.(answer).known
		}
		price, known := c.price(provider, model)
		asked.Store(model, answer{price, known})
		return price, known
	}
}

// fits reports whether a name fits a pattern, in which * stands for any text.
func fits(pattern, name string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for i := range len(name) + 1 {
		if fits(rest, name[i:]) {
			return true
		}
	}
	return false
}
