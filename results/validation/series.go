package validation

import (
	"iter"
	"slices"
	"sort"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/validation/scales"
)

// A Series has the values of one judge or person on one criterion: rows of a column, ordered by unit. If a unit has several rows, the first
// counts.
type Series struct {
	data.Series
	Versions   []string        // names of the judges whose values are joined here; nil: it is one judge
	Confidence map[int]float64 // how sure the judge is of its value, by unit, if the log says so
	values     *data.Judgements
	column     *data.Column
	from, to   int // its rows in the column: from inclusive, to exclusive
}

// seriesIn returns the series of arranged judgements, in the order of their first ratings (see arrange).
func seriesIn(values *data.Judgements) (list []*Series) {
	for _, s := range values.Series() {
		criterion := values.CriterionPlace(*s.Measured)
		rater := values.RaterPlace(*s.Rater)
		list = append(list, seriesOn(values, s, criterion, rater))
	}
	return list
}

// seriesOn returns the series of a rater on a criterion. The column's rows must be ordered by rater.
func seriesOn(values *data.Judgements, s data.Series, criterion, rater int32) *Series {
	c := &values.Columns[criterion]
	from := sort.Search(len(c.Rater), func(row int) bool { return c.Rater[row] >= rater })
	to := sort.Search(len(c.Rater), func(row int) bool { return c.Rater[row] > rater })
	return &Series{Series: s, values: values, column: c, from: from, to: to, Confidence: map[int]float64{}}
}

// row returns the row of a unit that counts, or -1 if the unit has none.
func (s *Series) row(unit int) int {
	if s.column == nil {
		return -1
	}
	items := s.column.Item[s.from:s.to]
	row, found := slices.BinarySearch(items, int32(unit))
	if !found {
		return -1
	}
	return s.from + row
}

// Value returns the value of a unit that counts, or "" if there is none.
func (s *Series) Value(unit int) string {
	row := s.row(unit)
	if row < 0 {
		return ""
	}
	return s.column.Value(row)
}

// valued returns the non-empty values that count, by unit.
func (s *Series) valued() map[int]string {
	values := map[int]string{}
	for unit, row := range s.firsts() {
		if value := s.column.Value(row); value != "" {
			values[unit] = value
		}
	}
	return values
}

// Reason returns the reason that the rater gave for its value of a unit.
func (s *Series) Reason(unit int) string {
	row := s.row(unit)
	if row < 0 || row >= len(s.column.Reason) {
		return ""
	}
	return s.values.Reasons[s.column.Reason[row]]
}

// words yields for each unit with rows the words of these rows, in the order of units.
func (s *Series) words() iter.Seq2[int, []int32] {
	return func(yield func(int, []int32) bool) {
		for row := s.from; row < s.to; {
			first := row
			unit := s.column.Item[row]
			for row < s.to && s.column.Item[row] == unit {
				row++
			}
			if !yield(int(unit), s.column.Word[first:row]) {
				return
			}
		}
	}
}

// firsts yields for each unit with rows the row that counts, in the order of units.
func (s *Series) firsts() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for row := s.from; row < s.to; row++ {
			if unit := s.column.Item[row]; (row == s.from || s.column.Item[row-1] != unit) && !yield(int(unit), row) {
				return
			}
		}
	}
}

// text returns the value of a word, or "" if the word stands for a failure.
func (s *Series) text(word int32) string {
	if word == data.FailedWord {
		return ""
	}
	return s.column.Words[word]
}

// valuesIn returns the values of some series. If further is set, it includes values of a unit beyond the first. If distinct is set, it
// lists each value only once for each series.
func valuesIn(distinct, further bool, series ...*Series) (list []string) {
	for _, s := range series {
		if s.column == nil {
			continue
		}
		seen := make([]bool, len(s.column.Words))
		if !distinct {
			list = slices.Grow(list, s.to-s.from)
		}
		for _, words := range s.words() {
			if !further {
				words = words[:1]
			}
			for _, word := range words {
				if word != data.FailedWord && !(distinct && seen[word]) {
					seen[word] = true
					list = append(list, s.column.Words[word])
				}
			}
		}
	}
	return list
}

// numbers returns the values of a series as numbers. If a unit has several values, the first one counts. With EpochsMean or PeoplesMean it
// is their mean, or for labels the most frequent one (none if several are equally frequent).
func (s *Study) numbers(series *Series, scale scales.Scale, kind raters.Kind) raters.Rater {
	values := slices.Repeat([]raters.Value{raters.Missing(raters.NotAsked)}, len(s.Units))
	r := raters.Rater{Name: series.Rater.Name, Kind: kind, Values: values}
	repeats := raters.OnlyOfFirst
	if s.o.EpochsMean || s.o.PeoplesMean {
		repeats = raters.MeanOfThem
		if scale.Kind == scales.Nominal {
			repeats = raters.MostOfThem
		}
	}
	numbers := series.numbersOfWords(scale)
	for unit, words := range series.words() {
		value := numbers(words[0])
		if len(words) > 1 {
			several := data.Each(words, numbers)
			for k, v := range several {
				if !v.Given() {
					several[k] = raters.Missing(raters.Failed)
				}
			}
			value = repeats.Of(several)
		}
		r.Values[unit] = value
	}
	return r
}

// numbersOfWords returns a function that gives the number of a word on a scale. The function computes each word's number only once.
func (s *Series) numbersOfWords(scale scales.Scale) func(word int32) raters.Value {
	numbers := make([]raters.Value, len(s.column.Words))
	known := make([]bool, len(s.column.Words))
	return func(word int32) raters.Value {
		if word == data.FailedWord {
			return raters.Missing(raters.Failed)
		}
		if !known[word] {
			known[word], numbers[word] = true, raters.Missing(raters.Unreadable)
			if x, ok := scale.Number(s.column.Words[word]); ok {
				numbers[word] = raters.Number(x)
			}
		}
		return numbers[word]
	}
}
