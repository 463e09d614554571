package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Rate estimates the mean that people would give to all units, by the difference estimator with post-stratified weights w (Sample.Weight):
//
//	θ = λ mean(F) + Σ w_i (Y_i - λ F_i)
//
// Y are people's values of the labelled units, F the judge's values of all units. λ in [0, 1] minimises the variance of θ over the
// samples without one cluster: λ = Σ H_c D_c / Σ D_c². H_c is the change of Σ w Y without cluster c, and D_c that of Σ w F - mean(F).
// λ is 0 if the sums are rounding errors. (Särndal, Swensson and Wretman 1992, chapter 6; Angelopoulos, Duchi and Zrnic 2023 for λ.)
//
// For labels that are a simple random sample, use PPIMean. Fewer than two clusters with labels are ErrTooShort.
func (s Sample) Rate(people, judge func(unit int) float64, level float64) (rate Estimate, lambda float64, err error) {
	every := make([]float64, 1)
	sums, err := s.NewSums(3, func(i int, add func(kind int, amount float64)) {
		add(0, 1)
		add(1, people(i))
		add(2, judge(i))
	}, func(i int) []float64 {
		every[0] = judge(i)
		return every
	})
	if err == nil && sums.design.clusters < 2 {
		err = ErrTooShort
	}
	if err != nil {
		return rate, 0, fmt.Errorf("weighted rate: %w", err)
	}
	without := sums.LeaveOut(func(v []float64) []float64 { return []float64{v[1] / v[0], (v[2] - v[3]) / v[0]} })
	hd := 0.0
	dd := 0.0
	whole := without.Values
	left := without.ByFigure
	for c := range left[0] {
		h := left[0][c] - whole[0]
		d := left[1][c] - whole[1]
		hd += float64(h * d)
		dd += float64(d * d)
	}
	if mean := sums.SampleWeights[2] / sums.SampleWeights[0]; dd > 1e-20*(1+mean*mean) && hd > 0 {
		lambda = min(1, hd/dd)
	}
	rate, err = sums.LeaveOut(func(v []float64) []float64 { return []float64{(v[1] - lambda*(v[2]-v[3])) / v[0]} }).Jackknife(0, level)
	return rate, lambda, err
}

// Difference estimates the mean of the units in first (A) minus that of the units in second (B), each as Rate estimates it, with a λ of
// its own:
//
//	θ_A - θ_B,  θ_S = λ_S mean_S(F) + Σ_{i in S} w_i (Y_i - λ_S F_i)
//
// Each side has its own strata. The jackknife leaves out a cluster on both sides at once, so that a question that both answered counts as a
// pair (Rao and Wu 1985; Särndal, Swensson and Wretman 1992, chapter 5.8). The degrees of freedom are at most the number of labelled
// clusters of the smaller side minus one. A stratum without labels on one side is left out of that side; the caller must check for such
// strata.
func (s Sample) Difference(first, second func(unit int) bool, people, judge func(unit int) float64, level float64) (Estimate, error) {
	var lambda [2]float64
	clusters := math.MaxInt
	both := s
	both.Strata = slices.Repeat([]int{NoStratum}, len(s.Strata))
	both.Labelled = make([]bool, len(s.Labelled))
	for k, in := range [2]func(int) bool{first, second} {
		side := s
		side.Strata, side.Labelled = slices.Clone(s.Strata), slices.Clone(s.Labelled)
		for i, h := range s.Strata {
			if h == NoStratum || !in(i) {
				side.Strata[i] = NoStratum
				side.Labelled[i] = false
				continue
			}
			both.Strata[i] = 2*h + k
			both.Labelled[i] = s.Labelled[i]
		}
		e, l, err := side.Rate(people, judge, level)
		if err != nil && !errors.Is(err, ErrZeroWidth) {
			return e, err
		}
		lambda[k] = l
		clusters = min(clusters, e.Clusters)
	}
	every := make([]float64, 4) // means over all units: 1 and F of the first side, then of the second
	sums, err := both.NewSums(6, func(i int, add func(kind int, amount float64)) {
		from := 3 * (both.Strata[i] % 2)
		add(from, 1)
		add(from+1, people(i))
		add(from+2, judge(i))
	}, func(i int) []float64 {
		side := both.Strata[i] % 2
		clear(every)
		every[2*side], every[2*side+1] = 1, judge(i)
		return every
	})
	if err != nil {
		return Estimate{}, err
	}
	e, err := sums.LeaveOut(func(v []float64) []float64 {
		rate := func(k int) float64 {
			labelled := v[3*k : 3*k+3]
			all := v[6+2*k:]
			return (labelled[1]-lambda[k]*labelled[2])/labelled[0] + lambda[k]*all[1]/all[0]
		}
		return []float64{rate(0) - rate(1)}
	}).Jackknife(0, level)
	if err != nil {
		return e, err
	}
	e.DF = max(1, min(e.DF, float64(clusters-1)))
	return e, e.SetBounds()
}
