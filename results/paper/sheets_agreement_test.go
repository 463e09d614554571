package paper

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"compqa/results/table"
	"compqa/stats"
)

// Two criteria on four answers. Criterion 1: people 0 1 0 1, judge 0 1 1 1;
// criterion 2: nobody differs, so that it has no alpha. Alpha of criterion 1 by
// hand: one of four units differs, D_o = 2/8; the eight ratings are three 0 and
// five 1, D_e = 2·15/56; alpha = 1 - (1/4)/(30/56) = 8/15.
func TestSheetFiguresByHand(t *testing.T) {
	p := SheetPairs{
		People:    [][]float64{{0, 1}, {1, 1}, {0, 1}, {1, 1}},
		Judge:     [][]float64{{0, 1}, {1, 1}, {1, 1}, {1, 1}},
		Questions: []int{0, 0, 1, 1},
	}
	got, err := p.Figures()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got[3]-8./15) > 1e-12 || math.Abs(got[1]-8./15) > 1e-12 { // totals differ as criterion 1 does
		t.Errorf("%v: criteria's and final alpha are to be 8/15", got)
	}
	a, err := p.Agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if a.N != 4 || *a.Final.Value.Number != got[1] || *a.PerCriterion.Value.Number != got[3] || *a.Separate.Value.Number != got[0] || *a.Spearman.Value.Number != got[2] {
		t.Errorf("%+v, want the values %v", a, got)
	}
}

// A judge that never differs has no correlation: a dash, no number.
func TestSheetAgreementOfAConstant(t *testing.T) {
	p := SheetPairs{People: [][]float64{{0}, {1}, {0}}, Judge: [][]float64{{1}, {1}, {1}}, Questions: []int{0, 1, 2}}
	a, err := p.Agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil || a.Spearman != (table.Bounded{}) {
		t.Errorf("%+v, %v", a, err)
	}
	var out bytes.Buffer
	if err := SheetTable([]SheetRow{{"constant", "floor", a}}).Terminal(&out); err != nil || !strings.Contains(out.String(), table.None) {
		t.Errorf("%s, %v", out.String(), err)
	}
	same := SheetPairs{People: [][]float64{{1}, {1}}, Judge: [][]float64{{1}, {1}}, Questions: []int{0, 1}}
	if a, err := same.Agreement(stats.Resampling{}); err != nil || a.Final != (table.Bounded{}) || a.PerCriterion != (table.Bounded{}) {
		t.Errorf("nobody ever differs: %+v, %v", a, err)
	}
}
