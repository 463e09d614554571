package agreement

import (
	"errors"
	"math"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Of 50 pairs 35 agree; marginals 25/25 and 30/20. Agreement by chance is
// (25·30 + 25·20)/2500 = 0.5, so kappa = (0.7-0.5)/(1-0.5).
func TestCohenKappaByHand(t *testing.T) {
	var a, b []float64
	for _, cell := range []struct {
		a, b float64
		n    int
	}{{1, 1, 20}, {1, 0, 5}, {0, 1, 10}, {0, 0, 15}} {
		for range cell.n {
			a, b = append(a, cell.a), append(b, cell.b)
		}
	}
	k, err := CohenKappa(a, b)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "kappa", k, 0.4, 1e-15)
}

func TestCohenKappaEdges(t *testing.T) {
	for name, c := range map[string]struct {
		a, b []float64
		want error
	}{
		"nothing":      {nil, nil, stats.ErrTooShort},
		"lengths":      {[]float64{1}, nil, stats.ErrLength},
		"one category": {[]float64{2, 2}, []float64{2, 2}, stats.ErrNoVariation},
		"NaN":          {[]float64{2, math.NaN()}, []float64{2, 2}, stats.ErrInvalidValue},
	} {
		if _, err := CohenKappa(c.a, c.b); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 1},
		{[]float64{1, 1}, []float64{2, 2}, 0}, // two constant raters who differ: as much disagreement as by chance
		{[]float64{1}, []float64{2}, 0},
	} {
		if k, err := CohenKappa(c.a, c.b); err != nil || k != c.want {
			t.Errorf("%v and %v: %v, %v", c.a, c.b, k, err)
		}
	}
}

// Half points are categories like any other, and kappa is symmetric.
func TestCohenKappaProperties(t *testing.T) {
	rng := stats.NewRNG(23, "kappa")
	for range 30 {
		rows := randomTable(rng, 2, 40, 5, 0.5, 0)
		one, err := CohenKappa(rows[0], rows[1])
		other, err2 := CohenKappa(rows[1], rows[0])
		doubled, err3 := CohenKappa(times(rows[0], 2), times(rows[1], 2))
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		statstest.Near(t, "sides changed", other, one, 1e-14)
		statstest.Near(t, "values doubled", doubled, one, 1e-14)
	}
}
