package raters

import (
	"compqa/stats"
	"compqa/stats/agreement"
)

// PooledKappa returns Cohen's kappa of two raters over several criteria, at nominal level. It is the share of equal values beyond the share
// that the frequencies of the values in each criterion lead to by chance:
//
//	(o − e) / (1 − e), e = Σ n_c Σ_v p_c(v) q_c(v) / Σ n_c
//
// (De Vries, Elliott, Kanouse and Teleki 2008, Health Services Research 43). Each table is one criterion, with the two raters in the same
// order. n is the number of pairs of values, and same that of equal pairs. kappa is unknown if there are no values, or none of them varies
// (e = 1).
func PooledKappa(tables []Table) (kappa stats.Figure, same, n int) {
	chance := 0.0
	for _, t := range tables {
		p := t.Pairs(t.Raters[1], t.Raters[0])
		c, err := agreement.NewConfusion(p.Reference, p.Judge, nil, nil, Options{}.confidence())
		if err != nil {
			continue // no pair, or values that are not numbers, which tables do not have
		}
		ofReference, ofJudge, all, equal := c.Margins()
		n += int(all)
		same += int(equal)
		chance += stats.Dot(ofReference, ofJudge) / all
	}
	if n == 0 || chance >= float64(n) {
		return stats.Figure{}, same, n
	}
	return stats.Figure{Value: (float64(same) - chance) / (float64(n) - chance), Known: true, N: n}, same, n
}
