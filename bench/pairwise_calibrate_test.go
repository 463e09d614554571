package bench

import (
	"testing"

	"compqa/data"
)

// TestHeldOutOfTwoPairs: the interval of an accuracy is within [0, 1], even for very few pairs.
func TestHeldOutOfTwoPairs(t *testing.T) {
	t.Parallel()
	pairs := []data.Pair{{Cluster: "x", A: "longer", Label: data.ChoiceA}, {Cluster: "y", Label: data.ChoiceA}}
	row := heldOut("set", "longer", pairs, func(p data.Pair) float64 { return float64(len(p.A)) })
	if w := row.TieWrong.Point(); w.Value != 0.5 {
		t.Errorf("ties wrong: %v", w.Value)
	}
	if a := row.TieHalf; a.Value != 0.75 || a.Low < 0 || a.High > 1 {
		t.Errorf("%v [%v, %v]", a.Value, a.Low, a.High)
	}
}
