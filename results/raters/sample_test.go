package raters

import (
	"math"
	"math/rand/v2"
	"testing"

	"compqa/stats"
	"compqa/stats/agreement"
)

// A weighted table with equal weights has the same figures as a table without weights.
func TestEqualWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	plain := Table{Scale: Scale{Level: agreement.Interval, Rates: true, Values: []float64{0, 1}}}
	j := Rater{Name: "j", Kind: Judge}
	r := Rater{Name: "r", Kind: Person}
	for i := range 60 {
		plain.Units = append(plain.Units, Unit{Cluster: i / 2})
		x := float64(rng.IntN(2))
		j.Values, r.Values = append(j.Values, Number(x)), append(r.Values, Number(float64(rng.IntN(2))))
		if i > 40 {
			r.Values[i] = Missing(NotAsked)
		}
	}
	weighted := plain
	weighted.Strata = make([]int, len(plain.Units))
	for _, level := range []agreement.Level{agreement.Interval, agreement.Nominal} {
		o := Options{Level: level}
		a := plain.Against(j, r, o)
		b := weighted.Against(j, r, o)
		for name, f := range map[string][2]stats.Figure{"alpha": {a.Alpha, b.Alpha}, "agreement": {a.Agreement, b.Agreement}, "kappa": {a.Kappa, b.Kappa},
			"quadratic": {a.Quadratic, b.Quadratic}, "ac": {a.AC, b.AC}, "tpr": {a.TPR, b.TPR}, "tnr": {a.TNR, b.TNR},
			"precision": {a.Precision, b.Precision}, "f1": {a.F1, b.F1}, "rho": {a.Spearman, b.Spearman}, "difference": {a.Difference, b.Difference},
			"mae": {a.MAE, b.MAE}, "constant": {a.Constant, b.Constant}, "chance": {a.Chance, b.Chance}} {
			if math.Abs(f[0].Value-f[1].Value) > 1e-12 || !f[1].Known || f[0].Bounded != f[1].Bounded || math.Abs(f[0].Low-f[1].Low) > 0.05 {
				t.Errorf("%s: %s is %+v, with equal weights %+v", level, name, f[0], f[1])
			}
		}
		people := []Rater{j, r}
		if a, b := plain.Among(people, o).Alpha, weighted.Among(people, o).Alpha; math.Abs(a.Value-b.Value) > 1e-12 {
			t.Errorf("%s: alpha of two people is %v, with equal weights %v", level, a, b)
		}
	}
}

// The judge passes ten units, of which one is labelled, and fails ten, of which all are. Weighted figures, computed by hand, equal those of
// all twenty units.
func TestWeights(t *testing.T) {
	x := Table{Scale: Scale{Level: agreement.Interval, Rates: true, Values: []float64{0, 1}}}
	j := Rater{}
	r := Rater{}
	for i := range 20 {
		passed := i < 10
		x.Units, x.Strata = append(x.Units, Unit{Cluster: i}), append(x.Strata, int(indicator(passed)))
		j.Values, r.Values = append(j.Values, Number(indicator(passed))), append(r.Values, Missing(NotAsked))
		if i == 0 || !passed {
			r.Values[i] = Number(indicator(i == 0 || i > 14)) // of the items that the judge fails, people pass 5
		}
	}
	row := x.Against(j, r, Options{})
	for name, f := range map[string][2]float64{"tpr": {row.TPR.Value, 10. / 15}, "tnr": {row.TNR.Value, 1}, "agreement": {row.Agreement.Value, 15. / 20},
		"difference, judge minus people": {row.Difference.Value, -5. / 20}, "mae": {row.MAE.Value, 5. / 20}} {
		if math.Abs(f[0]-f[1]) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, f[0], f[1])
		}
	}
	backwards := x
	backwards.Raters = []Rater{j, r}
	backwards = backwards.Take([]int{19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0})
	if again := backwards.Against(backwards.Raters[0], backwards.Raters[1], Options{}); math.Abs(again.TPR.Value-row.TPR.Value) > 1e-12 {
		t.Errorf("with the units in another order tpr is %v, want %v", again.TPR.Value, row.TPR.Value)
	}
	x.Strata[0] = stats.NoStratum
	if row := x.Against(j, r, Options{}); row.TNR.Value != 1 || row.TPR.Value != 0 {
		t.Errorf("without the stratum that is passed: %v, %v", row.TPR, row.TNR)
	}
}
