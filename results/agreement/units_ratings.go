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
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// AgreeOptions say how the values of an annotation table are to be taken.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval, ratio; "": what the table says, and else interval, or nominal for labels without order
	Scale []string // every value that could be given, words from the worst to the best; nil for those that were
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
	r := &rated{named: view.Named, clustered: view.Clustered, UnitsRow: UnitsRow{Criterion: of.Criterion}}
	given := map[string]bool{}
	for _, row := range of.Ratings {
		given[row.Value] = true
	}
	delete(given, "")
	different := slices.Sorted(maps.Keys(given))
	scale, err := r.setLevel(of, different, o)
	if err != nil {
		return nil, err
	}
	number, err := r.coding(view, different, scale, o.Scale)
	if err != nil {
		return nil, err
	}
	most := len(of.Ratings)
	units, raterNames, clusters := make([]string, 0, most), make([]string, 0, most), make([]string, 0, most) // of each rating
	values := make([]float64, 0, most)
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
	nths, pairable := make([]int, len(names)), map[string]bool{}
	for u := range names {
		r.table.Units[u].Cluster = u
	}
	if view.Clustered {
		for i, of := range stats.ClusterLabels(clusters) {
			r.table.Units[unit[i]].Cluster = of
		}
	}
	anonymous := r.anonymous() != ""
	for i, u := range unit {
		name := rater[i]
		if anonymous {
			name = nths[u]
		}
		if name == len(r.table.Raters) {
			r.table.Add(strconv.Itoa(name), raters.Person)
		}
		r.table.Raters[name].Values[u] = raters.Number(values[i])
		nths[u]++
		if nths[u] > 1 {
			pairable[clusters[i]] = true
		}
	}
	if r.Ratings > 0 {
		r.LargestShare = stats.Number(float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(r.Ratings))
	}
	if r.named {
		r.Raters = stats.Count(r.raters)
	}
	if view.Clustered {
		r.Clusters = stats.Count(len(pairable))
	}
	return r, nil
}

// setLevel sets the level of measurement. Words have the scale that is found from all different values, as in a validation; values
// that are numbers have none.
func (r *rated) setLevel(of data.Annotated, values []string, o AgreeOptions) (scale scales.Scale, err error) {
	level := cmp.Or(o.Level, of.Level)
	numbers := slices.ContainsFunc(values, isNumber)
	if !numbers && o.Scale == nil && len(values) > 0 && level != string(agreement.Nominal) {
		if scale, err = scales.Find(of.Criterion, values, ""); err != nil {
			return scale, err
		}
		if scale.Kind == scales.Nominal {
			level = cmp.Or(level, string(agreement.Nominal))
			scale = scales.Scale{}
		} else {
			r.note("the values are read as %s", scale)
		}
	}
	r.level, err = agreement.ParseLevel(cmp.Or(level, string(agreement.Interval)))
	r.Level = string(r.level)
	return scale, err
}

// coding makes numbers of the different values; one that does not fit is an error with file and line. At nominal level the number is the
// place of the label among all of them in alphabetical order; only equality counts there. Words of a declared scale are
// numbered from 0.
func (r *rated) coding(view data.Annotations, values []string, words scales.Scale,
	scale []string) (func(data.Rating) (float64, error), error) {
	known, labels := map[string]float64{}, slices.Clone(scale)
	if r.level == agreement.Nominal {
		if scale == nil {
			labels = slices.Clone(values)
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
	}
	places := r.level == agreement.Nominal || !slices.ContainsFunc(labels, isNumber)
	for i, label := range labels {
		x, ok := float64(i), true
		if !places {
			x, ok = data.Number(label)
		}
		if !ok {
			return nil, fmt.Errorf("the scale has %q; at %v level it must contain numbers, or words alone", label, r.level)
		}
		known[label] = x
		if scale != nil {
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
			x, is = words.Number(row.Value)
		}
		if !is {
			return 0, view.Errorf(row, "the value is %s; at %v level a number is needed (labels are nominal)", row.Value, r.level)
		}
		if r.level == agreement.Ratio && x < 0 {
			return 0, view.Errorf(row, "the value is %s; at ratio level it cannot be negative", row.Value)
		}
		return x, nil
	}, nil
}

func isNumber(text string) bool {
	_, ok := data.Number(text)
	return ok
}
