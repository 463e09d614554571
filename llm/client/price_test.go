package client

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"compqa/llm"
	"compqa/llm/limits"
)

func tokens(prompt, cached, completion, reasoning int) llm.Usage {
	return llm.Usage{Prompt: &prompt, Cached: &cached, Completion: &completion, Reasoning: &reasoning}
}

// wrote returns the usage with n tokens that were written to the cache.
func wrote(u llm.Usage, n int) llm.Usage {
	u.Written = &n
	return u
}

func TestCost(t *testing.T) {
	six := 6.0
	half := 0.25
	gpt := llm.PerMillion(2.50, 1.25, 10)
	written := llm.PerMillion(4, 1, 20)
	written.CacheWrite = &six
	eight := 8.0
	two := 2.0
	thirty := 30.0
	long := written
	long.Long = &llm.LongPrice{AboveTokens: 1000, Input: &eight, Cached: &two, Output: &thirty} // the price of cache writes stays
	tests := []struct {
		name  string
		price llm.Price
		usage llm.Usage
		want  float64 // computed by hand
	}{
		{"plain", gpt, tokens(1e6, 0, 1e6, 0), 12.50},
		{"cached", gpt, tokens(1e6, 400_000, 0, 0), 0.6*2.50 + 0.4*1.25},
		{"reasoning at the price of the reply", gpt, tokens(0, 0, 1e6, 1e6), 10},
		{"reasoning at its own", llm.Price{Input: gpt.Input, Output: gpt.Output, Reasoning: &six}, tokens(0, 0, 1e6, 500_000), 5 + 3},
		{"cached at the price of the prompt", llm.Price{Input: gpt.Input, Output: gpt.Output}, tokens(1e6, 1e6, 0, 0), 2.50},
		{"more cached than there is", gpt, tokens(1000, 5000, 0, 0), 1.25e-3},
		{"in a batch", gpt.InBatch(), tokens(1e6, 400_000, 1e6, 0), (0.6*2.50 + 0.4*1.25 + 10) / 2},
		{"in a batch at a quarter", llm.Price{Input: gpt.Input, Output: gpt.Output, Batch: &half}.InBatch(), tokens(1e6, 0, 1e6, 0), 12.50 / 4},
		{"free", llm.Free(), tokens(1e6, 1, 1e6, 1), 0},
		{"cache writes", written, wrote(tokens(1e6, 300_000, 0, 0), 200_000), 0.5*4 + 0.3*1 + 0.2*6},
		{"more written than there is", written, wrote(tokens(1e6, 900_000, 0, 0), 900_000), 0.9*1 + 0.1*6},
		{"cache writes at the price of the prompt", gpt, wrote(tokens(1e6, 0, 0, 0), 1e6), 2.50},
		{"cache writes in a batch", written.InBatch(), wrote(tokens(1e6, 0, 0, 0), 1e6), 3},
		{"as long as it may be", long, wrote(tokens(1000, 100, 1000, 0), 100), (800*4 + 100*1 + 100*6 + 1000*20) / 1e6},
		{"a token longer", long, wrote(tokens(1001, 100, 1000, 0), 100), (801*8 + 100*2 + 100*6 + 1000*30) / 1e6},
		{"long in a batch", long.InBatch(), tokens(2000, 0, 1000, 0), (2000*8 + 1000*30) / 2e6},
	}
	for _, test := range tests {
		got, told := test.price.Cost(test.usage)
		if !told || math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
	n := 5
	for _, u := range []llm.Usage{{}, {Prompt: &n}, {Completion: &n}} {
		if c, told := gpt.Cost(u); told || c != 0 {
			t.Errorf("usage %+v costs %v", u, c)
		}
	}
}

func TestPriceCheck(t *testing.T) {
	minus := -1.0
	nan := math.NaN()
	one := 1.0
	for name, p := range map[string]llm.Price{
		"nothing": {}, "no output": {Input: &one}, "no input": {Output: &one},
		"a long price for every prompt": {Input: &one, Output: &one, Long: &llm.LongPrice{}},
		"a negative long price":         {Input: &one, Output: &one, Long: &llm.LongPrice{AboveTokens: 9, Output: &minus}},
		"negative":                      {Input: &minus, Output: &one}, "NaN": {Input: &one, Output: &one, Cached: &nan},
	} {
		if p.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
	for _, prices := range llm.BuiltinPrices() {
		for name, p := range prices.Prices {
			if err := p.Check(); err != nil || *p.Cached > *p.Input || *p.Output < *p.Input {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestKnownPrice(t *testing.T) {
	tests := []struct {
		p     llm.Provider
		model string
		input float64 // -1: unknown
	}{
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-4o", 2.50}, // the default address
		{llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://api.openai.com/v1"}, "gpt-4o-2024-11-20", 2.50},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-4o-2024-05-13", 5},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-4o-mini-2024-07-18", 0.15},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-4-0613", 30},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-4o-audio-preview", -1},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-99", -1},
		{llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://api.anthropic.com/v1"}, "claude-sonnet-4-5-20250929", 3},
		{llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai"}, "models/gemini-2.5-pro", 1.25},
		{llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://127.0.0.1:8000/v1"}, "gpt-4o", -1}, // it may be a gateway that charges
		{llm.Provider{Type: llm.TypeAnthropic}, "claude-opus-5-5", 4},
		{llm.Provider{Type: llm.TypeAnthropic, BaseURL: "https://api.anthropic.com"}, "claude-haiku-4-5-20251001", 1},
		{llm.Provider{Type: llm.TypeAnthropic, BaseURL: "http://127.0.0.1:4000"}, "claude-opus-5-5", -1},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-6-luna", 0.10},
		{llm.Provider{Type: llm.TypeOllama}, "llama3:8b", 0},
	}
	for _, test := range tests {
		price, _, known := llm.KnownPrice(test.p, test.model)
		switch {
		case known != (test.input >= 0):
			t.Errorf("%s at %s: known %t", test.model, test.p.BaseURL, known)
		case known && *price.Input != test.input:
			t.Errorf("%s at %s: %v", test.model, test.p.BaseURL, *price.Input)
		}
	}
}

// TestCostMap: prices are read as LiteLLM writes them.
func TestCostMap(t *testing.T) {
	m, err := llm.ReadCostMap(strings.NewReader(`{
		"sample_spec": {"input_cost_per_token": 0.0, "max_tokens": "LEGACY", "litellm_provider": "one of https://docs.litellm.ai/docs/providers"},
		"claude-sonnet-4-5": {"input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_creation_input_token_cost": 3.75e-06,
			"cache_read_input_token_cost": 3e-07, "input_cost_per_token_above_200k_tokens": 6e-06, "output_cost_per_token_above_200k_tokens": 2.25e-05,
			"cache_creation_input_token_cost_above_200k_tokens": 7.5e-06, "cache_read_input_token_cost_above_200k_tokens": 6e-07,
			"input_cost_per_token_batches": 1.5e-06, "output_cost_per_token_batches": 7.5e-06, "litellm_provider": "anthropic", "mode": "chat"},
		"openrouter/openai/gpt-6-luna": {"input_cost_per_token": 2e-07, "output_cost_per_token": 1e-06},
		"azure/gpt-6-luna": {"input_cost_per_token": 1.1e-07, "output_cost_per_token": 5.5e-07},
		"gpt-6-luna": {"input_cost_per_token": 1e-07, "output_cost_per_token": 5e-07, "output_cost_per_reasoning_token": 6e-07},
		"anthropic.claude-sonnet-4-5-20250929-v1:0": {"input_cost_per_token": 3.3e-06, "output_cost_per_token": 1.65e-05,
			"litellm_provider": "bedrock_converse"},
		"dall-e-3": {"input_cost_per_pixel": 4e-08, "output_cost_per_pixel": 0.0, "mode": "image_generation"}}`))
	if err != nil {
		t.Fatal(err)
	}
	router := llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://openrouter.ai/api/v1"}
	gateway := llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://127.0.0.1:4000/v1"} // of LiteLLM
	azure := llm.Provider{Type: llm.TypeOpenAI, BaseURL: "https://x.openai.azure.com/openai/deployments/y"}
	tests := []struct {
		p                  llm.Provider
		model, name, price string // price is JSON; "": unknown
	}{
		{llm.Provider{Type: llm.TypeAnthropic}, "claude-sonnet-4-5-20250929", "claude-sonnet-4-5",
			`{"input":3,"cached":0.3,"cache_write":3.75,"output":15,"batch":0.5,"long":{"above":200000,"input":6,"cached":0.6,"cache_write":7.5,"output":22.5}}`},
		{router, "openai/gpt-6-luna", "openrouter/openai/gpt-6-luna", `{"input":0.2,"output":1}`},
		{azure, "gpt-6-luna", "azure/gpt-6-luna", `{"input":0.11,"output":0.55}`},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-6-luna", "gpt-6-luna", `{"input":0.1,"output":0.5,"reasoning":0.6}`},
		{gateway, "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic.claude-sonnet-4-5-20250929-v1:0", `{"input":3.3,"output":16.5}`},
		{gateway, "vertex_ai/anthropic.claude-sonnet-4-5-20250929-v1:0", "", ""}, // the price of another provider
		{llm.Provider{Type: llm.TypeOpenAI}, "dall-e-3", "", ""},
		{llm.Provider{Type: llm.TypeOpenAI}, "sample_spec", "", ""},
		{llm.Provider{Type: llm.TypeOpenAI}, "gpt-99", "", ""},
	}
	for _, test := range tests {
		price, name, known := m.Price(test.p, test.model)
		text, err := json.Marshal(price)
		if known != (test.price != "") || name != test.name || known && (err != nil || string(text) != test.price) {
			t.Errorf("%s: %t, %q, %s, %v", test.model, known, name, text, err)
		}
	}
	for _, text := range []string{``, `[]`, `{}`, `{"gpt-4o": 3}`, `{"sample_spec": {"input_cost_per_token": 0}}`, `{"gpt-4o": {"input_cost_per_token": -1, "output_cost_per_token": 1}}`} {
		if _, err := llm.ReadCostMap(strings.NewReader(text)); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

func FuzzCostMap(f *testing.F) {
	f.Add(`{"a": {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6, "input_cost_per_token_above_128k_tokens": 1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := llm.ReadCostMap(strings.NewReader(text))
		for name := range m {
			if price, _, known := m.Price(llm.Provider{Type: llm.TypeOpenAI}, name); err == nil && known && price.Check() != nil {
				t.Errorf("%s: %+v", name, price)
			}
		}
	})
}

// TestCostWithoutUsage: the cost of an attempt if the server does not report its usage.
func TestCostWithoutUsage(t *testing.T) {
	const answer = `{"choices":[{"message":{"role":"assistant","content":"Go compiles faster."},"finish_reason":"stop"}]}`
	tests := []struct {
		name      string
		script    script
		cost      float64 // cost of the first attempt, at one dollar per token
		estimated bool
	}{
		{"usage", says(openAIAnswer(goAnswer, "stop")), 18, false},
		{"no usage", says(answer), 100 + 4, true}, // 400 bytes of prompt and 19 of reply
		{"refused", refuses(429, ""), 0, false},
		{"failed", refuses(500, ""), 0, false},
		{"an error within a success", says(`{"error":{"message":"upstream is gone"}}`), 0, false},
		{"dropped", func(_ int, w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, 133 + 16 + 900, true}, // the reserved sum: 400/3 bytes, 16 per message, the limit of 900
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			s := serve(t, test.script)
			dear := llm.PerMillion(1e6, 1e6, 1e6)
			purse := limits.NewBudget("the budget", 0, 0)
			c, err := New(llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://server.test", Retries: -1}, testEnv,
				Hooks{Transport: s.transport, Budgets: []*limits.Budget{purse}, Price: func(string) (llm.Price, bool) { return dear, true }})
			if err != nil {
				t.Fatal(err)
			}
			req := ask(string(make([]byte, 0, 400)) + pad(400))
			req.Options = map[string]any{"max_tokens": 900}
			reply, _ := c.Chat(t.Context(), req)
			a := reply.Attempts[0]
			if a.Cost == nil || *a.Cost != test.cost || a.Estimated != test.estimated || purse.Spent() != test.cost {
				t.Errorf("%s: cost %v (estimated %t), %v spent; want %v", test.name, a.Cost, a.Estimated, purse.Spent(), test.cost)
			}
		})
	}
	synctest.Test(t, func(t *testing.T) { // without a price, the cost is unknown, not 0
		_, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, says(openAIAnswer(goAnswer, "stop")), ask("Go?"))
		if err != nil || reply.Attempts[0].Cost != nil {
			t.Errorf("cost %v, %v", reply.Attempts[0].Cost, err)
		}
	})
}
