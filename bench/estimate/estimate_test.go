package estimate

import (
	"math"
	"testing"

	"compqa/bench/config"
	"compqa/llm"
	"compqa/results/store"
)

// TestExpect: 10 calls cost half of what 20 recorded calls cost. Without a record, tokens follow from the bytes of the prompts and the
// assumed reply, and time from an assumed speed. All figures are by hand, at 2 US dollars per million prompt tokens and 10 per million
// reply tokens.
func TestExpect(t *testing.T) {
	input := 2.0
	output := 10.0
	c := &config.Config{Run: config.Run{Concurrency: 4}, Providers: map[string]llm.Provider{
		"fast": {Type: llm.TypeOpenAI}, "slow": {Type: llm.TypeOpenAI, RPM: 5}, "few": {Type: llm.TypeOpenAI, TPM: 1000}}}
	c.Prices.Models = map[string]llm.Price{"luna": {Input: &input, Output: &output}}
	recorded := &store.CostAccount{Tokens: store.Tokens{Prompt: 20_000, Completion: 4000}, Told: 20, LatencyMS: 30_000}
	batched := &store.CostAccount{Tokens: recorded.Tokens, Told: 20, InBatch: 20}
	for _, test := range []struct {
		what                string
		row                 Row
		prompt, reply, cost float64 // cost in US dollars; below 0: unknown
		call, all           float64 // seconds
		basis, time         string
	}{
		{"from the record", Row{Provider: "fast", Model: "luna", Calls: 10, told: recorded}, 10_000, 2000, .04, 1.5, 3 * 1.5, "record", "measured"},
		{"5 requests a minute", Row{Provider: "slow", Model: "luna", Calls: 10, told: recorded}, 10_000, 2000, .04, 1.5, 120, "record", "measured"},
		{"1000 tokens a minute", Row{Provider: "few", Model: "luna", Calls: 10, told: recorded}, 10_000, 2000, .04, 1.5, 720, "record", "measured"},
		{"of another model", Row{Provider: "fast", Model: "nobody's", Calls: 10, told: recorded}, 10_000, 2000, -1, 1.5, 3 * 1.5, "record", "measured"},
		{"in a batch", Row{Provider: "fast", Model: "luna", Calls: 10, Batch: true, told: batched}, 10_000, 2000, .02, 1 + 200./80, 0, "record", "assumed"},
		{"without a record", Row{Provider: "fast", Model: "luna", Calls: 10, bytes: 40_000, reply: 160, reasoning: 40}, 10_000, 2000, .04, 1 + 200./80,
			3 * (1 + 200./80), "assumption", "assumed"},
		{"nothing to do", Row{Provider: "fast", Model: "luna", reply: 160}, 0, 0, 0, 1, 0, "assumption", "assumed"},
	} {
		r := test.row
		r.expect(c)
		if r.PromptTokens != test.prompt || r.ReplyTokens != test.reply || r.Basis != test.basis || r.Time != test.time {
			t.Errorf("%s: %v and %v tokens by %s, time %s", test.what, r.PromptTokens, r.ReplyTokens, r.Basis, r.Time)
		}
		if math.Abs(r.CallSeconds-test.call) > 1e-9 || math.Abs(r.Seconds-test.all) > 1e-9 {
			t.Errorf("%s: %v s a call, %v s in all; want %v and %v", test.what, r.CallSeconds, r.Seconds, test.call, test.all)
		}
		known := r.Cost != nil
		if known != (test.cost >= 0) || known && math.Abs(*r.Cost-test.cost) > 1e-12 {
			t.Errorf("%s: it costs %v, want %v", test.what, llm.ValueOr(r.Cost, -1), test.cost)
		}
	}
}

// TestMerged: accounts of one party at one model are added up over the service tiers. Accounts of different models stay apart.
func TestMerged(t *testing.T) {
	account := func(model, tier string, told int) store.CostAccount {
		return store.CostAccount{Party: store.Party{Kind: store.KindAnswer, Name: "a"}, Provider: "p", Model: model, Tier: tier, Told: told}
	}
	got := merged([]store.CostAccount{account("luna", "", 3), account("sol", "", 5), account("luna", "flex", 4)})
	if len(got) != 2 || got[0].Model != "luna" || got[0].Told != 7 || got[1].Model != "sol" || got[1].Told != 5 {
		t.Errorf("%+v", got)
	}
	if merged(nil) != nil {
		t.Error("nothing has accounts")
	}
}
