package results

import (
	"fmt"
	"testing"
)

// A row costs what its calls have cost, in whatever order rows come; of one with an
// unknown cost it is not known, and a call that nobody asked for costs nothing.
func TestRowCalls(t *testing.T) {
	key := func(n int) string { return fmt.Sprintf("%032x%032x", n, n)[16:] + "0000000000000000" }
	var costs callCosts
	costs.add(key(1), 0.5, true)
	costs.add(key(1), 0.25, true)
	costs.add(key(2), 2, true)
	costs.add(key(3), 0, false)
	var rows rowCalls
	for _, calls := range []string{
		fmt.Sprintf(`["%s","%s"]`, key(1), key(2)),
		fmt.Sprintf(`["%s"]`, key(2)),
		fmt.Sprintf(`["%s","%s"]`, key(2), key(3)),
		fmt.Sprintf(`["%s","%s"]`, key(4), key(1)),
		fmt.Sprintf(`["%s"]`, key(4)),
		`[]`, `null`,
	} {
		rows.add(calls)
	}
	order := []int{6, 5, 4, 3, 2, 1, 0}
	rows = rows.ordered(order)
	got := make([]float64, len(order))
	rows.price(costs.sealed(), func(row int, cost *float64) { got[order[row]] = *cost })
	for row, want := range []float64{2.75, 2, 0, 0.75, 0, 0, 0} {
		if got[row] != want {
			t.Errorf("row %d costs %v, want %v", row, got[row], want)
		}
	}
}
