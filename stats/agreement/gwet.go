package agreement

import (
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// GwetWeights say how much two categories agree: 1 for equal categories, less the further apart they are.
type GwetWeights int

const (
	// GwetIdentity is 1 for equal categories and 0 otherwise: AC1.
	GwetIdentity GwetWeights = iota
	// GwetLinear is 1 - |c-k|/range of the values.
	GwetLinear
	// GwetQuadratic is 1 - (c-k)²/range².
	GwetQuadratic
	// GwetOrdinal is 1 - d(d-1)/(q(q-1)), with d-1 the difference of positions among q categories. It is not Krippendorff's ordinal metric.
	GwetOrdinal
)

// A GwetResult is Gwet's AC1 or AC2, with what it is computed from.
type GwetResult struct {
	AC       float64 // at most 1; 0 is chance
	Observed float64 // pa, weighted agreement, in [0, 1]
	Expected float64 // pe, chance agreement, in [0, 1]
	Units    int     // units with at least one rating
	Pairable int     // units with at least two ratings
}

// GwetAC returns Gwet's AC1 (identity weights) or AC2 (Gwet 2008; 2014, chapter 4). It stays close to the raw agreement if one category
// dominates, where kappa and alpha fall to 0. With r_uk the number of ratings of unit u equal to k, r_u of all its ratings, and weights W
// over q categories,
//
//	pa = mean over units with r_u >= 2 of Σ_k r_uk ((W r_u)_k - 1) / (r_u(r_u-1))
//	π_k = mean over units with r_u >= 1 of r_uk/r_u
//	pe = T Σ_k π_k(1-π_k),  T = ΣW / (q(q-1))
//	AC = (pa - pe)/(1 - pe)
//
// Units with one rating count for the marginals, unlike in alpha. categories is the whole scale in ascending order; nil means the values
// that occur. Declare the scale, because the result depends on it.
//
// One category, or no variation, is ErrNoVariation; no unit with two ratings is ErrNoPairableUnits; fewer than two units are ErrTooShort; a
// value outside the scale is ErrOutOfDomain.
func GwetAC(r *Ratings, categories []float64, w GwetWeights) (g GwetResult, err error) {
	defer stats.Wrap("AC1", &err)
	scale := r.values
	if categories != nil {
		scale = categories
	}
	for i := range len(scale) - 1 {
		if !(scale[i] < scale[i+1]) {
			return g, fmt.Errorf("%w: categories %v are not in ascending order", stats.ErrInvalidValue, scale)
		}
	}
	if w < GwetIdentity || w > GwetOrdinal {
		return g, fmt.Errorf("%w: weights %d", stats.ErrInvalidValue, w)
	}
	if err := r.CheckDomain(scale); err != nil {
		return g, err
	}
	marginals := make([]float64, len(scale))
	place := make([]int, len(r.values))
	for v, value := range r.values {
		place[v], _ = slices.BinarySearch(scale, value)
	}
	observed := make([]float64, len(r.patterns.size)) // by pattern: the agreement of a unit
	for p, size := range r.patterns.size {
		entries := r.patterns.pattern(p)
		for _, e := range entries {
			observed[p] += float64(float64(e.count) * w.pairs(scale, place, entries, e))
		}
		observed[p] /= float64(size) * float64(size-1)
	}
	var single []entry
	for u, p := range r.unitPattern {
		if p == unpairable {
			single = appendUnitEntries(single[:0], r.codes, u)
			for _, e := range single {
				marginals[place[e.code]]++
				g.Units++
			}
			continue
		}
		for _, e := range r.patterns.pattern(int(p)) {
			marginals[place[e.code]] += float64(e.count) / float64(r.patterns.size[p])
		}
		g.Units++
		g.Pairable++
		g.Observed += observed[p]
	}
	varied := 0.0
	for _, m := range marginals {
		share := m / float64(g.Units)
		varied += float64(share * (1 - share))
	}
	switch {
	case g.Pairable == 0:
		return GwetResult{}, stats.ErrNoPairableUnits
	case g.Units < 2:
		return GwetResult{}, stats.ErrTooShort
	case varied == 0:
		return GwetResult{}, stats.ErrNoVariation
	}
	g.Observed /= float64(g.Pairable)
	g.Expected = w.trace(scale) * varied
	g.AC = (g.Observed - g.Expected) / (1 - g.Expected)
	return g, nil
}

// pairs returns (W r_u)_k - 1 for the entry k of a unit.
func (w GwetWeights) pairs(scale []float64, place []int, unit []entry, k entry) (sum float64) {
	for _, e := range unit {
		sum += float64(float64(e.count) * w.agreement(scale, place[k.code], place[e.code]))
	}
	return sum - 1
}

// trace returns T for at least two categories.
func (w GwetWeights) trace(scale []float64) (t float64) {
	for i := range scale {
		for j := range scale {
			t += w.agreement(scale, i, j)
		}
	}
	return t / float64(len(scale)*(len(scale)-1))
}

// agreement returns the weight for categories i and j of the scale: 1 if they are equal, less the further apart they are.
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
