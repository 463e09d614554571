package stats

import (
	"fmt"
	"sync/atomic"
)

// ErrOneCluster says that all observations share one cluster, so that nothing
// can be learnt about how clusters vary.
var ErrOneCluster = fmt.Errorf("%w: all observations are in one cluster", ErrUndefined)

// grouping numbers the clusters of a sample 0, 1, … in order of first
// appearance, so that no sum depends on the labels or on a map's order.
type Grouping struct {
	Of    []int // cluster number of each item
	sizes []int // items in each cluster
	alone bool  // every item is a cluster of its own
}

// count returns G, the number of clusters.
func (g Grouping) Count() int { return len(g.sizes) }

// group numbers the clusters of n items. labels holds one arbitrary integer an
// item; nil makes every item a cluster of its own.
func NewGrouping(labels []int, n int) (Grouping, error) {
	if labels == nil {
		return singles(n), nil
	}
	if len(labels) != n {
		return Grouping{}, fmt.Errorf("%w: %d cluster labels for %d values", ErrLength, len(labels), n)
	}
	numbers, distinct := NumberLabels(labels)
	g := Grouping{Of: numbers, sizes: make([]int, len(distinct))}
	for _, c := range numbers {
		g.sizes[c]++
	}
	return g, nil
}

// singles is n items each of which is a cluster of its own: a part of one such
// grouping that is kept, since a leaderboard asks for it at each comparison.
func singles(n int) Grouping {
	kept := everyOneAlone.Load()
	if kept == nil || len(kept.Of) < n {
		kept = &Grouping{Of: make([]int, n), sizes: make([]int, n)}
		for i := range n {
			kept.Of[i], kept.sizes[i] = i, 1
		}
		everyOneAlone.Store(kept)
	}
	return Grouping{Of: kept.Of[:n:n], sizes: kept.sizes[:n:n], alone: true}
}

var everyOneAlone atomic.Pointer[Grouping]

// sums adds up the values of each cluster, in the order of the items. The result
// may be values itself.
func (g Grouping) sums(values []float64) []float64 {
	if g.alone {
		return values
	}
	total := make([]float64, g.Count())
	for i, v := range values {
		total[g.Of[i]] += v
	}
	return total
}

// checkFinite refuses NaN and infinities: a missing value has to be left out by
// the caller, who knows what its absence means.
func CheckFinite(values []float64) error {
	for i, v := range values {
		if !IsFinite(v) {
			return fmt.Errorf("%w: value %d is %v", ErrInvalidValue, i, v)
		}
	}
	return nil
}

// checkLevel refuses a confidence level outside (0, 1).
func CheckLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("%w: confidence level %v: want one in (0, 1), such as 0.95", ErrInvalidValue, level)
	}
	return nil
}

// meanOf returns the mean of a non-empty slice by a plain loop in order: the
// kernels of gonum change the last digit from machine to machine.
func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// dot returns Σ x_i·y_i in order. The conversion keeps a compiler from fusing
// the product into the sum, which would change the last digit between
// architectures.
func Dot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// centred returns the values less their mean.
func Deviations(values []float64) []float64 {
	mean := Mean(values)
	e := make([]float64, len(values))
	for i, v := range values {
		e[i] = v - mean
	}
	return e
}

// numberNames numbers labels by first appearance.
func NumberLabels[L comparable](labels []L) (numbers []int, names []L) {
	known := map[L]int{}
	numbers = make([]int, len(labels))
	for i, label := range labels {
		n, ok := known[label]
		if !ok {
			n = len(names)
			known[label] = n
			names = append(names, label)
		}
		numbers[i] = n
	}
	return numbers, names
}
