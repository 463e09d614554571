package agreement

import (
	"fmt"
	"math"

	"compqa/stats"
)

// The conversions float64(x*y) in the sums of this package keep a compiler from fusing the product into the sum, which
// would change the last digit between architectures.

// alphaSums computes alpha for any weights of the patterns. The weights are numbers of units, or those of a resample. It has scratch
// memory, so that only one goroutine can use it.
type alphaSums struct {
	r                    *Ratings
	level                Level
	scores               []float64 // position of each value on the scale; nil for nominal and ratio
	patternDisagreements []float64 // patternDisagreement of each pattern; nil for ordinal
	counts               []float64 // n_c for the latest weights
}

// newAlphaSums prepares the sums for a level. Scores and disagreements that do not depend on weights are computed here.
func newAlphaSums(r *Ratings, level Level) (*alphaSums, error) {
	a := &alphaSums{r: r, level: level, counts: make([]float64, len(r.values))}
	switch level {
	case Nominal:
	case Ordinal:
		a.scores = make([]float64, len(r.values))
		return a, nil
	case Interval:
		a.scores = scaledValues(r.values)
	case Ratio:
		if len(r.values) > 0 && r.values[0] < 0 {
			return nil, fmt.Errorf("%w: negative value %v", stats.ErrInvalidValue, r.values[0])
		}
	default:
		return nil, fmt.Errorf("%w: %v", stats.ErrInvalidValue, level)
	}
	a.patternDisagreements = make([]float64, len(r.patterns.size))
	for p := range a.patternDisagreements {
		a.patternDisagreements[p] = a.patternDisagreement(p)
	}
	return a, nil
}

// scaledValues subtracts the middle of the range from the values and divides them by a power of two. This does not change alpha. It
// prevents overflow and underflow of squares, and loss of digits by a common offset.
func scaledValues(values []float64) []float64 {
	if len(values) == 0 {
		return nil
	}
	low := values[0] / 2
	high := values[len(values)-1] / 2
	_, exponent := math.Frexp(high - low)
	scores := make([]float64, len(values))
	for i, v := range values {
		scores[i] = math.Ldexp(v/2-(low/2+high/2), -exponent)
	}
	return scores
}

// alpha returns 1 - D_o/D_e, or the reason why it is undefined as an error.
func (a *alphaSums) alpha(weights []float64) (float64, error) {
	a.count(weights)
	return a.alphaOfCounts(weights)
}

// count sets counts from weights, and returns their sum.
func (a *alphaSums) count(weights []float64) (n float64) {
	clear(a.counts)
	s := &a.r.patterns
	for p, w := range weights {
		if w == 0 {
			continue
		}
		for _, e := range s.pattern(p) {
			a.counts[e.code] += float64(w * float64(e.count))
		}
	}
	for _, c := range a.counts {
		n += c
	}
	return n
}

// alphaOfCounts returns alpha for weights whose counts are already set.
func (a *alphaSums) alphaOfCounts(weights []float64) (float64, error) {
	n := 0.0
	distinct := 0
	for _, c := range a.counts {
		n += c
		if c > 0 {
			distinct++
		}
	}
	switch {
	case n == 0:
		return 0, stats.ErrNoPairableUnits
	case distinct < 2:
		return 0, stats.ErrNoVariation
	}
	expected := a.expected(n)
	if expected == 0 { // differences are too small to square
		return 0, stats.ErrNoVariation
	}
	return 1 - (n-1)*a.observed(weights)/expected, nil
}

// expected returns Σ_{c,k} n_c n_k d²(c, k), which is n(n-1)D_e. At ordinal level it first sets the scores to centred doubled mid-ranks,
// as in centredRanks.
func (a *alphaSums) expected(n float64) float64 {
	switch a.level {
	case Nominal:
		sum := n * n
		for _, c := range a.counts {
			sum -= float64(c * c)
		}
		return sum
	case Ratio:
		return a.expectedRatio()
	case Ordinal:
		below := 0.0
		for v, c := range a.counts {
			a.scores[v] = 2*below + c - n
			below += c
		}
	}
	mean := 0.0
	for v, c := range a.counts {
		mean += float64(c * a.scores[v])
	}
	mean /= n
	squares := 0.0
	for v, c := range a.counts {
		d := a.scores[v] - mean
		squares += float64(c * d * d)
	}
	return 2 * n * squares
}

// expectedRatio is expected at ratio level, by the definition over pairs of values.
func (a *alphaSums) expectedRatio() float64 {
	sum := 0.0
	for k, nk := range a.counts {
		if nk == 0 {
			continue
		}
		row := 0.0
		for c, nc := range a.counts[:k] {
			row += float64(nc * ratioDistance(a.r.values[c], a.r.values[k]))
		}
		sum += float64(nk * row)
	}
	return 2 * sum
}

// ratioDistance returns ((c-k)/(c+k))² for two numbers that are not negative and not both zero.
func ratioDistance(c, k float64) float64 {
	if math.IsInf(c+k, 1) {
		c = c / 2
		k = k / 2
	}
	q := (c - k) / (c + k)
	return q * q
}

// observed returns Σ_u 1/(m_u-1) Σ_{i≠j} d², which is n·D_o.
func (a *alphaSums) observed(weights []float64) float64 {
	sum := 0.0
	for p, w := range weights {
		switch {
		case w == 0:
		case a.level == Ordinal:
			sum += float64(w * a.scoreDisagreement(p))
		default:
			sum += float64(w * a.patternDisagreements[p])
		}
	}
	return sum
}

// patternDisagreement returns 1/(m-1) Σ_{i≠j} d² of a unit of pattern p.
func (a *alphaSums) patternDisagreement(p int) float64 {
	s := &a.r.patterns
	m := float64(s.size[p])
	switch a.level {
	case Nominal:
		return m - s.equalPairs(p)/(m-1)
	case Ratio:
		sum := 0.0
		entries := s.pattern(p)
		for i, e := range entries {
			for _, f := range entries[:i] {
				sum += 2 * float64(float64(e.count)*float64(f.count)*ratioDistance(a.r.values[f.code], a.r.values[e.code]))
			}
		}
		return sum / (m - 1)
	}
	return a.scoreDisagreement(p)
}

// scoreDisagreement is patternDisagreement for squared differences of scores s,
//
//	Σ_{i≠j} (s_i-s_j)² = 2(m Σs² - (Σs)²)
//
// with scores relative to the first score of the unit, so that equal scores give exactly 0.
func (a *alphaSums) scoreDisagreement(p int) float64 {
	s := &a.r.patterns
	entries := s.pattern(p)
	origin := a.scores[entries[0].code]
	sum := 0.0
	squares := 0.0
	for _, e := range entries[1:] {
		d := a.scores[e.code] - origin
		sum += float64(float64(e.count) * d)
		squares += float64(float64(e.count) * d * d)
	}
	m := float64(s.size[p])
	return 2 * (float64(m*squares) - float64(sum*sum)) / (m - 1)
}

// equalPairs returns the number of ordered pairs of equal ratings in a unit of pattern p.
func (s *patternSet) equalPairs(p int) float64 {
	pairs := 0.0
	for _, e := range s.pattern(p) {
		pairs += float64(float64(e.count) * float64(e.count-1))
	}
	return pairs
}

// agreement returns 1 - D_o at nominal level, in which each unit has its number of ratings as weight. If all units have equally many
// ratings, this is the share of pairs of ratings that agree. It also returns the numbers of units and ratings.
func (s *patternSet) agreement() (share float64, units, ratings int) {
	for p, n := range s.units {
		m := float64(s.size[p])
		share += float64(n * s.equalPairs(p) / (m - 1))
		units += int(n)
		ratings += int(n) * int(s.size[p])
	}
	if ratings > 0 {
		share /= float64(ratings)
	}
	return share, units, ratings
}
