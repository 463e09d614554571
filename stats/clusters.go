package stats

import "fmt"

// ErrOneCluster says that all observations share one cluster, so that nothing
// can be learnt about how clusters vary.
var ErrOneCluster = fmt.Errorf("%w: all observations are in one cluster", ErrUndefined)

// grouping numbers the clusters of a sample 0, 1, … in order of first
// appearance, so that no sum depends on the labels or on a map's order.
type grouping struct {
	of    []int // cluster number of each item
	sizes []int // items in each cluster
	alone bool  // every item is a cluster of its own
}

// count returns G, the number of clusters.
func (g grouping) count() int { return len(g.sizes) }

// group numbers the clusters of n items. labels holds one arbitrary integer an
// item; nil makes every item a cluster of its own.
func group(labels []int, n int) (grouping, error) {
	if labels == nil {
		return singles(n), nil
	}
	if len(labels) != n {
		return grouping{}, fmt.Errorf("%w: %d cluster labels for %d values", ErrLength, len(labels), n)
	}
	numbers, distinct := numberNames(labels)
	g := grouping{of: numbers, sizes: make([]int, len(distinct))}
	for _, c := range numbers {
		g.sizes[c]++
	}
	return g, nil
}

// singles groups n items, each in a cluster of its own.
func singles(n int) grouping {
	g := grouping{of: make([]int, n), sizes: make([]int, n), alone: true}
	for i := range n {
		g.of[i], g.sizes[i] = i, 1
	}
	return g
}

// sums adds up the values of each cluster, in the order of the items. The result
// may be values itself.
func (g grouping) sums(values []float64) []float64 {
	if g.alone {
		return values
	}
	total := make([]float64, g.count())
	for i, v := range values {
		total[g.of[i]] += v
	}
	return total
}

// checkFinite refuses NaN and infinities: a missing value has to be left out by
// the caller, who knows what its absence means.
func checkFinite(values []float64) error {
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("%w: value %d is %v", ErrInvalidValue, i, v)
		}
	}
	return nil
}

// checkLevel refuses a confidence level outside (0, 1).
func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("%w: confidence level %v: want one in (0, 1), such as 0.95", ErrInvalidValue, level)
	}
	return nil
}

// meanOf returns the mean of a non-empty slice by a plain loop in order: the
// kernels of gonum change the last digit from machine to machine.
func meanOf(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// dot returns Σ x_i·y_i in order. The conversion keeps a compiler from fusing
// the product into the sum, which would change the last digit between
// architectures.
func dot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// centred returns the values less their mean.
func centred(values []float64) []float64 {
	mean := meanOf(values)
	e := make([]float64, len(values))
	for i, v := range values {
		e[i] = v - mean
	}
	return e
}
