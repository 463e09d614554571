package pairwise

import (
	"context"
	"strings"
	"testing"

	"compqa/data"
)

// A reward model's numbers become a choice: the higher score, or the sign. Anything else is not a number.
func TestScalar(t *testing.T) {
	numbers := func(first, second string) func(Role, int, string) (string, error) {
		asked := 0
		return func(Role, int, string) (string, error) {
			asked++
			return []string{first, second}[asked-1], nil
		}
	}
	for _, c := range []struct {
		method, first, second string
		status                data.Status
		choice                data.Choice
		calls                 int
	}{
		{"scalar", "-1.5", " 2\n", data.Valid, data.ChoiceB, 2},
		{"scalar", "3e-1", "0.25", data.Valid, data.ChoiceA, 2},
		{"scalar", "1", "1.0", data.Valid, data.ChoiceTie, 2},
		{"scalar", "1", "about 3", data.Unparsed, "", 2},
		{"scalar", "NaN", "3", data.Unparsed, "", 1},
		{"scalar", "Inf", "3", data.Unparsed, "", 1},
		{"scalar-pairwise", "0.1", "", data.Valid, data.ChoiceA, 1},
		{"scalar-pairwise", "-7", "", data.Valid, data.ChoiceB, 1},
		{"scalar-pairwise", "0", "", data.Valid, data.ChoiceTie, 1},
		{"scalar-pairwise", "A", "", data.Unparsed, "", 1},
	} {
		s := &script{reply: numbers(c.first, c.second)}
		o := build(t, Options{Method: c.method}).Judge(context.Background(), capitals, s.ask)
		if o.Status != c.status || o.Choice != c.choice || len(s.asked) != c.calls {
			t.Errorf("%s with %q and %q: %s %q after %d calls; %+v", c.method, c.first, c.second, o.Status, o.Choice, len(s.asked), o)
		}
		if c.status == data.Valid && !strings.Contains(o.Rationale, "difference of scores") {
			t.Errorf("%s: rationale %q", c.method, o.Rationale)
		}
	}
}
