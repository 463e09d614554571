package agreement

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/dataset"
	"compqa/results/table"
	"compqa/stats"
	"compqa/stats/agreement"
)

// AgreeOptions say how the values of an annotation table are to be taken.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval, ratio; "" for what the table says, and else ordinal
	Scale []string // every value that could be given; nil for those that were
	Seed  uint64
}

// rated are the ratings on one criterion, as numbers, and the row that is computed from them.
type rated struct {
	UnitsRow
	level agreement.Level
	scale []float64  // ascending; nil: the values that occur
	units [][]rating // those with a rating, in order of appearance
	// table is the ratings without regard to who gave them, on which neither alpha nor Gwet's coefficients depend: it has as
	// many columns as the most that a unit has ratings, where a crowd of raters would make thousands.
	table    *agreement.Ratings
	clusters []int // of the units; nil: each is its own
	named    bool  // raters can be told apart
	raters   int
	notes    []string
	c        dataset.Calculator
}

// A rating is one of a unit's.
type rating struct {
	rater int
	value float64
}

func newRated(view data.Annotations, of data.Annotated, o AgreeOptions) (*rated, error) {
	level, err := agreement.ParseLevel(cmp.Or(o.Level, of.Level, string(agreement.Ordinal)))
	if err != nil {
		return nil, err
	}
	r := &rated{level: level, named: view.Named, UnitsRow: UnitsRow{Criterion: of.Criterion, Level: string(level)}}
	number, err := r.coding(view, of, o.Scale)
	if err != nil {
		return nil, err
	}
	var units, raters, clusters []string // of each rating
	var values []float64
	counts := map[float64]int{}
	for _, row := range of.Ratings {
		if row.Value == "" {
			r.Missing++
			continue
		}
		v, err := number(row)
		if err != nil {
			return nil, err
		}
		units, raters, clusters, values = append(units, row.Unit), append(raters, row.Rater), append(clusters, row.Cluster), append(values, v)
		counts[v]++
	}
	unit, names := stats.NumberLabels(units)
	rater, who := stats.NumberLabels(raters)
	nths, pairable, clusterOf := make([]int, len(unit)), map[string]bool{}, make([]string, len(names))
	r.units = make([][]rating, len(names))
	for i, u := range unit {
		nths[i], clusterOf[u] = len(r.units[u]), clusters[i]
		r.units[u] = append(r.units[u], rating{rater[i], values[i]})
		if nths[i] > 0 {
			pairable[clusters[i]] = true
		}
	}
	r.Units, r.Ratings, r.Values, r.raters = len(names), len(values), len(counts), len(who)
	if r.Ratings > 0 {
		r.LargestShare = table.Number(float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(r.Ratings))
	}
	if r.named {
		r.Raters = table.Count(r.raters)
	}
	if view.Clustered {
		r.clusters, r.Clusters = stats.ClusterLabels(clusterOf), table.Count(len(pairable))
	}
	r.table, _, err = agreement.LongRatings(unit, nths, values)
	return r, err
}

// coding makes numbers of values; one that does not fit is an error with file and line. At nominal level the number is the
// place of the label among all of them in alphabetical order; only equality counts there.
func (r *rated) coding(view data.Annotations, of data.Annotated, scale []string) (func(data.Rating) (float64, error), error) {
	known, labels := map[string]float64{}, slices.Clone(scale)
	if r.level == agreement.Nominal {
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
		if r.level != agreement.Nominal {
			x, err = parseNumber(label)
		}
		if err != nil {
			return nil, fmt.Errorf("the scale has %q; at %v level it must contain numbers", label, r.level)
		}
		if known[label] = x; scale != nil {
			r.scale = append(r.scale, x)
		}
	}
	slices.Sort(r.scale)
	return func(row data.Rating) (float64, error) {
		x, is := known[row.Value]
		if !is && scale != nil {
			return 0, view.Errorf(row, "the value is %s; it must be one of %s", row.Value, strings.Join(scale, ", "))
		}
		if !is {
			var err error
			if x, err = parseNumber(row.Value); err != nil {
				return 0, view.Errorf(row, "the value is %s; at %v level a number is needed (labels are nominal)", row.Value, r.level)
			}
		}
		if r.level == agreement.Ratio && x < 0 {
			return 0, view.Errorf(row, "the value is %s; at ratio level it cannot be negative", row.Value)
		}
		return x, nil
	}, nil
}

func parseNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && !stats.IsFinite(x) {
		err = strconv.ErrRange
	}
	return x, err
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
	own := make([]float64, len(r.units)) // of the first rater; NaN: none
	for i, first := range by {
		for u := range own {
			own[u] = math.NaN()
		}
		for _, g := range first {
			own[g.unit] = g.value
		}
		for _, second := range by[i+1:] {
			x, y = x[:0], y[:0]
			for _, g := range second {
				if v := own[g.unit]; !math.IsNaN(v) {
					x, y = append(x, v), append(y, g.value)
				}
			}
			if len(x) >= minShared {
				use(x, y)
			}
		}
	}
}
