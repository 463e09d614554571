package agreement

import (
	"cmp"
	"slices"

	"compqa/stats"
)

// A Confusion is the cross table of two raters' categories, by cluster: rows are the reference
// (people), columns the judge. Its statistics have intervals by cluster.
type Confusion struct {
	Categories []float64   // ascending
	Counts     [][]float64 // people × judge

	cells    [][]int // of each cluster: row*K + column of its pairs
	flat     []float64
	k        int
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
	g, err := stats.NewGrouping(clusters, len(x))
	if err != nil {
		return nil, err
	}
	all := slices.Concat(x, y, categories)
	slices.Sort(all)
	c = &Confusion{Categories: slices.Compact(all), level: level, cells: make([][]int, g.Count())}
	c.k = len(c.Categories)
	c.flat = make([]float64, c.k*c.k)
	for i := range x {
		row, _ := slices.BinarySearch(c.Categories, x[i])
		column, _ := slices.BinarySearch(c.Categories, y[i])
		cell := row*c.k + column
		c.flat[cell]++
		c.cells[g.Of[i]] = append(c.cells[g.Of[i]], cell)
	}
	for row := range c.k {
		c.Counts = append(c.Counts, slices.Clone(c.flat[row*c.k:(row+1)*c.k]))
	}
	if g.Count() > 1 {
		unit := stats.Estimate{SE: 1, DF: float64(g.Count() - 1), Level: level}
		err = unit.SetBounds()
		c.quantile = unit.High
	}
	return c, err
}

// Margins are the sums of rows and columns, of all cells, and of the diagonal.
func (c *Confusion) Margins() (rows, columns []float64, n, same float64) {
	rows, columns = make([]float64, c.k), make([]float64, c.k)
	for i, count := range c.flat {
		row, column := i/c.k, i%c.k
		rows[row], columns[column], n = rows[row]+count, columns[column]+count, n+count
		if row == column {
			same += count
		}
	}
	return rows, columns, n, same
}

// Agreement is the share of equal pairs.
func (c *Confusion) Agreement() stats.Figure {
	return c.share(func(i int) (hit, counted bool) { return i/c.k == i%c.k, true })
}

// Kappa is Cohen's kappa (Cohen 1960), and with quadratic weights 1-(c-k)² by the values of the
// categories (Cohen 1968):
//
//	1 - Σ w O / Σ w E,  w = [row ≠ column] or (value of row − value of column)²
func (c *Confusion) Kappa(quadratic bool) stats.Figure {
	return c.jackknife(func() (float64, bool) { return c.kappa(quadratic) })
}

// kappa has scikit-learn's order of operations, so that all digits are equal for up to 11 categories: the expected counts are
// added as numpy adds up to 128 numbers, eight partial sums in pairs and then the rest.
func (c *Confusion) kappa(quadratic bool) (value float64, known bool) {
	rows, columns, n, _ := c.Margins()
	observed, expected := 0.0, make([]float64, len(c.flat))
	for i, count := range c.flat {
		row, column := i/c.k, i%c.k
		if row == column {
			continue
		}
		w := 1.0
		if quadratic {
			w = (c.Categories[row] - c.Categories[column]) * (c.Categories[row] - c.Categories[column])
		}
		observed += w * count
		expected[i] = w * (columns[row] * rows[column] / n)
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
	return 1 - observed/sum, sum > 0
}

// ResampledKappa is the bootstrap distribution of Cohen's kappa: clusters are drawn.
func (c *Confusion) ResampledKappa(r stats.Resampling) (stats.Distribution, error) {
	return r.Run(len(c.cells), func(drawn []int) (float64, error) {
		t := Confusion{Categories: c.Categories, k: c.k, flat: make([]float64, len(c.flat))}
		for _, cluster := range drawn {
			for _, cell := range c.cells[cluster] {
				t.flat[cell]++
			}
		}
		if kappa, known := t.kappa(false); known {
			return kappa, nil
		}
		return 0, stats.ErrNoVariation
	})
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
	kappa, known := c.kappa(false)
	if !known {
		return 0, stats.ErrNoVariation
	}
	return kappa, nil
}

// AC1 is Gwet's coefficient (Gwet 2008): with π_k the mean share of category k over both raters,
//
//	(p_a − p_e)/(1 − p_e),  p_e = Σ π_k (1 − π_k)/(K − 1)
func (c *Confusion) AC1() stats.Figure {
	return c.jackknife(func() (float64, bool) {
		rows, columns, n, same := c.Margins()
		chance := 0.0
		for k := range c.k {
			pi := (rows[k] + columns[k]) / (2 * n)
			chance += pi * (1 - pi) / float64(c.k-1)
		}
		return (same/n - chance) / (1 - chance), c.k > 1
	})
}

// Rates are those of a class against all others: the share of the reference's class that the judge
// finds (true positive rate), the share of the others that it leaves out (true negative rate), the
// share of its finds that are right (precision), and F1, the harmonic mean of the first and third.
func (c *Confusion) Rates(class float64) (tpr, tnr, precision, f1 stats.Figure) {
	k, _ := slices.BinarySearch(c.Categories, class)
	tpr = c.share(func(i int) (hit, counted bool) { return i%c.k == k, i/c.k == k })
	tnr = c.share(func(i int) (hit, counted bool) { return i%c.k != k, i/c.k != k })
	precision = c.share(func(i int) (hit, counted bool) { return i/c.k == k, i%c.k == k })
	f1 = c.jackknife(func() (float64, bool) {
		rows, columns, _, _ := c.Margins()
		return 2 * c.flat[k*c.k+k] / (rows[k] + columns[k]), rows[k]+columns[k] > 0
	})
	return tpr, tnr, precision, f1
}

// jackknife is a statistic with the interval of stats.Jackknife over clusters, in [-1, 1]. Where it is
// undefined without one of them, there is no interval.
func (c *Confusion) jackknife(statistic func() (float64, bool)) (b stats.Figure) {
	b.Value, b.Known = statistic()
	if !b.Known {
		return stats.Figure{}
	}
	leftOut, without := make([]float64, 0, len(c.cells)), map[int]float64{} // without each cluster; without a pair of a cell
	for _, cells := range c.cells {
		if v, ok := without[cells[0]]; ok && len(cells) == 1 {
			leftOut = append(leftOut, v)
			continue
		}
		for _, i := range cells {
			c.flat[i]--
		}
		v, known := statistic()
		for _, i := range cells {
			c.flat[i]++
		}
		if !known {
			return b
		}
		if leftOut = append(leftOut, v); len(cells) == 1 {
			without[cells[0]] = v
		}
	}
	if e, err := stats.Jackknife(b.Value, leftOut, c.level); err == nil {
		b.Low, b.High, b.Bounded = max(-1, e.Low), min(1, e.High), true
	}
	return b
}

// share is a proportion of pairs: of those with of, the ones with hit. Its interval is Wilson's with Student's quantile
// and the number of pairs that would have the same variance if they were independent,
//
//	n_e = p(1−p)/SE²,  SE² = G/(G−1) Σ_c (hits_c − p·n_c)² / n²
//
// over the clusters c that have such pairs (Korn and Graubard 1998; Dean and Pavlou 2015), at most
// n. Where all pairs or none are hits, n_e is the number of clusters.
func (c *Confusion) share(kind func(cell int) (hit, counted bool)) (b stats.Figure) {
	hits, n, clusters := 0.0, 0.0, 0.0
	type sums struct{ hits, n float64 }
	var each []sums
	for _, cells := range c.cells {
		var s sums
		for _, i := range cells {
			if hit, counted := kind(i); counted {
				s.n++
				if hit {
					s.hits++
				}
			}
		}
		if s.n > 0 {
			each, clusters = append(each, s), clusters+1
			hits, n = hits+s.hits, n+s.n
		}
	}
	if n == 0 {
		return stats.Figure{}
	}
	b.Value, b.Known = hits/n, true
	if clusters < 2 {
		return b
	}
	variance := 0.0
	for _, s := range each {
		e := s.hits - b.Value*s.n
		variance += e * e
	}
	variance *= clusters / (clusters - 1) / (n * n)
	size := clusters
	if variance > 0 {
		size = min(n, b.Value*(1-b.Value)/variance)
	}
	b.Low, b.High = stats.WilsonBounds(b.Value, size, c.quantile)
	b.Bounded = true
	return b
}

// OfShares is the table with other cells, in the order of Counts row by row, for instance weighted shares: its figures have no
// intervals.
func (c *Confusion) OfShares(cells []float64) *Confusion {
	return &Confusion{Categories: c.Categories, flat: cells, k: c.k, level: c.level}
}
