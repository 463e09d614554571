package preferences

import (
	"fmt"
	"testing"

	"compqa/data"
	"compqa/results/store"
)

// TestWinRateAtEqualLength: a judge that chooses the longer answer, with some exceptions, has a rate of a at equal length of about one
// half, whether a is mostly longer or shorter; several systems on both sides have none.
func TestWinRateAtEqualLength(t *testing.T) {
	rate := func(shift int, systems int) (controlled, plain float64, known bool) {
		g := group{board: &board{}}
		for i := range 200 {
			difference := i%41 - 20 + shift
			choice := data.ChoiceB
			if difference > 0 != (i%7 == 0) {
				choice = data.ChoiceA
			}
			row := &store.PairRow{Cluster: i, WordsA: 100 + difference, WordsB: 100, SystemA: fmt.Sprint(i % systems), SystemB: fmt.Sprint(i % systems)}
			row2 := &store.PreferenceRow{Order: data.OrderAB, Choice: choice}
			row2.Status = data.Valid
			g.pairs = append(g.pairs, judged{PairRow: row, pair: i, by: [2]*store.PreferenceRow{row2, nil}})
		}
		at, all := g.winRateLC(data.OrderAB)
		if !at.Value.Known() {
			return 0, 0, false
		}
		return *at.Value.Number, *all.Number, true
	}
	for _, shift := range []int{-10, 10} {
		controlled, plain, known := rate(shift, 1)
		if !known || plain > .5 != (shift > 0) || controlled < .3 || controlled > .7 || (controlled-.5)*float64(shift) >= (plain-.5)*float64(shift) {
			t.Errorf("a longer by %d: %v at equal length, %v as they are (%v)", shift, controlled, plain, known)
		}
	}
	if controlled, _, known := rate(0, 2); known {
		t.Errorf("several systems on both sides: %v", controlled)
	}
}
