package bench

import (
	"testing"

	"compqa/data"
)

// The interval of an accuracy is within [0, 1], however few the pairs are.
func TestHeldOutOfTwoPairs(t *testing.T) {
	t.Parallel()
	pairs := []data.Pair{{Cluster: "x", A: "longer", Label: data.ChoiceA}, {Cluster: "y", Label: data.ChoiceA}}
	row := heldOut("set", "longer", pairs, func(p data.Pair) float64 { return float64(len(p.A)) })
	if w := row.TieWrong.Value; *w.Number != 0.5 {
		t.Errorf("ties wrong: %v", *w.Number)
	}
	if a := row.TieHalf; *a.Value.Number != 0.75 || *a.Low.Number < 0 || *a.High.Number > 1 {
		t.Errorf("%v [%v, %v]", *a.Value.Number, *a.Low.Number, *a.High.Number)
	}
}
