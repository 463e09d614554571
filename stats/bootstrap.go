package stats

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Resampling holds the options of a bootstrap. The zero value works.
type Resampling struct {
	// Seed and Name determine the random numbers: resample b draws from NewRNG(Seed, Name, b), in any order of
	// computation. Equal seeds and names draw the same clusters from equally many clusters.
	Seed uint64
	Name string
	// Resamples is their number; 0 means 1,000, the minimum for 95 % limits.
	Resamples int
	// Level is the level of the interval, in (0, 1); 0 means 0.95.
	Level float64
}

const (
	defaultResamples = 1000
	defaultLevel     = 0.95
	// degenerateShare is the largest share of undefined resamples that still gives an interval.
	degenerateShare = 0.01
)

// Distribution is the distribution of a statistic over resamples, with its percentile interval.
type Distribution struct {
	Low, High  float64 // percentiles (1-Level)/2 and (1+Level)/2, type 7
	Level      float64
	SE         float64   // standard deviation of the replicates, divisor B-1
	Replicates []float64 // ascending, without degenerate ones
	Resamples  int
	Degenerate int // resamples with an undefined statistic
	Clusters   int // number of clusters, or of rows without clusters
}

// Below returns the share of replicates less than the threshold, in [0, 1]: the bootstrap's P(statistic < threshold).
// With 1,000 resamples its own standard error is up to 0.016.
func (d Distribution) Below(threshold float64) float64 {
	if len(d.Replicates) == 0 {
		return 0
	}
	return float64(sort.SearchFloat64s(d.Replicates, threshold)) / float64(len(d.Replicates))
}

// ClusterBootstrap resamples n rows by clusters: it draws as many clusters as there are, with replacement, and passes
// the rows of the drawn clusters to the statistic (Davison and Hinkley 1997, section 3.8). clusters labels each row;
// nil makes every row its own cluster, which is the ordinary bootstrap. Rows are resampled as a whole, so pairs stay
// together. The statistic must not keep the slice.
//
// A resample is degenerate if the statistic returns an error that wraps ErrUndefined, NaN or an infinity; any other
// error ends the bootstrap. More than 1 % of degenerate resamples is ErrDegenerate, equal bounds are ErrZeroWidth; the
// distribution is then returned without an interval. Fewer than two clusters are ErrOneCluster.
func ClusterBootstrap(n int, clusters []int, o Resampling, statistic func(rows []int) (float64, error)) (Distribution, error) {
	g, err := NewGrouping(clusters, n)
	if err != nil {
		return Distribution{}, fmt.Errorf("bootstrap: %w", err)
	}
	members := g.Members()
	rows := make([]int, 0, 2*n)
	return o.Run(g.Count(), func(drawn []int) (float64, error) {
		rows = rows[:0]
		for _, c := range drawn {
			rows = append(rows, members[c]...)
		}
		return statistic(rows)
	})
}

// Members lists the items of each cluster.
func (g Grouping) Members() [][]int {
	members, all := make([][]int, g.Count()), make([]int, len(g.Of)) // all clusters side by side
	for c, size := range g.sizes {
		members[c], all = all[:0:size], all[size:]
	}
	for i, c := range g.Of {
		members[c] = append(members[c], i)
	}
	return members
}

// ClusterLabels numbers names by first appearance, for use as cluster labels.
func ClusterLabels[L comparable](names []L) []int {
	labels, _ := NumberLabels(names)
	return labels
}

// Run draws resamples of the clusters and collects the statistic of each.
func (o Resampling) Run(clusters int, statistic func(drawn []int) (float64, error)) (Distribution, error) {
	return o.collect(clusters, func(take func(float64, error) error) (Resampling, error) {
		return o.Each(clusters, func(drawn []int) error { return take(statistic(drawn)) })
	})
}

// RunCounts is Run for rows that are each a cluster of its own and of which many are equal; see EachCounts.
func (o Resampling) RunCounts(kinds []int32, statistic func(counts []int32) (float64, error)) (Distribution, error) {
	rows := 0
	for _, n := range kinds {
		rows += int(n)
	}
	return o.collect(rows, func(take func(float64, error) error) (Resampling, error) {
		return o.EachCounts(kinds, func(counts []int32) error { return take(statistic(counts)) })
	})
}

// EachCounts is Each for rows that are each a cluster of its own and of which many are equal: a resample is how often each kind of
// row is drawn, which is multinomial. kinds are the numbers of rows of each kind in the data. Counts are drawn one after the other,
// each binomial given those before it, in a time that does not depend on the number of rows; use must not keep them.
func (o Resampling) EachCounts(kinds []int32, use func(counts []int32) error) (Resampling, error) {
	rows := 0
	for _, n := range kinds {
		rows += int(n)
	}
	counts := make([]int32, len(kinds))
	o, err := o.WithDefaults()
	for b := 0; b < o.Resamples && err == nil; b++ {
		rng := NewRNG(o.Seed, o.Name, uint64(b))
		left, rest := rows, rows // to be drawn, and rows of the kinds that are left
		for k, n := range kinds {
			counts[k] = int32(left)
			if int(n) < rest {
				counts[k] = int32(distuv.Binomial{N: float64(left), P: float64(n) / float64(rest), Src: rng}.Rand())
			}
			left, rest = left-int(counts[k]), rest-int(n)
		}
		err = use(counts)
	}
	return o, err
}

// collect makes a distribution of the statistics that draw gives to take.
func (o Resampling) collect(clusters int, draw func(take func(float64, error) error) (Resampling, error)) (Distribution, error) {
	var replicates []float64
	o, err := draw(func(v float64, err error) error {
		if err != nil && !errors.Is(err, ErrUndefined) {
			return err
		}
		if err == nil && IsFinite(v) {
			replicates = append(replicates, v)
		}
		return nil
	})
	if err != nil {
		return Distribution{}, fmt.Errorf("bootstrap: %w", err)
	}
	return o.Summarise(replicates, clusters)
}

// Each calls use with the drawn clusters of every resample, and returns the options with defaults.
func (o Resampling) Each(clusters int, use func(drawn []int) error) (Resampling, error) {
	o, err := o.WithDefaults()
	switch {
	case err != nil:
		return o, err
	case clusters == 0:
		return o, ErrTooShort
	case clusters == 1:
		return o, ErrOneCluster
	}
	drawn := make([]int, clusters)
	for b := range o.Resamples {
		rng := NewRNG(o.Seed, o.Name, uint64(b))
		for i := range drawn {
			drawn[i] = rng.Intn(clusters)
		}
		if err := use(drawn); err != nil {
			return o, err
		}
	}
	return o, nil
}

// WithDefaults replaces zeros by the defaults.
func (o Resampling) WithDefaults() (Resampling, error) {
	o.Resamples, o.Level = cmp.Or(o.Resamples, defaultResamples), cmp.Or(o.Level, defaultLevel)
	if o.Resamples < 2 {
		return o, fmt.Errorf("%w: %d resamples", ErrInvalidValue, o.Resamples)
	}
	return o, CheckLevel(o.Level)
}

// Summarise makes a distribution of the replicates, which it sorts in place.
func (o Resampling) Summarise(replicates []float64, clusters int) (Distribution, error) {
	slices.Sort(replicates)
	d := Distribution{
		Level: o.Level, Replicates: replicates, Clusters: clusters,
		Resamples: o.Resamples, Degenerate: o.Resamples - len(replicates),
	}
	if float64(d.Degenerate) > degenerateShare*float64(d.Resamples) {
		return d, fmt.Errorf("bootstrap: %w: %d of %d", ErrDegenerate, d.Degenerate, d.Resamples)
	}
	e := Deviations(replicates)
	d.SE = math.Sqrt(Dot(e, e) / float64(len(e)-1))
	d.Low = Quantile(replicates, (1-d.Level)/2)
	d.High = Quantile(replicates, (1+d.Level)/2)
	if d.Low == d.High {
		d.Low, d.High = 0, 0
		return d, fmt.Errorf("bootstrap: %w", ErrZeroWidth)
	}
	return d, nil
}
