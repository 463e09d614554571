package agreement

import (
	"math"
	"slices"

	"compqa/stats"
)

// A Confusion is the cross table of two raters' values: how often each pair of values occurs, by cluster. The first rater is the reference
// (people), the second is the judge. Statistics are computed from the weights of the pairs, with intervals by cluster.
type Confusion struct {
	Categories []float64 // ascending

	pairs   [][2]int32 // indices in Categories of the two values, for each pair that occurs
	units   *stats.Sums
	squares []float64 // for each pair, the sum of the squared weights of its units; nil if all weights are 1
	level   float64   // confidence level
}

// NewConfusion counts the pairs of values of x, the reference, and y, the judge. clusters labels each row; nil makes every row a cluster.
// level is the confidence level of intervals. Categories are the given ones and the values that occur; categories without values only
// matter for AC1 and for classes that nobody used.
//
// The error is ErrLength, ErrInvalidValue for NaN and infinities, or ErrTooShort without pairs.
func NewConfusion(x, y, categories []float64, clusters []int, level float64) (*Confusion, error) {
	return newConfusion(x, y, categories, level, func(pairs int, pairOf []int) (*stats.Sums, error) {
		return stats.NewSums(len(x), clusters, pairs, func(i int, add func(pair int, amount float64)) { add(pairOf[i], 1) })
	})
}

// NewSampleConfusion is NewConfusion for the labels of a sample, in the order of their units, each with its weight.
func NewSampleConfusion(x, y, categories []float64, sample stats.Sample, level float64) (*Confusion, error) {
	weights := sample.Weight()
	pairIn := make([]int, len(sample.Strata))
	var squares []float64
	c, err := newConfusion(x, y, categories, level, func(pairs int, pairOf []int) (*stats.Sums, error) {
		labels := sample.Labels()
		sums := make([]float64, pairs)
		if err := stats.CheckLengths(len(labels), len(pairOf)); err != nil {
			return nil, err
		}
		squares = make([]float64, pairs)
		for k, i := range labels {
			w := weights[i] * float64(len(labels))
			pairIn[i], squares[pairOf[k]] = pairOf[k], squares[pairOf[k]]+w*w
		}
		return sample.NewSums(len(sums), func(i int, add func(pair int, amount float64)) { add(pairIn[i], 1) }, nil)
	})
	if err == nil {
		c.squares = squares
	}
	return c, err
}

// newConfusion makes the table from pairs of values. units returns the Sums of rows, given the number of different pairs and each row's
// pair.
func newConfusion(x, y, categories []float64, level float64,
	units func(pairs int, pairOf []int) (*stats.Sums, error)) (c *Confusion, err error) {
	defer stats.Wrap("confusion", &err)
	if err := checkPairs(x, y, 1, stats.CheckFinite); err != nil {
		return nil, err
	}
	if err := stats.CheckFinite(categories); err != nil {
		return nil, err
	}
	if err := stats.CheckLevel(level); err != nil {
		return nil, err
	}
	codes, distinct := codeRows([]Rater{{Values: x}, {Values: y}, {Values: categories}})
	c = &Confusion{Categories: distinct, level: level}
	cells := make([]int, len(x))
	for i := range cells {
		cells[i] = int(codes[0][i])*len(distinct) + int(codes[1][i])
	}
	pairOf, pairs := stats.NumberPlaces(cells)
	for _, cell := range pairs {
		c.pairs = append(c.pairs, [2]int32{int32(cell / len(distinct)), int32(cell % len(distinct))})
	}
	c.units, err = units(len(c.pairs), pairOf)
	return c, err
}

// Margins returns the sums of rows and of columns, the sum of all weights, and the sum of the weights of equal pairs.
func (c *Confusion) Margins() (rows, columns []float64, n, same float64) {
	return c.margins(c.units.SampleWeights)
}

// margins is Margins for other weights of the pairs.
func (c *Confusion) margins(weights []float64) (rows, columns []float64, n, same float64) {
	both := make([]float64, 2*len(c.Categories))
	rows = both[:len(c.Categories)]
	columns = both[len(c.Categories):]
	for k, w := range weights {
		row := c.pairs[k][0]
		column := c.pairs[k][1]
		rows[row], columns[column], n = rows[row]+w, columns[column]+w, n+w
		if row == column {
			same += w
		}
	}
	return rows, columns, n, same
}

// Agreement returns the share of rows in which both values are equal.
func (c *Confusion) Agreement() stats.Figure {
	return c.share(false, func(row, column int) (hit, counted bool) { return row == column, true })
}

// Kappa returns Cohen's kappa (Cohen 1960), with quadratic weights by the values of the categories if quadratic is true (Cohen 1968):
//
//	1 - Σ w O / Σ w E,  w = [row ≠ column] or (value of row − value of column)²
func (c *Confusion) Kappa(quadratic bool) stats.Figure {
	return c.jackknife(stats.ErrNoVariation, -1, func(weights []float64) float64 { return c.kappa(weights, quadratic) })
}

// kappa uses scikit-learn's order of operations, so that all digits agree for up to 11 categories. It adds the expected counts as numpy
// adds up to 128 numbers: eight partial sums, added in pairs, and then the rest.
func (c *Confusion) kappa(weights []float64, quadratic bool) float64 {
	rows, columns, n, _ := c.margins(weights)
	disagreement := func(row, column int) float64 {
		switch {
		case row == column:
			return 0
		case !quadratic:
			return 1
		}
		return (c.Categories[row] - c.Categories[column]) * (c.Categories[row] - c.Categories[column])
	}
	observed := 0.0
	for k, w := range weights {
		observed += disagreement(int(c.pairs[k][0]), int(c.pairs[k][1])) * w
	}
	expected := make([]float64, 0, len(rows)*len(rows))
	for row := range rows {
		for column := range rows {
			expected = append(expected, disagreement(row, column)*(columns[row]*rows[column]/n))
		}
	}
	var part [8]float64
	whole := len(expected) &^ 7
	for i, e := range expected[:whole] {
		part[i%8] += e
	}
	sum := ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))
	for _, e := range expected[whole:] {
		sum += e
	}
	return 1 - observed/sum
}

// ResampledKappa returns Cohen's kappa with a bootstrap interval over clusters.
func (c *Confusion) ResampledKappa(r stats.Resampling) stats.Figure {
	resampled := c.units.Bootstrap(r, func(weights []float64) []float64 { return []float64{c.kappa(weights, false)} })
	if !stats.IsFinite(resampled.Values[0]) {
		return stats.MissingFigure(stats.ErrNoVariation)
	}
	d, err := resampled.Distribution(0)
	if err != nil {
		return stats.Figure{Value: resampled.Values[0], Known: true, Why: err}
	}
	return stats.WithInterval(resampled.Values[0], max(-1, d.Low), min(1, d.High))
}

// CohenKappa returns Cohen's kappa of two raters (Confusion.Kappa). Each rater has their own marginals, unlike in alpha. Labels are
// compared exactly and have no order.
//
// If both raters use only one and the same label, kappa is undefined (ErrNoVariation). Other errors are as for NewConfusion.
func CohenKappa(x, y []float64) (kappa float64, err error) {
	defer stats.Wrap("kappa", &err)
	c, err := NewConfusion(x, y, nil, nil, 0.95)
	if err != nil {
		return 0, err
	}
	kappa = c.kappa(c.units.SampleWeights, false)
	if math.IsNaN(kappa) {
		return 0, stats.ErrNoVariation
	}
	return kappa, nil
}

// AC1 returns Gwet's AC1 (Gwet 2008). With p_a the agreement and π_k the mean share of category k over both raters, it is
//
//	(p_a − p_e)/(1 − p_e),  p_e = Σ π_k (1 − π_k)/(K − 1)
func (c *Confusion) AC1() stats.Figure {
	return c.jackknife(stats.ErrNoVariation, -1, func(weights []float64) float64 {
		rows, columns, n, same := c.margins(weights)
		chance := 0.0
		for k := range rows {
			pi := (rows[k] + columns[k]) / (2 * n)
			chance += pi * (1 - pi) / float64(len(rows)-1)
		}
		return (same/n - chance) / (1 - chance)
	})
}

// Rates compares one class with all others. tpr, the true positive rate, is the share of the reference's class that the judge assigns to
// it. tnr, the true negative rate, is the share of the others that the judge does not assign to the class. precision is the share of the
// judge's class that the reference confirms, and f1 the harmonic mean of tpr and precision. free says that strata determine the judge's
// class, so that the variance of tpr and tnr is not that of independent trials.
func (c *Confusion) Rates(class float64, free bool) (tpr, tnr, precision, f1 stats.Figure) {
	k, _ := slices.BinarySearch(c.Categories, class)
	tpr = c.share(free, func(row, column int) (hit, counted bool) { return column == k, row == k })
	tnr = c.share(free, func(row, column int) (hit, counted bool) { return column != k, row != k })
	precision = c.share(false, func(row, column int) (hit, counted bool) { return row == k, column == k })
	f1 = c.jackknife(stats.ErrNone, 0, func(weights []float64) float64 {
		right := 0.0
		both := 0.0
		for i, w := range weights {
			if c.pairs[i] == [2]int32{int32(k), int32(k)} {
				right += w
			}
			for _, place := range c.pairs[i] {
				if int(place) == k {
					both += w
				}
			}
		}
		return 2 * right / both
	})
	return tpr, tnr, precision, f1
}

// jackknife returns a figure with the interval of stats.Replicates.Jackknife, limited to [least, 1]. If the figure is undefined without
// some cluster, it has no interval. undefined is the reason that is given if the figure has no value.
func (c *Confusion) jackknife(undefined error, least float64, figure func(weights []float64) float64) (b stats.Figure) {
	e, err := c.units.LeaveOut(func(weights []float64) []float64 { return []float64{figure(weights)} }).Jackknife(0, c.level)
	if !stats.IsFinite(e.Value) {
		return stats.MissingFigure(undefined)
	}
	if err != nil {
		return stats.Figure{Value: e.Value, Known: true, Why: err}
	}
	return stats.WithInterval(e.Value, max(least, e.Low), min(1, e.High))
}

// share returns the share of hits among the counted pairs. Its interval is Wilson's, with Student's quantile. The number of trials is n_e,
// the number of independent pairs that would give the same variance:
//
//	n_e = p(1−p)/SE²,  SE² = G/(G−1) Σ_c (hits_c − p·n_c)² / n²
//
// The sum is over the clusters c with counted pairs (Korn and Graubard 1998; Dean and Pagano 2015), and n_e is at most n. If all pairs or
// none are hits, n_e is the number of clusters.
//
// With the weights of a sample, SE is the jackknife's, and n is Kish's (Σw)²/Σw² of the pairs; n_e is also n if all or none are hits.
// If free, n_e may exceed n. Otherwise a limit is needed, because all labels of a stratum may happen to be equal.
func (c *Confusion) share(free bool, kind func(row, column int) (hit, counted bool)) (b stats.Figure) {
	hit := make([]bool, len(c.pairs))
	counted := make([]bool, len(c.pairs))
	for k, p := range c.pairs {
		h, n := kind(int(p[0]), int(p[1]))
		hit[k] = h && n
		counted[k] = n
	}
	add := func(weights func(yield func(int, float64) bool)) (hits, n float64) {
		for pair, w := range weights {
			if counted[pair] {
				n += w
			}
			if hit[pair] {
				hits += w
			}
		}
		return hits, n
	}
	if c.squares != nil {
		_, squares := add(slices.All(c.squares))
		return c.sampleShare(free, squares, func(weights []float64) (hits, n float64) { return add(slices.All(weights)) })
	}
	type sums struct{ hits, n float64 }
	forms := make([]sums, c.units.Forms())
	for form := range forms {
		forms[form].hits, forms[form].n = add(c.units.Entries(form))
	}
	var all sums
	clusters := 0.0
	for cluster := range c.units.Clusters() {
		if s := forms[c.units.Form(cluster)]; s.n > 0 {
			all = sums{all.hits + s.hits, all.n + s.n}
			clusters++
		}
	}
	if clusters == 0 {
		return stats.MissingFigure(stats.ErrNone)
	}
	b = stats.Number(all.hits / all.n)
	if clusters < 2 {
		b.Why = stats.ErrOneCluster
		return b
	}
	variance := 0.0
	for cluster := range c.units.Clusters() {
		s := forms[c.units.Form(cluster)] // without counted pairs, e is 0
		e := s.hits - b.Value*s.n
		variance += e * e
	}
	variance *= clusters / (clusters - 1) / (all.n * all.n)
	size := clusters
	if variance > 0 {
		size = min(all.n, b.Value*(1-b.Value)/variance)
	}
	return c.wilson(b, size, float64(c.units.Clusters()-1))
}

// sampleShare is share with the weights of a sample. squares is the sum of the squared weights of counted units.
func (c *Confusion) sampleShare(free bool, squares float64, add func(weights []float64) (hits, n float64)) stats.Figure {
	e, _ := c.units.LeaveOut(func(weights []float64) []float64 {
		hits, n := add(weights)
		return []float64{hits / n}
	}).Jackknife(0, c.level) // SE is 0 without a standard error
	if !stats.IsFinite(e.Value) {
		return stats.MissingFigure(stats.ErrNone)
	}
	b := stats.Number(min(1, max(0, e.Value)))
	_, n := add(c.units.SampleWeights)
	size := n * n / squares
	df := float64(e.Clusters - 1)
	if e.SE > 0 && b.Value > 0 && b.Value < 1 {
		if effective := b.Value * (1 - b.Value) / (e.SE * e.SE); free || effective < size {
			size = effective
		}
		df = e.DF
	}
	return c.wilson(b, size, df)
}

// wilson sets the interval of a share to Wilson's for this number of trials, with Student's quantile.
func (c *Confusion) wilson(share stats.Figure, trials, df float64) stats.Figure {
	unit := stats.Estimate{SE: 1, DF: df, Level: c.level}
	if unit.SetBounds() != nil {
		return share
	}
	share.Low, share.High = stats.WilsonBounds(share.Value, trials, unit.High)
	share.Bounded = true
	return share
}

// Replicates returns alpha at interval level, rho and r, for all clusters and without each cluster.
func (c *Confusion) Replicates() (*stats.Replicates, error) {
	figures, err := c.correlations()
	if err != nil {
		return nil, err
	}
	return c.units.LeaveOut(figures), nil
}
