package llm

// PricesOf is the date of the built-in prices. They come from the makers' published
// lists, for the standard tier and prompts of ordinary length. The configuration
// overrides them (prices, and the price of an entry).
const PricesOf = "November 2026"

// BuiltinPrices are prices by the host of base_url and the model's name without its
// date: input, cached input, output.
var BuiltinPrices = map[string]map[string]Price{
	"api.openai.com": {
		"gpt-3.5-turbo":     PerMillion(0.50, 0.50, 1.50),
		"gpt-4":             PerMillion(30, 30, 60),
		"gpt-4-turbo":       PerMillion(10, 10, 30),
		"gpt-4o":            PerMillion(2.50, 1.25, 10),
		"gpt-4o-2024-05-13": PerMillion(5, 5, 15),
		"gpt-4o-mini":       PerMillion(0.15, 0.075, 0.60),
		"gpt-4.1":           PerMillion(2, 0.50, 8),
		"gpt-4.1-mini":      PerMillion(0.40, 0.10, 1.60),
		"gpt-4.1-nano":      PerMillion(0.10, 0.025, 0.40),
		"gpt-5":             PerMillion(1.25, 0.125, 10),
		"gpt-5-mini":        PerMillion(0.25, 0.025, 2),
		"gpt-5-nano":        PerMillion(0.05, 0.005, 0.40),
		"gpt-5.1":           PerMillion(1.25, 0.125, 10),
		"gpt-5.4":           PerMillion(2.50, 0.25, 15),
		"gpt-5.4-mini":      PerMillion(0.75, 0.075, 4.50),
		"gpt-5.5":           PerMillion(5, 0.50, 30),
		"o1":                PerMillion(15, 7.50, 60),
		"o3":                PerMillion(2, 0.50, 8),
		"o3-mini":           PerMillion(1.10, 0.55, 4.40),
		"o4-mini":           PerMillion(1.10, 0.275, 4.40),
	},
	"api.anthropic.com": {
		"claude-haiku-4-5":  PerMillion(1, 0.10, 5),
		"claude-sonnet-4-5": PerMillion(3, 0.30, 15),
		"claude-sonnet-4-6": PerMillion(3, 0.30, 15),
		"claude-sonnet-5":   PerMillion(2, 0.20, 10),
		"claude-opus-4-5":   PerMillion(5, 0.50, 25),
		"claude-opus-4-6":   PerMillion(5, 0.50, 25),
	},
	"generativelanguage.googleapis.com": {
		"gemini-2.5-flash-lite": PerMillion(0.10, 0.01, 0.40),
		"gemini-2.5-flash":      PerMillion(0.30, 0.03, 2.50),
		"gemini-2.5-pro":        PerMillion(1.25, 0.125, 10),
	},
}
