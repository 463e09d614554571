package trust

import "testing"

// TestInPlace: judges that were tuned on people's scores never decide the answer for the other judges, and are named separately.
func TestInPlace(t *testing.T) {
	t.Parallel()
	decision := func(judge, criterion string, answer Answer, tuned bool) *Decision {
		return &Decision{Judge: judge, Criterion: criterion, Answer: answer, Tuned: tuned}
	}
	for _, c := range []struct {
		name      string
		decisions []*Decision
		want      string
	}{
		{"none", []*Decision{decision("a", "x", Unknown, false), decision("a", "y", No, false)}, "Not shown on any of 2 criteria."},
		{"some", []*Decision{decision("a", "x", Yes, false), decision("a", "y", No, false)}, "Yes, a on 1 of 2 criteria."},
		{"surely not", []*Decision{decision("a", "x", No, false), decision("a", "y", No, false)}, "No."},
		{"only the tuned one", []*Decision{decision("a", "x", Unknown, false), decision("a", "y", No, false), decision("b", "x", Yes, true),
			decision("b", "y", No, true)}, "Not shown on any of 2 criteria; shown for b (tuned on these scores) on 1 of 2 criteria."},
		{"only tuned ones", []*Decision{decision("b", "x", Yes, true), decision("b", "y", No, true)},
			"Yes, b (tuned on these scores) on 1 of 2 criteria."},
	} {
		if got := InPlace(c.decisions).Text; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
