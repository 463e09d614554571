package paper

import (
	"math"
	"testing"

	"compqa/results/dataset"
)

func TestExtremes(t *testing.T) {
	c := &dataset.Calculator{}
	choose, other := []float64{1, 2, 3, 4, 4}, []float64{9, 8, 7, 6, 2}
	for part, want := range map[string][3]float64{"highest": {4, 2, 4}, "lowest": {2, 2, 8.5}} { // limit, n, mean
		r := extremes(c, ExtremesRow{Part: part}, choose, other)
		if *r.Limit.Number != want[0] || float64(r.N) != want[1] || *r.Mean.Number != want[2] {
			t.Errorf("%s: %+v", part, r)
		}
	}
	if r := extremes(c, ExtremesRow{Part: "highest"}, nil, nil); r.Limit.Known() || r.N != 0 {
		t.Errorf("of nothing: %+v", r)
	}
}

// Table 1's pairs are in the release; the points of a scenario are those of its rows of Table 5,
// weighted by their sheets; and people give 14 to 17 points to what judges score highest, as
// the paper says of Figure 8 and Llama-3-70B.
func TestTheRestOfThePaper(t *testing.T) {
	r, _ := sharedRelease(t)
	for _, row := range r.pairs[:2] {
		if *row.Release.Number != *row.Published.Number || *row.BuiltIn.Number != *row.Published.Number {
			t.Errorf("%+v", row)
		}
	}
	for _, s := range r.scenarios {
		var sum, n float64
		for _, c := range r.table(5) {
			if c.Column == s.Judge+" mean" && c.Rule == RulePublished && c.Recomputed.Known() && c.Row[len(c.Row)-1:] == s.Scenario {
				sum, n = sum+*c.Recomputed.Number*float64(c.N), n+float64(c.N)
			}
		}
		if n != float64(s.N) || math.Abs(sum/n-*s.Mean.Number) > 1e-9 {
			t.Errorf("scenario %s by %s: %v of %d, %v of %v by Table 5", s.Scenario, s.Judge, *s.Mean.Number, s.N, sum/n, n)
		}
	}
	if len(r.scenarios) != 12 || len(r.extremes) != 8 {
		t.Errorf("%d bars, %d parts", len(r.scenarios), len(r.extremes))
	}
	for _, e := range r.extremes {
		if e.ChosenBy == e.Judge && e.Part == "highest" && (*e.Mean.Number < 14 || *e.Mean.Number > 17) {
			t.Errorf("%+v", e)
		}
	}
}
