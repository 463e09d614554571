package verify

import (
	"testing"

	"compqa/llm"
	"compqa/results/store"
)

// TestCostAt: 1000 prompt tokens and 100 reply tokens cost 0.003 at 2 and 10 US dollars per million. They cost half in a batch or in the
// tier flex, and nothing if the usage is unknown (by hand).
func TestCostAt(t *testing.T) {
	input := 2.0
	output := 10.0
	prompt := 1000
	reply := 100
	usage := llm.Usage{Prompt: &prompt, Completion: &reply}
	for _, test := range []struct {
		what    string
		attempt store.PaidAttempt
		want    float64
	}{
		{"alone", store.PaidAttempt{Usage: usage}, .003},
		{"in a batch", store.PaidAttempt{Usage: usage, InBatch: true}, .0015},
		{"in the tier flex", store.PaidAttempt{Usage: usage, ServiceTier: "flex"}, .0015},
		{"refused", store.PaidAttempt{}, 0},
	} {
		if got := costAt(llm.Price{Input: &input, Output: &output}, test.attempt); !sameCost(got, test.want) {
			t.Errorf("%s: %v, want %v", test.what, got, test.want)
		}
	}
}
