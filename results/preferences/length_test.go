package preferences

import (
	"fmt"
	"testing"

	"compqa/data"
	"compqa/results/dataset"
)

// TestWinRateAtEqualLength has a judge that chooses the longer answer, with some exceptions. Its win rate at equal length is about one
// half, whether a is mostly longer or shorter. With several systems on both sides the rate is missing.
func TestWinRateAtEqualLength(t *testing.T) {
	rate := func(shift int, systems int) (controlled, plain float64, known bool) {
		g := group{board: &board{}}
		for i := range 200 {
			difference := i%41 - 20 + shift
			choice := data.ChoiceB
			if difference > 0 != (i%7 == 0) {
				choice = data.ChoiceA
			}
			row := &dataset.PairRow{Cluster: i, WordsA: 100 + difference, WordsB: 100, SystemA: fmt.Sprint(i % systems), SystemB: fmt.Sprint(i % systems)}
			row2 := &dataset.PreferenceRow{PreferenceEnding: &dataset.PreferenceEnding{Order: data.OrderAB, Status: data.Valid, Choice: choice}}
			g.pairs = append(g.pairs, judged{PairRow: row, pair: i, by: [2]*dataset.PreferenceRow{row2, nil}})
		}
		at, _, all := g.winRates(data.OrderAB)
		if !at.Known {
			return 0, 0, false
		}
		return at.Value, all.Value, true
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

// TestWinRateOfTheSameStyle has a judge that prefers answers with headings; lengths are equal on average. If a has more headings, its win
// rate in the same style is below its plain rate; if it has fewer, above.
func TestWinRateOfTheSameStyle(t *testing.T) {
	for _, sign := range []int{1, -1} {
		g := group{board: &board{}}
		for i := range 200 {
			more := sign * (i%7 - 2) // one more on average
			choice := data.ChoiceB
			if more*sign+i*5%11-5 > 0 == (sign > 0) {
				choice = data.ChoiceA
			}
			row := &dataset.PairRow{Cluster: i, WordsA: 100 + i*3%13 - 6, WordsB: 100,
				StyleA: data.Style{Headers: 6 + more}, StyleB: data.Style{Headers: 6}}
			said := &dataset.PreferenceRow{PreferenceEnding: &dataset.PreferenceEnding{Order: data.OrderAB, Status: data.Valid, Choice: choice}}
			g.pairs = append(g.pairs, judged{PairRow: row, pair: i, by: [2]*dataset.PreferenceRow{said, nil}})
		}
		_, style, plain := g.winRates(data.OrderAB)
		if !style.Known || (plain.Value-style.Value)*float64(sign) < .02 || !(style.Low < style.Value) {
			t.Errorf("sign %d: %+v of the same style, %v as they are", sign, style, plain.Value)
		}
	}
}

// TestStyleOfLoadedPairs checks that the style of each answer is counted when the record is read.
func TestStyleOfLoadedPairs(t *testing.T) {
	f := &pairwiseFixture{}
	f.pair("p", "c", data.ChoiceA)
	f.set.Pairs[0].A = "# One\n- **two**"
	f.set.Pairs[0].B = "one\n1. two\n2. three"
	f.judge("j", "a/a")
	b, _ := f.board(t)
	if p := b.groups[0].pairs[0]; p.StyleA != (data.Style{Headers: 1, Lists: 1, Bold: 1}) || p.StyleB != (data.Style{Lists: 2}) {
		t.Errorf("%+v, %+v", p.StyleA, p.StyleB)
	}
}
