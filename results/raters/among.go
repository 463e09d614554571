package raters

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
)

const (
	// mostGwet is the greatest number of different values for Gwet's coefficients, whose tables are categories × categories. More values
	// are measurements.
	mostGwet = 100
	// mostPaired is the greatest number of raters for which figures of all pairs of raters are computed.
	mostPaired = 200
	// leastShared is the least number of common units on which a pair of raters is compared: rho of two units is always 1 or -1.
	leastShared = 10
)

// Among measures how well several raters agree with each other, on the units that two or more of them rated. The agreement of people among
// themselves is the ceiling of a judge.
func (t Table) Among(raters []Rater, o Options) (r Row) {
	ratings, err := agreement.NewRatings(columnsOf(raters)...)
	if err != nil { // a value that is not finite, which tables do not have
		r.Level = o.Level
		lack(err, r.figures()...)
		return r
	}
	o.Level = cmp.Or(o.Level, t.Scale.Level)
	if !t.Weighted() || !o.wants(Alpha) {
		return Among(ratings, t.clusters(), t.Scale.Values, o)
	}
	others := o
	others.Figures = cmp.Or(o.Figures, All)&^Alpha | Counts
	r = Among(ratings, t.clusters(), t.Scale.Values, others)
	if r.N > 0 {
		several := func(i int) bool { return len(givenBy(raters, i)) > 1 }
		r.sampleAlpha(t, raters, t.Sample(func(int) bool { return true }, several))
	}
	return r
}

// Among measures how well all raters of a table of ratings agree with each other. clusters has the cluster of each unit; nil makes each
// unit a cluster. scale has the possible values in ascending order; nil means those that occur.
func Among(ratings *agreement.Ratings, clusters []int, scale []float64, o Options) (r Row) {
	r = Row{Judge: "people", Reference: "people", Level: o.Level}
	var units [][]float64 // the ratings of each unit with two or more, if they are needed
	var labels []int      // the clusters of these units
	for u := range ratings.Units() {
		if !ratings.Pairable(u) {
			continue
		}
		r.N++
		if clusters != nil {
			labels = append(labels, clusters[u])
		}
		if o.wants(Shares | Categories) {
			units = append(units, ratings.Given(u))
		}
	}
	if r.N == 0 {
		lack(stats.ErrNoPairableUnits, r.figures()...)
		return r
	}
	r.Clusters = r.N
	if clusters != nil {
		r.Clusters = stats.Different(labels)
	}
	if o.wants(Shares) {
		r.Agreement = share(data.Each(units, alike), labels, o)
	}
	if o.wants(Categories) && !slices.ContainsFunc(units, func(given []float64) bool { return len(given) != len(units[0]) }) {
		r.Kappa = known(agreement.FleissKappa(units))
	}
	if o.wants(Alpha) {
		r.alphaAmong(ratings, clusters, o)
	}
	if o.wants(Levels) {
		nominal, err := agreement.Alpha(ratings, agreement.Nominal)
		r.AlphaNominal = known(nominal.Alpha, err)
	}
	if o.wants(Categories | Gwet) {
		r.gwet(ratings, scale)
	}
	if o.wants(PairMeans) {
		r.pairMeans(ratings)
	}
	return r
}

// alike returns the share of equal pairs among all pairs of a unit's values, in [0, 1].
func alike(given []float64) float64 {
	same := 0
	for i, x := range given {
		for _, y := range given[i+1:] {
			same += int(indicator(x == y))
		}
	}
	return float64(same) / float64(len(given)*(len(given)-1)/2)
}

// alphaAmong fills in alpha with its interval. clusters is as in Among.
func (r *Row) alphaAmong(table *agreement.Ratings, clusters []int, o Options) {
	a, err := agreement.Alpha(table, r.Level)
	r.EqualPairs = stats.Figure{Value: a.Agreement, Known: true}
	if r.Alpha = known(a.Alpha, err); err != nil {
		return
	}
	switch {
	case o.Intervals == NoIntervals:
	case o.leavesOut(r.Clusters):
		r.boundJackknife(agreement.AlphaJackknife(table, r.Level, clusters, o.confidence()))
	default:
		d, err := agreement.AlphaBootstrap(table, r.Level, clusters, o.Resampling)
		r.boundBootstrap(d, err)
	}
}

// gwet fills in Gwet's coefficient: AC1 at nominal level, AC2 with ordinal weights at ordinal level, and AC2 with quadratic weights above.
func (r *Row) gwet(table *agreement.Ratings, scale []float64) {
	different := slices.Concat(scale, table.PairableValues())
	slices.Sort(different)
	if len(slices.Compact(different)) > mostGwet {
		r.AC = stats.MissingFigure(ErrCategories)
		return
	}
	weights := agreement.GwetQuadratic
	switch r.Level {
	case agreement.Nominal:
		weights = agreement.GwetIdentity
	case agreement.Ordinal:
		weights = agreement.GwetOrdinal
	}
	g, err := agreement.GwetAC(table, scale, weights)
	r.AC = known(g.AC, err)
}

// pairMeans fills in the mean over pairs of raters of Cohen's kappa (nominal level; Light 1971) or Spearman's rho. Pairs with fewer than
// leastShared common units are left out. All other pairs count the same.
func (r *Row) pairMeans(ratings *agreement.Ratings) {
	statistic := agreement.Spearman
	if r.Level == agreement.Nominal {
		statistic = agreement.CohenKappa
	}
	n := ratings.Raters()
	if n > mostPaired {
		r.Pairwise = stats.MissingFigure(errManyRaters)
		return
	}
	sum := 0.0
	for i := range n {
		for k := i + 1; k < n; k++ {
			if x, y := ratings.Pair(i, k); len(x) >= leastShared {
				v, err := statistic(x, y)
				if err != nil {
					r.Pairwise.Why = err
					r.Undefined++
					continue
				}
				sum += v
				r.Pairwise.N++
			}
		}
	}
	if r.Pairwise.N > 0 {
		r.Pairwise = stats.Figure{Value: sum / float64(r.Pairwise.N), Known: true, N: r.Pairwise.N}
	}
}

// Ceiling returns how often a person gives the same value as the majority of the other people: the best that a judge of people could reach.
// A person's value does not count if the others are tied.
func (t Table) Ceiling(people []Rater, o Options) (r Row) {
	r = Row{Judge: "people", Reference: "the other people"}
	var same []float64
	var clusters []int
	for i, u := range t.Units {
		given := givenBy(people, i)
		for k, value := range given {
			if others := most(slices.Delete(slices.Clone(given), k, k+1)); others.Given() && len(given) > 1 {
				same = append(same, indicator(value == others.Number()))
				clusters = append(clusters, u.Cluster)
			}
		}
	}
	r.N, r.Clusters = len(same), stats.Different(clusters)
	r.Agreement = share(same, clusters, o)
	return r
}

// PooledKappa returns Cohen's kappa of two raters over several criteria, at nominal level. It is the share of equal values beyond the share
// that the frequencies of the values in each criterion lead to by chance:
//
//	(o − e) / (1 − e), e = Σ n_c Σ_v p_c(v) q_c(v) / Σ n_c
//
// (De Vries, Elliott, Kanouse and Teleki 2008, Health Services Research 43). Each table is one criterion, with the two raters in the same
// order. n is the number of pairs of values, and same that of equal pairs. kappa is unknown if there are no values, or none of them varies
// (e = 1).
func PooledKappa(tables []Table) (kappa stats.Figure, same, n int) {
	chance := 0.0
	for _, t := range tables {
		p := t.Pairs(t.Raters[1], t.Raters[0])
		c, err := agreement.NewConfusion(p.Reference, p.Judge, nil, nil, Options{}.confidence())
		if err != nil {
			continue // no pair, or values that are not numbers, which tables do not have
		}
		ofReference, ofJudge, all, equal := c.Margins()
		n += int(all)
		same += int(equal)
		chance += stats.Dot(ofReference, ofJudge) / all
	}
	if n == 0 || chance >= float64(n) {
		return stats.Figure{}, same, n
	}
	return stats.Figure{Value: (float64(same) - chance) / (float64(n) - chance), Known: true, N: n}, same, n
}
