package stats

import (
	"fmt"
	"slices"
)

// ErrOneCluster is the error if all observations are in one cluster, so that the variance between clusters is unknown.
var ErrOneCluster = error(Reason("all observations are in one cluster"))

// A Grouping numbers the clusters of a sample 0, 1, … in order of first appearance. So no sum depends on the labels, or on the order of a
// map.
type Grouping struct {
	ClusterOf []int // cluster number of each item
	sizes     []int // items in each cluster
}

// Count returns G, the number of clusters.
func (g Grouping) Count() int { return len(g.sizes) }

// NewGrouping numbers the clusters of n items. labels has one arbitrary integer for each
// item; nil makes every item its own cluster.
func NewGrouping(labels []int, n int) (Grouping, error) {
	if labels == nil {
		g := Grouping{ClusterOf: make([]int, n), sizes: make([]int, n)}
		for i := range n {
			g.ClusterOf[i] = i
			g.sizes[i] = 1
		}
		return g, nil
	}
	if len(labels) != n {
		return Grouping{}, fmt.Errorf("%w: %d cluster labels for %d values", ErrLength, len(labels), n)
	}
	numbers, distinct := NumberPlaces(labels)
	g := Grouping{ClusterOf: numbers, sizes: make([]int, len(distinct))}
	for _, c := range g.ClusterOf {
		g.sizes[c]++
	}
	return g, nil
}

// Members returns the items of each cluster.
func (g Grouping) Members() [][]int {
	members := make([][]int, g.Count())
	all := make([]int, len(g.ClusterOf)) // memory for all clusters, one after the other
	for c, size := range g.sizes {
		members[c] = all[:0:size]
		all = all[size:]
	}
	for i, c := range g.ClusterOf {
		members[c] = append(members[c], i)
	}
	return members
}

// CheckFinite returns ErrInvalidValue if a value is NaN or infinite. Callers leave out missing values.
func CheckFinite(values []float64) error {
	for i, v := range values {
		if !IsFinite(v) {
			return fmt.Errorf("%w: value %d is %v", ErrInvalidValue, i, v)
		}
	}
	return nil
}

// CheckLevel returns ErrInvalidValue for a confidence level outside (0, 1).
func CheckLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("%w: confidence level %v: want one in (0, 1), such as 0.95", ErrInvalidValue, level)
	}
	return nil
}

// Mean returns the mean of a non-empty slice. It is a plain loop, because gonum's assembly code gives different last digits on different
// machines.
func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Dot returns Σ x_i·y_i, added in order. The conversion to float64 prevents a fused multiply-add, which would change the last digit on
// some machines.
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

// NumberLabels numbers labels 0, 1, … in order of first appearance. names[n] is the label with number n.
func NumberLabels[L comparable](labels []L) (numbers []int, names []L) {
	known := map[L]int{}
	numbers = make([]int, len(labels))
	for i, label := range labels {
		if i > 0 && label == labels[i-1] { // as usual in a sorted table
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

// NumberPlaces is NumberLabels for integers. If they are small numbers, such as numbers of clusters, it uses a slice instead of a map.
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

// Different returns the number of different labels. If they are small numbers, it uses a slice instead of a map, as NumberPlaces does.
func Different(labels []int) (n int) {
	if len(labels) == 0 || slices.Min(labels) < 0 || slices.Max(labels) >= 4*len(labels) {
		_, names := NumberLabels(labels)
		return len(names)
	}
	known := make([]bool, slices.Max(labels)+1)
	for _, label := range labels {
		if !known[label] {
			known[label] = true
			n++
		}
	}
	return n
}

// ClusterLabels numbers names in order of first appearance, for use as labels of clusters.
func ClusterLabels[L comparable](names []L) []int {
	labels, _ := NumberLabels(names)
	return labels
}
