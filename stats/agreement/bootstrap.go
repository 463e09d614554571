package agreement

import (
	"errors"
	"math"
	"slices"

	"compqa/stats"
)

// Resampled is a statistic of the data with its distribution over resamples. Err says why there is no interval, or why
// the statistic itself is undefined; it wraps ErrUndefined. Value is 0 in the second case.
type Resampled struct {
	Value float64
	stats.Distribution
	Err error
}

// AgreementIntervals are the statistics of agreement of two raters over the same resamples.
type AgreementIntervals struct {
	Alpha    Resampled // Krippendorff's, interval level
	Spearman Resampled
	Pearson  Resampled
}

// Replicates are interval alpha, Spearman's rho and Pearson's r of two raters, of the data and of every resample.
type Replicates struct {
	outcomes  [3]outcome
	resampled [3][]float64 // NaN where undefined
	clusters  int
	o         stats.Resampling
}

// outcome is a statistic of the data or of one resample, or why it is undefined.
type outcome struct {
	value float64
	err   error
}

// NewReplicates computes the statistics of x and y over one set of resamples of whole clusters.
// Their values are those of ClusterBootstrap with Alpha, Spearman and Pearson. The time of a
// resample depends on the distinct pairs of values in the drawn clusters, not on the rows.
//
// NaN and infinities are ErrInvalidValue, fewer than two clusters ErrOneCluster.
func NewReplicates(x, y []float64, clusters []int, o stats.Resampling) (*Replicates, error) {
	return newReplicates(x, y, clusters, o, false)
}

// CountedReplicates are NewReplicates whose resamples are no others' of the same rows, so that Minus has no meaning: of many rows
// that are each a cluster of its own they draw how often each pair of values occurs, in a time that does not depend on the rows.
func CountedReplicates(x, y []float64, clusters []int, o stats.Resampling) (*Replicates, error) {
	return newReplicates(x, y, clusters, o, true)
}

func newReplicates(x, y []float64, clusters []int, o stats.Resampling, counted bool) (r *Replicates, err error) {
	defer stats.Wrap("agreement", &err)
	table, err := newPairTable(x, y, clusters)
	if err != nil {
		return nil, err
	}
	r = &Replicates{clusters: table.count()}
	take := func(weights []int32) error {
		for i, s := range table.statistics(weights) {
			if s.err != nil {
				s.value = math.NaN()
			}
			r.resampled[i] = append(r.resampled[i], s.value)
		}
		return nil
	}
	weights := make([]int32, len(table.pairs))
	if all, few := table.counts(len(weights)); counted && few {
		r.o, err = o.EachCounts(all, take)
	} else {
		r.o, err = o.Each(r.clusters, func(drawn []int) error {
			table.accumulate(weights, drawn)
			return take(weights)
		})
	}
	if err != nil {
		return nil, err
	}
	table.accumulate(weights, table.all)
	r.outcomes = table.statistics(weights)
	return r, nil
}

// Minus is the difference between two judges of the same rows: the agreement of r's judge with
// the reference minus that of the other's, in each of the same resamples. If the interval
// excludes 0, one judge agrees better. Overlapping intervals of the two judges are no such test.
func (r *Replicates) Minus(other *Replicates) *Replicates {
	d := &Replicates{clusters: r.clusters, o: r.o}
	for i := range d.outcomes {
		d.outcomes[i] = outcome{r.outcomes[i].value - other.outcomes[i].value, errors.Join(r.outcomes[i].err, other.outcomes[i].err)}
		d.resampled[i] = make([]float64, len(r.resampled[i]))
		for b, value := range r.resampled[i] {
			d.resampled[i][b] = value - other.resampled[i][b]
		}
	}
	return d
}

// Intervals are the statistics with percentile intervals. Errors of a single statistic are in its Err.
func (r *Replicates) Intervals() AgreementIntervals {
	var results [3]Resampled
	for i, outcome := range r.outcomes {
		results[i].Err = outcome.err
		if outcome.err != nil {
			continue
		}
		defined := slices.DeleteFunc(slices.Clone(r.resampled[i]), math.IsNaN)
		results[i].Value = outcome.value
		results[i].Distribution, results[i].Err = r.o.Summarise(defined, r.clusters)
	}
	return AgreementIntervals{results[0], results[1], results[2]}
}

// pairTable is the cross table of two raters, by cluster: the distinct pairs of
// values and how often each occurs. Values of both share one coding.
type pairTable struct {
	groupedCounts
	sums  *alphaSums // of the pairs as patterns; its scores are the scaled values
	pairs [][2]int32 // codes of each distinct pair
	all   []int      // 0 … clusters-1: the data themselves

	nx, ny []int // of each value
	dx, dy []float64
}

func newPairTable(x, y []float64, clusters []int) (*pairTable, error) {
	raters := []Rater{{Values: x}, {Values: y}}
	if err := checkRaters(raters, len(x)); err != nil {
		return nil, err
	}
	g, err := stats.NewGrouping(clusters, len(x))
	if err != nil {
		return nil, err
	}
	codes, distinct := codeRows(raters)
	cells := make([][2]int32, len(x))
	for row := range cells {
		cells[row] = [2]int32{codes[0][row], codes[1][row]}
	}
	numbers, pairs := stats.NumberLabels(cells)
	paired := &Ratings{values: distinct}
	for _, p := range pairs {
		paired.patterns.add(appendUnitEntries(nil, [][]int32{p[:1], p[1:]}, 0))
	}
	t := &pairTable{groupedCounts: countKinds(numbers, len(pairs), g), pairs: pairs,
		nx: make([]int, len(distinct)), ny: make([]int, len(distinct)), dx: make([]float64, len(distinct)), dy: make([]float64, len(distinct))}
	for c := range g.Count() {
		t.all = append(t.all, c)
	}
	t.sums, err = newAlphaSums(paired, Interval)
	return t, err
}

// statistics are alpha, rho and r of so many of each pair.
func (t *pairTable) statistics(weights []int32) [3]outcome {
	clear(t.nx)
	clear(t.ny)
	for k, w := range weights {
		t.nx[t.pairs[k][0]] += int(w)
		t.ny[t.pairs[k][1]] += int(w)
	}
	alpha, err := t.sums.alpha(weights)
	centredRanksInto(t.dx, t.nx)
	centredRanksInto(t.dy, t.ny)
	rho := t.productMoment(weights)
	centreInto(t.dx, t.sums.scores, t.nx)
	centreInto(t.dy, t.sums.scores, t.ny)
	return [3]outcome{{alpha, err}, rho, t.productMoment(weights)}
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
func (t *pairTable) productMoment(weights []int32) outcome {
	if constant(t.nx) || constant(t.ny) {
		return outcome{err: stats.ErrConstant}
	}
	sxy := 0.0
	for k, w := range weights {
		sxy += float64(float64(w) * t.dx[t.pairs[k][0]] * t.dy[t.pairs[k][1]])
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
