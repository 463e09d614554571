package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
)

// Resampling holds the options of a bootstrap. The zero value means the defaults.
type Resampling struct {
	// Seed and Name determine the random numbers: resample b draws from NewRNG(Seed, Name, b), whatever the order of computation. With
	// equal seeds and names, samples with equally many clusters draw the same clusters.
	Seed uint64
	Name string
	// Resamples is the number of resamples; 0 means 1,000, the minimum for 95 % limits.
	Resamples int
	// Level is the level of the interval, in (0, 1); 0 means 0.95.
	Level float64
}

const (
	defaultResamples = 1000
	defaultLevel     = 0.95
	// degenerateShare is the largest share of resamples with an undefined statistic for which an interval is given.
	degenerateShare = 0.01
)

// Distribution is the distribution of a statistic over resamples, with its percentile interval.
type Distribution struct {
	Low, High  float64 // percentiles (1-Level)/2 and (1+Level)/2, type 7
	Level      float64
	SE         float64   // standard deviation of the replicates, divisor B-1
	Replicates []float64 // ascending, without undefined ones
	Resamples  int
	Degenerate int // number of resamples with an undefined statistic
	Clusters   int // number of clusters, or of units without clusters

	leftOut Estimate // the estimate, if clusters were left out instead of resampled
}

// ShareBelow returns the share of replicates below the threshold, in [0, 1]: the bootstrap's P(statistic < threshold). With 1,000
// resamples, the standard error of this share is up to 0.016. If clusters were left out, it is Estimate.ProbabilityBelow.
func (d Distribution) ShareBelow(threshold float64) float64 {
	if len(d.Replicates) == 0 {
		return d.leftOut.ProbabilityBelow(threshold)
	}
	return float64(sort.SearchFloat64s(d.Replicates, threshold)) / float64(len(d.Replicates))
}

// WithDefaults returns the options with defaults for zero values. Impossible options are ErrInvalidValue.
func (o Resampling) WithDefaults() (Resampling, error) {
	o.Resamples = cmp.Or(o.Resamples, defaultResamples)
	o.Level = cmp.Or(o.Level, defaultLevel)
	if o.Resamples < 2 {
		return o, fmt.Errorf("%w: %d resamples", ErrInvalidValue, o.Resamples)
	}
	return o, CheckLevel(o.Level)
}

// Summarise returns the distribution of replicates, which it sorts in place. More than 1 % undefined ones are ErrDegenerate, equal bounds
// ErrZeroWidth.
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
		d.Low = 0
		d.High = 0
		return d, fmt.Errorf("bootstrap: %w", ErrZeroWidth)
	}
	return d, nil
}
