package calibrate

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"compqa/results/paper"
	"compqa/results/table"
	"compqa/stats"
)

// Two criteria on four answers. Criterion 1: people 0 1 0 1, judge 0 1 1 1;
// criterion 2: nobody differs, so that it has no alpha. Alpha of criterion 1 by
// hand: one of four units differs, D_o = 2/8; the eight ratings are three 0 and
// five 1, D_e = 2·15/56; alpha = 1 - (1/4)/(30/56) = 8/15.
func TestSheetFiguresByHand(t *testing.T) {
	p := pairsOf([][]float64{{0, 1}, {1, 1}, {0, 1}, {1, 1}}, [][]float64{{0, 1}, {1, 1}, {1, 1}, {1, 1}}, 0, 0, 1, 1)
	got, err := p.values()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got[3]-8./15) > 1e-12 || math.Abs(got[1]-8./15) > 1e-12 { // totals differ as criterion 1 does
		t.Errorf("%v: criteria's and final alpha are to be 8/15", got)
	}
	figures, err := p.agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range figures {
		if *f.Value.Number != got[i] {
			t.Errorf("%s: %+v, want the value %v", sheetFigures[i].name, f, got[i])
		}
	}
}

// The bounds are those of the statistics over resamples of questions.
func TestSheetBounds(t *testing.T) {
	var p sheetPairs
	for i := range 24 {
		p.Add([]float64{float64(i % 3), float64(i * i % 5)}, []float64{float64(i % 3 * (i % 4)), float64(i * 3 % 5)})
		p.questions = append(p.questions, i/2)
	}
	o := stats.Resampling{Seed: 3, Name: "test"}
	figures, err := p.agreement(o)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range sheetFigures {
		want, err := stats.ClusterBootstrap(24, p.questions, o, func(rows []int) (float64, error) {
			var drawn paper.SheetPairs
			for _, row := range rows {
				drawn.Add(p.People[row], p.Judge[row])
			}
			return f.of(drawn)
		})
		if err != nil || math.Abs(*figures[i].Low.Number-want.Low) > 1e-12 || math.Abs(*figures[i].High.Number-want.High) > 1e-12 {
			t.Errorf("%s: %s, want [%v, %v], %v", f.name, figures[i].Text(6), want.Low, want.High, err)
		}
	}
}

// pairsOf are pairs of sheets with their questions.
func pairsOf(people, judge [][]float64, questions ...int) sheetPairs {
	return sheetPairs{paper.SheetPairs{People: people, Judge: judge}, questions}
}

// A judge that never differs has no correlation: a dash, no number.
func TestSheetAgreementOfAConstant(t *testing.T) {
	p := pairsOf([][]float64{{0}, {1}, {0}}, [][]float64{{1}, {1}, {1}}, 0, 1, 2)
	a, err := p.agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil || a[2] != (table.Bounded{}) {
		t.Errorf("%+v, %v", a, err)
	}
	var out bytes.Buffer
	if err := sheetTable([]sheetRow{{"constant", "floor", p, a}}).Terminal(&out); err != nil || !strings.Contains(out.String(), table.None) {
		t.Errorf("%s, %v", out.String(), err)
	}
	same := pairsOf([][]float64{{1}, {1}}, [][]float64{{1}, {1}}, 0, 1)
	if a, err := same.agreement(stats.Resampling{}); err != nil || a[1] != (table.Bounded{}) || a[3] != (table.Bounded{}) {
		t.Errorf("nobody ever differs: %+v, %v", a, err)
	}
}
