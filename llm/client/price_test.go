package client

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"

	"compqa/llm"
	"compqa/llm/limits"
)

func tokens(prompt, cached, completion, reasoning int) llm.Usage {
	return llm.Usage{Prompt: &prompt, Cached: &cached, Completion: &completion, Reasoning: &reasoning}
}

func TestCost(t *testing.T) {
	six, half := 6.0, 0.25
	gpt := llm.PerMillion(2.50, 1.25, 10)
	tests := []struct {
		name  string
		price llm.Price
		usage llm.Usage
		want  float64 // by hand
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
	minus, nan := -1.0, math.NaN()
	one := 1.0
	for name, p := range map[string]llm.Price{
		"nothing": {}, "no output": {Input: &one}, "no input": {Output: &one},
		"negative": {Input: &minus, Output: &one}, "NaN": {Input: &one, Output: &one, Cached: &nan},
	} {
		if p.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
	for _, prices := range llm.BuiltinPrices {
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
		{llm.Provider{Type: llm.TypeOpenAI, BaseURL: "http://127.0.0.1:8000/v1"}, "gpt-4o", -1}, // may be a gateway that charges
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

// What an attempt costs where the server doesn't say what it took.
func TestCostWithoutUsage(t *testing.T) {
	const answer = `{"choices":[{"message":{"role":"assistant","content":"Go compiles faster."},"finish_reason":"stop"}]}`
	tests := []struct {
		name      string
		script    script
		cost      float64 // of the first attempt, at one dollar a token
		estimated bool
	}{
		{"usage", says(openAIAnswer(goAnswer, "stop")), 18, false},
		{"no usage", says(answer), 100 + 4, true}, // 400 bytes and 19
		{"refused", refuses(429, ""), 0, false},
		{"failed", refuses(500, ""), 0, false},
		{"an error within a success", says(`{"error":{"message":"upstream is gone"}}`), 0, false},
		{"dropped", func(_ int, w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			conn.Close()
		}, 133 + 16 + 900, true}, // what was set aside: 400/3, 16 a message, the limit of 900
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
	synctest.Test(t, func(t *testing.T) { // without a price it isn't 0 but unknown
		_, reply, err := chatOnce(t, llm.Provider{Type: llm.TypeOpenAI}, says(openAIAnswer(goAnswer, "stop")), ask("Go?"))
		if err != nil || reply.Attempts[0].Cost != nil {
			t.Errorf("cost %v, %v", reply.Attempts[0].Cost, err)
		}
	})
}
