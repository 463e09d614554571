package agreement

import (
	"errors"
	"math"
	"slices"
	"testing"

	"compqa/stats"
	"compqa/stats/statstest"
)

// Two raters, four units, two categories: (1,1) (1,1) (1,1) (1,2).
//
//	pa = 3/4,  π = (7/8, 1/8),  T = 2/(2·1) = 1
//	pe = 7/8·1/8 + 1/8·7/8 = 14/64
//	AC1 = (48-14)/(64-14) = 0.68
//
// For the three units that agree, and the fourth:
//
//	a_u  = (1-pe)/(1-pe) = 1      and  -14/50 = -0.28
//	pe_u = 1/8                    and  (1/8+7/8)/2 = 1/2
//	x_u  = a_u - 0.64(pe_u-pe)/(1-pe) = 1.0768  and  -0.5104
//	SE²  = (3·0.3968² + 1.1904²)/(4·3)
func TestGwetByHand(t *testing.T) {
	r := table(t, []float64{1, 1, 1, 1}, []float64{1, 1, 1, 2})
	g, err := GwetAC(r, nil, GwetIdentity)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "pa", g.Observed, 0.75, 1e-15)
	statstest.Near(t, "pe", g.Expected, 14.0/64, 1e-15)
	statstest.Near(t, "AC1", g.AC, 0.68, 1e-15)
	se := gwetSE(r, nil, GwetIdentity, g)
	statstest.Near(t, "SE²", se*se, (3*0.3968*0.3968+1.1904*1.1904)/12, 1e-12)
	if g.Units != 4 || g.Pairable != 4 {
		t.Errorf("got %+v", g)
	}
	// On a scale of five categories, T is 5/20 and pe = 14/256: the scale matters.
	g, err = GwetAC(r, []float64{1, 2, 3, 4, 5}, GwetIdentity)
	if err != nil {
		t.Fatal(err)
	}
	statstest.Near(t, "AC1 on five categories", g.AC, (0.75-14.0/256)/(1-14.0/256), 1e-15)
}

// With 95 % agreement on one label of two, alpha is below 0, and AC1 is close to the agreement.
func TestGwetPrevalence(t *testing.T) {
	x := make([]float64, 40)
	y := make([]float64, 40)
	x[0] = 1
	y[1] = 1
	g, err := GwetAC(table(t, x, y), []float64{0, 1}, GwetIdentity)
	if err != nil || g.AC < 0.9 || g.AC > 0.95 {
		t.Errorf("got %+v, %v", g, err)
	}
}

func TestGwetEdges(t *testing.T) {
	all := []GwetWeights{GwetIdentity, GwetLinear, GwetQuadratic, GwetOrdinal}
	for name, c := range map[string]struct {
		r     *Ratings
		scale []float64
		want  error
	}{
		"nothing":       {table(t), nil, stats.ErrNoPairableUnits},
		"nothing twice": {table(t, []float64{1, none}, []float64{none, 2}), nil, stats.ErrNoPairableUnits},
		"one unit":      {table(t, []float64{1}, []float64{2}), nil, stats.ErrTooShort},
		"one category":  {table(t, []float64{3, 3}, []float64{3, 3}), nil, stats.ErrNoVariation},
		"one of five":   {table(t, []float64{3, 3}, []float64{3, 3}), []float64{1, 2, 3, 4, 5}, stats.ErrNoVariation},
		"outside":       {table(t, []float64{3, 3}, []float64{3, 9}), []float64{1, 2, 3}, stats.ErrOutOfDomain},
		"order":         {table(t, []float64{3, 3}, []float64{3, 1}), []float64{3, 1}, stats.ErrInvalidValue},
	} {
		for _, w := range all {
			if _, err := GwetAC(c.r, c.scale, w); !errors.Is(err, c.want) {
				t.Errorf("%s: error %v, want %v", name, err, c.want)
			}
		}
	}
	if _, err := GwetAC(table(t, []float64{1, 2}, []float64{1, 1}), nil, 9); !errors.Is(err, stats.ErrInvalidValue) {
		t.Errorf("weights 9: error %v", err)
	}
	for _, w := range all {
		g, err := GwetAC(table(t, []float64{1, 2, 3}, []float64{1, 2, 3}), nil, w)
		if err != nil || g.AC != 1 {
			t.Errorf("perfect agreement: %+v, %v", g, err)
		}
		// With two categories, all weights are the same.
		g, _ = GwetAC(table(t, []float64{1, 2, 1}, []float64{1, 2, 2}), nil, w)
		want, _ := GwetAC(table(t, []float64{1, 2, 1}, []float64{1, 2, 2}), nil, GwetIdentity)
		if g != want {
			t.Errorf("two categories: %+v, want %+v", g, want)
		}
	}
}

// gwetSE returns the standard error of Gwet's coefficient for independent units, which the oracle has and no table shows. With n rated
// units, n₂ of them with two or more ratings, and pa_u the term of unit u in pa,
//
//	a_u = n/n₂ [r_u >= 2] (pa_u - pe)/(1-pe)
//	pe_u = T Σ_k r_uk(1-π_k)/r_u
//	SE² = Σ (a_u - 2(1-AC)(pe_u-pe)/(1-pe) - AC)² / (n(n-1))
func gwetSE(r *Ratings, scale []float64, w GwetWeights, g GwetResult) float64 {
	if scale == nil {
		scale = r.values
	}
	place := make([]int, len(r.values))
	marginals := make([]float64, len(scale))
	for v, value := range r.values {
		place[v], _ = slices.BinarySearch(scale, value)
	}
	n := float64(g.Units)
	var units [][]entry
	var sizes []float64
	for u := range r.units {
		entries := appendUnitEntries(nil, r.codes, u)
		size := 0.0
		for _, e := range entries {
			size += float64(e.count)
		}
		for _, e := range entries {
			marginals[place[e.code]] += float64(e.count) / size / n
		}
		if size > 0 {
			units = append(units, entries)
			sizes = append(sizes, size)
		}
	}
	sum := 0.0
	for u, entries := range units {
		chance := 0.0
		agree := 0.0
		for _, e := range entries {
			chance += float64(e.count) / sizes[u] * (1 - marginals[place[e.code]])
			agree += float64(e.count) * w.pairs(scale, place, entries, e)
		}
		x := -2 * (1 - g.AC) * (w.trace(scale)*chance - g.Expected) / (1 - g.Expected)
		if sizes[u] > 1 {
			x += n / float64(g.Pairable) * (agree/(sizes[u]*(sizes[u]-1)) - g.Expected) / (1 - g.Expected)
		}
		sum += float64((x - g.AC) * (x - g.AC))
	}
	return math.Sqrt(sum / (n * (n - 1)))
}
