package agreement

import (
	"cmp"
	"math"
	"slices"

	"compqa/stats"
)

// A Confusion is the cross table of two raters' values: how often each pair of them occurs, by cluster. The first rater is the reference
// (people), the second the judge. Its statistics are functions of the weights of the pairs, with intervals by cluster.
type Confusion struct {
	Categories []float64 // ascending

	pairs    [][2]int32 // places of the two values among Categories, of each pair that occurs
	units    *stats.Sums
	level    float64
	quantile float64 // of Student's t with clusters-1 degrees of freedom
}

// NewConfusion counts the pairs of x, the reference, and y, the judge. clusters labels each pair;
// nil: every pair is a cluster. Level is that of the intervals. Categories are the values that
// occur and those given, which are needed only for AC1 and for classes that nobody used.
//
// The error is ErrLength, ErrInvalidValue for NaN and infinities, or ErrTooShort without pairs.
func NewConfusion(x, y, categories []float64, clusters []int, level float64) (c *Confusion, err error) {
	defer stats.Wrap("confusion", &err)
	if err := cmp.Or(checkPairs(x, y, 1, stats.CheckFinite), stats.CheckFinite(categories)); err != nil {
		return nil, err
	}
	codes, distinct := codeRows([]Rater{{Values: x}, {Values: y}, {Values: categories}})
	c = &Confusion{Categories: distinct, level: level}
	cells := make([]int, len(x))
	for i := range cells {
		cells[i] = int(codes[0][i])*len(distinct) + int(codes[1][i])
	}
	kinds, err := stats.NewGrouping(cells, len(cells))
	if err != nil {
		return nil, err
	}
	for i, kind := range kinds.Of {
		if kind == len(c.pairs) {
			c.pairs = append(c.pairs, [2]int32{codes[0][i], codes[1][i]})
		}
	}
	c.units, err = stats.NewSums(len(x), clusters, len(c.pairs), func(i int, add func(pair int, amount float64)) { add(kinds.Of[i], 1) })
	if err == nil && c.units.Clusters() > 1 {
		unit := stats.Estimate{SE: 1, DF: float64(c.units.Clusters() - 1), Level: level}
		err = unit.SetBounds()
		c.quantile = unit.High
	}
	return c, err
}

// Margins are the sums of rows and columns, of all pairs, and of the equal ones.
func (c *Confusion) Margins() (rows, columns []float64, n, same float64) {
	return c.margins(c.units.Whole)
}

func (c *Confusion) margins(weights []float64) (rows, columns []float64, n, same float64) {
	both := make([]float64, 2*len(c.Categories))
	rows, columns = both[:len(c.Categories)], both[len(c.Categories):]
	for k, w := range weights {
		row, column := c.pairs[k][0], c.pairs[k][1]
		rows[row], columns[column], n = rows[row]+w, columns[column]+w, n+w
		if row == column {
			same += w
		}
	}
	return rows, columns, n, same
}

// Counts is how often each value of the reference, a row, meets each of the judge.
func (c *Confusion) Counts() [][]float64 {
	counts := make([][]float64, len(c.Categories))
	for row := range counts {
		counts[row] = make([]float64, len(c.Categories))
	}
	for k, w := range c.units.Whole {
		counts[c.pairs[k][0]][c.pairs[k][1]] = w
	}
	return counts
}

// Agreement is the share of equal pairs.
func (c *Confusion) Agreement() stats.Figure {
	return c.share(func(row, column int) (hit, counted bool) { return row == column, true })
}

// Kappa is Cohen's kappa (Cohen 1960), and with quadratic weights 1-(c-k)² by the values of the
// categories (Cohen 1968):
//
//	1 - Σ w O / Σ w E,  w = [row ≠ column] or (value of row − value of column)²
func (c *Confusion) Kappa(quadratic bool) stats.Figure {
	return c.jackknife(func(weights []float64) float64 { return c.kappa(weights, quadratic) })
}

// kappa has scikit-learn's order of operations, so that all digits are equal for up to 11 categories: the expected counts are
// added as numpy adds up to 128 numbers, eight partial sums in pairs and then the rest.
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

// ResampledKappa is the bootstrap distribution of Cohen's kappa: clusters are drawn.
func (c *Confusion) ResampledKappa(r stats.Resampling) (stats.Distribution, error) {
	return c.units.Bootstrap(r, func(weights []float64) []float64 { return []float64{c.kappa(weights, false)} }).Distribution(0)
}

// CohenKappa returns Cohen's kappa of two raters (Confusion.Kappa). Each rater has marginals of
// their own, unlike in alpha. Labels are compared exactly, and have no order.
//
// If both raters use one and the same label only, kappa is undefined (ErrNoVariation). Further
// errors are as for NewConfusion.
func CohenKappa(x, y []float64) (kappa float64, err error) {
	defer stats.Wrap("kappa", &err)
	c, err := NewConfusion(x, y, nil, nil, 0.95)
	if err != nil {
		return 0, err
	}
	kappa = c.kappa(c.units.Whole, false)
	if math.IsNaN(kappa) {
		return 0, stats.ErrNoVariation
	}
	return kappa, nil
}

// AC1 is Gwet's coefficient (Gwet 2008): with π_k the mean share of category k over both raters,
//
//	(p_a − p_e)/(1 − p_e),  p_e = Σ π_k (1 − π_k)/(K − 1)
func (c *Confusion) AC1() stats.Figure {
	return c.jackknife(func(weights []float64) float64 {
		rows, columns, n, same := c.margins(weights)
		chance := 0.0
		for k := range rows {
			pi := (rows[k] + columns[k]) / (2 * n)
			chance += pi * (1 - pi) / float64(len(rows)-1)
		}
		return (same/n - chance) / (1 - chance)
	})
}

// Rates compares a class with all others: the share of the reference's class that the judge
// finds (true positive rate), the share of the others that it leaves out (true negative rate), the
// share of its finds that are right (precision), and F1, the harmonic mean of the first and third.
func (c *Confusion) Rates(class float64) (tpr, tnr, precision, f1 stats.Figure) {
	k, _ := slices.BinarySearch(c.Categories, class)
	tpr = c.share(func(row, column int) (hit, counted bool) { return column == k, row == k })
	tnr = c.share(func(row, column int) (hit, counted bool) { return column != k, row != k })
	precision = c.share(func(row, column int) (hit, counted bool) { return row == k, column == k })
	f1 = c.jackknife(func(weights []float64) float64 {
		right, both := 0.0, 0.0
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

// jackknife is a figure with the interval of stats.Replicates.Jackknife, in [-1, 1]. Where it is undefined without a cluster, there is no
// interval.
func (c *Confusion) jackknife(figure func(weights []float64) float64) (b stats.Figure) {
	e, err := c.units.LeaveOut(func(weights []float64) []float64 { return []float64{figure(weights)} }).Jackknife(0, c.level)
	if !stats.IsFinite(e.Value) {
		return stats.Figure{}
	}
	b = stats.Number(e.Value)
	if err == nil {
		b.Low, b.High, b.Bounded = max(-1, e.Low), min(1, e.High), true
	}
	return b
}

// share is a proportion of pairs: of those that are counted, the hits. Its interval is Wilson's with Student's quantile
// and the number of pairs that would have the same variance if they were independent,
//
//	n_e = p(1−p)/SE²,  SE² = G/(G−1) Σ_c (hits_c − p·n_c)² / n²
//
// over the clusters c that have such pairs (Korn and Graubard 1998; Dean and Pavlou 2015), at most
// n. Where all pairs or none are hits, n_e is the number of clusters.
func (c *Confusion) share(kind func(row, column int) (hit, counted bool)) (b stats.Figure) {
	var hit, counted []bool
	for _, p := range c.pairs {
		h, n := kind(int(p[0]), int(p[1]))
		hit, counted = append(hit, h && n), append(counted, n)
	}
	type sums struct{ hits, n float64 }
	var all sums
	var each []sums
	for cluster := range c.units.Clusters() {
		var s sums
		for pair, w := range c.units.Cluster(cluster) {
			if counted[pair] {
				s.n += w
			}
			if hit[pair] {
				s.hits += w
			}
		}
		if s.n > 0 {
			each, all = append(each, s), sums{all.hits + s.hits, all.n + s.n}
		}
	}
	clusters := float64(len(each))
	if clusters == 0 {
		return stats.Figure{}
	}
	b = stats.Number(all.hits / all.n)
	if clusters < 2 {
		return b
	}
	variance := 0.0
	for _, s := range each {
		e := s.hits - b.Value*s.n
		variance += e * e
	}
	variance *= clusters / (clusters - 1) / (all.n * all.n)
	size := clusters
	if variance > 0 {
		size = min(all.n, b.Value*(1-b.Value)/variance)
	}
	b.Low, b.High = stats.WilsonBounds(b.Value, size, c.quantile)
	b.Bounded = true
	return b
}

// OfShares is the table with other cells, in the order of Counts row by row, for instance weighted shares: its figures have no
// intervals.
func (c *Confusion) OfShares(cells []float64) *Confusion {
	other := &Confusion{Categories: c.Categories, units: &stats.Sums{Whole: cells}, level: c.level}
	for i := range cells {
		other.pairs = append(other.pairs, [2]int32{int32(i / len(c.Categories)), int32(i % len(c.Categories))})
	}
	return other
}
