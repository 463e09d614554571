package ranking

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
	"gonum.org/v1/gonum/mat"

	"compqa/stats"
)

// The many-facet Rasch model in its rating-scale form (Linacre 1989, Many-Facet Rasch Measurement): item i has a quality B_i, rater r a
// severity C_r, and step k from one category to the next a difficulty F_k, all in logits:
//
//	log(P(x_ir = k) / P(x_ir = k-1)) = B_i - C_r - F_k        k = 1 … K
//
// Severities and steps maximise a composite conditional likelihood of pairs of raters (Elliott and Buttery 2022; estimation cp-full-rcl of
// raschpy 1.4, without its ridges). Conditional on the total of two raters r and s on one item, B_i cancels:
//
//	log(P(x_ir = a, x_is = b) / P(x_ir = a-1, x_is = b+1)) = C_s + F_(b+1) - C_r - F_a
//
// Joint maximum likelihood was rejected: with L raters of each item, it exaggerates differences by L/(L-1) for yes and no (Andersen 1980).
// Marginal likelihood was rejected because it assumes the distribution of B. This likelihood does not estimate B and has no such bias.
const (
	leastSeverity  = 30  // items with two ratings that are needed for an estimate
	mostCategories = 20  // more different values are measurements, not categories
	mostRaters     = 200 // maximum number of raters whose parameters are estimated together
	stepPrior      = .01 // precision of the prior of F_(k+1) - F_k around 0, which keeps steps next to a rare category finite
)

// A Strictness is the estimated severity of one rater, with the fit of the model to this rater.
type Strictness struct {
	Items    int            // items of the rater that another rater rated, too
	Severity stats.Estimate // larger is stricter; relative to the mean of the raters of the origin; 95 % interval, clustered
	Side     int            // 0: Severity is finite; 1: infinitely strict, as all values are at the low end; -1: infinitely mild
	Infit    MeanSquare     // mean square of residuals weighted with their information
	Outfit   MeanSquare     // mean square of residuals with equal weights
}

// A MeanSquare is a mean square of residuals. It is 1 if the rater follows the model, larger if the values are more random, smaller if they
// are less random. A residual is the difference of a value from its expectation given the total of the item (Müller 2020), so that B is
// not estimated.
type MeanSquare struct {
	Value, SE float64 // SE is valid if the model holds
	Items     int     // items with three or more values whose total does not determine them; 0: the fit is not known
}

// A Panel holds the severities of raters who share items.
type Panel struct {
	Raters     []Strictness
	Steps      []float64 // F_1 … F_K, of mean 0
	covariance *mat.SymDense
}

// An UnconnectedError means that the raters form several parts that share no item, so that severities of different parts cannot be
// compared.
type UnconnectedError struct{ Groups [][]int } // raters of each part

func (e *UnconnectedError) Error() string {
	return fmt.Sprintf("the raters fall into %d parts without a common item", len(e.Groups))
}

func (e *UnconnectedError) Unwrap() error { return stats.ErrUndefined }

// A OneSidedError means that fewer than 30 items are left after raters were removed who always give the highest or the lowest value if
// raters differ.
type OneSidedError struct{ Err error }

func (e *OneSidedError) Error() string {
	return "a rater gives always an end of the scale: " + e.Err.Error()
}

func (e *OneSidedError) Unwrap() error { return e.Err }

// Severities estimates the severities of raters. values has a row for each rater with a value for each item, or NaN. Each different value
// is a category, and only the order of values counts. The origin is the mean severity of the raters for which origin is true. clusters
// labels each item; nil means that every item is a cluster. Standard errors are from the sandwich estimator over clusters.
//
// Errors wrap stats.ErrUndefined: fewer than 30 items with two ratings, fewer than 2 categories or more than 20, more than 200 raters,
// parts without a common item (UnconnectedError), no rater of the origin with a finite severity, too few items without one-sided raters
// (OneSidedError).
func Severities(values [][]float64, origin []bool, clusters []int) (p Panel, err error) {
	defer stats.Wrap("severities", &err)
	if len(values) < 2 || len(values) > mostRaters {
		return p, stats.Reason(fmt.Sprintf("%d raters, 2 to %d can be compared", len(values), mostRaters))
	}
	for r, row := range values {
		if len(row) != len(values[0]) || slices.ContainsFunc(row, func(x float64) bool { return math.IsInf(x, 0) }) {
			return p, fmt.Errorf("%w: %d values of rater %d, some may be infinite", stats.ErrInvalidValue, len(row), r)
		}
	}
	p.Raters = make([]Strictness, len(values))
	for { // after removing raters without a finite severity, others may have none
		f, err := newFacets(values, clusters, p.Raters)
		if err != nil && slices.ContainsFunc(p.Raters, func(r Strictness) bool { return r.Side != 0 }) {
			return p, &OneSidedError{err}
		}
		if err != nil {
			return p, err
		}
		for r, n := range f.itemCounts {
			p.Raters[r].Items = max(p.Raters[r].Items, n)
		}
		if all := f.sides(p.Raters); all {
			return p, f.estimate(&p, origin)
		}
	}
}

// Difference returns the severity of rater a minus that of rater b. Both must have a finite severity.
func (p Panel) Difference(a, b int) (stats.Estimate, error) {
	d := p.Raters[a].Severity
	d.Value -= p.Raters[b].Severity.Value
	d.SE = math.Sqrt(max(0, p.covariance.At(a, a)+p.covariance.At(b, b)-2*p.covariance.At(a, b)))
	return d, d.SetBounds()
}

// facets holds the categories of all items that at least two raters with a finite severity rated.
type facets struct {
	forms      [][]itemScore // different categories by the same raters, or by others
	formOf     []int32       // form of each item
	groups     stats.Grouping
	itemCounts []int                // number of items of each rater
	top        int                  // K, the highest category
	counts     map[[2]int][]float64 // for two raters, the one with the lower number first: number of items by both categories, (K+1) × (K+1)
}

// An itemScore is the category that a rater gave to an item.
type itemScore struct{ rater, category int }

// newFacets numbers the categories of the raters whose Side is 0, and counts each pair of raters' pairs of categories.
func newFacets(values [][]float64, clusters []int, raters []Strictness) (*facets, error) {
	f := &facets{itemCounts: make([]int, len(values)), counts: map[[2]int][]float64{}}
	var distinct []float64
	var labels []int
	units := make([]int, 0, len(values[0]))
	rated := func(r, i int) bool { return raters[r].Side == 0 && !math.IsNaN(values[r][i]) }
	for i := range values[0] {
		n := 0
		for r := range values {
			if rated(r, i) {
				n++
			}
		}
		if n < 2 {
			continue
		}
		for r := range values {
			if !rated(r, i) {
				continue
			}
			f.itemCounts[r]++
			place, known := slices.BinarySearch(distinct, values[r][i])
			if !known {
				distinct = slices.Insert(distinct, place, values[r][i])
			}
		}
		if len(distinct) > mostCategories {
			return nil, stats.Reason(fmt.Sprintf("more than %d different values are no categories", mostCategories))
		}
		units = append(units, i)
		if clusters != nil {
			labels = append(labels, clusters[i])
		}
	}
	f.top = len(distinct) - 1
	forms := map[string]int32{}
	f.formOf = make([]int32, len(units))
	var items []float64 // number of items of each form
	for n, i := range units {
		var bytes [2 * mostRaters]byte // rater and category are below 256
		key := bytes[:0]
		for r := range values {
			if rated(r, i) {
				category, _ := slices.BinarySearch(distinct, values[r][i])
				key = append(key, byte(r), byte(category))
			}
		}
		form, known := forms[string(key)]
		if !known {
			form = int32(len(f.forms))
			forms[string(key)] = form
			item := make([]itemScore, len(key)/2)
			for k := range item {
				item[k] = itemScore{int(key[2*k]), int(key[2*k+1])}
			}
			f.forms = append(f.forms, item)
			items = append(items, 0)
		}
		f.formOf[n] = form
		items[form]++
	}
	for form, item := range f.forms {
		for a, b := range pairs(item) {
			key := [2]int{a.rater, b.rater}
			if f.counts[key] == nil {
				f.counts[key] = make([]float64, (f.top+1)*(f.top+1))
			}
			f.counts[key][a.category*(f.top+1)+b.category] += items[form]
		}
	}
	f.groups, _ = stats.NewGrouping(labels, len(units)) // lengths are equal
	parts := components(f.graph(func(int, int) bool { return true }))
	parts = slices.DeleteFunc(parts, func(part []int) bool { return raters[part[0]].Side != 0 }) // raters without a finite severity
	switch {
	case len(units) < leastSeverity:
		return nil, stats.NotEnough(fmt.Sprintf("too few observations: two raters or more rated %d items, %d are needed",
			len(units), leastSeverity))
	case len(parts) > 1:
		return nil, &UnconnectedError{parts}
	case f.top < 1:
		return nil, stats.ErrNoVariation
	case f.groups.Count() < 2:
		return nil, stats.ErrOneCluster
	}
	return f, nil
}

// graph returns a graph of raters. An edge leads from r to s if they rated some item with categories a and b for which can(a, b) is true.
func (f *facets) graph(can func(a, b int) bool) *simple.DirectedGraph {
	g := simple.NewDirectedGraph()
	for r := range f.itemCounts {
		g.AddNode(simple.Node(r))
	}
	for pair, counts := range f.counts {
		r := simple.Node(pair[0])
		s := simple.Node(pair[1])
		for k, count := range counts {
			a := k / (f.top + 1)
			b := k % (f.top + 1)
			if count > 0 && can(a, b) {
				g.SetEdge(g.NewEdge(r, s))
			}
			if count > 0 && can(b, a) {
				g.SetEdge(g.NewEdge(s, r))
			}
		}
	}
	return g
}

// sides sets Side for raters whose severity is not finite, and reports whether all severities are finite. Rater r could be stricter than s
// if, on some item, r could give less and s more. Severities are finite within a group in which chains of such steps lead from every rater
// to every other. The group with most ratings is kept.
func (f *facets) sides(raters []Strictness) (all bool) {
	stricter := f.graph(func(a, b int) bool { return a > 0 && b < f.top })
	most := 0
	var kept []int
	for _, group := range components(stricter) {
		size := 0
		for _, r := range group {
			size += f.itemCounts[r]
		}
		if size > most {
			most = size
			kept = group
		}
	}
	all = true
	for r := range raters {
		if raters[r].Side != 0 || slices.Contains(kept, r) {
			continue
		}
		all = false
		raters[r].Side = 1
		if topo.PathExistsIn(stricter, simple.Node(r), simple.Node(kept[0])) { // this rater could be stricter, the group could not
			raters[r].Side = -1
		}
	}
	return all
}
