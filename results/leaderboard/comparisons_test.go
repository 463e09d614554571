package leaderboard

import (
	"slices"
	"testing"

	"compqa/results/table"
)

// Of many systems the pairs of the best are compared, whatever their order.
func TestBest(t *testing.T) {
	var rows []*LeaderboardRow
	for i := range 3 * MostCompared {
		rows = append(rows, &LeaderboardRow{Mean: table.Number(float64(i * 7 % (3 * MostCompared)))})
	}
	places := best(rows)
	if len(places) != MostCompared || !slices.IsSorted(places) {
		t.Fatalf("%d places", len(places))
	}
	for _, place := range places {
		if mean := *rows[place].Mean.Number; mean < 2*MostCompared {
			t.Errorf("a system with mean %v is compared", mean)
		}
	}
	if few := best(rows[:5]); len(few) != 5 {
		t.Errorf("of five systems %d are compared", len(few))
	}
}
