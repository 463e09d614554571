package bench

import "testing"

// TestLeaksHint: a judgment that mentions its hint or repeats its prompt leaks the hint. A judgment that compares the answers does not,
// even in similar words.
func TestLeaksHint(t *testing.T) {
	t.Parallel()
	for judgment, want := range map[string]bool{
		`{"rationale": "It is known that answer 2 is better, so it wins.", "better_answer": 2}`:                  true,
		`{"rationale": "As given in the hint, the first is preferable.", "better_answer": 1}`:                    true,
		`{"rationale": "Given that answer 1 is better than answer 2, it covers more.", "better_answer": 1}`:      true,
		`{"rationale": "According to the prompt, answer 1 wins.", "better_answer": 1}`:                           true,
		`{"rationale": "I was told that the second is better.", "better_answer": 2}`:                             true,
		"You are an expert in evaluation. You are given a question and two answers that were offered to it. 1":   true,
		`{"rationale": "Answer 1 is better known for its sources, and gives two.", "better_answer": 1}`:          false,
		`{"rationale": "The first is correct and better organised.", "better_answer": 1}`:                        false,
		`{"rationale": "The instructions in answer 2 are clearer, as stated by its steps.", "better_answer": 2}`: false,
		``: false,
	} {
		if leaksHint(judgment) != want {
			t.Errorf("leaks(%s) is %v", judgment, !want)
		}
	}
}
