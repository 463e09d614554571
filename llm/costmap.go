package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A CostMap has prices in the format of LiteLLM's model_prices_and_context_window.json (MIT): US dollars per token, by LiteLLM's name of
// the model.
type CostMap map[string]map[string]any

// ReadCostMap reads a cost map. A file in which no model has a price for tokens is an error.
func ReadCostMap(r io.Reader) (CostMap, error) {
	var m CostMap
	if err := json.NewDecoder(r).Decode(&m); err != nil {
		return nil, fmt.Errorf("not a cost map in LiteLLM's format, an object of models: %w", err)
	}
	for name := range m {
		if _, ok, err := m.price(name); err != nil {
			return nil, err
		} else if ok {
			return m, nil
		}
	}
	return nil, fmt.Errorf("not a cost map in LiteLLM's format: no model has input_cost_per_token and output_cost_per_token")
}

// costMapPrefixes are LiteLLM's prefixes of model names, by the host of base_url.
var costMapPrefixes = map[string]string{
	"openrouter.ai": "openrouter/", "generativelanguage.googleapis.com": "gemini/", "openai.azure.com": "azure/", "api.mistral.ai": "mistral/",
	"api.deepseek.com": "deepseek/", "api.groq.com": "groq/", "api.together.xyz": "together_ai/", "api.fireworks.ai": "fireworks_ai/",
	"api.x.ai": "xai/",
}

// Price returns the price of a provider's model, and LiteLLM's name for the model. It tries the name with the prefix of the provider, then
// the name alone; each first with the date in it, then without.
func (m CostMap) Price(p Provider, model string) (price Price, name string, known bool) {
	var prefixes []string
	for host, prefix := range costMapPrefixes {
		if strings.HasSuffix("."+p.Host(), "."+host) {
			prefixes = append(prefixes, prefix)
		}
	}
	for _, prefix := range append(prefixes, p.Type+"/", "") {
		for _, name := range []string{prefix + model, prefix + Undated(model)} {
			if price, ok, err := m.price(name); ok && err == nil {
				return price, name, true
			}
		}
	}
	// LiteLLM's own names of models begin with the provider (bedrock/anthropic.claude…). Its price list has the provider in a field.
	if provider, rest, ok := strings.Cut(model, "/"); ok {
		if named, _ := m[rest]["litellm_provider"].(string); named == provider || strings.HasPrefix(named, provider+"_") {
			price, known, err := m.price(rest)
			return price, rest, known && err == nil
		}
	}
	return Price{}, "", false
}

// costAbove matches the key of the price for long prompts, for instance input_cost_per_token_above_200k_tokens.
var costAbove = regexp.MustCompile(`^input_cost_per_token_above_(\d+)k_tokens$`)

// price returns the price under a name. ok is false without a price per token.
func (m CostMap) price(name string) (p Price, ok bool, err error) {
	entry := m[name]
	cost := func(key string) *float64 {
		x, ok := entry[key].(float64)
		if !ok {
			return nil
		}
		x = math.Round(x*1e15) / 1e9 // per million: 3e-07 is 0.3
		return &x
	}
	p = Price{Input: cost("input_cost_per_token"), Cached: cost("cache_read_input_token_cost"),
		CacheWrite: cost("cache_creation_input_token_cost"),
		Output:     cost("output_cost_per_token"), Reasoning: cost("output_cost_per_reasoning_token")}
	if p.Input == nil || p.Output == nil {
		return Price{}, false, nil
	}
	for suffix, factor := range map[string]**float64{"_batches": &p.Batch, "_flex": &p.Flex, "_priority": &p.Priority} {
		if price := cost("input_cost_per_token" + suffix); price != nil && *p.Input > 0 {
			*factor = new(*price / *p.Input)
		}
	}
	for key := range entry {
		found := costAbove.FindStringSubmatch(key)
		if found == nil {
			continue
		}
		thousands, _ := strconv.Atoi(found[1]) // digits
		if p.Long != nil && p.Long.AboveTokens <= thousands*1000 {
			continue
		}
		suffix := strings.TrimPrefix(key, "input_cost_per_token")
		p.Long = &LongPrice{AboveTokens: thousands * 1000, Input: cost(key), Cached: cost("cache_read_input_token_cost" + suffix),
			CacheWrite: cost("cache_creation_input_token_cost" + suffix), Output: cost("output_cost_per_token" + suffix)}
	}
	if err := p.Check(); err != nil {
		return p, true, fmt.Errorf("%q: %w", name, err)
	}
	return p, true, nil
}
