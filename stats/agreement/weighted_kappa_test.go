package agreement

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// KappaWeights define the disagreement of two categories by their positions i and j on the scale.
type KappaWeights int

const (
	// Unweighted counts every disagreement as 1.
	Unweighted KappaWeights = iota
	// Linear counts |i-j|.
	Linear
	// Quadratic counts (i-j)².
	Quadratic
)

func (w KappaWeights) disagreement(i, j int) float64 {
	d := math.Abs(float64(i - j))
	switch {
	case w == Linear:
		return d
	case w == Quadratic:
		return d * d
	case i == j:
		return 0
	}
	return 1
}

// A Kappa is Cohen's kappa with its parts, for any weights, as the oracle has it. The program only shows the unweighted one.
type Kappa struct {
	Kappa    float64 // at most 1; 0 is chance
	Observed float64 // mean disagreement, in units of the weights
	Expected float64 // mean disagreement of independent raters with these marginals
	N        int
}

// weightedKappa returns Cohen's kappa: the agreement of two raters beyond chance (Cohen 1960; weighted, 1968),
//
//	kappa = 1 - Σ w_ij O_ij / Σ w_ij E_ij,  E_ij = a_i b_j / n
//
// with O the cross table of n pairs and a, b its marginals. Each rater has their own marginals, unlike in alpha.
//
// categories is the whole scale in ascending order, including unused categories. Weights use differences of positions on it: 1 and 5 are
// two apart on the scale 1, 2, 5, and four on the scale from 1 to 5. nil means the categories that occur, which is correct without weights.
// A value outside the scale is ErrOutOfDomain, categories out of order are ErrInvalidValue. If both raters use only one and the same
// category, kappa is undefined (ErrNoVariation); no pairs are ErrTooShort.
func weightedKappa[T cmp.Ordered](a, b []T, categories []T, w KappaWeights) (Kappa, error) {
	if err := stats.CheckLengths(len(a), len(b)); err != nil {
		return Kappa{}, fmt.Errorf("kappa: %w", err)
	}
	if len(a) == 0 {
		return Kappa{}, fmt.Errorf("kappa: %w", stats.ErrTooShort)
	}
	if w < Unweighted || w > Quadratic {
		return Kappa{}, fmt.Errorf("kappa: %w: weights %d", stats.ErrInvalidValue, w)
	}
	scale, err := declaredScale(categories, a, b)
	if err != nil {
		return Kappa{}, fmt.Errorf("kappa: %w", err)
	}
	table := make([]float64, len(scale)*len(scale))
	rows := make([]float64, len(scale))
	columns := make([]float64, len(scale))
	for n := range a {
		i, foundA := slices.BinarySearch(scale, a[n])
		j, foundB := slices.BinarySearch(scale, b[n])
		if !foundA || !foundB {
			return Kappa{}, fmt.Errorf("kappa: %w: pair %d is %v, %v", stats.ErrOutOfDomain, n, a[n], b[n])
		}
		table[i*len(scale)+j]++
		rows[i]++
		columns[j]++
	}
	return weighKappa(table, rows, columns, w, len(a))
}

func weighKappa(table, rows, columns []float64, w KappaWeights, n int) (Kappa, error) {
	k := Kappa{N: n}
	for i := range rows {
		for j := range columns {
			weight := w.disagreement(i, j)
			k.Observed += float64(weight * table[i*len(rows)+j])
			k.Expected += float64(weight * rows[i] * columns[j])
		}
	}
	total := float64(n)
	k.Observed /= total
	k.Expected /= total * total
	if k.Expected == 0 {
		return Kappa{}, fmt.Errorf("kappa of %d pairs: %w", n, stats.ErrNoVariation)
	}
	k.Kappa = 1 - k.Observed/k.Expected
	return k, nil
}

// declaredScale returns the declared categories, or those that occur if there are none.
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
