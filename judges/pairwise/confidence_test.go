package pairwise

import (
	"encoding/json"
	"math"
	"testing"

	"compqa/data"
	"compqa/llm/structured"
)

// The token that names the choice is the one after the label, or the one on a last line of its own.
func TestConfidence(t *testing.T) {
	for _, c := range []struct {
		tokens []string // the last token has an alternative with equal probability
		want   float64  // -1 means no confidence
	}{
		{[]string{"Answer", " A", " is", " good.\n", "Preferred:", " A"}, 0.5},
		{[]string{"Because", ".\n", "A"}, 0.5},
		{[]string{"A"}, 0.5},
		{[]string{"A", " is", " better", " than", " A"}, -1},
		{[]string{"A", " good", " one."}, -1},
	} {
		var tokens []structured.Token
		for i, text := range c.tokens {
			tokens = append(tokens, structured.Token{Token: text, Logprob: math.Log(0.9)})
			if i == len(c.tokens)-1 {
				tokens[i] = structured.Token{Token: text, Logprob: math.Log(0.4), Others: []structured.Token{{Token: text, Logprob: math.Log(0.4)}, {Token: "B", Logprob: math.Log(0.4)}}}
			}
		}
		raw, err := json.Marshal(map[string]any{"logprobs": tokens})
		if err != nil {
			t.Fatal(err)
		}
		got := confidence(string(raw), data.ChoiceA)
		if (got == nil) != (c.want < 0) || got != nil && math.Abs(*got-c.want) > 1e-12 {
			t.Errorf("%q: %v, want %v", c.tokens, got, c.want)
		}
	}
}
