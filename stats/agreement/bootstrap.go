package agreement

import (
	"errors"
	"fmt"
	"math"

	"compqa/stats"
)

// Resampled is a statistic of the data with its distribution over resamples.
// Err says why there is no interval, or why the statistic itself is undefined;
// it wraps ErrUndefined. Value is 0 in the second case.
type Resampled struct {
	Value float64
	stats.Distribution
	Err error
}

// AgreementIntervals are the statistics of agreement of two raters over the
// same resamples.
type AgreementIntervals struct {
	Alpha    Resampled // Krippendorff's, interval level
	Spearman Resampled
	Pearson  Resampled
}

// AgreementBootstrap returns interval alpha, Spearman's rho and Pearson's r of x and y
// with percentile intervals, from one set of resamples of whole clusters. The results are
// those of ClusterBootstrap with Alpha, Spearman and Pearson. The time of a resample
// depends on the distinct pairs of values in the drawn clusters, not on the rows.
//
// NaN and infinities are ErrInvalidValue, fewer than two clusters ErrOneCluster. Errors
// of a single statistic are in its Err.
func AgreementBootstrap(x, y []float64, clusters []int, o stats.Resampling) (AgreementIntervals, error) {
	table, g, err := newPairTable(x, y, clusters)
	if err != nil {
		return AgreementIntervals{}, fmt.Errorf("agreement: %w", err)
	}
	return agreementIntervals(g.Count(), o, table.statistics)
}

// AgreementDifference returns the same statistics for the difference between two judges
// of the same rows: the agreement of a with the reference minus that of b, over the same
// resamples. If the interval excludes 0, one judge agrees better. Overlapping intervals
// of the two judges are no such test.
func AgreementDifference(reference, a, b []float64, clusters []int, o stats.Resampling) (AgreementIntervals, error) {
	first, g, err := newPairTable(reference, a, clusters)
	if err != nil {
		return AgreementIntervals{}, fmt.Errorf("agreement: %w", err)
	}
	second, _, err := newPairTable(reference, b, clusters)
	if err != nil {
		return AgreementIntervals{}, fmt.Errorf("agreement: %w", err)
	}
	return agreementIntervals(g.Count(), o, func(drawn []int) [3]outcome {
		s, t := first.statistics(drawn), second.statistics(drawn)
		for i := range s {
			s[i] = outcome{s[i].value - t[i].value, errors.Join(s[i].err, t[i].err)}
		}
		return s
	})
}

// outcome is a statistic of one resample, or why it is undefined.
type outcome struct {
	value float64
	err   error
}

// agreementIntervals collects alpha, rho and r; drawn is nil for all the data.
func agreementIntervals(clusters int, o stats.Resampling, statistics func(drawn []int) [3]outcome) (AgreementIntervals, error) {
	var replicates [3][]float64
	o, err := o.Each(clusters, func(drawn []int) error {
		for i, s := range statistics(drawn) {
			if s.err == nil {
				replicates[i] = append(replicates[i], s.value)
			}
		}
		return nil
	})
	if err != nil {
		return AgreementIntervals{}, fmt.Errorf("agreement: %w", err)
	}
	var results [3]Resampled
	for i, s := range statistics(nil) {
		if s.err != nil {
			results[i].Err = s.err
			continue
		}
		results[i].Value = s.value
		results[i].Distribution, results[i].Err = o.Summarise(replicates[i], clusters)
	}
	return AgreementIntervals{results[0], results[1], results[2]}, nil
}

// pairTable is the cross table of two raters, by cluster: the distinct pairs of
// values and how often each occurs. Values of both share one coding.
type pairTable struct {
	groupedCounts
	values []float64 // scaledValues
	x, y   []int32   // codes of each distinct pair
	all    []int     // 0 … clusters-1: the data themselves

	weights []int32 // of each pair in the last resample
	nx, ny  []int   // of each value
	dx, dy  []float64
}

func newPairTable(x, y []float64, clusters []int) (*pairTable, stats.Grouping, error) {
	if err := stats.CheckLengths(len(x), len(y)); err != nil {
		return nil, stats.Grouping{}, err
	}
	g, err := stats.NewGrouping(clusters, len(x))
	if err != nil {
		return nil, g, err
	}
	rows := [][]float64{x, y}
	codes, distinct := codeRows(rows, nil)
	if err := requireFinite(distinct, rows, nil); err != nil {
		return nil, g, err
	}
	t := &pairTable{values: scaledValues(distinct)}
	pairs := numbering[[2]int32]{}
	pair := make([]int32, len(x))
	for row, cx := range codes[0] {
		number, fresh := pairs.number([2]int32{cx, codes[1][row]})
		if fresh {
			t.x, t.y = append(t.x, cx), append(t.y, codes[1][row])
		}
		pair[row] = number
	}
	t.groupedCounts = countKinds(pair, len(pairs), g)
	for c := range g.Count() {
		t.all = append(t.all, c)
	}
	t.weights = make([]int32, len(pairs))
	t.nx, t.ny = make([]int, len(distinct)), make([]int, len(distinct))
	t.dx, t.dy = make([]float64, len(distinct)), make([]float64, len(distinct))
	return t, g, nil
}

// statistics are alpha, rho and r of the clusters drawn.
func (t *pairTable) statistics(drawn []int) [3]outcome {
	if drawn == nil {
		drawn = t.all
	}
	t.accumulate(t.weights, drawn)
	clear(t.nx)
	clear(t.ny)
	for k, w := range t.weights {
		t.nx[t.x[k]] += int(w)
		t.ny[t.y[k]] += int(w)
	}
	return [3]outcome{t.alpha(), t.spearman(), t.pearson()}
}

// alpha is interval alpha: with two ratings a unit, D_o is the mean of (x-y)²
// and D_e that over all pairs of the 2N ratings.
func (t *pairTable) alpha() outcome {
	n, distinct, mean := 0.0, 0, 0.0
	for v, value := range t.values {
		if both := float64(t.nx[v] + t.ny[v]); both > 0 {
			n += both
			mean += float64(both * value)
			distinct++
		}
	}
	if distinct < 2 {
		return outcome{err: stats.ErrNoVariation}
	}
	mean /= n
	expected := 0.0
	for v, value := range t.values {
		d := value - mean
		expected += float64(float64(t.nx[v]+t.ny[v]) * d * d)
	}
	if expected == 0 { // differences too small to square
		return outcome{err: stats.ErrNoVariation}
	}
	observed := 0.0
	for k, w := range t.weights {
		d := t.values[t.x[k]] - t.values[t.y[k]]
		observed += float64(float64(w) * d * d)
	}
	return outcome{value: 1 - (n-1)/n*observed/expected}
}

func (t *pairTable) spearman() outcome {
	centredRanksInto(t.dx, t.nx)
	centredRanksInto(t.dy, t.ny)
	return t.productMoment()
}

func (t *pairTable) pearson() outcome {
	centreInto(t.dx, t.values, t.nx)
	centreInto(t.dy, t.values, t.ny)
	return t.productMoment()
}

// centreInto subtracts the mean of the values as counted.
func centreInto(centred, values []float64, counts []int) {
	n, mean := 0, 0.0
	for v, c := range counts {
		n += c
		mean += float64(float64(c) * values[v])
	}
	mean /= float64(n)
	for v, value := range values {
		centred[v] = value - mean
	}
}

// productMoment correlates the scores dx and dy of the two raters' values.
func (t *pairTable) productMoment() outcome {
	if constant(t.nx) || constant(t.ny) {
		return outcome{err: stats.ErrConstant}
	}
	sxy := 0.0
	for k, w := range t.weights {
		sxy += float64(float64(w) * t.dx[t.x[k]] * t.dy[t.y[k]])
	}
	r := bounded(sxy / math.Sqrt(sumOfSquares(t.nx, t.dx)) / math.Sqrt(sumOfSquares(t.ny, t.dy)))
	if !stats.IsFinite(r) { // differences too small to square
		return outcome{err: stats.ErrConstant}
	}
	return outcome{value: r}
}

// sumOfSquares sums the squares of scores that occur counts times.
func sumOfSquares(counts []int, scores []float64) float64 {
	sum := 0.0
	for v, d := range scores {
		sum += float64(float64(counts[v]) * d * d)
	}
	return sum
}

// constant says that at most one value occurs.
func constant(counts []int) bool {
	occur := 0
	for _, c := range counts {
		if c > 0 {
			occur++
		}
	}
	return occur < 2
}
