package labels

import (
	"math"
	"slices"

	"compqa/stats"
)

// floorShare is the share of the labels that are drawn with equal probabilities, so that wrong guesses of the errors cannot make weights
// large.
const floorShare = 0.2

// Probabilities returns the probabilities with which to draw n units for labelling, so that the difference estimator has the least
// variance. From e_i, the expected squared error of the judge at unit i, they are
//
//	π_i = min(1, c ((1-.2) √e_i / Σ√e + .2 / N)),  Σ π_i = n
//
// (Neyman 1934; Zrnic and Candès 2024, active statistical inference, equation 4, with its mixture with equal probabilities.) If n is at
// least the number of units, all are 1.
func Probabilities(squaredErrors []float64, n int) []float64 {
	p := make([]float64, len(squaredErrors))
	total := 0.0
	for _, e := range squaredErrors {
		total += math.Sqrt(math.Max(0, e))
	}
	for i, e := range squaredErrors {
		p[i] = floorShare / float64(len(p))
		if total > 0 {
			p[i] += (1 - floorShare) * math.Sqrt(math.Max(0, e)) / total
		}
	}
	certain := make([]bool, len(p)) // probability 1
	for {
		left := float64(n)
		sum := 0.0
		for i := range p {
			if certain[i] {
				left--
			} else {
				sum += p[i]
			}
		}
		again := false
		for i := range p {
			if !certain[i] && p[i]*left >= sum {
				certain[i] = true
				again = true
			}
		}
		if again && left > 0 {
			continue
		}
		for i := range p {
			if certain[i] {
				p[i] = 1
			} else {
				p[i] *= math.Max(0, left) / sum
			}
		}
		return p
	}
}

// Draw returns a random sample of units with the given probabilities, whose sum is its size: systematic sampling in random order (Madow
// 1949).
func Draw(p []float64, rng *stats.RNG) (units []int) {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	next := rng.Float64()
	sum := 0.0
	for _, i := range order {
		sum += p[i]
		if sum+1e-9 > next {
			units = append(units, i)
			next++
		}
	}
	slices.Sort(units)
	return units
}

// CellVariances returns the variance of values within each cell. Each is computed as if the cell had four more values with the variance of
// all cells together, so that a cell with a few equal values does not get variance 0. values and cell have an entry for each labelled unit.
// The result is nil if no cell has two values.
func CellVariances(values []float64, cell []int, cells int) []float64 {
	const prior = 4
	sums := make([]float64, cells)
	n := make([]float64, cells)
	squares := make([]float64, cells)
	for k, v := range values {
		sums[cell[k]], n[cell[k]] = sums[cell[k]]+v, n[cell[k]]+1
	}
	all := 0.0
	df := 0.0
	for k, v := range values {
		e := v - sums[cell[k]]/n[cell[k]]
		squares[cell[k]] += e * e
		all += e * e
	}
	for _, m := range n {
		df += math.Max(0, m-1)
	}
	if df == 0 {
		return nil
	}
	variances := make([]float64, cells)
	for c := range variances {
		variances[c] = (squares[c] + prior*all/df) / (math.Max(0, n[c]-1) + prior)
	}
	return variances
}

// PostStratify divides units into strata by a variable, whether or not labels depend on it. Levels with fewer than 5 labels are merged.
func PostStratify(labelled []bool, v Variable) (strata []int) {
	d := Design{Differences: []Difference{{Variable: v}}, Strata: make([]int, len(labelled))}
	d.stratify(labelled)
	if len(d.Unlabelled) > 0 {
		return make([]int, len(labelled))
	}
	return d.Strata
}
