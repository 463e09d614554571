package results

import (
	"strings"
	"testing"
	"time"

	"compqa/llm"
)

// TestSpent: what a preference took is what all attempts at its calls took, each call
// counted once; what no server and no price told is not known.
func TestSpent(t *testing.T) {
	s, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	key := func(n string) string { return strings.Repeat(n, 64) }
	took := func(a llm.Attempt) llm.Attempt { a.Latency = 1500 * time.Millisecond; return a }
	silent := took(costing(-1)) // neither tokens nor a price
	silent.Usage = llm.Usage{}
	err = s.Write(func(b Batch) error {
		for n, attempts := range map[string][]llm.Attempt{
			"1": {silent, took(costing(0.5))}, "2": {took(costing(0.25))}, "3": {silent}, "4": {took(costing(0))}, "9": {took(costing(7))},
		} {
			if err := b.Call(Call{Key: key(n), Provider: "p", Model: "m", Attempts: attempts}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		calls                 []string
		tokens, cost, seconds Figure
	}{
		{[]string{key("1")}, figure(120), figure(0.5), figure(3)},
		{[]string{key("2"), key("1"), key("2")}, figure(240), figure(0.75), figure(4.5)},
		{[]string{key("3")}, Figure{}, Figure{}, figure(1.5)},
		{[]string{key("4")}, figure(120), figure(0), figure(1.5)},
		{[]string{key("5")}, Figure{}, Figure{}, Figure{}}, // taken from an earlier run
		{nil, Figure{}, Figure{}, Figure{}},
	}
	r := &pairwiseRecord{}
	for _, test := range tests {
		p := preferenceRow{}
		for _, key := range test.calls {
			p.keys = append(p.keys, key)
		}
		r.prefs = append(r.prefs, p)
	}
	if err := r.loadSpent(s); err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		p := r.prefs[i]
		got := [3]string{Figure{p.tokens}.text(2), Figure{p.cost}.text(2), Figure{p.seconds}.text(2)}
		if want := [3]string{test.tokens.text(2), test.cost.text(2), test.seconds.text(2)}; got != want {
			t.Errorf("%d: tokens, cost, seconds %q, want %q", i, got, want)
		}
	}
}
