package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// GwetWeights say how much two categories agree, from 1 for the same to 0 for
// the ends of the scale.
type GwetWeights int

const (
	// GwetIdentity is 1 for equal categories and 0 otherwise: AC1.
	GwetIdentity GwetWeights = iota
	// GwetLinear is 1 - |c-k|/range of the values.
	GwetLinear
	// GwetQuadratic is 1 - (c-k)²/range².
	GwetQuadratic
	// GwetOrdinal is 1 - d(d-1)/(q(q-1)) with d-1 the difference of places
	// among q categories. It is not Krippendorff's ordinal metric.
	GwetOrdinal
)

// GwetResult is Gwet's AC1 or AC2 with its parts.
type GwetResult struct {
	AC       float64 // at most 1; 0 is chance
	Observed float64 // pa, weighted agreement, in [0, 1]
	Expected float64 // pe, chance agreement, in [0, 1]
	Units    int     // with one rating or more
	Pairable int     // with two or more
}

// GwetAC returns Gwet's AC1 (identity weights) or AC2 (Gwet 2008; 2014, chapter
// 4), a coefficient of agreement that stays near the raw agreement when one
// category dominates, where kappa and alpha fall to 0. With r_uk the ratings of
// unit u equal to k, r_u all of them, weights W over q categories,
//
//	pa = mean over units with r_u >= 2 of Σ_k r_uk ((W r_u)_k - 1) / (r_u(r_u-1))
//	π_k = mean over units with r_u >= 1 of r_uk/r_u
//	pe = T Σ_k π_k(1-π_k),  T = ΣW / (q(q-1))
//	AC = (pa - pe)/(1 - pe)
//
// Units rated once count for the marginals, unlike in alpha. categories is the whole
// scale in ascending order; nil means the values that occur. The result depends on the
// scale, so declare it.
//
// One category or no variation at all is ErrNoVariation, no unit rated twice
// ErrNoPairableUnits, fewer than two units ErrTooShort, a value outside the
// scale ErrOutOfDomain.
func GwetAC(r *Ratings, categories []float64, w GwetWeights) (GwetResult, error) {
	scale, err := declaredScale(categories, r.values)
	if err == nil {
		err = r.CheckDomain(scale)
	}
	if err == nil && (w < GwetIdentity || w > GwetOrdinal) {
		err = fmt.Errorf("%w: weights %d", stats.ErrInvalidValue, w)
	}
	if err != nil {
		return GwetResult{}, fmt.Errorf("AC1: %w", err)
	}
	units := r.gwetUnits(scale, w.matrix(scale))
	result, err := units.result()
	if err != nil {
		return result, fmt.Errorf("AC1: %w", err)
	}
	return result, nil
}

// declaredScale returns the categories, or those that occur.
func declaredScale[T cmp.Ordered](categories []T, samples ...[]T) ([]T, error) {
	if categories == nil {
		scale := slices.Concat(samples...)
		slices.Sort(scale)
		scale = slices.Compact(scale)
		if len(scale) > 0 && scale[0] != scale[0] {
			return nil, fmt.Errorf("%w: NaN", stats.ErrInvalidValue)
		}
		return scale, nil
	}
	for i := range categories {
		if i > 0 && !(categories[i-1] < categories[i]) {
			return nil, fmt.Errorf("%w: categories %v are not in ascending order", stats.ErrInvalidValue, categories)
		}
	}
	return categories, nil
}

// matrix is W over the scale.
func (w GwetWeights) matrix(scale []float64) [][]float64 {
	q := len(scale)
	m := make([][]float64, q)
	for i := range m {
		m[i] = make([]float64, q)
		for j := range m[i] {
			m[i][j] = w.agreement(scale, i, j)
		}
	}
	return m
}

func (w GwetWeights) agreement(scale []float64, i, j int) float64 {
	if i == j {
		return 1
	}
	q := float64(len(scale))
	span := (scale[i] - scale[j]) / (scale[len(scale)-1] - scale[0])
	switch w {
	case GwetLinear:
		return 1 - math.Abs(span)
	case GwetQuadratic:
		return 1 - float64(span*span)
	case GwetOrdinal:
		d := math.Abs(float64(i-j)) + 1
		return 1 - d*(d-1)/(q*(q-1))
	}
	return 0
}

// gwetTable holds the figures of each unit with a rating.
type gwetTable struct {
	trace     float64 // T, defined for two categories or more
	agreement []float64
	twice     []bool
	shares    [][]float64 // r_uk/r_u
	marginals []float64   // π
}

func (r *Ratings) gwetUnits(scale []float64, weights [][]float64) gwetTable {
	t := gwetTable{marginals: make([]float64, len(scale))}
	for _, row := range weights {
		for _, w := range row {
			t.trace += w
		}
	}
	t.trace /= float64(len(scale) * (len(scale) - 1))
	place := make([]int, len(r.values))
	for v, value := range r.values {
		place[v], _ = slices.BinarySearch(scale, value)
	}
	for u := range r.units {
		if entries := appendUnitEntries(nil, r.codes, u); len(entries) > 0 {
			t.addUnit(entries, place, weights)
		}
	}
	for k := range t.marginals {
		t.marginals[k] /= float64(len(t.shares))
	}
	return t
}

func (t *gwetTable) addUnit(entries []patternEntry, place []int, weights [][]float64) {
	size, agree := 0.0, 0.0
	for _, e := range entries {
		size += float64(e.count)
		weighted := 0.0
		for _, f := range entries {
			weighted += float64(float64(f.count) * weights[place[e.code]][place[f.code]])
		}
		agree += float64(float64(e.count) * (weighted - 1))
	}
	shares := make([]float64, len(t.marginals))
	for _, e := range entries {
		shares[place[e.code]] = float64(e.count) / size
		t.marginals[place[e.code]] += float64(e.count) / size
	}
	t.shares = append(t.shares, shares)
	t.twice = append(t.twice, size >= 2)
	t.agreement = append(t.agreement, agree/max(1, size*(size-1)))
}

func (t *gwetTable) result() (GwetResult, error) {
	g := GwetResult{Units: len(t.shares)}
	for u, twice := range t.twice {
		if twice {
			g.Pairable++
			g.Observed += t.agreement[u]
		}
	}
	switch {
	case g.Pairable == 0:
		return GwetResult{}, stats.ErrNoPairableUnits
	case g.Units < 2:
		return GwetResult{}, stats.ErrTooShort
	}
	varied := 0.0
	for _, share := range t.marginals {
		varied += float64(share * (1 - share))
	}
	if varied == 0 {
		return GwetResult{}, stats.ErrNoVariation
	}
	g.Observed /= float64(g.Pairable)
	g.Expected = t.trace * varied
	g.AC = (g.Observed - g.Expected) / (1 - g.Expected)
	return g, nil
}
