package validation

import (
	"iter"
	"slices"
	"sort"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/validation/scales"
)

// A Series is one judge or person on one criterion: the rows of a column, by unit. Of several rows of a unit the first counts.
type Series struct {
	data.Series
	Versions   []string        // of judges that are compared as one; nil: it is one judge
	Confidence map[int]float64 // of a judge in its value, by unit, where the log says so
	values     *data.Judgements
	column     *data.Column
	from, to   int // its rows
}

// seriesIn returns the series of arranged judgements, in the order of their first ratings.
func seriesIn(values *data.Judgements) (list []*Series) {
	for _, s := range values.Series() {
		criterion := values.CriterionPlace(*s.Measured)
		rater := values.RaterPlace(*s.Rater)
		list = append(list, seriesOn(values, s, criterion, rater))
	}
	return list
}

// seriesOn returns the series of a rater on a criterion.
func seriesOn(values *data.Judgements, s data.Series, criterion, rater int32) *Series {
	c := &values.Columns[criterion]
	from := sort.Search(len(c.Rater), func(row int) bool { return c.Rater[row] >= rater })
	to := sort.Search(len(c.Rater), func(row int) bool { return c.Rater[row] > rater })
	return &Series{Series: s, values: values, column: c, from: from, to: to, Confidence: map[int]float64{}}
}

// row returns the row of a unit that counts; -1: there is none.
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

// Value returns the value of a unit that counts; "": there is none.
func (s *Series) Value(unit int) string {
	row := s.row(unit)
	if row < 0 {
		return ""
	}
	return s.column.Value(row)
}

// valued returns the values that count, by unit.
func (s *Series) valued() map[int]string {
	values := map[int]string{}
	for unit, row := range s.firsts() {
		if value := s.column.Value(row); value != "" {
			values[unit] = value
		}
	}
	return values
}

// Reason returns what was said of the value of a unit that counts.
func (s *Series) Reason(unit int) string {
	row := s.row(unit)
	if row < 0 || row >= len(s.column.Reason) {
		return ""
	}
	return s.values.Reasons[s.column.Reason[row]]
}

// words returns the words of the rows of each unit that has some, by unit.
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

// firsts returns the row that counts of each unit that has some, by unit.
func (s *Series) firsts() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for row := s.from; row < s.to; row++ {
			if unit := s.column.Item[row]; (row == s.from || s.column.Item[row-1] != unit) && !yield(int(unit), row) {
				return
			}
		}
	}
}

// text returns the value of a word; "": it stands for a failure.
func (s *Series) text(word int32) string {
	if word == data.FailedWord {
		return ""
	}
	return s.column.Words[word]
}

// valuesIn returns the values of series that count, and further ones where they are asked for; distinct ones where repeats do not matter.
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

// numbers returns the values of a series as numbers: the first of each unit, or the mean over epochs (of labels the most frequent
// one, and none if several are).
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

// numbersOfWords returns a function for the numbers of words on a scale, each of which is found once.
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
