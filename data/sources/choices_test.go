package sources

import (
	"testing"

	"compqa/data"
)

// TestChoiceOf checks the spellings of sides and ties in published files of pairs. A plain number and other words are not choices.
func TestChoiceOf(t *testing.T) {
	for want, words := range map[ChoiceWord][]string{
		{Choice: data.ChoiceA}: {"a", "A", " A ", "[[A]]", "[A]", "**A**", "(A)", "A.", "A>B", "A>>B", "A >> B", "B<A", "1>2", "A+", "A++", "A is better",
			"A-is-slightly-better", "A is clearly better", "B is worse", "Response 1", "response_1", "Answer 1", "model 1", "model_a", "Model A", "Assistant A",
			"candidate_1", "Output1", "option a", "The response A", "A wins", "prefer A", "strongly prefer A", "A (much better)", "response one", "system-a"},
		{Choice: data.ChoiceB}:              {"b", "B", "[[B]]", "B>A", "A<B", "B>>A", "A<<B", "B++", "B-is-clearly-better", "Response 2", "Output2", "answer_2", "model_b", "Assistant B"},
		{Choice: data.ChoiceA, Place: true}: {"left", "Left", "first", "first response", "the first answer", "response first", "links", "1st", "first is better"},
		{Choice: data.ChoiceB, Place: true}: {"right", "second", "Second response", "the right", "latter", "rechts"},
		{Choice: data.ChoiceTie}: {"tie", "Tie", "TIE", "tie (bothbad)", "tie (inconsistent)", "both_bad", "Both good", "equally good", "Same good", "same_bad",
			"A=B", "A==B", "A~=B", "A=B=tie", "[[A=B]]", "[[C]]", "equivalent", "both_equal", "even", "no preference", "about the same", "draw", "neither", "unentschieden"},
	} {
		for _, word := range words {
			if got, known := ChoiceOf(word); !known || got != want {
				t.Errorf("%q: %+v, %t; want %+v", word, got, known, want)
			}
		}
	}
	for _, word := range []string{"", "1", "2", "0", "0.5", "gpt-4", "llama", "maybe", "weird", "error", "none", "A>A", "unsure", "not a", "a b", "better", "good", "yes"} {
		if got, known := ChoiceOf(word); known {
			t.Errorf("%q is read as %+v", word, got)
		}
	}
}
