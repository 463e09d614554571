package fitted

import (
	"math"
	"strings"
	"testing"

	"compqa/data"
)

func TestBuiltin(t *testing.T) {
	c := Builtin()
	for _, texts := range [][2]string{{"", ""}, {"", "An answer."}, {"Tea is cheaper than coffee.", "Tea tea tea tea tea tea tea tea."}, {strings.Repeat("word ", 1e5), "\xff\xfe"}} {
		x, y := c.LogOdds("Which is cheaper?", texts[0], texts[1]), c.LogOdds("Which is cheaper?", texts[1], texts[0])
		if x != -y || math.IsNaN(x) || math.IsInf(x, 0) {
			t.Errorf("%.40q: %v and %v", texts, x, y)
		}
	}
	if c.LogOdds("Which?", "The same.", "The same.") != 0 {
		t.Error("equal answers are not equal")
	}
	if x := c.LogOdds("What is the capital of France?", "The capital of France is Paris, on the river Seine.", "What is the"); x <= 0 {
		t.Errorf("an answer against a fragment: %v", x)
	}
	for _, text := range []string{"", "{}", `{"measures": ["other"]}`} {
		if _, err := Parse([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, err := Fit([]data.Pair{{Question: "q", A: "a", Label: data.ChoiceTie}}, 1, true); err == nil {
		t.Error("no labelled pair is accepted")
	}
}
