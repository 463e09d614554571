package agreement

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
)

// AgreeOptions say how the values of an annotation table are to be taken.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval, ratio; "" for what the table says, and else ordinal
	Scale []string // every value that could be given; nil for those that were
	Seed  uint64
}

// rated are the ratings on one criterion, as numbers.
type rated struct {
	criterion string
	level     agreement.Level
	scale     []float64  // ascending; nil: the values that occur
	units     [][]rating // those with a rating, in order of appearance
	clusters  []int      // of the units; nil: each is its own
	named     bool       // raters can be told apart
	raters    int
	given     int // ratings
	missing   int // rows without one
	largest   int // ratings that give the commonest value
}

// A rating is one of a unit's.
type rating struct {
	rater int
	value float64
}

func newRated(view data.Annotations, of data.Annotated, o AgreeOptions) (*rated, error) {
	level, err := levelOf(of, o)
	if err != nil {
		return nil, err
	}
	coding, err := newCoding(view, of, level, o.Scale)
	if err != nil {
		return nil, err
	}
	r := &rated{criterion: of.Criterion, level: level, scale: coding.scale, named: view.Named}
	units, raters, counts := map[string]int{}, map[string]int{}, map[float64]int{}
	var clusters []string
	for _, row := range of.Ratings {
		if row.Value == "" {
			r.missing++
			continue
		}
		v, err := coding.number(row)
		if err != nil {
			return nil, err
		}
		u := numbered(units, row.Unit)
		if u == len(r.units) {
			r.units, clusters = append(r.units, nil), append(clusters, row.Cluster)
		}
		r.units[u] = append(r.units[u], rating{numbered(raters, row.Rater), v})
		r.given++
		counts[v]++
		r.largest = max(r.largest, counts[v])
	}
	r.raters = len(raters)
	if view.Clustered {
		r.clusters = stats.ClusterLabels(clusters)
	}
	return r, nil
}

// numbered is the number of a name, by first appearance.
func numbered(known map[string]int, name string) int {
	n, ok := known[name]
	if !ok {
		n = len(known)
		known[name] = n
	}
	return n
}

func levelOf(of data.Annotated, o AgreeOptions) (agreement.Level, error) {
	switch {
	case o.Level != "":
		return agreement.ParseLevel(o.Level)
	case of.Level != "":
		return agreement.ParseLevel(of.Level)
	}
	return agreement.Ordinal, nil
}

// A coding makes numbers of values. At nominal level the number is the place of
// the label among all of them in alphabetical order; only equality counts there.
type coding struct {
	table  data.Annotations
	level  agreement.Level
	values []string           // the declared scale, as it was given
	known  map[string]float64 // of these, and of labels at nominal level
	scale  []float64          // the declared one in ascending order
}

func newCoding(view data.Annotations, of data.Annotated, level agreement.Level, scale []string) (*coding, error) {
	c := &coding{table: view, level: level, values: scale, known: map[string]float64{}}
	labels := slices.Clone(scale)
	if level == agreement.Nominal {
		if scale == nil {
			for _, row := range of.Ratings {
				labels = append(labels, row.Value)
			}
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
	}
	for i, label := range labels {
		x, err := float64(i), error(nil)
		if level != agreement.Nominal {
			x, err = parseNumber(label)
		}
		if err != nil {
			return nil, fmt.Errorf("the scale has %q; at %v level it must contain numbers", label, level)
		}
		if c.known[label] = x; scale != nil {
			c.scale = append(c.scale, x)
		}
	}
	slices.Sort(c.scale)
	return c, nil
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

// number codes a value; one that does not fit is an error with file and line.
func (c *coding) number(row data.Rating) (float64, error) {
	x, known := c.known[row.Value]
	if !known {
		var err error
		if c.values != nil {
			return 0, c.table.Errorf(row, "the value is %s; it must be one of %s", row.Value, strings.Join(c.values, ", "))
		}
		if x, err = parseNumber(row.Value); err != nil {
			return 0, c.table.Errorf(row, "the value is %s; at %v level a number is needed (labels are nominal)", row.Value, c.level)
		}
	}
	if c.level == agreement.Ratio && x < 0 {
		return 0, c.table.Errorf(row, "the value is %s; at ratio level it cannot be negative", row.Value)
	}
	return x, nil
}

// table is the ratings without regard to who gave them, on which neither alpha
// nor Gwet's coefficients depend: it has as many columns as the most that a unit
// has ratings, where a crowd of raters would make thousands.
func (r *rated) table() (*agreement.Ratings, error) {
	var units, nths []int
	var values []float64
	for u, of := range r.units {
		for nth, g := range of {
			units, nths, values = append(units, u), append(nths, nth), append(values, g.value)
		}
	}
	view, _, err := agreement.LongRatings(units, nths, values)
	return view, err
}

// pairableClusters counts the clusters with a unit that has two ratings.
func (r *rated) pairableClusters() int {
	seen := map[int]bool{}
	for u, of := range r.units {
		if len(of) > 1 {
			seen[r.clusters[u]] = true
		}
	}
	return len(seen)
}

// eachPair calls use for every two raters with enough units in common, with
// their ratings of these; use must not keep the slices.
func (r *rated) eachPair(use func(x, y []float64)) {
	type at struct {
		unit  int
		value float64
	}
	by := make([][]at, r.raters)
	for u, of := range r.units {
		for _, g := range of {
			by[g.rater] = append(by[g.rater], at{u, g.value})
		}
	}
	var x, y []float64
	for i, a := range by {
		for _, b := range by[i+1:] {
			x, y = x[:0], y[:0]
			for m, n := 0, 0; m < len(a) && n < len(b); {
				switch {
				case a[m].unit < b[n].unit:
					m++
				case a[m].unit > b[n].unit:
					n++
				default:
					x, y = append(x, a[m].value), append(y, b[n].value)
					m, n = m+1, n+1
				}
			}
			if len(x) >= minShared {
				use(x, y)
			}
		}
	}
}
