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

// Price is the price of a model's tokens, in US dollars per million. Input and Output are required. A price that is unknown is not a Price,
// and never 0.
type Price struct {
	Input      *float64 `yaml:"input" json:"input"`                       // prompt tokens
	Cached     *float64 `yaml:"cached" json:"cached,omitempty"`           // prompt tokens from the cache; nil: as Input
	CacheWrite *float64 `yaml:"cache_write" json:"cache_write,omitempty"` // prompt tokens that are written to the cache; nil: as Input
	Output     *float64 `yaml:"output" json:"output"`                     // reply tokens
	Reasoning  *float64 `yaml:"reasoning" json:"reasoning,omitempty"`     // reply tokens that are reasoning; nil: as Output
	// Batch is the factor for requests in a batch; nil means 0.5.
	Batch *float64 `yaml:"batch" json:"batch,omitempty"`
	// Flex and Priority are the factors for requests that the server processed in the service tier of that name. A nil Flex means 0.5. With
	// a nil Priority, costs are estimated with the factor 1.
	Flex     *float64 `yaml:"flex" json:"flex,omitempty"`
	Priority *float64 `yaml:"priority" json:"priority,omitempty"`
	// Long replaces prices for requests with a long prompt; nil means that all prompts have the same price.
	Long *LongPrice `yaml:"long" json:"long,omitempty"`
}

// LongPrice is the price of all tokens of a request whose prompt has more than Above tokens. A nil price means the one in Price.
type LongPrice struct {
	AboveTokens int      `yaml:"above" json:"above"`
	Input       *float64 `yaml:"input" json:"input,omitempty"`
	Cached      *float64 `yaml:"cached" json:"cached,omitempty"`
	CacheWrite  *float64 `yaml:"cache_write" json:"cache_write,omitempty"`
	Output      *float64 `yaml:"output" json:"output,omitempty"`
}

// Free returns a price of 0.
func Free() Price { return PerMillion(0, 0, 0) }

// PerMillion returns a price for input, cached input and output.
func PerMillion(input, cached, output float64) Price {
	return Price{Input: &input, Cached: &cached, Output: &output}
}

// Check returns an error for an incomplete or negative price.
func (p Price) Check() error {
	if p.Input == nil || p.Output == nil {
		return fmt.Errorf("a price needs input and output, in US dollars per million tokens; 0 is free")
	}
	amounts := map[string]*float64{"input": p.Input, "cached": p.Cached, "cache_write": p.CacheWrite, "output": p.Output,
		"reasoning": p.Reasoning, "batch": p.Batch, "flex": p.Flex, "priority": p.Priority}
	if l := p.Long; l != nil {
		if l.AboveTokens <= 0 {
			return fmt.Errorf("long needs above, the number of prompt tokens from which it applies")
		}
		maps.Copy(amounts, map[string]*float64{"long.input": l.Input, "long.cached": l.Cached, "long.cache_write": l.CacheWrite,
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
	if l := p.Long; l != nil && prompt > l.AboveTokens {
		p.Input, p.Cached = cmp.Or(l.Input, p.Input), cmp.Or(l.Cached, p.Cached)
		p.CacheWrite, p.Output = cmp.Or(l.CacheWrite, p.CacheWrite), cmp.Or(l.Output, p.Output)
	}
	p.Long = nil
	return p
}

// Cost returns what a request with this usage cost, in US dollars:
//
//	((prompt - cached - written) Input + cached Cached + written Written + (completion - reasoning) Output + reasoning Reasoning) / 10⁶
//
// It returns false if the usage is unknown. Cached, written or reasoning tokens that the server does not report count as 0. To price the
// sum of several requests, first call For with the prompt of one of them.
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
	return ((prompt-cached-written)**p.Input + cached*ValueOr(p.Cached, *p.Input) + written*ValueOr(p.CacheWrite, *p.Input) +
		(completion-reasoning)**p.Output + reasoning*ValueOr(p.Reasoning, *p.Output)) / 1e6, true
}

// TokenCost returns an upper bound of the cost of these tokens. It applies the highest price to the whole prompt, and to the whole reply.
func (p Price) TokenCost(prompt, completion int) float64 {
	p = p.For(prompt)
	return (float64(prompt)*max(*p.Input, ValueOr(p.CacheWrite, 0)) + float64(completion)*max(*p.Output, ValueOr(p.Reasoning, 0))) / 1e6
}

// InBatch returns the price of requests in a batch.
func (p Price) InBatch() Price { return p.times(ValueOr(p.Batch, 0.5)) }

// InTier returns the price in the service tier that a reply names. known is false if the tier has its own price and this price is not
// known. Anthropic's tier priority is paid for in advance, and its tokens count as those of other tiers.
func (p Price) InTier(tier string) (price Price, known bool) {
	switch {
	case tier == "flex":
		return p.times(ValueOr(p.Flex, 0.5)), true
	case tier == "priority":
		return p.times(ValueOr(p.Priority, 1)), p.Priority != nil
	}
	return p, true
}

// times returns the price multiplied by share.
func (p Price) times(share float64) Price {
	all := []**float64{&p.Input, &p.Cached, &p.CacheWrite, &p.Output, &p.Reasoning}
	if p.Long != nil {
		long := *p.Long
		p.Long = &long
		all = append(all, &long.Input, &long.Cached, &long.CacheWrite, &long.Output)
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

// A PriceList has the built-in prices of one maker, by the model's name without its date.
type PriceList struct {
	Page   string           `yaml:"page"` // the address where they are published
	Prices map[string]Price `yaml:"prices"`
}

//go:embed prices.yaml
var builtinPrices []byte

// BuiltinPrices returns the price lists by the host of base_url.
var BuiltinPrices = sync.OnceValue(func() map[string]PriceList {
	var lists map[string]PriceList
	if err := yaml.Load(builtinPrices, &lists); err != nil {
		panic(err) // the file is part of the program
	}
	return lists
})

// dated matches the date or version at the end of a model's name.
var dated = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$`)

// KnownPrice returns the built-in price of a model, and where it comes from. Ollama is free, because it runs on the user's machines. A
// listed price holds only at the address of the model's maker; elsewhere the price of the same name is unknown.
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

// Undated returns a model's name without the date or version at its end: "gpt-4o-2024-08-06" gives "gpt-4o".
func Undated(model string) string {
	return dated.ReplaceAllString(strings.TrimPrefix(model, "models/"), "")
}
