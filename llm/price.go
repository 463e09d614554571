package llm

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"
)

// Price is what a model's tokens cost, in US dollars a million. Input and Output
// have to be there: a price that isn't known is no Price, and never 0.
type Price struct {
	Input     *float64 `yaml:"input" json:"input"`                   // of the prompt
	Cached    *float64 `yaml:"cached" json:"cached,omitempty"`       // of prompt read from the provider's cache; nil: as Input
	Output    *float64 `yaml:"output" json:"output"`                 // of the reply
	Reasoning *float64 `yaml:"reasoning" json:"reasoning,omitempty"` // of the reply's reasoning; nil: as Output
	// Batch is the share of all these that is charged in a batch; nil: a half.
	Batch *float64 `yaml:"batch" json:"batch,omitempty"`
}

// Free is the price of what costs nothing.
func Free() Price { return PerMillion(0, 0, 0) }

func PerMillion(input, cached, output float64) Price {
	return Price{Input: &input, Cached: &cached, Output: &output}
}

// Check says what is wrong with a price.
func (p Price) Check() error {
	if p.Input == nil || p.Output == nil {
		return fmt.Errorf("a price needs input and output, in US dollars a million tokens; 0 is free")
	}
	for name, x := range map[string]*float64{"input": p.Input, "cached": p.Cached, "output": p.Output, "reasoning": p.Reasoning, "batch": p.Batch} {
		if x != nil && (*x < 0 || math.IsNaN(*x) || math.IsInf(*x, 0)) {
			return fmt.Errorf("%s is %v; a price is 0 or more", name, *x)
		}
	}
	return nil
}

// Cost is what a request with this usage cost, in US dollars:
//
//	((prompt - cached) Input + cached Cached + (completion - reasoning) Output + reasoning Reasoning) / 10⁶
//
// False: the usage isn't known. Parts that a server doesn't tell (cached,
// reasoning) are taken as none of it.
func (p Price) Cost(u Usage) (float64, bool) {
	if u.Prompt == nil || u.Completion == nil {
		return 0, false
	}
	prompt, completion := float64(*u.Prompt), float64(*u.Completion)
	cached, reasoning := 0.0, 0.0
	if u.Cached != nil {
		cached = min(float64(*u.Cached), prompt)
	}
	if u.Reasoning != nil {
		reasoning = min(float64(*u.Reasoning), completion)
	}
	return ((prompt-cached)**p.Input + cached*ValueOr(p.Cached, *p.Input) +
		(completion-reasoning)**p.Output + reasoning*ValueOr(p.Reasoning, *p.Output)) / 1e6, true
}

// tokens is the cost of so many tokens, none of them cached, and all of the
// reply at the dearer of the prices for it.
func (p Price) TokenCost(prompt, completion int) float64 {
	return (float64(prompt)**p.Input + float64(completion)*max(*p.Output, ValueOr(p.Reasoning, 0))) / 1e6
}

// InBatch is the price of the same in a batch.
func (p Price) InBatch() Price {
	share := ValueOr(p.Batch, 0.5)
	scaled := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		y := *x * share
		return &y
	}
	return Price{Input: scaled(p.Input), Cached: scaled(p.Cached), Output: scaled(p.Output), Reasoning: scaled(p.Reasoning)}
}

func ValueOr(x *float64, other float64) float64 {
	if x == nil {
		return other
	}
	return *x
}

// dated matches what the name of one edition of a model adds to that of the
// model.
var dated = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|\d{3,4}|latest)$`)

// KnownPrice is the price of a model that needs no configuration: nothing at
// Ollama, since that runs on machines of one's own, and what the built-in list
// says at the address of the model's maker. Elsewhere the same name may have any
// price.
func KnownPrice(p Provider, model string) (Price, bool) {
	if p.Type == TypeOllama {
		return Free(), true
	}
	u, err := url.Parse(p.WithDefaults().BaseURL)
	if err != nil {
		return Price{}, false
	}
	prices := BuiltinPrices[u.Hostname()]
	if price, ok := prices[model]; ok {
		return price, true
	}
	price, ok := prices[dated.ReplaceAllString(strings.TrimPrefix(model, "models/"), "")]
	return price, ok
}
