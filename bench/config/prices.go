package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"compqa/llm"
	"compqa/llm/client"
)

// checkMoney checks prices, budgets and what is to be asked in batches.
func (c *Config) checkMoney() error {
	for _, pattern := range slices.Sorted(maps.Keys(c.Prices)) {
		if err := c.Prices[pattern].Check(); err != nil {
			return At("prices", pattern, fmt.Errorf("prices: %q: %w", pattern, err))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		if c.Providers[name].Budget < 0 {
			return At("providers", name, fmt.Errorf("provider %q: budget cannot be negative", name))
		}
	}
	type place struct{ provider, model string }
	priced := map[place]string{}
	for _, e := range c.LiveEntries() {
		if e.batch && !client.HasBatches(c.Providers[e.Provider].Type) {
			return e.wrong(fmt.Errorf("batch needs a provider of type %s or %s", llm.TypeOpenAI, llm.TypeAnthropic))
		}
		if e.price == nil {
			continue
		}
		if err := e.price.Check(); err != nil {
			return e.wrong(fmt.Errorf("price: %w", err))
		}
		at := place{e.Provider, e.Model}
		text := HashOf(e.price)
		if other, ok := priced[at]; ok && other != text {
			return e.wrong(fmt.Errorf("another entry gives a different price for %s at %s; it has one", e.Model, e.Provider))
		}
		priced[at] = text
	}
	return nil
}

// A LiveEntry is what models and judges behind a provider have in common.
type LiveEntry struct {
	section         string // it stands in
	What, Name      string // for messages: model "gpt-4o"
	Provider, Model string
	price           *llm.Price
	batch           bool
	effort          Effort
	options, extra  map[string]any
}

// wrong is what is wrong with the entry.
func (e LiveEntry) wrong(err error) error { return At(e.section, e.Name, Named(e.What, e.Name, err)) }

func (c *Config) LiveEntries() []LiveEntry {
	var list []LiveEntry
	add := func(section, what, name, provider, model string, price *llm.Price, batch bool, effort Effort, options, extra map[string]any) {
		if _, live := c.Providers[provider]; live {
			list = append(list, LiveEntry{section, what, name, provider, model, price, batch, effort, options, extra})
		}
	}
	for _, m := range c.Models {
		add("models", "model", m.Name, m.Provider, m.Model, m.Price, m.Batch, m.Effort, m.Options, m.Extra)
	}
	for _, j := range c.Judges {
		add("judges", "judge", j.Name, j.Provider, j.Model, j.Price, j.Batch, j.Effort, j.Options, j.Extra)
	}
	for _, ref := range c.Pairwise {
		for _, role := range ref.OwnRoles() {
			add("pairwise", "pairwise judge", ref.Name, role.Provider, role.Model, role.Price, ref.Batch, role.Effort, role.Options, role.Extra)
		}
	}
	return list
}

// Price is what a model costs at a provider: what its entry says, or prices (the
// longest pattern that fits), or the built-in list; false where none of them
// knows.
func (c *Config) Price(provider, model string) (llm.Price, bool) {
	for _, e := range c.LiveEntries() {
		if e.Provider == provider && e.Model == model && e.price != nil {
			return *e.price, true
		}
	}
	best, found := "", false
	for pattern := range c.Prices {
		if Fits(pattern, model) && (!found || cmp.Or(cmp.Compare(len(pattern), len(best)), strings.Compare(best, pattern)) > 0) {
			best, found = pattern, true
		}
	}
	if found {
		return c.Prices[best], true
	}
	return llm.KnownPrice(c.Providers[provider], model)
}

// Pricer is price for one provider, ready to be asked with every call.
func (c *Config) Pricer(provider string) func(model string) (llm.Price, bool) {
	type answer struct {
		price llm.Price
		known bool
	}
	var asked sync.Map // model → answer
	return func(model string) (llm.Price, bool) {
		if a, ok := asked.Load(model); ok {
			return a.(answer).price, a.(answer).known
		}
		price, known := c.Price(provider, model)
		asked.Store(model, answer{price, known})
		return price, known
	}
}

// Fits reports whether a name fits a pattern, in which * stands for any text.
func Fits(pattern, name string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, first)
	if !ok {
		return false
	}
	for i := range len(name) + 1 {
		if Fits(rest, name[i:]) {
			return true
		}
	}
	return false
}
