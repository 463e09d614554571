package llm

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// Price is the price of a model's tokens, in US dollars per million. Input and Output
// are required: without a known price there is none, never 0.
type Price struct {
	Input     *float64 `yaml:"input" json:"input"`                       // of the prompt
	Cached    *float64 `yaml:"cached" json:"cached,omitempty"`           // of the prompt's cached tokens; nil: as Input
	Written   *float64 `yaml:"cache_write" json:"cache_write,omitempty"` // of the prompt's tokens that are written to the cache; nil: as Input
	Output    *float64 `yaml:"output" json:"output"`                     // of the reply
	Reasoning *float64 `yaml:"reasoning" json:"reasoning,omitempty"`     // of the reply's reasoning; nil: as Output
	// Batch is the factor for requests in a batch; nil: 0.5.
	Batch *float64 `yaml:"batch" json:"batch,omitempty"`
	// Flex and Priority are the factors for requests that the server processed in the service tier of that name; nil: 0.5
	// for flex. Without one for priority, the costs are estimated at the factor 1.
	Flex     *float64 `yaml:"flex" json:"flex,omitempty"`
	Priority *float64 `yaml:"priority" json:"priority,omitempty"`
	// Long replaces prices for requests with a long prompt; nil: there is one price.
	Long *LongPrice `yaml:"long" json:"long,omitempty"`
}

// LongPrice is the price of a request whose prompt has more than Above tokens, for all its tokens. nil: as in Price.
type LongPrice struct {
	Above   int      `yaml:"above" json:"above"`
	Input   *float64 `yaml:"input" json:"input,omitempty"`
	Cached  *float64 `yaml:"cached" json:"cached,omitempty"`
	Written *float64 `yaml:"cache_write" json:"cache_write,omitempty"`
	Output  *float64 `yaml:"output" json:"output,omitempty"`
}

// Free returns a price of 0.
func Free() Price { return PerMillion(0, 0, 0) }

// PerMillion makes a price for input, cached input and output.
func PerMillion(input, cached, output float64) Price {
	return Price{Input: &input, Cached: &cached, Output: &output}
}

// Check returns an error for an incomplete or negative price.
func (p Price) Check() error {
	if p.Input == nil || p.Output == nil {
		return fmt.Errorf("a price needs input and output, in US dollars per million tokens; 0 is free")
	}
	amounts := map[string]*float64{"input": p.Input, "cached": p.Cached, "cache_write": p.Written, "output": p.Output,
		"reasoning": p.Reasoning, "batch": p.Batch, "flex": p.Flex, "priority": p.Priority}
	if l := p.Long; l != nil {
		if l.Above <= 0 {
			return fmt.Errorf("long needs above, the number of prompt tokens from which it applies")
		}
		maps.Copy(amounts, map[string]*float64{"long.input": l.Input, "long.cached": l.Cached, "long.cache_write": l.Written,
			"long.output": l.Output})
	}
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if x := amounts[name]; x != nil && (*x < 0 || math.IsNaN(*x) || math.IsInf(*x, 0)) {
			return fmt.Errorf("%s is %v; a price must be 0 or more", name, *x)
		}
	}
	return nil
}

// For returns the price of a request whose prompt has the given number of tokens.
func (p Price) For(prompt int) Price {
	if l := p.Long; l != nil && prompt > l.Above {
		p.Input, p.Cached = cmp.Or(l.Input, p.Input), cmp.Or(l.Cached, p.Cached)
		p.Written, p.Output = cmp.Or(l.Written, p.Written), cmp.Or(l.Output, p.Output)
	}
	p.Long = nil
	return p
}

// Cost returns what a request with this usage cost, in US dollars:
//
//	((prompt - cached - written) Input + cached Cached + written Written + (completion - reasoning) Output + reasoning Reasoning) / 10⁶
//
// It returns false if the usage is unknown. If the server does not report cached, written or reasoning tokens, they
// count as 0. For the sum of several requests, take the price For the prompt of one of them.
func (p Price) Cost(u Usage) (float64, bool) {
	if u.Prompt == nil || u.Completion == nil {
		return 0, false
	}
	p = p.For(*u.Prompt)
	part := func(n *int, most float64) float64 {
		if n == nil {
			return 0
		}
		return min(float64(*n), most)
	}
	prompt := float64(*u.Prompt)
	completion := float64(*u.Completion)
	cached := part(u.Cached, prompt)
	reasoning := part(u.Reasoning, completion)
	written := part(u.Written, prompt-cached)
	return ((prompt-cached-written)**p.Input + cached*ValueOr(p.Cached, *p.Input) + written*ValueOr(p.Written, *p.Input) +
		(completion-reasoning)**p.Output + reasoning*ValueOr(p.Reasoning, *p.Output)) / 1e6, true
}

// TokenCost returns an upper bound of the cost of these tokens: the highest price applies to the
// whole prompt, and to the whole reply.
func (p Price) TokenCost(prompt, completion int) float64 {
	p = p.For(prompt)
	return (float64(prompt)*max(*p.Input, ValueOr(p.Written, 0)) + float64(completion)*max(*p.Output, ValueOr(p.Reasoning, 0))) / 1e6
}

// InBatch returns the price in a batch.
func (p Price) InBatch() Price { return p.times(ValueOr(p.Batch, 0.5)) }

// InTier returns the price in the service tier that a reply names. known is false if the tier has a price of its own that is
// not known. Anthropic's tier priority is paid for in advance, and its tokens are counted as others are.
func (p Price) InTier(tier string) (price Price, known bool) {
	switch {
	case tier == "flex":
		return p.times(ValueOr(p.Flex, 0.5)), true
	case tier == "priority":
		return p.times(ValueOr(p.Priority, 1)), p.Priority != nil
	}
	return p, true
}

// times returns the price multiplied by a factor.
func (p Price) times(share float64) Price {
	all := []**float64{&p.Input, &p.Cached, &p.Written, &p.Output, &p.Reasoning}
	if p.Long != nil {
		long := *p.Long
		p.Long = &long
		all = append(all, &long.Input, &long.Cached, &long.Written, &long.Output)
	}
	for _, x := range all {
		if *x != nil {
			y := **x * share
			*x = &y
		}
	}
	p.Batch = nil
	p.Flex = nil
	p.Priority = nil
	return p
}

// ValueOr returns *x, or other if x is nil.
func ValueOr(x *float64, other float64) float64 {
	if x == nil {
		return other
	}
	return *x
}

// PricesOf is the date of the built-in prices.
const PricesOf = "November 2026"

// A PriceList is the built-in prices of one maker, by the model's name without its date.
type PriceList struct {
	Page   string           `yaml:"page"` // where they are published
	Prices map[string]Price `yaml:"prices"`
}

//go:embed prices.yaml
var builtinPrices []byte

// BuiltinPrices are the price lists by the host of base_url.
var BuiltinPrices = sync.OnceValue(func() map[string]PriceList {
	var lists map[string]PriceList
	if err := yaml.Load(builtinPrices, &lists); err != nil {
		panic(err) // the file is part of the program
	}
	return lists
})

// dated matches the date or version at the end of a model's name.
var dated = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$`)

// KnownPrice returns the built-in price of a model, and where it is from: free for Ollama, which
// runs on the user's machines, and a list price at the address of the model's maker. At
// other addresses the price of the same name is unknown.
func KnownPrice(p Provider, model string) (price Price, source string, known bool) {
	if TypeOf(p.Type).Local {
		return Free(), "Ollama runs on your machines", true
	}
	list := BuiltinPrices()[p.Host()]
	price, known = list.Prices[model]
	if !known {
		price, known = list.Prices[Undated(model)]
	}
	return price, fmt.Sprintf("built in, %s of %s", list.Page, PricesOf), known
}

// Undated returns a model's name without the date or version at its end.
func Undated(model string) string {
	return dated.ReplaceAllString(strings.TrimPrefix(model, "models/"), "")
}
