package stats

import (
	"errors"
	"math"
	"testing"

	"compqa/stats/statstest"
)

// rates has m0 negatives and m1 positives of which the judge is right on q0 and q1, and n others of
// which it calls yes positive.
func rates(m0, q0, m1, q1, n, yes int) (s PPISample) {
	add := func(human float64, of, right int) {
		for i := range of {
			s.Human = append(s.Human, human)
			s.Judge = append(s.Judge, math.Abs(human-indicator(i >= right)))
		}
	}
	add(0, m0, q0)
	add(1, m1, q1)
	for i := range n {
		s.Unlabelled = append(s.Unlabelled, indicator(i < yes))
	}
	return s
}

// The figures of Lee et al.'s formula (equation 6 of arXiv:2511.21140, as their program computes it)
// for 50 and 60 labels with rates 0.7 and 0.9, and 1,000,000 others of which 30 % are positive, with
// Student's t of 109 degrees of freedom for the normal quantile: 1.98197.
func TestRoganGladen(t *testing.T) {
	got, err := RoganGladen(rates(50, 35, 60, 54, 1_000_000, 300_000), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	const z, m0, m1 = 1.981967489688474, 52., 62.
	const n = 1_000_110 + z*z
	p, q0, q1 := (300_069+z*z/2)/n, 36./52, 55./62
	theta := (p + q0 - 1) / (q0 + q1 - 1)
	shift := 2 * z * z * (-(1-theta)*q0*(1-q0)/m0 + theta*q1*(1-q1)/m1)
	se := math.Sqrt(p*(1-p)/n+(1-theta)*(1-theta)*q0*(1-q0)/m0+theta*theta*q1*(1-q1)/m1) / (q0 + q1 - 1)
	statstest.Near(t, "value", got.Value, (300_069./1_000_110+0.7-1)/0.6, 1e-12)
	statstest.Near(t, "standard error", got.SE, se, 1e-4*se)
	statstest.Near(t, "high", got.High, theta+shift+z*se, 1e-4)
	if got.Low != 0 || got.DF != 109 {
		t.Errorf("%+v, want a low bound of 0", got)
	}
	// All items are labelled: the rate is people's.
	if got, err = RoganGladen(rates(50, 35, 60, 54, 0, 0), 0.95); err != nil || math.Abs(got.Value-60./110) > 1e-15 {
		t.Errorf("all labelled: %+v, %v", got, err)
	}
}

// Each item twice in its cluster tells no more.
func TestRoganGladenByCluster(t *testing.T) {
	s := rates(50, 35, 60, 54, 300, 100)
	once, err := RoganGladen(s, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	twice := PPISample{Human: append(s.Human, s.Human...), Judge: append(s.Judge, s.Judge...), Unlabelled: append(s.Unlabelled, s.Unlabelled...)}
	for i := range twice.Human {
		twice.Clusters = append(twice.Clusters, i%110)
	}
	for i := range twice.Unlabelled {
		twice.UnlabelledClusters = append(twice.UnlabelledClusters, 110+i%300)
	}
	got, err := RoganGladen(twice, 0.95)
	if err != nil || got.Value != once.Value || math.Abs(got.SE/once.SE-1) > 0.03 {
		t.Errorf("%+v, %v; once: %+v", got, err, once)
	}
}

func TestRoganGladenRefuses(t *testing.T) {
	clustered := rates(5, 4, 5, 4, 0, 0)
	clustered.Clusters = make([]int, 10)
	for name, c := range map[string]struct {
		s    PPISample
		want error
	}{
		"no labels":     {rates(0, 0, 0, 0, 9, 3), ErrTooShort},
		"one kind":      {rates(9, 8, 0, 0, 9, 3), ErrTooShort},
		"by chance":     {rates(10, 5, 10, 5, 9, 3), ErrChance},
		"half a point":  {PPISample{Human: []float64{0, 0.5}, Judge: []float64{1, 0}}, ErrInvalidValue},
		"one cluster":   {clustered, ErrOneCluster},
		"NaN":           {PPISample{Human: []float64{0, math.NaN()}, Judge: []float64{1, 0}}, ErrInvalidValue},
		"a label short": {PPISample{Human: []float64{0}, Judge: []float64{1, 0}}, ErrLength},
	} {
		if got, err := RoganGladen(c.s, 0.95); !errors.Is(err, c.want) || got.High != 0 {
			t.Errorf("%s: %+v, %v, want %v", name, got, err, c.want)
		}
	}
	if _, err := RoganGladen(rates(10, 8, 10, 8, 9, 3), 1); !errors.Is(err, ErrInvalidValue) {
		t.Errorf("level 1: %v", err)
	}
	// A judge that was never wrong leaves no certainty.
	if got, err := RoganGladen(rates(10, 10, 10, 10, 100, 50), 0.95); err != nil || got.Value != 0.5 || got.High-got.Low < 0.1 {
		t.Errorf("a judge that was right: %+v, %v", got, err)
	}
}
