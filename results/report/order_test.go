package report

import (
	"testing"

	"compqa/data"
	"compqa/results/recordtest"
	"compqa/results/table"
	"compqa/stats"
)

// Judge j puts a first and c last in both scenarios; k has the reverse order. So k's rank of a is two places worse than the board's, and
// its rank of c two better. In scenario 2, all points are one lower.
func TestOrderSections(t *testing.T) {
	by := func(judge, system, scenario string, more float64) recordtest.Scored {
		return recordtest.By(judge, system, scenario, data.Each(recordtest.Sawtooth(24, 5), func(x float64) float64 { return x/6 + more })...)
	}
	r := computed(t, recordtest.Of(nil, by("j", "a", "1", 4), by("j", "b", "1", 3), by("j", "c", "1", 2), by("j", "a", "2", 3), by("j", "b", "2", 2), by("j", "c", "2", 1),
		by("k", "a", "1", 1), by("k", "b", "1", 2), by("k", "c", "1", 3), by("k", "a", "2", 1), by("k", "b", "2", 2), by("k", "c", "2", 3)))
	sections := r.OrderSections()
	if len(sections) != 2 || sections[0].Pane != table.Left || sections[1].Pane != table.Right {
		t.Fatalf("%+v, %+v", sections, r.Leaderboard.Places)
	}
	points := sections[0].Table.Rows
	for i, want := range []string{"a", "b", "c"} {
		first := points[i][1].Value.Point()
		second := points[i][2].Value.Point()
		if points[i][0].Text != want || !first.Known || !second.Known {
			t.Fatalf("row %d: %+v", i, points[i])
		}
		recordtest.Near(t, "scenario 1 minus 2", stats.Number(first.Value-second.Value), 1)
	}
	for i, want := range [][]string{{"a", "1", "3 ▼"}, {"b", "2", "2"}, {"c", "3", "1 ▲"}} {
		for column, text := range want {
			if got := sections[1].Table.Rows[i][column].String(); got != text {
				t.Errorf("row %d, column %d: %q, want %q", i, column, got, text)
			}
		}
	}
}
