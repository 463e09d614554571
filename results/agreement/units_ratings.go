package agreement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/raters"
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
	level     agreement.Level
	table     raters.Table // where raters are many or cannot be told apart, the first of them gave the first rating of every unit
	named     bool         // raters can be told apart
	clustered bool
	raters    int
	notes     []string
	fault     error
}

func newRated(view data.Annotations, of data.Annotated, o AgreeOptions) (*rated, error) {
	level, err := agreement.ParseLevel(cmp.Or(o.Level, of.Level, string(agreement.Ordinal)))
	if err != nil {
		return nil, err
	}
	r := &rated{level: level, named: view.Named, clustered: view.Clustered, UnitsRow: UnitsRow{Criterion: of.Criterion, Level: string(level)}}
	number, err := r.coding(view, of, o.Scale)
	if err != nil {
		return nil, err
	}
	var units, raterNames, clusters []string // of each rating
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
		units, raterNames = append(units, row.Unit), append(raterNames, row.Rater)
		clusters, values = append(clusters, row.Cluster), append(values, v)
		counts[v]++
	}
	unit, names := stats.NumberLabels(units)
	rater, who := stats.NumberLabels(raterNames)
	r.Units, r.Ratings, r.Values, r.raters = len(names), len(values), len(counts), len(who)
	r.table.Units = make([]raters.Unit, len(names))
	cluster, nths, pairable := stats.ClusterLabels(clusters), make([]int, len(names)), map[string]bool{}
	for i, u := range unit {
		r.table.Units[u].Cluster = u
		if view.Clustered {
			r.table.Units[u].Cluster = cluster[i]
		}
	}
	for i, u := range unit {
		name := rater[i]
		if r.anonymous() != "" {
			name = nths[u]
		}
		r.table.Put(strconv.Itoa(name), raters.Person, u, values[i])
		if nths[u]++; nths[u] > 1 {
			pairable[clusters[i]] = true
		}
	}
	if r.Ratings > 0 {
		r.LargestShare = table.Number(float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(r.Ratings))
	}
	if r.named {
		r.Raters = table.Count(r.raters)
	}
	if view.Clustered {
		r.Clusters = table.Count(len(pairable))
	}
	return r, nil
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
			r.table.Scale.Values = append(r.table.Scale.Values, x)
		}
	}
	slices.Sort(r.table.Scale.Values)
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
