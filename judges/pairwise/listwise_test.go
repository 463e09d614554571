package pairwise

import (
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// TestListwise checks that all pairs of an item have the same prompt in each order, with all candidates, and that the ranking in the reply
// decides them.
func TestListwise(t *testing.T) {
	pairs := []data.Pair{{ID: "1", Item: "q", Question: "Which?", A: "best", B: "poor"}, {ID: "2", Item: "q", Question: "Which?", A: "best", B: "bad"},
		{ID: "3", Item: "q", Question: "Which?", A: "good", B: "bad"}, {ID: "4", Question: "Alone?", A: "bad", B: "good"}}
	candidates := CandidatesOf(pairs, 1)
	if sorted := slices.Sorted(slices.Values(candidates["q"])); !slices.Equal(sorted, []string{"bad", "best", "good", "poor"}) || len(candidates) != 1 {
		t.Fatalf("%v", candidates)
	}
	turned := slices.Clone(pairs)
	slices.Reverse(turned)
	other := CandidatesOf(turned, 1)
	if !slices.Equal(other["q"], candidates["q"]) {
		t.Errorf("the order depends on that of the pairs: %v, %v", other, candidates)
	}
	value := []string{"bad", "poor", "good", "best"}
	prompts := map[string]bool{}
	s := &script{reply: func(_ Role, _ int, prompt string) (string, error) { // a perfect judge
		prompts[prompt] = true
		var shown []string
		for _, line := range strings.Split(prompt, "\n") {
			if slices.Contains(value, line) {
				shown = append(shown, line)
			}
		}
		var numbers []string
		for _, text := range slices.Backward(value) {
			if index := slices.Index(shown, text); index >= 0 {
				numbers = append(numbers, string(rune('1'+index)))
			}
		}
		return `{"rationale": "by value", "ranking": [` + strings.Join(numbers, ", ") + `]}`, nil
	}}
	built := build(t, Options{Method: MethodListwise})
	for _, p := range pairs {
		for _, order := range data.Orders {
			shown := OrderPair(p, order)
			shown.Candidates = candidates[p.Item]
			o := built.Judge(t.Context(), shown, s.ask)
			want := data.ChoiceA
			if slices.Index(value, p.A) < slices.Index(value, p.B) {
				want = data.ChoiceB
			}
			if o.Status != data.Valid || o.Choice.In(order) != want || o.Rationale != "by value" {
				t.Errorf("%s, %s: %+v, want %s", p.ID, order, o, want)
			}
		}
	}
	if len(prompts) != 4 { // two items in two orders
		t.Errorf("%d prompts, want 4", len(prompts))
	}
	for reply, fault := range map[string]string{`{"ranking": [1, 1]}`: "does not have candidate 2", `{"ranking": [1, 2, 3]}`: "more than the 2",
		`{"ranking": "1, 2"}`: "ranking", "The first.": "ranking"} {
		s := &script{reply: func(Role, int, string) (string, error) { return reply, nil }}
		if o := built.Judge(t.Context(), capitals, s.ask); o.Status != data.Unparsed || !strings.Contains(o.Reason, fault) {
			t.Errorf("%s: %+v", reply, o)
		}
	}
}
