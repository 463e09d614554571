package table

import (
	"strings"
	"testing"

	"compqa/stats"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0, 19, "0 5 10 15"}, {0, 1, "0 0.2 0.4 0.6 0.8 1"}, {-0.48, 1, "−0.4 −0.2 0 0.2 0.4 0.6 0.8 1"}, {0, 5, "0 1 2 3 4 5"}, {0, 100, "0 20 40 60 80 100"}} {
		var got []string
		for _, v := range Ticks(c.low, c.high) {
			got = append(got, stats.Number(v).Text(1))
		}
		if text := strings.ReplaceAll(strings.Join(got, " "), ".0", ""); text != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, text, c.want)
		}
	}
}
