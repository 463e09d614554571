package stats

import (
	"math"
	"strings"
	"testing"
)

// The first two cases have the sentences of Lin 2004, section 3.1.
func TestRouge(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{
		{"police killed the gunman", "police kill the gunman", 0.75},
		{"police killed the gunman", "the gunman kill police", 0.75},
		{"a a b", "a b b c", 2 * 2.0 / 7},
		{"", "", 0},
		{"a", "", 0},
		{"a", "a", 1},
		{"a b", "b a", 1},
	} {
		a := strings.Fields(c.a)
		b := strings.Fields(c.b)
		for _, got := range []float64{Rouge1(a, b), Rouge1(b, a)} {
			if math.Abs(got-c.want) > 1e-12 {
				t.Errorf("ROUGE-1 of %q and %q: %v, want %v", c.a, c.b, got, c.want)
			}
		}
	}
}
