package agreement

import (
	"fmt"

	"compqa/stats"
)

// KALPHA returns the bootstrap of the macro KALPHA (Hayes and Krippendorff 2007; Krippendorff 2006), for comparison with papers that report
// it. Its intervals are TOO NARROW: nominal 95 % intervals had a coverage of 85 to 93 % in simulations, also with many units. Use
// AlphaBootstrap for anything else.
//
// It draws pairs of ratings as if the pairs of one unit were independent, and keeps the expected disagreement fixed. Over all pairs r of
// ratings (i < j) of the units, with n ratings in total,
//
//	E_r = 2 d²_r / (n D_e)
//	alpha_b = max(-1, 1 - Σ_u 1/(m_u-1) Σ E over m_u(m_u-1)/2 pairs drawn from all)
//
// The macro's correction of replicates equal to 1, and its limit on the number of draws, are left out.
func KALPHA(r *Ratings, level Level, o stats.Resampling) (stats.Distribution, error) {
	k, err := newKalpha(r, level)
	if err != nil {
		return stats.Distribution{}, err
	}
	o, err = o.WithDefaults()
	if err != nil {
		return stats.Distribution{}, fmt.Errorf("KALPHA: %w", err)
	}
	draws := make([]int, len(k.disagreement))
	replicates := make([]float64, 0, o.Resamples)
	for b := range o.Resamples {
		rng := stats.NewRNG(o.Seed, o.Name, uint64(b))
		for i := range draws {
			draws[i] = rng.Intn(len(k.disagreement))
		}
		replicates = append(replicates, k.replicate(draws))
	}
	return o.Summarise(replicates, len(k.sizes))
}

// A kalpha holds the disagreement E_r of every pair of ratings of one unit, unit by unit, and within a unit by rater. It also holds the
// sizes of the units.
type kalpha struct {
	disagreement []float64
	sizes        []int
}

// newKalpha computes E_r of every pair of ratings of one unit.
func newKalpha(r *Ratings, level Level) (*kalpha, error) {
	_, sums, err := alphaAndSums(r, level)
	if err != nil {
		return nil, err
	}
	n := sums.count(r.patterns.units)
	scale := 2 * (n - 1) / sums.expected(n)
	k := &kalpha{}
	for u, p := range r.unitPattern {
		if p == unpairable {
			continue
		}
		k.sizes = append(k.sizes, int(r.patterns.size[p]))
		for i := range r.codes {
			for _, second := range r.codes[i+1:] {
				if c, d := r.codes[i][u], second[u]; c != Unrated && d != Unrated {
					k.disagreement = append(k.disagreement, scale*sums.distance(int(c), int(d)))
				}
			}
		}
	}
	return k, nil
}

// replicate returns alpha_b for the drawn pairs, which are given unit by unit.
func (k *kalpha) replicate(draws []int) float64 {
	alpha := 1.0
	for _, m := range k.sizes {
		sum := 0.0
		pairs := m * (m - 1) / 2
		for _, d := range draws[:pairs] {
			sum += k.disagreement[d]
		}
		draws = draws[pairs:]
		alpha -= sum / float64(m-1)
	}
	return max(-1, alpha)
}
