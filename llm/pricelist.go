package llm

// PricesOf is the date of the built-in prices. They come from the makers' published
// lists, for the standard tier. The configuration overrides them (prices, and the price of
// an entry).
const PricesOf = "November 2026"

// A PriceList is the built-in prices of one maker, by the model's name without its date.
type PriceList struct {
	Page   string // where they are published
	Prices map[string]Price
}

// BuiltinPrices are prices by the host of base_url: input, cached input, output.
var BuiltinPrices = map[string]PriceList{
	"api.openai.com": {"developers.openai.com/api/docs/pricing", map[string]Price{
		"gpt-6.2-astra":     sinceGPT56(8, 0.40, 40),
		"gpt-6.2-sol":       sinceGPT56(2, 0.10, 10),
		"gpt-6.1-sol":       sinceGPT56(2, 0.10, 10),
		"gpt-6.1-terra":     sinceGPT56(1, 0.05, 5),
		"gpt-6-astra":       sinceGPT56(10, 1, 50),
		"gpt-6-sol":         sinceGPT56(2, 0.20, 10),
		"gpt-6-luna":        sinceGPT56(0.10, 0.01, 0.50),
		"gpt-5.6-sol":       sinceGPT56(5, 0.50, 30),
		"gpt-5.6-terra":     sinceGPT56(2, 0.20, 12),
		"gpt-5.6-luna":      sinceGPT56(0.20, 0.02, 1.20),
		"gpt-5.5":           PerMillion(5, 0.50, 30),
		"gpt-5.4":           PerMillion(2.50, 0.25, 15),
		"gpt-5.4-mini":      PerMillion(0.75, 0.075, 4.50),
		"gpt-5.1":           PerMillion(1.25, 0.125, 10),
		"gpt-5":             PerMillion(1.25, 0.125, 10),
		"gpt-5-mini":        PerMillion(0.25, 0.025, 2),
		"gpt-5-nano":        PerMillion(0.05, 0.005, 0.40),
		"gpt-4.1":           PerMillion(2, 0.50, 8),
		"gpt-4.1-mini":      PerMillion(0.40, 0.10, 1.60),
		"gpt-4.1-nano":      PerMillion(0.10, 0.025, 0.40),
		"gpt-4o":            PerMillion(2.50, 1.25, 10),
		"gpt-4o-2024-05-13": PerMillion(5, 5, 15),
		"gpt-4o-mini":       PerMillion(0.15, 0.075, 0.60),
		"gpt-4-turbo":       PerMillion(10, 10, 30),
		"gpt-4":             PerMillion(30, 30, 60),
		"gpt-3.5-turbo":     PerMillion(0.50, 0.50, 1.50),
		"o1":                PerMillion(15, 7.50, 60),
		"o3":                PerMillion(2, 0.50, 8),
		"o3-mini":           PerMillion(1.10, 0.55, 4.40),
		"o4-mini":           PerMillion(1.10, 0.275, 4.40),
	}},
	"api.anthropic.com": {"platform.claude.com/docs/en/about-claude/pricing", map[string]Price{
		"claude-fable-5-1":  withCacheWrites(10, 0.25, 50),
		"claude-fable-5":    withCacheWrites(10, 1, 50),
		"claude-opus-5-5":   withCacheWrites(4, 0.20, 20),
		"claude-opus-5":     withCacheWrites(5, 0.50, 25),
		"claude-opus-4-8":   withCacheWrites(5, 0.50, 25),
		"claude-opus-4-7":   withCacheWrites(5, 0.50, 25),
		"claude-opus-4-6":   withCacheWrites(5, 0.50, 25),
		"claude-opus-4-5":   withCacheWrites(5, 0.50, 25),
		"claude-sonnet-5-5": withCacheWrites(2, 0.10, 10),
		"claude-sonnet-5":   withCacheWrites(2, 0.20, 10),
		"claude-sonnet-4-6": withCacheWrites(3, 0.30, 15),
		"claude-sonnet-4-5": withCacheWrites(3, 0.30, 15),
		"claude-haiku-5-5":  withCacheWrites(0.10, 0.01, 0.50).long(100_000, 5, 5),
		"claude-haiku-4-5":  withCacheWrites(1, 0.10, 5),
	}},
	"generativelanguage.googleapis.com": {"ai.google.dev/gemini-api/docs/pricing", map[string]Price{
		"gemini-3.8-flash":      PerMillion(0.75, 0.075, 3.75), // until 31 December 2026, twice as much afterwards
		"gemini-3.5-flash":      PerMillion(1.50, 0.15, 9),
		"gemini-3.1-pro":        PerMillion(2, 0.20, 12).long(200_000, 2, 1.5),
		"gemini-3.1-flash-lite": PerMillion(0.25, 0.025, 1.50),
		"gemini-2.5-pro":        PerMillion(1.25, 0.125, 10).long(200_000, 2, 1.5),
		"gemini-2.5-flash":      PerMillion(0.30, 0.03, 2.50),
		"gemini-2.5-flash-lite": PerMillion(0.10, 0.01, 0.40),
	}},
}

// sinceGPT56 is a price of OpenAI since GPT-5.6: a token that is written to the cache costs
// 1.25 times as much, and a request with more than 272,000 tokens twice as much for the prompt
// and 1.5 times as much for the reply.
func sinceGPT56(input, cached, output float64) Price {
	return withCacheWrites(input, cached, output).long(272_000, 2, 1.5)
}

// withCacheWrites is a price with cache writes at 1.25 times the input: OpenAI, and Anthropic for
// entries of 5 minutes.
func withCacheWrites(input, cached, output float64) Price {
	written := 1.25 * input
	p := PerMillion(input, cached, output)
	p.Written = &written
	return p
}

// long adds the price of long prompts, as factors for the prompt and the reply.
func (p Price) long(above int, prompt, reply float64) Price {
	in, out := p.scaled(prompt), p.scaled(reply)
	p.Long = &LongPrice{Above: above, Input: in.Input, Cached: in.Cached, Written: in.Written, Output: out.Output}
	return p
}
