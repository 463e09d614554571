package pairwise

import (
	"testing"

	"compqa/data"
)

// Choices of the comparator between tables 0, 1, 2 and 3, counted by hand.
func TestCounted(t *testing.T) {
	both := func(won map[[2]int]int, winner, loser int) {
		won[[2]int{winner, loser}] = winner
		won[[2]int{loser, winner}] = winner
	}
	cycle := map[[2]int]int{}
	both(cycle, 0, 1)
	both(cycle, 1, 2)
	both(cycle, 2, 0)
	if got := *countChoices(cycle, 3); got != (data.Compared{Duels: 6, First: 3, Pairs: 3, Same: 3, Triples: 1, Cycles: 1}) {
		t.Errorf("a cycle: %+v", got)
	}
	order := map[[2]int]int{}
	for a := range 4 {
		for b := a + 1; b < 4; b++ {
			both(order, a, b)
		}
	}
	if got := *countChoices(order, 4); got != (data.Compared{Duels: 12, First: 6, Pairs: 6, Same: 6, Triples: 4}) {
		t.Errorf("an order: %+v", got)
	}
	order[[2]int{3, 0}] = 3 // now table 3 wins against 0 in both orders
	if got := *countChoices(order, 4); got != (data.Compared{Duels: 12, First: 7, Pairs: 6, Same: 5, Triples: 2}) {
		t.Errorf("with a place bias: %+v", got)
	}
	if got := *countChoices(map[[2]int]int{{0, 1}: 0, {2, 0}: 0}, 3); got != (data.Compared{Duels: 2, First: 1}) {
		t.Errorf("a tournament: %+v", got)
	}
	if got := countChoices(map[[2]int]int{}, 3); got != nil {
		t.Errorf("nothing: %+v", got)
	}
}
