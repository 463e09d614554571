package table

import (
	"testing"

	"compqa/stats"
)

// TestOnScale checks that bounds are cut off at the ends, that a value outside becomes the nearest end, and that the figure is missing if
// its whole interval is outside.
func TestOnScale(t *testing.T) {
	for _, c := range []struct {
		value, low, high float64
		want             string
	}{
		{3, 2.5, 3.5, "3.00 [2.50, 3.50]"},
		{4.8, 4.2, 5.4, "4.80 [4.20, 5.00]"},
		{5.86, 4.5, 7.2, "5.00 [4.50, 5.00]"},
		{0.5, -1, 2, "1.00 [1.00, 2.00]"},
		{5.86, 5.2, 6.4, ""},
		{0.5, 0.2, 0.9, ""},
	} {
		if text := OnScale(stats.WithInterval(c.value, c.low, c.high), 1, 5).Text(2); text != c.want && (c.want != "" || text != stats.Missing) {
			t.Errorf("%v [%v, %v]: %s, want %s", c.value, c.low, c.high, text, c.want)
		}
	}
}
