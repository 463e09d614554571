package agreement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/validation/scales"
	"compqa/stats"
	"compqa/stats/agreement"
)

// AgreeOptions say how the values of an annotation table are read.
type AgreeOptions struct {
	Level string   // nominal, ordinal, interval or ratio; "": as the table says, else interval, or nominal for labels without order
	Scale []string // all values that could be given, words from the worst to the best; nil: those that occur
	Seed  uint64
}

// A rated has the ratings on one criterion as numbers, and the row that is computed from them.
type rated struct {
	UnitsRow
	level    agreement.Level
	scale    []float64          // the values that could be given, in ascending order; nil: those that occur
	ratings  *agreement.Ratings // if raters are too many or unnamed, its first rater gave the first rating of each unit
	clusters []int              // cluster of each unit; nil: each unit is a cluster
	named    bool               // raters can be told apart
	raters   int
	notes    []string
	fault    error
}

// newRated reads the ratings on one criterion: it sets the level, turns values into numbers, counts them, and fills the table of raters.
func newRated(j *data.Judgements, criterion int, o AgreeOptions) (*rated, error) {
	column := &j.Columns[criterion]
	measured := j.Criteria[criterion]
	r := &rated{named: len(j.Raters) > 0, UnitsRow: UnitsRow{Criterion: measured.ID}}
	frequency := column.Frequency()
	given := map[string]bool{}
	for place, word := range column.Words {
		if frequency[place] > 0 && word != "" {
			given[word] = true
		}
	}
	different := slices.Sorted(maps.Keys(given))
	scale, err := r.setLevel(measured, different, o)
	if err != nil {
		return nil, err
	}
	number, err := r.coding(different, scale, o.Scale)
	if err != nil {
		return nil, err
	}
	numbers := make([]float64, len(column.Words))
	known := make([]bool, len(column.Words))
	for row, word := range column.Word {
		if column.Words[word] == "" {
			r.Missing++
			continue
		}
		if !known[word] {
			numbers[word], err = number(column.Words[word])
			if err != nil {
				return nil, j.Errorf(column, row, "%w", err)
			}
			known[word] = true
		}
		r.Ratings++
	}
	counts := map[float64]int{}
	for word, n := range frequency {
		if known[word] {
			counts[numbers[word]] += n
		}
	}
	r.Values = len(counts)
	if r.Ratings > 0 {
		r.LargestShare = stats.Number(float64(slices.Max(slices.Collect(maps.Values(counts)))) / float64(r.Ratings))
	}
	r.fill(j, column, numbers)
	return r, nil
}

// numbering numbers values from 0 in the order in which they occur.
type numbering struct {
	numbers []int32 // 1 + the number of each value; 0: it did not occur yet
	n       int32
}

// of returns the number of a value.
func (n *numbering) of(value int32) int {
	number := &n.numbers[value]
	if *number == 0 {
		n.n++
		*number = n.n
	}
	return int(*number) - 1
}

// fill makes the table of ratings from the rows that have a value. numbers has the number of each word of the column.
func (r *rated) fill(j *data.Judgements, column *data.Column, numbers []float64) {
	units := numbering{numbers: make([]int32, column.Items())}
	who := numbering{numbers: make([]int32, len(j.Raters)+1)} // the first is for data.NoRater
	var clusters []int32
	var values []float64
	given := make([]bool, len(numbers))
	for row, word := range column.Word {
		if column.Words[word] == "" {
			continue
		}
		who.of(column.Rater[row] - data.NoRater)
		u := units.of(column.Item[row])
		if j.Clusters != nil && u == len(clusters) {
			clusters = append(clusters, j.Clusters[column.Item[row]])
		}
		if !given[word] {
			given[word] = true
			values = append(values, numbers[word]+0) // -0 is 0
		}
	}
	r.Units = int(units.n)
	r.raters = int(who.n)
	if r.named {
		r.Raters = stats.Count(r.raters)
	}
	if j.Clusters != nil {
		r.clusters = stats.ClusterLabels(clusters)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	code := data.Each(numbers, func(x float64) int32 {
		place, _ := slices.BinarySearch(values, x)
		return int32(place)
	})
	anonymous := r.anonymous() != ""
	var codes [][]int32 // by rater and unit
	var ratings []int32 // by unit: number of ratings so far, if raters are anonymous
	if anonymous {
		ratings = make([]int32, r.Units)
	}
	for row, word := range column.Word {
		if column.Words[word] == "" {
			continue
		}
		u := units.of(column.Item[row])
		rater := who.of(column.Rater[row] - data.NoRater)
		if anonymous {
			rater = int(ratings[u])
			ratings[u]++
		}
		if rater == len(codes) {
			codes = append(codes, slices.Repeat([]int32{agreement.Unrated}, r.Units))
		}
		codes[rater][u] = code[word]
	}
	r.ratings = agreement.CodedRatings(values, codes)
}

// setLevel sets the level of measurement, and returns the scale of values that are words. The scale is found from all different values, as
// in a validation. It is empty if values are numbers or labels without order.
func (r *rated) setLevel(measured data.Measured, values []string, o AgreeOptions) (scale scales.Scale, err error) {
	level := cmp.Or(o.Level, measured.Level)
	numbers := slices.ContainsFunc(values, isNumber)
	if !numbers && o.Scale == nil && len(values) > 0 && level != string(agreement.Nominal) {
		if scale, err = scales.Find(measured.ID, values, ""); err != nil {
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

// coding returns a function that turns a value into a number; its error says why a value does not fit. At nominal level, the number is the
// place of the label in alphabetical order: only equality counts there. Words of a scale that the user declared are numbered from 0.
func (r *rated) coding(values []string, words scales.Scale, scale []string) (func(value string) (float64, error), error) {
	known := map[string]float64{}
	labels := slices.Clone(scale)
	if r.level == agreement.Nominal {
		if scale == nil {
			labels = slices.Clone(values)
		}
		slices.Sort(labels)
		labels = slices.Compact(labels)
	}
	places := r.level == agreement.Nominal || !slices.ContainsFunc(labels, isNumber)
	for i, label := range labels {
		x := float64(i)
		ok := true
		if !places {
			x, ok = data.Number(label)
		}
		if !ok {
			return nil, fmt.Errorf("the scale has %q; at %v level it must contain numbers, or words alone", label, r.level)
		}
		known[label] = x
		if scale != nil {
			r.scale = append(r.scale, x)
		}
	}
	slices.Sort(r.scale)
	return func(value string) (float64, error) {
		x, is := known[value]
		if !is && scale != nil {
			return 0, fmt.Errorf("the value is %s; it must be one of %s", value, strings.Join(scale, ", "))
		}
		if !is {
			x, is = words.Number(value)
		}
		if !is {
			return 0, fmt.Errorf("the value is %s; at %v level a number is needed (labels are nominal)", value, r.level)
		}
		if r.level == agreement.Ratio && x < 0 {
			return 0, fmt.Errorf("the value is %s; at ratio level it cannot be negative", value)
		}
		return x, nil
	}, nil
}

func isNumber(text string) bool {
	_, ok := data.Number(text)
	return ok
}
