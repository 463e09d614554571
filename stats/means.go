package stats

import (
	"fmt"
	"math"
)

// ErrZeroWidth is the error if an interval would have no width: all values are equal, or the residuals cancel inside every cluster. The
// estimate returned with the error is correct; its uncertainty is unknown.
var ErrZeroWidth = error(Reason("the standard error is zero"))

// ClusteredErrors holds the standard errors of a mean under different assumptions on what was sampled. A standard error may be zero if the
// residuals cancel. Interval makes an interval from it, or returns an error.
type ClusteredErrors struct {
	Mean     float64
	N        int // observations
	Clusters int // G, the number of sampled units

	CLT    float64 // observations are independent
	Miller float64 // Miller 2024, clustered without a small-sample factor
	CR0    float64 // clusters are independent; no correction
	CR1    float64 // CR0·√(G/(G-1))
	CR2    float64 // bias-reduced, for few clusters or clusters of unequal size
	DFCR2  float64 // Satterthwaite's degrees of freedom for CR2

	scale   float64 // largest absolute value, to measure rounding errors by
	unequal bool    // clusters differ in size
}

// StandardErrors estimates the standard error of the mean of values in five forms. clusters labels the sampled unit that each value belongs
// to. That is usually the question: fifteen criteria of one answer are not fifteen questions. nil means that every value is a unit.
//
// With e_i = s_i - s̄ the residual of value i, and S_c the sum of e over cluster c of size m_c:
//
//	CLT    = √( Σ e_i² / (n(n-1)) )
//	Miller = √( CLT² + Σ_c Σ_{i≠j in c} e_i e_j / n² )
//	CR0    = √( Σ S_c² ) / n
//	CR1    = CR0 · √( G/(G-1) )
//	CR2    = √( Σ S_c² / (1 - m_c/n) ) / n
//	df     = n² / Σ_{c,d} w_cd,  w_cc = m_c²,
//	         w_cd = (m_c m_d/n)² / ((1-m_c/n)(1-m_d/n))
//
// All are in the units of the values. The mean is that of the values, not of the cluster means: a question with more answers has more
// weight. With clusters of one value, CR1 = CR2 = Miller = CLT and df = n-1.
//
// Values that are not finite, or whose squares are not, are ErrInvalidValue. Fewer than two values are ErrTooShort, a single cluster is
// ErrOneCluster; with these two errors the mean, the counts and, if defined, CLT are set. Exact; linear time.
//
// Miller 2024 (arXiv:2411.00640), equations 1 and 4; Liang and Zeger 1986 for
// CR0; Bell and McCaffrey 2002 for CR2 and its degrees of freedom.
func StandardErrors(values []float64, clusters []int) (ClusteredErrors, error) {
	var se ClusteredErrors
	if err := CheckFinite(values); err != nil {
		return se, fmt.Errorf("standard error: %w", err)
	}
	se.N = len(values)
	se.Clusters = len(values)
	var g Grouping
	if clusters != nil {
		var err error
		g, err = NewGrouping(clusters, len(values))
		if err != nil {
			return se, fmt.Errorf("standard error: %w", err)
		}
		se.Clusters = g.Count()
	}
	if se.N == 0 {
		return se, fmt.Errorf("mean of no values: %w", ErrTooShort)
	}
	se.Mean = Mean(values)
	if se.N == 1 {
		return se, fmt.Errorf("standard error of one value: %w", ErrTooShort)
	}
	for _, v := range values {
		se.scale = max(se.scale, math.Abs(v))
	}
	n := float64(se.N)
	var squares float64
	for _, v := range values {
		e := v - se.Mean
		squares += float64(e * e)
	}
	if !IsFinite(squares) {
		return se, fmt.Errorf("standard error: %w: the squares of the values overflow", ErrInvalidValue)
	}
	se.CLT = math.Sqrt(squares / (n * (n - 1)))
	if se.Clusters == 1 {
		return se, fmt.Errorf("clustered standard error of %d values: %w", se.N, ErrOneCluster)
	}
	// Most samples are short and not clustered. For them, cluster needs no memory.
	cluster := func(c int) (sum, size float64) { return values[c] - se.Mean, 1 }
	if clusters != nil {
		sums := make([]float64, se.Clusters)
		for i, v := range values {
			sums[g.ClusterOf[i]] += v - se.Mean
		}
		cluster = func(c int) (sum, size float64) { return sums[c], float64(g.sizes[c]) }
	}
	se.fillClustered(cluster, squares)
	return se, nil
}

// fillClustered computes the forms that need the sum of residuals and the size of each cluster.
func (se *ClusteredErrors) fillClustered(cluster func(c int) (sum, size float64), squares float64) {
	n := float64(se.N)
	count := float64(se.Clusters)
	var total, adjusted float64      // Σ S_c², Σ S_c²/(1-m_c/n)
	var diagonal, a, aSquare float64 // of Satterthwaite's w: a_c = (m_c²/n)/(1-m_c/n), w_cd = a_c·a_d
	_, first := cluster(0)
	for c := range se.Clusters {
		s, m := cluster(c)
		square := float64(s * s)
		rest := 1 - m/n
		total += square
		adjusted += square / rest
		ac := m * m / n / rest
		diagonal += float64(m * m)
		a += ac
		aSquare += float64(ac * ac)
		se.unequal = se.unequal || m != first
	}
	// Σ_{i≠j in c} e_i e_j = S_c² - Σ e_i². Rounding can make the sum slightly negative.
	se.Miller = math.Sqrt(math.Max(0, float64(se.CLT*se.CLT)+(total-squares)/(n*n)))
	se.CR0 = math.Sqrt(total) / n
	se.CR1 = se.CR0 * math.Sqrt(count/(count-1))
	se.CR2 = math.Sqrt(adjusted) / n
	se.DFCR2 = n * n / (diagonal + (float64(a*a) - aSquare))
}

// Linearised combines several samples into one list of values that has the mean Σ w_k·m_k, where m_k is the mean of sample k and w_k its
// weight. StandardErrors of this list gives the standard error of Σ w_k·m_k. No sample is empty; the list is in the order of the samples.
// With n_k values in sample k and n in total, a value becomes
//
//	v = Σ w_k·m_k + n·w_k/n_k · (value - m_k)
func Linearised(samples [][]float64, weights []float64) (total float64, all []float64) {
	n := 0
	means := make([]float64, len(samples))
	for k, values := range samples {
		means[k] = Mean(values)
		total += float64(weights[k] * means[k])
		n += len(values)
	}
	for k, values := range samples {
		weight := float64(n) * weights[k] / float64(len(values))
		for _, v := range values {
			all = append(all, total+float64(weight*(v-means[k]))) // the conversion prevents fused multiply-add
		}
	}
	return total, all
}

// A Method is the standard error that an interval is computed from.
type Method string

const (
	CR1 Method = "CR1" // clustered, t with G-1 degrees of freedom
	CR2 Method = "CR2" // clustered and bias-reduced, t with Satterthwaite's degrees of freedom
)

// fewClusters is the number of clusters below which CR2 is recommended for clusters of unequal size.
const fewClusters = 20

// Recommended returns CR2 if there are under 20 clusters of unequal sizes, and CR1 otherwise. For clusters of equal size, both give the
// same interval.
func (se ClusteredErrors) Recommended() Method {
	if se.unequal && se.Clusters < fewClusters {
		return CR2
	}
	return CR1
}

// An Estimate is a number with its uncertainty. Low and High are the bounds of its interval, in the same units. Level, in (0, 1), is the
// share of intervals computed in this way that contain the true value.
type Estimate struct {
	Value, SE, DF    float64
	Low, High, Level float64
	N, Clusters      int
}

// Interval returns the mean with its interval
//
//	s̄ ± t_{(1+level)/2, df} · SE
//
// with df = G-1 for CR1 and Satterthwaite's for CR2. Student's t is needed: with the normal quantile instead, ten clusters give a coverage
// of 91 % for 95 %. If the standard error is at most 1e-13 of the largest value, it is a rounding error; then the estimate has no bounds,
// and the error is ErrZeroWidth.
func (se ClusteredErrors) Interval(method Method, level float64) (Estimate, error) {
	est := Estimate{Value: se.Mean, Level: level, N: se.N, Clusters: se.Clusters}
	switch method {
	case CR1:
		est.SE = se.CR1
		est.DF = float64(se.Clusters - 1)
	case CR2:
		est.SE = se.CR2
		est.DF = se.DFCR2
	default:
		return est, fmt.Errorf("interval of a mean: %w: method %q: want CR1 or CR2", ErrInvalidValue, method)
	}
	if se.Clusters < 2 {
		return est, fmt.Errorf("interval of a mean: %w", ErrOneCluster)
	}
	if est.SE <= 1e-13*se.scale {
		est.SE = 0
		return est, fmt.Errorf("interval of a mean over %d clusters: %w", se.Clusters, ErrZeroWidth)
	}
	return est, est.SetBounds()
}

// SetBounds sets Low and High from Value, SE, DF and Level.
func (e *Estimate) SetBounds() error {
	if err := CheckLevel(e.Level); err != nil {
		return err
	}
	t, err := studentTQuantile((1-e.Level)/2, e.DF)
	if err != nil {
		return fmt.Errorf("interval: %w", err)
	}
	half := -t * e.SE
	e.Low = e.Value - half
	e.High = e.Value + half
	return nil
}

// PValue returns the two-sided p-value, in [0, 1], of the hypothesis that the true value is null. It is below 1-Level exactly if null is
// outside the interval. ErrZeroWidth means that the estimate has no standard error.
func (e Estimate) PValue(null float64) (float64, error) {
	if !(e.SE > 0) {
		return 0, fmt.Errorf("p-value: %w", ErrZeroWidth)
	}
	p, err := StudentTSurvival(math.Abs(e.Value-null)/e.SE, e.DF)
	return 2 * p, err
}

// ProbabilityBelow returns the probability that the true value is less than the threshold, by Student's distribution. It is 0 without a
// standard error.
func (e Estimate) ProbabilityBelow(threshold float64) float64 {
	if !(e.SE > 0) {
		return 0
	}
	p, err := StudentTSurvival((e.Value-threshold)/e.SE, e.DF)
	if err != nil {
		return 0
	}
	return p
}

// MeanInterval returns the mean of values and its interval, by the recommended standard error. clusters is as for StandardErrors. With
// ErrTooShort, ErrOneCluster and ErrZeroWidth, the value and the counts are set, the bounds are not.
func MeanInterval(values []float64, clusters []int, level float64) (Estimate, error) {
	se, err := StandardErrors(values, clusters)
	if err != nil {
		return Estimate{Value: se.Mean, Level: level, N: se.N, Clusters: se.Clusters}, err
	}
	return se.Interval(se.Recommended(), level)
}
