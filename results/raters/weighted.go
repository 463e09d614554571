package raters

import (
	"errors"
	"math"
	"slices"

	"compqa/stats"
	"compqa/stats/agreement"
	"compqa/stats/labels"
)

// Sample is a weighted table as the statistics of labels want it: all units that in holds for, of which some are labelled.
func (t Table) Sample(in, labelled func(unit int) bool) labels.Sample {
	s := labels.Sample{Strata: make([]int, len(t.Units)), Clusters: t.clusters(), Labelled: make([]bool, len(t.Units))}
	for i, u := range t.Units {
		s.Strata[i] = u.Stratum
		if !in(i) {
			s.Strata[i] = labels.None
		}
		s.Labelled[i] = s.Strata[i] != labels.None && labelled(i)
		if u.Inclusion > 0 && s.Inclusion == nil {
			s.Inclusion = make([]float64, len(t.Units))
		}
	}
	for i := range s.Inclusion {
		s.Inclusion[i] = t.Units[i].Inclusion
	}
	return s
}

// weighted fills in the figures of the units that the judge rated, from those that the reference rated too.
func (m *measure) weighted(judge, reference Rater) {
	x := func(i int) float64 { return judge.Values[i].Number() }
	y := func(i int) float64 { return reference.Values[i].Number() }
	judged := func(i int) bool { return judge.Values[i].Given() }
	s := m.t.Sample(judged, func(i int) bool { return reference.Values[i].Given() })
	m.weightedRanks(s, x, y)
	table, err := agreement.NewConfusion(m.p.Reference, m.p.Judge, m.t.Scale.Values, nil, m.o.confidence())
	crossed := err == nil && len(table.Categories) <= mostCategories
	wantsCells := crossed && (m.o.wants(Categories) || m.o.wants(Shares))
	k := 0
	if wantsCells {
		k = len(table.Categories)
	}
	const moments = 3 // x-y, |x-y|, [x=y]
	values := func(i int) []float64 {
		a, b := x(i), y(i)
		sums := make([]float64, moments+k*k)
		copy(sums, []float64{a - b, math.Abs(a - b), indicator(a == b)})
		if k > 0 {
			row, _ := slices.BinarySearch(table.Categories, b)
			column, _ := slices.BinarySearch(table.Categories, a)
			sums[moments+row*k+column] = 1
		}
		return sums
	}
	yes := 0
	if k > 0 {
		yes, _ = slices.BinarySearch(table.Categories, 1)
	}
	f := s.Figures(values, nil, func(v []float64) []float64 {
		if k == 0 {
			return v
		}
		c := table.OfShares(v[moments:])
		rows, columns, _, _ := c.Margins()
		tp, positive, passed := 0.0, 0.0, 0.0
		if yes < k {
			tp, positive, passed = v[moments+yes*k+yes], rows[yes], columns[yes]
		}
		value := func(b stats.Figure) float64 {
			if !b.Known {
				return math.NaN()
			}
			return b.Value
		}
		return append(v[:moments:moments], value(c.Kappa(false)), value(c.Kappa(true)), value(c.AC1()), tp/positive,
			(1-positive-passed+tp)/(1-positive), tp/passed, 2*tp/(positive+passed))
	})
	if f == nil {
		m.warn("all", ErrMissing)
		return
	}
	if m.o.wants(Alpha) {
		m.weightedAlpha(m.t, []Rater{judge, reference}, judged)
	}
	if m.o.wants(Differences) {
		m.Difference, m.MAE = stats.Figure{Value: f[0].Value, Known: true}, stats.Figure{Value: f[1].Value, Known: true}
	}
	if k > 0 && m.o.wants(Categories) || m.o.wants(Shares) {
		m.Agreement = m.weightedShare("agreement", s, f[2], func(int) bool { return true }, false)
	}
	if k == 0 || !m.o.wants(Categories) {
		return
	}
	m.weightedCategories(s, table, f, x, y, func(i int) []float64 { return values(i)[moments:] })
}

// weightedRanks fills in the rank correlation.
func (m *measure) weightedRanks(s labels.Sample, x, y func(unit int) float64) {
	if !m.o.wants(Ranks) {
		return
	}
	e, err := s.Spearman(x, y)
	if stats.IsFinite(e.Value) && !errors.Is(err, stats.ErrUndefined) || e.SE > 0 {
		m.Spearman = m.weightedFigure("spearman", e, -1, 1)
		m.Spearman.Bounded = m.Spearman.Bounded && m.o.wants(RankIntervals)
	} else {
		m.warn("spearman", stats.ErrUndefined)
	}
}

// weightedCategories fills in what a cross table has: kappas, floors and rates, of the figures of weighted; cells are those of a unit.
func (m *measure) weightedCategories(s labels.Sample, table *agreement.Confusion, f []stats.Estimate, x, y func(unit int) float64,
	cells func(unit int) []float64) {
	k := len(table.Categories)
	m.Kappa, m.AC = m.weightedFigure("kappa", f[3], -1, 1), m.weightedFigure("ac", f[5], -1, 1)
	if m.t.Scale.Level != agreement.Nominal {
		m.Quadratic = m.weightedFigure("kappa", f[4], -1, 1)
	}
	m.rareKappa()
	whole := s.Figures(cells, nil, func(v []float64) []float64 {
		rows, columns, _, _ := table.OfShares(v).Margins()
		return append([]float64{stats.Dot(rows, columns)}, rows...)
	})
	rows := make([]float64, k)
	for i := range rows {
		rows[i] = whole[1+i].Value
	}
	m.Constant, m.Chance = stats.Figure{Value: slices.Max(rows), Known: true}, stats.Figure{Value: whole[0].Value, Known: true}
	if m.t.Scale.Rates && slices.Contains(table.Categories, 1) {
		byJudge := constantWithin(s, x)
		positive := func(i int) bool { return y(i) == 1 }
		negative := func(i int) bool { return y(i) != 1 }
		m.TPR = m.weightedShare("tpr", s, f[6], positive, byJudge)
		m.TNR = m.weightedShare("tnr", s, f[7], negative, byJudge)
		m.Precision = m.weightedShare("precision", s, f[8], func(i int) bool { return x(i) == 1 }, false)
		m.F1 = m.weightedFigure("f1", f[9], 0, 1)
	}
}

// constantWithin reports whether a value is the same for all units of each stratum.
func constantWithin(s labels.Sample, value func(unit int) float64) bool {
	first := map[int]float64{}
	for i, h := range s.Strata {
		if h == labels.None {
			continue
		}
		v, known := first[h]
		if !known {
			first[h] = value(i)
		} else if v != value(i) {
			return false
		}
	}
	return true
}

// weightedFigure is a figure with Student's interval, within limits.
func (r *Row) weightedFigure(name string, e stats.Estimate, least, most float64) (f stats.Figure) {
	if !stats.IsFinite(e.Value) {
		r.warn(name, stats.ErrUndefined)
		return f
	}
	f = stats.Figure{Value: e.Value, Known: true}
	e, err := labels.Interval(e, 0.95)
	r.bound(&f, name, max(least, e.Low), min(most, e.High), err)
	return f
}

// weightedShare is a share of the units that in holds for, with its interval; free says that strata determine which are counted.
func (m *measure) weightedShare(name string, s labels.Sample, e stats.Estimate, in func(int) bool, free bool) (f stats.Figure) {
	if !stats.IsFinite(e.Value) {
		m.warn(name, stats.ErrUndefined)
		return f
	}
	f = stats.Figure{Value: e.Value, Known: true}
	e, err := s.ShareInterval(e, in, free, m.o.confidence())
	m.bound(&f, name, e.Low, e.High, err)
	return f
}

// weightedAlpha is alpha of several raters, each unit with its weight in the coincidences: of a unit with m values,
//
//	D_o = Σ w D_u / Σ w m,  D_u = Σ_{i≠j} δ²(v_i, v_j) / (m-1)
//
// and D_e from the weighted values, at interval or nominal level, of the units that in holds for.
func (r *Row) weightedAlpha(t Table, raters []Rater, in func(unit int) bool) {
	var categories []float64
	if r.Level == agreement.Nominal {
		for i := range t.Units {
			categories = append(categories, givenBy(raters, i)...)
		}
		slices.Sort(categories)
		categories = slices.Compact(categories)
	}
	values := 0
	figures := func(i int) []float64 {
		given := givenBy(raters, i)
		m := float64(len(given))
		sums := make([]float64, 4+len(categories)) // m, Σv, Σv², D_u, counts
		for _, v := range given {
			sums[0], sums[1], sums[2] = sums[0]+1, sums[1]+v, sums[2]+v*v
			if k, is := slices.BinarySearch(categories, v); is {
				sums[4+k]++
			}
		}
		sums[3] = 2 * (m*sums[2] - sums[1]*sums[1]) / (m - 1)
		if categories != nil {
			sums[3] = (m*m - stats.Dot(sums[4:], sums[4:])) / (m - 1)
		}
		return sums
	}
	several := func(i int) bool { return len(givenBy(raters, i)) > 1 }
	for i := range t.Units {
		if several(i) {
			values += len(givenBy(raters, i))
		}
	}
	f := t.Sample(in, several).Figures(figures, nil, func(v []float64) []float64 {
		n := float64(values)
		mean := v[1] / v[0]
		expected := 2 * (v[2]/v[0] - mean*mean)
		if categories != nil {
			expected = 1 - stats.Dot(v[4:], v[4:])/(v[0]*v[0])
		}
		if expected <= 1e-12 {
			return []float64{math.NaN()}
		}
		return []float64{1 - v[3]/v[0]/(expected*n/(n-1))}
	})
	if f == nil {
		r.warn("alpha", ErrMissing)
		return
	}
	r.Alpha = r.weightedFigure("alpha", f[0], -1, 1)
}
