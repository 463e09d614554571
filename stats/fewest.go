package stats

import (
	"cmp"
	"slices"
)

// Fewest looks for the fewest clusters without which one of some figures is above 0. For each figure clusters are removed in the order of
// what it gains without one of them (Broderick, Giordano and Meager 2020, "An automatic finite-sample robustness metric"), and all figures
// are computed anew to confirm the number; the first removed gains most. It is an upper bound: fewer may do. ok is false where most
// clusters or fewer do not do it.
func (s *Sums) Fewest(most int, figures Statistic) (removed []int, ok bool) {
	r := s.leaveEach(figures)
	for k, value := range r.Values {
		var by []int
		for c, v := range r.Each[k] {
			if v > value {
				by = append(by, c)
			}
		}
		slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(r.Each[k][b], r.Each[k][a]) })
		n, found := fewest(min(most, len(by)), func(n int) bool { return figures(s.Without(by[:n]))[k] > 0 })
		if found {
			removed = by[:n]
			ok = true
			most = n - 1
		}
	}
	return removed, ok
}

// Without returns the weights without some clusters.
func (s *Sums) Without(clusters []int) []float64 {
	sums := slices.Clone(s.raw)
	for _, c := range clusters {
		for _, e := range s.cluster(c) {
			sums[e.index] -= e.amount
		}
	}
	weights := s.scratch(sums)
	s.weigh(weights, sums)
	return weights
}

// fewest returns the smallest n from 1 to most that is enough, by doubling and halving, for what is enough from some n on. ok is false
// if most is not. Where enough is not monotone, n is enough, but a smaller one may be, too.
func fewest(most int, enough func(n int) bool) (n int, ok bool) {
	step := 1
	for step < most && !enough(step) {
		step *= 2
	}
	low := step / 2
	high := min(step, most) // not with low, perhaps with high
	if high < 1 || !enough(high) {
		return 0, false
	}
	for high-low > 1 {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, true
}
