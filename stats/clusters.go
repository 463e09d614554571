package stats

import (
	"fmt"
	"slices"
)

// ErrOneCluster says that all observations are in one cluster, so that the variance between clusters is unknown.
var ErrOneCluster = error(Reason("all observations are in one cluster"))

// Grouping numbers the clusters of a sample 0, 1, … in order of first appearance, so that
// no sum depends on the labels or on the order of a map.
type Grouping struct {
	Of    []int // cluster number of each item
	sizes []int // items in each cluster
}

// Count returns G, the number of clusters.
func (g Grouping) Count() int { return len(g.sizes) }

// NewGrouping numbers the clusters of n items. labels has one arbitrary integer for each
// item; nil makes every item its own cluster.
func NewGrouping(labels []int, n int) (Grouping, error) {
	if labels == nil {
		g := Grouping{Of: make([]int, n), sizes: make([]int, n)}
		for i := range n {
			g.Of[i] = i
			g.sizes[i] = 1
		}
		return g, nil
	}
	if len(labels) != n {
		return Grouping{}, fmt.Errorf("%w: %d cluster labels for %d values", ErrLength, len(labels), n)
	}
	numbers, distinct := NumberPlaces(labels)
	g := Grouping{Of: numbers, sizes: make([]int, len(distinct))}
	for _, c := range g.Of {
		g.sizes[c]++
	}
	return g, nil
}

// Members lists the items of each cluster.
func (g Grouping) Members() [][]int {
	members := make([][]int, g.Count())
	all := make([]int, len(g.Of)) // all clusters side by side
	for c, size := range g.sizes {
		members[c] = all[:0:size]
		all = all[size:]
	}
	for i, c := range g.Of {
		members[c] = append(members[c], i)
	}
	return members
}

// CheckFinite returns an error for NaN and infinities. Callers leave out missing values.
func CheckFinite(values []float64) error {
	for i, v := range values {
		if !IsFinite(v) {
			return fmt.Errorf("%w: value %d is %v", ErrInvalidValue, i, v)
		}
	}
	return nil
}

// CheckLevel returns an error for a confidence level outside (0, 1).
func CheckLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("%w: confidence level %v: want one in (0, 1), such as 0.95", ErrInvalidValue, level)
	}
	return nil
}

// Mean returns the mean of a non-empty slice. It is a plain loop, because the kernels of
// gonum give different last digits on different machines.
func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Dot returns Σ x_i·y_i in order. The conversion prevents a fused multiply-add, which
// would change the last digit on some architectures.
func Dot(x, y []float64) float64 {
	var sum float64
	for i, v := range x {
		sum += float64(v * y[i])
	}
	return sum
}

// Deviations returns the values minus their mean.
func Deviations(values []float64) []float64 {
	mean := Mean(values)
	e := make([]float64, len(values))
	for i, v := range values {
		e[i] = v - mean
	}
	return e
}

// NumberLabels numbers labels in order of first appearance.
func NumberLabels[L comparable](labels []L) (numbers []int, names []L) {
	known := map[L]int{}
	numbers = make([]int, len(labels))
	for i, label := range labels {
		if i > 0 && label == labels[i-1] { // as most are in a table that is sorted
			numbers[i] = numbers[i-1]
			continue
		}
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

// NumberPlaces is NumberLabels of whole numbers. Those that are places of a list, as numbers of clusters are, need no map.
func NumberPlaces[L int | int32](labels []L) (numbers []int, distinct []L) {
	if len(labels) == 0 || slices.Min(labels) < 0 || int(slices.Max(labels)) >= 4*len(labels) {
		return NumberLabels(labels)
	}
	known := make([]int32, slices.Max(labels)+1) // 1 + the number of a label
	numbers = make([]int, len(labels))
	distinct = make([]L, 0, min(len(known), len(labels)))
	for i, label := range labels {
		if known[label] == 0 {
			distinct = append(distinct, label)
			known[label] = int32(len(distinct))
		}
		numbers[i] = int(known[label]) - 1
	}
	return numbers, distinct
}

// ClusterLabels numbers names by first appearance, for use as cluster labels.
func ClusterLabels[L comparable](names []L) []int {
	labels, _ := NumberLabels(names)
	return labels
}
