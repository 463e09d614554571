package labels

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"compqa/stats"
)

// A Sample is a population of units of which some are labelled, as post-stratification wants it.
type Sample struct {
	Strata    []int     // of all units, from 0; None: the unit does not count
	Clusters  []int     // of all units
	Labelled  []bool    // of all units
	Inclusion []float64 // probability of each labelled unit, in (0, 1]; nil: equal within a stratum
}

// Weight is that of each unit: N_h/N · (1/π_i) / Σ_{j labelled in h} 1/π_j of a labelled unit of stratum h, so that weights sum to 1
// where every stratum has labels (Horvitz and Thompson 1952; Hájek 1971, within strata), and 0 of the others.
func (s Sample) Weight() []float64 {
	w := make([]float64, len(s.Strata))
	size, n, all := s.counts()
	for i, h := range s.Strata {
		if h != None && s.Labelled[i] {
			w[i] = size[h] / all * s.inverse(i) / n[h]
		}
	}
	return w
}

func (s Sample) inverse(i int) float64 {
	if s.Inclusion == nil {
		return 1
	}
	return 1 / s.Inclusion[i]
}

// counts are of each stratum its units and the sum of 1/π of its labels, and the units of all strata with labels.
func (s Sample) counts() (size, n []float64, all float64) {
	strata := 0
	for _, h := range s.Strata {
		strata = max(strata, h+1)
	}
	size, n = make([]float64, strata), make([]float64, strata)
	for i, h := range s.Strata {
		if h != None {
			size[h]++
			if s.Labelled[i] {
				n[h] += s.inverse(i)
			}
		}
	}
	for h := range size {
		if n[h] > 0 {
			all += size[h]
		}
	}
	return size, n, all
}

// EffectiveN is Kish's (Σw)²/Σw² of the labelled units that in holds for: the number of equally weighted labels with the same
// variance where strata do not differ.
func (s Sample) EffectiveN(in func(unit int) bool) float64 {
	sum, squares := 0.0, 0.0
	for i, w := range s.Weight() {
		if w > 0 && in(i) {
			sum, squares = sum+w, squares+w*w
		}
	}
	return sum * sum / squares
}

// Figures are statistics of weighted means over labelled units and plain means over all units, with intervals by leaving out
// clusters. labelled gives what is averaged of a labelled unit, all of any unit (nil: nothing); statistic gets both means, one
// after the other. For each cluster c that is left out weights are computed anew:
//
//	SE² = (G-1)/G Σ_c (θ_(c) - mean)²,  df = SE⁴ / Σ_h (SE_h⁴ / (G_h - 1))
//
// where SE_h² is the part of the clusters whose first label is in stratum h (Rao and Wu 1985 for the jackknife of stratified
// samples; Satterthwaite 1946). A statistic that is NaN is missing; with a NaN among the replicates it has no interval (SE 0).
func (s Sample) Figures(labelled, all func(unit int) []float64, statistic stats.Statistic) []stats.Estimate {
	d := s.design(labelled, all)
	if d == nil {
		return nil
	}
	without := d.LeaveOut(func(sums []float64) []float64 { return statistic(d.means(sums)) })
	g := float64(d.Clusters())
	counts := make([]float64, d.strata+1)
	for _, home := range d.homes {
		counts[home]++
	}
	results := make([]stats.Estimate, len(without.Values))
	for k, value := range without.Values {
		results[k] = stats.Estimate{Value: value, N: d.labels, Clusters: d.labelledClusters}
		squares := make([]float64, d.strata+1)
		for c, e := range stats.Deviations(without.Each[k]) {
			squares[d.homes[c]] += e * e
		}
		total, df := 0.0, 0.0
		for h, v := range squares {
			if v > 0 {
				total += v
				df += v * v / math.Max(1, counts[h]-1)
			}
		}
		if variance := total * (g - 1) / g; stats.IsFinite(variance) && variance > 0 {
			results[k].SE, results[k].DF = math.Sqrt(variance), total*total/df
		}
	}
	return results
}

// A design is a sample as sums by cluster: of each stratum its units, Σ 1/π of its labels, and Σ values/π of them; then sums over all
// units.
type design struct {
	*stats.Sums
	strata, width            int   // width: values of a labelled unit
	homes                    []int // the stratum of each cluster's first label; strata: it has none
	labels, labelledClusters int
}

// design adds up what is averaged; nil: there are no labels.
func (s Sample) design(labelled, all func(int) []float64) *design {
	first := slices.Index(s.Labelled, true)
	if first < 0 {
		return nil
	}
	d, allWidth := &design{width: len(labelled(first))}, 0
	if all != nil {
		allWidth = len(all(first))
	}
	var clusters []int
	for i, h := range s.Strata {
		if h != None {
			d.strata, clusters = max(d.strata, h+1), append(clusters, s.Clusters[i])
		}
	}
	numbers, distinct := stats.NumberLabels(clusters)
	d.homes = slices.Repeat([]int{d.strata}, len(distinct))
	var err error
	d.Sums, err = stats.NewSums(len(s.Strata), s.Clusters, d.strata*(2+d.width)+allWidth, func(i int, add func(index int, amount float64)) {
		h := s.Strata[i]
		if h == None {
			return
		}
		home, from := &d.homes[numbers[0]], h*(2+d.width)
		numbers = numbers[1:]
		add(from, 1)
		if all != nil {
			for k, v := range all(i) {
				add(d.strata*(2+d.width)+k, v)
			}
		}
		if !s.Labelled[i] {
			return
		}
		d.labels++
		if *home == d.strata {
			*home = h
			d.labelledClusters++
		}
		add(from+1, s.inverse(i))
		for k, v := range labelled(i) {
			if v != 0 {
				add(from+2+k, s.inverse(i)*v)
			}
		}
	})
	if err != nil || d.labels == 0 {
		return nil
	}
	return d
}

// means are the weighted means of labelled units and then the means of all, by the sums of all clusters or some.
func (d *design) means(sums []float64) []float64 {
	means := make([]float64, d.width, d.width+len(sums))
	units, total := 0.0, 0.0
	for h := range d.strata {
		from := h * (2 + d.width)
		size, n := sums[from], sums[from+1]
		units += size
		if n <= 1e-12*math.Max(1, d.Whole[from+1]) {
			continue
		}
		total += size
		for k := range means {
			means[k] += size / n * sums[from+2+k]
		}
	}
	for k := range means {
		means[k] /= total // NaN where nothing that is labelled is left
	}
	for _, v := range sums[d.strata*(2+d.width):] {
		means = append(means, v/units)
	}
	return means
}

// Rate is the mean that people would give to all units, by the difference estimator with post-stratified weights w:
//
//	θ = λ mean(F) + Σ w_i (Y_i - λ F_i)
//
// Y are people's values of labelled units, F the judge's of all units. λ in [0, 1] makes the variance of θ over the replicates of
// Figures smallest: with H_c and D_c the deviations of Σ w Y and of Σ w F - mean(F) without cluster c, λ = Σ H_c D_c / Σ D_c². λ is
// 0 where it would be made of rounding. (Särndal, Swensson and Wretman 1992, chapter 6; Angelopoulos, Duchi and Zrnic 2023 for λ.)
func (s Sample) Rate(people, judge func(unit int) float64, level float64) (rate stats.Estimate, lambda float64, err error) {
	d := s.design(func(i int) []float64 { return []float64{people(i), judge(i)} }, func(i int) []float64 { return []float64{judge(i)} })
	if d == nil || d.labelledClusters < 2 {
		return rate, 0, fmt.Errorf("weighted rate: %w", stats.ErrTooShort)
	}
	without, hd, dd := d.LeaveOut(d.means), 0.0, 0.0
	whole, left := without.Values, without.Each
	for c := range left[0] {
		h, d := left[0][c]-whole[0], left[1][c]-left[2][c]-(whole[1]-whole[2])
		hd, dd = hd+h*d, dd+d*d
	}
	if dd > 1e-20*(1+whole[1]*whole[1]) && hd > 0 {
		lambda = math.Min(1, hd/dd)
	}
	rate = s.Figures(func(i int) []float64 { return []float64{people(i), judge(i)} }, func(i int) []float64 { return []float64{judge(i)} },
		func(x []float64) []float64 { return []float64{x[0] - lambda*(x[1]-x[2])} })[0]
	rate, err = Interval(rate, level)
	return rate, lambda, err
}

// Difference is the rate of the units that first holds for minus that of the units that second holds for, each as Rate has it with a
// λ of its own:
//
//	θ_A - θ_B,  θ_S = λ_S mean_S(F) + Σ_{i in S} w_i (Y_i - λ_S F_i)
//
// Strata are those of each side, and both sides lose a cluster at once, so that a question which both answered counts as a pair (Rao
// and Wu 1985; Särndal, Swensson and Wretman 1992, chapter 5.8). Degrees of freedom are at most the labelled clusters of the smaller
// side less one. A stratum of a side without labels must be looked for by the caller: the side is then of its other strata.
func (s Sample) Difference(first, second func(unit int) bool, people, judge func(unit int) float64, level float64) (stats.Estimate, error) {
	sides := [2]func(int) bool{first, second}
	var lambda [2]float64
	clusters := math.MaxInt
	both := s
	both.Strata, both.Labelled = slices.Repeat([]int{None}, len(s.Strata)), make([]bool, len(s.Labelled))
	for k, in := range sides {
		side := s
		side.Strata, side.Labelled = slices.Clone(s.Strata), slices.Clone(s.Labelled)
		for i, h := range s.Strata {
			if h == None || !in(i) {
				side.Strata[i], side.Labelled[i] = None, false
				continue
			}
			both.Strata[i], both.Labelled[i] = 2*h+k, s.Labelled[i]
		}
		e, l, err := side.Rate(people, judge, level)
		if err != nil && !errors.Is(err, stats.ErrZeroWidth) {
			return e, err
		}
		lambda[k], clusters = l, min(clusters, e.Clusters)
	}
	values := func(i int) (values [4]float64, side int) { // 1, F
		side = both.Strata[i] % 2
		values[2*side], values[2*side+1] = 1, judge(i)
		return values, side
	}
	e := both.Figures(func(i int) []float64 {
		values, side := values(i)
		var y [2]float64
		y[side] = people(i)
		return append(values[:], y[:]...)
	}, func(i int) []float64 { values, _ := values(i); return values[:] }, func(v []float64) []float64 {
		labelled, y, all := v[:4], v[4:6], v[6:]
		rate := func(k int) float64 {
			return (y[k]-lambda[k]*labelled[2*k+1])/labelled[2*k] + lambda[k]*all[2*k+1]/all[2*k]
		}
		return []float64{rate(0) - rate(1)}
	})[0]
	e.DF = math.Min(e.DF, float64(clusters-1))
	return Interval(e, level)
}

// Interval gives an estimate its bounds, Student's.
func Interval(e stats.Estimate, level float64) (stats.Estimate, error) {
	e.Level = level
	if !(e.SE > 1e-13) {
		return e, stats.ErrZeroWidth
	}
	e.DF = math.Max(1, e.DF)
	return e, e.SetBounds()
}

// ShareInterval gives the estimate of a share of the units that in holds for bounds in [0, 1]: Wilson's with as many trials as a
// simple random sample with the same standard error has, at most EffectiveN (unless free), and Student's quantile (Korn and
// Graubard 1998; Dean
// and Pagano 2015). The limit is needed where all labels of a stratum happen to be alike, so that it adds nothing to the standard
// error; a share that strata determine is free of it.
func (s Sample) ShareInterval(e stats.Estimate, in func(unit int) bool, free bool, level float64) (stats.Estimate, error) {
	e.Level = level
	p := math.Min(1, math.Max(0, e.Value))
	n, df := s.EffectiveN(in), float64(e.Clusters-1)
	if e.SE > 1e-13 && p > 0 && p < 1 {
		if effective := p * (1 - p) / (e.SE * e.SE); free || effective < n {
			n = effective
		}
		df = math.Max(1, e.DF)
	}
	unit := stats.Estimate{SE: 1, DF: df, Level: level}
	if err := unit.SetBounds(); err != nil {
		return e, err
	}
	e.Low, e.High = stats.WilsonBounds(p, n, unit.High)
	return e, nil
}

// Spearman is rho with weights: the weighted correlation of mid-ranks F(x) = Σ_{x_j < x} w_j + ½ Σ_{x_j = x} w_j. Its standard
// error is by leaving out groups of labelled clusters, at most 200.
func (s Sample) Spearman(x, y func(unit int) float64) (e stats.Estimate, err error) {
	var units []int
	var size []float64
	for i, h := range s.Strata {
		if h == None {
			continue
		}
		size = append(size, make([]float64, max(0, h+1-len(size)))...)
		size[h]++
		if s.Labelled[i] {
			units = append(units, i)
		}
	}
	ranks := func(value func(int) float64) (order []int, values []float64) {
		values = make([]float64, len(units))
		for k, i := range units {
			values[k], order = value(i), append(order, k)
		}
		slices.SortStableFunc(order, func(a, b int) int { return compare(values[a], values[b]) })
		return order, values
	}
	orderX, valuesX := ranks(x)
	orderY, valuesY := ranks(y)
	rho := func(kept func(unit int) bool) float64 {
		w, n := make([]float64, len(units)), make([]float64, len(size))
		for k, i := range units {
			if kept(i) {
				w[k] = s.inverse(i)
				n[s.Strata[i]] += w[k]
			}
		}
		for k, i := range units {
			if h := s.Strata[i]; w[k] > 0 {
				w[k] *= size[h] / n[h]
			}
		}
		return weightedCorrelation(midRanks(orderX, valuesX, w), midRanks(orderY, valuesY, w), w)
	}
	e.Value = rho(func(int) bool { return true })
	if math.IsNaN(e.Value) {
		return e, fmt.Errorf("weighted rho: %w", stats.ErrUndefined)
	}
	group := map[int]int{}
	for _, i := range units {
		if _, known := group[s.Clusters[i]]; !known {
			group[s.Clusters[i]] = len(group) % mostGroups
		}
	}
	e.N, e.Clusters = len(units), len(group)
	groups := min(len(group), mostGroups)
	var left []float64
	for g := range groups {
		left = append(left, rho(func(i int) bool { return group[s.Clusters[i]] != g }))
	}
	j, err := (&stats.Replicates{Values: []float64{e.Value}, Each: [][]float64{left}}).Jackknife(0, 0.95)
	e.SE, e.DF = j.SE, j.DF
	return e, err
}

const mostGroups = 200

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func midRanks(order []int, values, w []float64) []float64 {
	ranks, below := make([]float64, len(values)), 0.0
	for from := 0; from < len(order); {
		to, sum := from, 0.0
		for ; to < len(order) && values[order[to]] == values[order[from]]; to++ {
			sum += w[order[to]]
		}
		for _, k := range order[from:to] {
			ranks[k] = below + sum/2
		}
		below, from = below+sum, to
	}
	return ranks
}

func weightedCorrelation(x, y, w []float64) float64 {
	var n, sx, sy, xx, yy, xy float64
	for k, u := range w {
		n, sx, sy = n+u, sx+u*x[k], sy+u*y[k]
	}
	for k, u := range w {
		a, b := x[k]-sx/n, y[k]-sy/n
		xx, yy, xy = xx+u*a*a, yy+u*b*b, xy+u*a*b
	}
	if xx < 1e-15 || yy < 1e-15 {
		return math.NaN()
	}
	return math.Max(-1, math.Min(1, xy/math.Sqrt(xx*yy)))
}
