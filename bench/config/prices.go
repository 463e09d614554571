package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"compqa/llm"
)

// checkMoney checks the prices of models, and that entries with batch have a provider that supports batches. Two entries with the same
// model at the same provider must have the same price.
func (c *Config) checkMoney() error {
	for _, pattern := range slices.Sorted(maps.Keys(c.Prices.Models)) {
		if err := c.Prices.Models[pattern].Check(); err != nil {
			return At("prices", pattern, fmt.Errorf("prices: %q: %w", pattern, err))
		}
	}
	type place struct{ provider, model string }
	priced := map[place]string{}
	for _, e := range c.LiveEntries() {
		if err := e.Batch.check(); err != nil {
			return e.wrong(err)
		}
		if e.Batch.On() && !llm.TypeOf(c.Providers[e.Provider].Type).Batches {
			able := llm.TypeNames(func(t llm.ProviderType) bool { return t.Batches })
			return e.wrong(fmt.Errorf("batch needs a provider of type %s", strings.Join(able, " or ")))
		}
		if e.Batch.On() && len(c.Providers[e.Provider].BaseURLs) > 0 {
			return e.wrong(fmt.Errorf("batch needs a provider with one server: base_url instead of base_urls"))
		}
		if e.Price == nil {
			continue
		}
		if err := e.Price.Check(); err != nil {
			return e.wrong(fmt.Errorf("price: %w", err))
		}
		spot := place{e.Provider, e.Model}
		text := HashOf(e.Price)
		if other, ok := priced[spot]; ok && other != text {
			return e.wrong(fmt.Errorf("another entry has a different price for %s at %s; a model has one price", e.Model, e.Provider))
		}
		priced[spot] = text
	}
	return nil
}

// Prices is the section prices. Models has prices by model name, in which * matches any text. File names a cost map.
type Prices struct {
	File   string               `yaml:"file" json:"file,omitempty"`
	Models map[string]llm.Price `yaml:",inline" json:"models,omitempty"`

	costs llm.CostMap // the content of File
}

// readPrices reads the cost map that the section names.
func (c *Config) readPrices() error {
	if c.Prices.File == "" {
		return nil
	}
	path := c.Path(c.Prices.File)
	f, err := os.Open(path)
	if err != nil {
		return At("prices", "file", fmt.Errorf("prices: cannot read %s: %w", path, UnwrapPath(err)))
	}
	defer f.Close()
	c.Prices.costs, err = llm.ReadCostMap(f)
	if err != nil {
		return At("prices", "file", fmt.Errorf("prices: %s: %w", path, err))
	}
	return nil
}

// Price returns the price of a model at a provider. The result is false if the price is unknown.
func (c *Config) Price(provider, model string) (llm.Price, bool) {
	price, _, known := c.PriceSource(provider, model)
	return price, known
}

// PriceSource returns the price of a model at a provider, and where it comes from. It searches in this order, and returns false if it
// finds no price:
//   - the price of an entry that asks the model;
//   - the longest pattern of prices that matches the model's name;
//   - the cost map;
//   - the built-in list of prices.
func (c *Config) PriceSource(provider, model string) (price llm.Price, source string, known bool) {
	for _, e := range c.LiveEntries() {
		if e.Provider == provider && e.Model == model && e.Price != nil {
			return *e.Price, fmt.Sprintf("price of %s %q in %s", e.What, e.Name, c.File), true
		}
	}
	best := ""
	found := false
	for pattern := range c.Prices.Models {
		if Fits(pattern, model) && (!found || cmp.Or(cmp.Compare(len(pattern), len(best)), strings.Compare(best, pattern)) > 0) {
			best = pattern
			found = true
		}
	}
	if found {
		return c.Prices.Models[best], fmt.Sprintf("prices in %s, %q", c.File, best), true
	}
	if price, name, known := c.Prices.costs.Price(c.Providers[provider], model); known {
		return price, fmt.Sprintf("%s, %q", c.Path(c.Prices.File), name), true
	}
	return llm.KnownPrice(c.Providers[provider], model)
}

// Pricer returns a function that gives the prices of one provider's models. It remembers the prices, because each call asks for one.
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

// Fits reports whether a name matches a pattern, in which * stands for any text.
func Fits(pattern, name string) bool {
	fits, err := regexp.MatchString(`(?s)^`+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`)+`$`, name)
	return err == nil && fits
}
