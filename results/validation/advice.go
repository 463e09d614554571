package validation

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"compqa/data"
	"compqa/results/table"
	"compqa/results/trust"
	"compqa/results/validation/scales"
	"compqa/stats"
)

// A Disagreement is a row of disagreements.csv: an item on which judge and people are far apart.
type Disagreement struct {
	Of
	ID       string       `csv:"id"`
	System   string       `csv:"system"`
	Judged   string       `csv:"judged"`
	People   string       `csv:"people"` // value of each person
	Gap      stats.Figure `csv:"gap"`    // distance as a share of the scale, in [0, 1]
	Question string       `csv:"question"`
	Text     string       `csv:"text"`
	Reason   string       `csv:"reason"`
}

// worst returns up to n items on which the judge is farthest from people.
func (p *Pairing) worst(n int) (worst []Disagreement) {
	if !p.SameScale {
		return nil
	}
	x := p.t.Pairs(p.judge, p.mean)
	gaps := x.JudgeMinusReference()
	var apart []int // indexes of pairs that differ
	for k, i := range x.Units {
		gaps[k] = math.Abs(gaps[k]) / max(p.PeopleScale.High-p.PeopleScale.Low, 1e-300)
		same := gaps[k] == 0
		if p.PeopleScale.Kind == scales.Nominal {
			same = p.most.Values[i] == p.judge.Values[i]
			gaps[k] = 1
		}
		if !same {
			apart = append(apart, k)
		}
	}
	if n < len(apart) { // keep those with the n largest gaps, and their ties
		largest := data.Each(apart, func(k int) float64 { return -gaps[k] })
		slices.Sort(largest)
		apart = data.Where(apart, func(k int) bool { return -gaps[k] <= largest[n] })
	}
	slices.SortStableFunc(apart, func(a, b int) int {
		return cmp.Or(cmp.Compare(gaps[b], gaps[a]), strings.Compare(p.Units[x.Units[a]].ID, p.Units[x.Units[b]].ID))
	})
	for _, k := range apart[:min(n, len(apart))] {
		i := x.Units[k]
		var values []string
		for _, q := range p.peopleOn(p.PeoplesName) {
			if value := q.Value(i); value != "" {
				values = append(values, q.Rater.Name+" "+value)
			}
		}
		u := p.Units[i]
		worst = append(worst, Disagreement{p.Of, u.ID, u.System, p.series.Value(i), strings.Join(values, ", "), stats.Number(gaps[k]),
			u.Question, u.Text, p.series.Reason(i)})
	}
	return worst
}

// labels returns sentences on how many labels would give the corrected rate of each judge the wanted width, and chooses the items to label.
func (r *Result) labels() {
	for _, p := range r.comparable() {
		n, has, judged := p.labelsFor(r.o.LabelsFor)
		switch {
		case p.nominal():
			r.Labels = append(r.Labels, trust.NoRate(r.name(p)))
		case n == 0:
			continue
		case n > len(judged):
			r.Labels = append(r.Labels, trust.NotEnoughItems(r.name(p), len(judged), r.o.LabelsFor))
		default:
			r.Labels = append(r.Labels, trust.LabelsForWidth(r.name(p), n, has, r.o.LabelsFor))
		}
		if items := p.toLabel(judged, min(n, len(judged))-has); len(items) > len(r.ToLabel) {
			r.ToLabel = items
		}
	}
	if len(r.ToLabel) > 0 {
		r.Done = append(r.Done, "tables/to_label.csv has the "+data.Plural(len(r.ToLabel), "more item", "more items")+" to label")
	}
}

// labelsFor returns the least number n of labels that would give the corrected rate of a judge an interval of ± width. has is the number
// of labels now. judged are the items that the judge scored. If labels of all of them would not suffice, n is greater than their number.
func (p *Pairing) labelsFor(width float64) (n, has int, judged []int) {
	for i, v := range p.judge.Values {
		if v.Given() {
			judged = append(judged, i)
		}
	}
	if len(judged) < 2 || !p.SameScale {
		return 0, 0, nil
	}
	ppi := p.items().Random()
	precision := precisionOf(ppi)
	n = 3 + sort.Search(len(judged)-2, func(k int) bool { return precision.half(k+3) <= width })
	return n, len(ppi.Human), judged
}

// A precision says how precisely the corrected rate is known with a number of labels (two-phase sampling). Labels estimate what the judge's
// values leave open; the judge's values of all items give the rest. Without labels, open is the variance of the judge's own values, as for
// a judge of no use.
type precision struct {
	open    float64 // variance of people's value minus slope × the judge's value
	icc     float64 // correlation of two such differences in one cluster, in [0, 1]
	rest    float64 // variance that more labels do not reduce: of the judge's mean, and its covariance with open in clusters
	pairs   float64 // probability that two labelled items are in one cluster
	items   int
	cluster float64 // mean number of items in a cluster
}

// precisionOf returns the precision of a sample. With fewer than trust.LeastLabels labels it knows only the variance of the judge's values.
func precisionOf(s stats.PPISample) (spread precision) {
	all := slices.Concat(s.Judge, s.Unlabelled)
	clusters := slices.Concat(s.Clusters, s.UnlabelledClusters)
	size := map[int]float64{}
	for _, c := range clusters {
		size[c]++
	}
	n := float64(len(all))
	spread.items = len(all)
	spread.cluster = n / float64(len(size))
	for _, m := range size {
		spread.pairs += m * (m - 1) / (n * (n - 1))
	}
	spread.open = stat.Variance(all, nil)
	spread.icc = withinClusters(all, clusters, 0)
	if len(s.Human) < trust.LeastLabels {
		return spread
	}
	slope := 0.0
	if v := stat.Variance(s.Judge, nil); v > 0 {
		slope = min(1, max(0, stat.Covariance(s.Human, s.Judge, nil)/v))
	}
	left := floats.AddScaledTo(make([]float64, len(s.Human)), s.Human, -slope, s.Judge)
	spread.rest = slope*slope*spread.open*(1+spread.icc*(n-1)*spread.pairs)/n + 2*slope*shared(left, s.Judge, s.Clusters, all, clusters)/n
	spread.open, spread.icc = stat.Variance(left, nil), withinClusters(left, s.Clusters, spread.icc)
	return spread
}

// withinClusters returns the correlation of two values in one cluster, in [0, 1]. It returns unknown if there are fewer than
// trust.LeastLabels pairs.
func withinClusters(values []float64, clusters []int, unknown float64) float64 {
	mean, variance := stat.MeanVariance(values, nil)
	sums := map[int]float64{}
	squares := map[int]float64{}
	size := map[int]float64{}
	for i, v := range values {
		sums[clusters[i]] += v - mean
		squares[clusters[i]] += (v - mean) * (v - mean)
		size[clusters[i]]++
	}
	products := 0.0
	pairs := 0.0
	for _, c := range slices.Sorted(maps.Keys(size)) {
		products += sums[c]*sums[c] - squares[c]
		pairs += size[c] * (size[c] - 1)
	}
	if pairs < 2*trust.LeastLabels || variance == 0 {
		return unknown
	}
	return min(1, max(0, products/pairs/variance))
}

// shared returns a covariance within clusters, as a mean over labelled items. It multiplies what the judge leaves open on an item with the
// sum of the judge's values of the other items in the cluster, each minus its mean.
func shared(left, judge []float64, labelled []int, all []float64, clusters []int) float64 {
	sums := map[int]float64{}
	mean := stat.Mean(all, nil)
	open := stat.Mean(left, nil)
	for i, v := range all {
		sums[clusters[i]] += v - mean
	}
	total := 0.0
	for i, v := range left {
		total += (v - open) * (sums[labelled[i]] - (judge[i] - mean)) / float64(len(left))
	}
	return total
}

// designEffect returns the variance of the mean of n labels that are drawn at random from items in clusters, relative to independent items:
//
//	1 + icc (n-1) P(two labelled items are of one cluster)
func (p precision) designEffect(n int) float64 { return 1 + p.icc*float64(n-1)*p.pairs }

// half returns the half-width of the interval with n ≥ 3 labels that are drawn at random:
//
//	t √( open · designEffect(n) / n + rest )
//
// t has the degrees of freedom of the expected number of clusters with labels.
func (p precision) half(n int) float64 {
	share := float64(n) / float64(p.items)
	clusters := float64(p.items) / p.cluster * (1 - math.Pow(1-min(1, share), p.cluster))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: max(1, clusters-2)}.Quantile((1 + level) / 2)
	return t * math.Sqrt(max(0, p.open*p.designEffect(n)/float64(n)+p.rest))
}

// toLabel draws n items without labels, in proportion from each stratum of the system and the judge's value.
func (p *Pairing) toLabel(judged []int, n int) (items []ToLabel) {
	key := func(i int) string { return p.Units[i].System + "\x00" + p.series.Value(i) }
	strata := table.Grouped(data.Where(judged, func(i int) bool { return !p.Units[i].Labelled }), key)
	slices.SortFunc(strata, func(a, b []int) int { return strings.Compare(key(a[0]), key(b[0])) })
	type place struct {
		position float64 // position of the item in the order of all strata, in [0, 1)
		index    int
	}
	var order []place
	rng := stats.NewRNG(p.o.Seed, "labels")
	for _, stratum := range strata {
		rng.Shuffle(len(stratum), func(i, k int) { stratum[i], stratum[k] = stratum[k], stratum[i] })
		start := rng.Float64()
		for k, i := range stratum {
			order = append(order, place{(float64(k) + start) / float64(len(stratum)), i})
		}
	}
	slices.SortStableFunc(order, func(a, b place) int { return cmp.Compare(a.position, b.position) })
	for _, place := range order[:max(0, min(n, len(order)))] {
		items = append(items, ToLabel{Unit: p.Units[place.index]})
	}
	return items
}
