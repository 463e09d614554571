package stats

import (
	"math"
	"strings"
	"testing"
)

// The first two cases are Lin 2004, section 3.1: "police killed the gunman" against "police
// kill the gunman" (ROUGE-L 3/4) and "the gunman kill police" (2/4; all but one word are common).
func TestRouge(t *testing.T) {
	for _, c := range []struct {
		a, b        string
		one, common float64
	}{
		{"police killed the gunman", "police kill the gunman", 0.75, 0.75},
		{"police killed the gunman", "the gunman kill police", 0.75, 0.5},
		{"a a b", "a b b c", 2 * 2.0 / 7, 2 * 2.0 / 7},
		{"", "", 0, 0},
		{"a", "", 0, 0},
		{"a", "a", 1, 1},
		{"a b", "b a", 1, 0.5},
	} {
		a, b := strings.Fields(c.a), strings.Fields(c.b)
		for name, got := range map[string][3]float64{"ROUGE-1": {Rouge1(a, b), Rouge1(b, a), c.one}, "ROUGE-L": {RougeL(a, b), RougeL(b, a), c.common}} {
			if math.Abs(got[0]-got[2]) > 1e-12 || math.Abs(got[1]-got[2]) > 1e-12 {
				t.Errorf("%s of %q and %q: %v and %v, want %v", name, c.a, c.b, got[0], got[1], got[2])
			}
		}
	}
}
