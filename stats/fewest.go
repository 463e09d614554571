package stats

import (
	"cmp"
	"slices"
)

// Fewest looks for the fewest clusters, at most most, whose removal makes one of several figures positive. For each figure, it sorts the
// clusters by how much the figure rises without each one, and removes them in this order (Broderick, Giordano and Meager 2020, "An
// automatic finite-sample robustness metric"). The figures are computed again without them, to confirm the number. The number is an upper
// bound: a smaller set may exist. removed begins with the cluster whose removal raises the figure most. ok is false if no figure
// becomes positive.
func (s *Sums) Fewest(most int, figures Statistic) (removed []int, ok bool) {
	r := s.leaveEach(figures)
	for k, value := range r.Values {
		var by []int
		for c, v := range r.ByFigure[k] {
			if v > value {
				by = append(by, c)
			}
		}
		slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(r.ByFigure[k][b], r.ByFigure[k][a]) })
		n, found := fewest(min(most, len(by)), func(n int) bool { return figures(s.WeightsWithout(by[:n]))[k] > 0 })
		if found {
			removed = by[:n]
			ok = true
			most = n - 1
		}
	}
	return removed, ok
}

// WeightsWithout returns the weights of the sample without some clusters.
func (s *Sums) WeightsWithout(clusters []int) []float64 {
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

// fewest returns the smallest n from 1 to most that is enough, by doubling and then bisection. It assumes that all larger n are enough,
// too; otherwise n is enough, but a smaller n may be. ok is false if most is not enough.
func fewest(most int, enough func(n int) bool) (n int, ok bool) {
	step := 1
	for step < most && !enough(step) {
		step *= 2
	}
	low := step / 2
	high := min(step, most) // low is not enough, high may be
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
