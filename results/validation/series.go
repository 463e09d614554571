package validation

import (
	"cmp"
	"slices"

	"compqa/data"
	"compqa/results/raters"
	"compqa/results/validation/scales"
)

// A Series has the values of one judge or person on one criterion, as columns without pointers, because there may be millions.
type Series struct {
	By, Criterion string
	Extra         bool
	Reasons       map[int]string  // what was said, by unit
	Versions      []string        // of judges that are compared as one; nil: it is one judge
	Confidence    map[int]float64 // of a judge in its value, by unit, where the log says so
	counted       data.Column     // a row for each unit, whose word may be noValue or failedValue
	further       data.Column     // further values of units, as from other epochs, by unit
}

// The words of a unit without a value: nobody asked for one, or the judge failed.
const (
	noValue     = 0 // the place of "" among words
	failedValue = -1
)

func newSeries(by, criterion string, extra bool, units int) *Series {
	return &Series{By: by, Criterion: criterion, Extra: extra, Reasons: map[int]string{}, Confidence: map[int]float64{},
		counted: data.Column{Word: make([]int32, units)}}
}

// add adds a value of a unit; counts reports whether it is the one that counts, which is the first.
func (s *Series) add(unit int, word int32) (counts bool) {
	if s.counted.Word[unit] == noValue {
		s.counted.Word[unit] = word
		return true
	}
	s.further.Item, s.further.Word = append(s.further.Item, int32(unit)), append(s.further.Word, word)
	return false
}

// settle gives the series the words of its values, and the order of units to further values.
func (s *Series) settle(words []string) {
	s.counted.Words, s.further.Words = words, words
	if slices.IsSorted(s.further.Item) {
		return
	}
	order := make([]int, len(s.further.Item))
	for row := range order {
		order[row] = row
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.further.Item[a], s.further.Item[b]) })
	s.further.Item = data.Each(order, func(row int) int32 { return s.further.Item[row] })
	s.further.Word = data.Each(order, func(row int) int32 { return s.further.Word[row] })
}

// last puts the last of several values of a unit in the place of the first.
func (s *Series) last() {
	for row, unit := range s.further.Item {
		s.counted.Word[unit] = s.further.Word[row]
	}
	s.further = data.Column{}
}

// Value returns the value of a unit that counts; "": there is none.
func (s *Series) Value(unit int) string { return valueOf(&s.counted, unit) }

// valueOf returns the value of a row; "": there is none.
func valueOf(c *data.Column, row int) string {
	if c.Word[row] == failedValue {
		return ""
	}
	return c.Value(row)
}

// furtherOf returns the words of further values of a unit. Units are asked for in ascending order: row is where the last one ended.
func (s *Series) furtherOf(unit int, row *int) []int32 {
	from := *row
	for *row < len(s.further.Item) && s.further.Item[*row] == int32(unit) {
		*row++
	}
	return s.further.Word[from:*row]
}

// valuesIn returns all values of columns; distinct ones where repeats do not matter.
func valuesIn(distinct bool, columns ...*data.Column) (list []string) {
	for _, c := range columns {
		seen := make([]bool, len(c.Words))
		for row, word := range c.Word {
			if word > noValue && !(distinct && seen[word]) {
				seen[word] = true
				list = append(list, c.Value(row))
			}
		}
	}
	return list
}

// numbers are the values of a series as numbers: the first of each unit, or the mean over epochs (of labels the most frequent
// one, and none if several are).
func (s *Study) numbers(series *Series, scale scales.Scale, kind raters.Kind) raters.Rater {
	r := raters.Rater{Name: series.By, Kind: kind, Values: make([]raters.Value, len(series.counted.Word))}
	repeats := raters.OnlyOfFirst
	if s.o.EpochsMean || s.o.PeoplesMean {
		repeats = raters.MeanOfThem
		if scale.Kind == scales.Nominal {
			repeats = raters.MostOfThem
		}
	}
	numbers := series.numbersOfWords(scale)
	row := 0
	for i, first := range series.counted.Word {
		value := numbers(first)
		if more := series.furtherOf(i, &row); len(more) > 0 {
			several := append([]raters.Value{value}, data.Each(more, numbers)...)
			for k, v := range several {
				if !v.Given() {
					several[k] = raters.Missing(raters.Failed)
				}
			}
			value = repeats.Of(several)
		}
		r.Values[i] = value
	}
	return r
}

// numbersOfWords returns a function for the numbers of words on a scale, each of which is found once.
func (s *Series) numbersOfWords(scale scales.Scale) func(word int32) raters.Value {
	numbers, known := make([]raters.Value, len(s.counted.Words)), make([]bool, len(s.counted.Words))
	return func(word int32) raters.Value {
		switch {
		case word == failedValue:
			return raters.Missing(raters.Failed)
		case word == noValue:
			return raters.Missing(raters.NotAsked)
		case !known[word]:
			known[word], numbers[word] = true, raters.Missing(raters.Unreadable)
			if x, ok := scale.Number(s.counted.Words[word]); ok {
				numbers[word] = raters.Number(x)
			}
		}
		return numbers[word]
	}
}
