package bench

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"compqa/data"
	"compqa/results/raters"
	"compqa/stats"
	"compqa/stats/agreement"
)

// TestSheetFiguresByHand has two criteria on four answers. On criterion 1 people give 0 1 0 1 and the judge 0 1 1 1. On criterion 2 nobody
// differs, so it has no alpha. Alpha of criterion 1 by hand: one of four units differs, so D_o = 2/8; the eight ratings are three 0 and
// five 1, so D_e = 2·15/56; alpha = 1 - (1/4)/(30/56) = 8/15.
func TestSheetFiguresByHand(t *testing.T) {
	t.Parallel()
	p := sheetPairsOf([][]float64{{0, 1}, {1, 1}, {0, 1}, {1, 1}}, [][]float64{{0, 1}, {1, 1}, {1, 1}, {1, 1}}, 0, 0, 1, 1)
	got, err := p.values()
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got[3]-8./15) > 1e-12 || math.Abs(got[1]-8./15) > 1e-12 { // totals differ in the same way as criterion 1
		t.Errorf("%v: criteria's and final alpha are to be 8/15", got)
	}
	figures, err := p.agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range figures {
		if f.Value != got[i] {
			t.Errorf("%s: %+v, want the value %v", sheetFigures[i], f, got[i])
		}
	}
}

// TestSheetBounds: the bounds equal those of agreement.Resample, which resamples alpha and rho by different code.
func TestSheetBounds(t *testing.T) {
	t.Parallel()
	var p sheetPairs
	for i := range 120 {
		p.Add([]float64{float64(i % 3), float64(i * i % 5)}, []float64{float64(i % 3 * (i % 4)), float64(i * 3 % 5)}, i/2)
	}
	o := stats.Resampling{Seed: 3, Name: "test"}
	figures, err := p.agreement(o)
	if err != nil {
		t.Fatal(err)
	}
	people := data.Each(p.Reference, floats.Sum)
	judge := data.Each(p.Judge, floats.Sum)
	replicates, err := agreement.Resample(judge, people, p.Clusters, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, figure := range map[int]int{1: agreement.OfAlpha, 2: agreement.OfSpearman} {
		want, err := replicates.Distribution(figure)
		if err != nil || math.Abs(figures[i].Low-want.Low) > 1e-12 || math.Abs(figures[i].High-want.High) > 1e-12 {
			t.Errorf("%s: %s, want [%v, %v], %v", sheetFigures[i], figures[i].Text(6), want.Low, want.High, err)
		}
	}
}

// sheetPairsOf returns pairs of sheets of people and a judge, with the questions as clusters.
func sheetPairsOf(people, judge [][]float64, questions ...int) sheetPairs {
	return sheetPairs{raters.Sheets{Reference: people, Judge: judge, Clusters: questions}}
}

// TestSheetAgreementOfAConstant: a judge that always gives the same points has no correlation. The table shows a dash.
func TestSheetAgreementOfAConstant(t *testing.T) {
	t.Parallel()
	p := sheetPairsOf([][]float64{{0}, {1}, {0}}, [][]float64{{1}, {1}, {1}}, 0, 1, 2)
	a, err := p.agreement(stats.Resampling{Seed: 1, Name: "test"})
	if err != nil || a[2].Known {
		t.Errorf("%+v, %v", a, err)
	}
	var out bytes.Buffer
	if err := sheetTable([]sheetRow{{"constant", "floor", p, a}}).Terminal(&out); err != nil || !strings.Contains(out.String(), stats.Missing) {
		t.Errorf("%s, %v", out.String(), err)
	}
	same := sheetPairsOf([][]float64{{1}, {1}}, [][]float64{{1}, {1}}, 0, 1)
	if a, err := same.agreement(stats.Resampling{}); err != nil || a[1].Known || a[3].Known {
		t.Errorf("nobody ever differs: %+v, %v", a, err)
	}
}
