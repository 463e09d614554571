package agreement

import (
	"math"
	"testing"

	"compqa/stats"
)

// Expected values are from scikit-learn 1.2.1 (cohen_kappa_score, also with weights="quadratic", recall_score, precision_score, f1_score)
// and irrCAC 1.4 (gwet.ac1.raw).
func TestConfusion(t *testing.T) {
	people := []float64{0, 0, 1, 1, 2, 2, 2, 1, 0, 2, 1, 0}
	judge := []float64{0, 1, 1, 1, 2, 1, 2, 2, 0, 2, 0, 0}
	c, err := NewConfusion(people, judge, nil, nil, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	tpr, tnr, precision, f1 := c.Rates(2, false)
	for name, of := range map[string]struct {
		got  stats.Figure
		want float64
	}{
		"agreement": {c.Agreement(), 8. / 12}, "kappa": {c.Kappa(false), 0.5}, "quadratic kappa": {c.Kappa(true), 0.75},
		"tpr": {tpr, 0.75}, "tnr": {tnr, 7. / 8}, "precision": {precision, 0.75}, "f1": {f1, 0.75},
	} {
		if !of.got.Known || math.Abs(of.got.Value-of.want) > 1e-12 || !of.got.Bounded || of.got.Low >= of.want || of.got.High <= of.want {
			t.Errorf("%s is %+v, want %v", name, of.got, of.want)
		}
	}
}
