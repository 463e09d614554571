package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Of 50 pairs 35 agree, with marginals 25/25 and 30/20. Agreement by chance is (25·30 + 25·20)/2500 = 0.5, so kappa = (0.7-0.5)/(1-0.5).
func TestCohenKappaByHand(t *testing.T) {
	var a, b []string
	for _, cell := range []struct {
		a, b string
		n    int
	}{{"yes", "yes", 20}, {"yes", "no", 5}, {"no", "yes", 10}, {"no", "no", 15}} {
		for range cell.n {
			a = append(a, cell.a)
			b = append(b, cell.b)
		}
	}
	k, err := weightedKappa(a, b, nil, Unweighted)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "kappa", k.Kappa, 0.4, 1e-15)
	statstest.Near(t, "observed disagreement", k.Observed, 0.3, 1e-15)
	statstest.Near(t, "expected disagreement", k.Expected, 0.5, 1e-15)
	if k.N != 50 {
		t.Errorf("n = %d", k.N)
	}
}

// Weights use positions on the declared scale: 2 and 5 are one apart if the scale is 1, 2, 5, and three apart on the scale from 1 to 5. By
// hand for a = 1 2 5, b = 2 2 5, quadratic:
//
//	places 0 1 2: ΣwO = 1, ΣwE = ((2·1+4) + 1 + 2·1)/3 = 3,    kappa = 1 - 1/3
//	places 0 1 4: ΣwO = 1, ΣwE = ((2·1+16) + 9 + 2·9)/3 = 15,  kappa = 1 - 1/15
func TestCohenKappaDeclaredScale(t *testing.T) {
	a := []int{1, 2, 5}
	b := []int{2, 2, 5}
	for _, c := range []struct {
		scale []int
		want  float64
	}{{nil, 2.0 / 3}, {[]int{1, 2, 5}, 2.0 / 3}, {[]int{1, 2, 3, 4, 5}, 14.0 / 15}} {
		k, err := weightedKappa(a, b, c.scale, Quadratic)
		if err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "kappa", k.Kappa, c.want, 1e-15)
	}
	// Without weights, unused categories change nothing.
	few, _ := weightedKappa(a, b, nil, Unweighted)
	all, err := weightedKappa(a, b, []int{0, 1, 2, 3, 4, 5}, Unweighted)
	if err != nil || few.Kappa != all.Kappa {
		t.Errorf("unweighted: %v, %v, %v", few.Kappa, all.Kappa, err)
	}
}

func TestCohenKappaEdges(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		a, b, scale []float64
		w           KappaWeights
		want        error
	}{
		"nothing":      {nil, nil, nil, Unweighted, stats.ErrTooShort},
		"lengths":      {[]float64{1}, nil, nil, Unweighted, stats.ErrLength},
		"one category": {[]float64{2, 2}, []float64{2, 2}, []float64{1, 2, 3}, Linear, stats.ErrNoVariation},
		"outside":      {[]float64{2, 4}, []float64{2, 2}, []float64{1, 2, 3}, Linear, stats.ErrOutOfDomain},
		"order":        {[]float64{2, 1}, []float64{2, 2}, []float64{2, 1}, Linear, stats.ErrInvalidValue},
		"repeated":     {[]float64{2, 1}, []float64{2, 2}, []float64{1, 1, 2}, Linear, stats.ErrInvalidValue},
		"NaN":          {[]float64{2, nan}, []float64{2, 2}, nil, Linear, stats.ErrInvalidValue},
		"NaN declared": {[]float64{2, nan}, []float64{2, 2}, []float64{1, 2}, Linear, stats.ErrOutOfDomain},
		"weights":      {[]float64{2, 1}, []float64{2, 2}, nil, 9, stats.ErrInvalidValue},
	} {
		if _, err := weightedKappa(c.a, c.b, c.scale, c.w); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	for _, w := range []KappaWeights{Unweighted, Linear, Quadratic} {
		k, err := weightedKappa([]float64{1, 2, 3}, []float64{1, 2, 3}, nil, w)
		if err != nil || k.Kappa != 1 {
			t.Errorf("perfect agreement: %+v, %v", k, err)
		}
		// Two constant raters who differ disagree as much as by chance.
		k, err = weightedKappa([]float64{1, 1}, []float64{2, 2}, nil, w)
		if err != nil || k.Kappa != 0 {
			t.Errorf("constant raters: %+v, %v", k, err)
		}
		k, err = weightedKappa([]float64{1}, []float64{2}, nil, w)
		if err != nil || k.Kappa != 0 {
			t.Errorf("one pair: %+v, %v", k, err)
		}
	}
}

// Half points are categories like any others, and kappa is symmetric.
func TestCohenKappaProperties(t *testing.T) {
	rng := stats.NewRNG(23, "kappa")
	for range 30 {
		rows := randomTable(rng, 2, 40, 5, 0.5, 0)
		scale := []float64{0, 0.5, 1, 1.5, 2}
		order := permutation(rng, 40)
		for _, w := range []KappaWeights{Unweighted, Linear, Quadratic} {
			k, err := weightedKappa(rows[0], rows[1], scale, w)
			if err != nil {
				t.Fatal(err)
			}
			if w == Unweighted {
				plain, err := CohenKappa(rows[0], rows[1])
				if err != nil || math.Abs(plain-k.Kappa) > 1e-14 {
					t.Errorf("CohenKappa is %v, %v; want %v", plain, err, k.Kappa)
				}
			}
			other, _ := weightedKappa(rows[1], rows[0], scale, w)
			statstest.Near(t, "sides changed", other.Kappa, k.Kappa, 1e-14)
			other, _ = weightedKappa(permuted(rows[0], order), permuted(rows[1], order), scale, w)
			statstest.Near(t, "pairs permuted", other.Kappa, k.Kappa, 0)
			other, _ = weightedKappa(append(rows[0], rows[0]...), append(rows[1], rows[1]...), scale, w)
			statstest.Near(t, "pairs doubled", other.Kappa, k.Kappa, 1e-14)
		}
	}
}

func TestCohenKappaUndefined(t *testing.T) {
	for name, c := range map[string]struct {
		x, y []float64
		want error
	}{
		"nothing":   {nil, nil, stats.ErrTooShort},
		"lengths":   {[]float64{1}, nil, stats.ErrLength},
		"one label": {[]float64{2, 2}, []float64{2, 2}, stats.ErrNoVariation},
		"NaN":       {[]float64{2, math.NaN()}, []float64{2, 2}, stats.ErrInvalidValue},
	} {
		if _, err := CohenKappa(c.x, c.y); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}
