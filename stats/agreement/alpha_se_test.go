package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// AlphaStandardError returns alpha with its linearised standard error, and Student's interval with N-1 degrees of freedom for N pairable
// units (Gwet 2014, chapter 6, for weighted coefficients). The units must be independent.
//
// With r̄ the mean of m_u, distances d², and for each unit
//
//	s_u = Σ_{i≠j} d²(c_i, c_j) / (r̄(m_u-1))    s̄ = mean s_u
//	π_c = mean over units of (ratings equal to c)/r̄
//	e_u = Σ_i Σ_c π_c d²(c_i, c) / r̄            E = Σ π_c π_k d²(c, k)
//
// alpha without its small-sample term is a = 1 - s̄/E, and
//
//	x_u - a = (s̄ m_u/r̄ - s_u)/E - 2(1-a)(m_u/r̄ - e_u/E)
//	SE² = Σ (x_u - a)² / (N(N-1))
//
// This is Gwet's form written with distances instead of weights 1 - d²/max d². Both numerators are proportional to d², so the maximum
// cancels, and no range or list of categories must be declared.
//
// Ordinal level is ErrInvalidValue, because its distances are estimated, and Gwet's "ordinal" weights are another metric; use
// AlphaJackknife. Fewer than two pairable units are ErrTooShort, no variance is ErrZeroWidth.
func AlphaStandardError(r *Ratings, level Level, confidence float64) (stats.Estimate, error) {
	if level == Ordinal {
		return stats.Estimate{}, fmt.Errorf("linearised standard error of alpha: %w: level ordinal", stats.ErrInvalidValue)
	}
	result, sums, err := alphaAndSums(r, level)
	if err != nil {
		return stats.Estimate{}, err
	}
	est := stats.Estimate{Value: result.Alpha, Level: confidence, N: result.Units, Clusters: result.Units}
	if result.Units < 2 {
		return est, fmt.Errorf("linearised standard error of alpha: %w", stats.ErrTooShort)
	}
	est.SE = sums.linearisedError()
	est.DF = float64(result.Units - 1)
	if est.SE < 1e-13 {
		est.SE = 0
		return est, fmt.Errorf("linearised standard error of alpha: %w", stats.ErrZeroWidth)
	}
	return est, est.SetBounds()
}

// linearisedError returns the SE of AlphaStandardError's formula.
func (a *alphaSums) linearisedError() float64 {
	s := &a.r.patterns
	n := a.count(s.units)
	units := 0.0
	for _, w := range s.units {
		units += float64(w)
	}
	meanSize := n / units
	sBar := a.observed(s.units) / n
	expected := a.expected(n) / (n * n)
	toAll := a.meanDistances(n)
	sum := 0.0
	for p, w := range s.units {
		e := 0.0
		for _, entry := range s.pattern(p) {
			e += float64(float64(entry.count) * toAll[entry.code])
		}
		size := float64(s.size[p]) / meanSize
		x := (float64(sBar*size) - a.patternDisagreements[p]/meanSize) / expected
		x -= float64(2 * sBar / expected * (size - e/meanSize/expected))
		sum += float64(float64(w) * x * x)
	}
	return math.Sqrt(sum / (units * (units - 1)))
}

// meanDistances returns Σ_k π_k d²(c, k) for every value c, with π_k = n_k/n.
func (a *alphaSums) meanDistances(n float64) []float64 {
	means := make([]float64, len(a.counts))
	if a.level == Interval { // E(c-k)² = (c-mean)² + variance, without V²
		mean := 0.0
		squares := 0.0
		for v, c := range a.counts {
			mean += float64(c * a.scores[v])
		}
		mean /= n
		for v, c := range a.counts {
			d := a.scores[v] - mean
			means[v] = d * d
			squares += float64(c * d * d)
		}
		for v := range means {
			means[v] += squares / n
		}
		return means
	}
	for c := range means {
		for k, nk := range a.counts {
			means[c] += float64(nk * a.distance(c, k))
		}
		means[c] /= n
	}
	return means
}

// distance returns d² of two values, at ordinal level by the latest counts.
func (a *alphaSums) distance(c, k int) float64 {
	switch {
	case c == k:
		return 0
	case a.level == Nominal:
		return 1
	case a.level == Ratio:
		return ratioDistance(a.r.values[c], a.r.values[k])
	}
	d := a.scores[c] - a.scores[k]
	return d * d
}
