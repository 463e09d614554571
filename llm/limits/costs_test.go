package limits

import (
	"math"
	"testing"

	"compqa/llm"
)

// TestImpossibleUsage: if a server reports an impossible usage, the run continues; the cost is estimated and marked.
func TestImpossibleUsage(t *testing.T) {
	req := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "Which is better?"}}, Options: map[string]any{"max_tokens": 100}}
	price := func(string) (llm.Price, bool) {
		one := 1.0
		three := 3.0
		return llm.Price{Input: &one, Output: &three}, true
	}
	for _, test := range []struct {
		prompt, completion int
		estimated          bool
	}{{20, 90, false}, {20, math.MaxInt64, true}, {math.MaxInt64, 90, true}, {-5, 90, true}, {20, 100 + 1<<17, true}, {1 << 20, 1, true}} {
		a := llm.Attempt{HTTPStatus: 200, Usage: llm.Usage{Prompt: &test.prompt, Completion: &test.completion}}
		NewCosts(price, nil).Record(&a, req, &llm.Reply{Text: "A tram."}, nil, 0)
		if a.Cost == nil || a.Estimated != test.estimated || !(*a.Cost >= 0 && *a.Cost < 0.01) {
			t.Errorf("%d and %d tokens: cost %v, estimated %v", test.prompt, test.completion, *a.Cost, a.Estimated)
		}
	}
	if reasoning := 5000; !Plausible(llm.Usage{Reasoning: &reasoning, Completion: &reasoning}, req) {
		t.Error("reasoning beyond the limit of the visible reply is not believed")
	}
}
