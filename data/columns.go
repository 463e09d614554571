package data

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Column has the values of one criterion of a file, row by row. It holds no pointer for each row, because there may be millions of rows.
type Column struct {
	Item, Rater []int32  // indices; Rater is NoRater if the file does not name raters
	Word        []int32  // index in Words; FailedWord if the rater failed to give a value
	Line        []int32  // line in the file
	Reason      []int32  // index in Judgements.Reasons; nil if no row has a reason
	Words       []string // distinct values, in the form of NormaliseValue; "" is a missing value

	places map[string]int32 // index in Words, by value
	known  []bool           // by rater: the rater has, or had, a row
}

// NoRater stands in Column.Rater for a rater without a name.
const NoRater = -1

// FailedWord is the word of a value that is missing because the rater failed.
const FailedWord = -1

// Add adds a row.
func (c *Column) Add(item, rater int32, value string, line int) {
	c.add(item, rater, c.Place(value), int32(line))
}

func (c *Column) add(item, rater, word, line int32) {
	c.Item = append(c.Item, item)
	c.Rater = append(c.Rater, rater)
	c.Word = append(c.Word, word)
	c.Line = append(c.Line, line)
}

// Grow makes room for n more rows.
func (c *Column) Grow(n int) {
	for _, list := range []*[]int32{&c.Item, &c.Rater, &c.Word, &c.Line} {
		*list = slices.Grow(*list, n)
	}
}

// Set replaces the value and the line of a row.
func (c *Column) Set(row int, value string, line int) {
	c.Word[row], c.Line[row] = c.Place(value), int32(line)
}

// Value returns the value of a row, or "" if there is none.
func (c *Column) Value(row int) string {
	if c.Word[row] == FailedWord {
		return ""
	}
	return c.Words[c.Word[row]]
}

// Frequency returns the number of rows with each of Words.
func (c *Column) Frequency() []int {
	frequency := make([]int, len(c.Words))
	for _, word := range c.Word {
		if word != FailedWord {
			frequency[word]++
		}
	}
	return frequency
}

// Items returns one more than the greatest index of an item in Item.
func (c *Column) Items() (n int32) {
	for _, item := range c.Item {
		n = max(n, item+1)
	}
	return n
}

// Place returns the index of a value in Words, and adds the value if it is new.
func (c *Column) Place(value string) int32 {
	place, known := c.places[value]
	if !known {
		if c.places == nil {
			c.places = make(map[string]int32, len(c.Words))
			for i, word := range c.Words {
				c.places[word] = int32(i)
			}
			if place, known = c.places[value]; known {
				return place
			}
		}
		place = int32(len(c.Words))
		value = strings.Clone(value) // a substring would keep the whole record in memory
		c.Words = append(c.Words, value)
		c.places[value] = place
	}
	return place
}

// lists returns the slices with one number for each row.
func (c *Column) lists() []*[]int32 {
	lists := []*[]int32{&c.Item, &c.Rater, &c.Word, &c.Line}
	if c.Reason != nil {
		c.Reason = append(c.Reason, make([]int32, len(c.Item)-len(c.Reason))...)
		lists = append(lists, &c.Reason)
	}
	return lists
}

// Keep keeps the rows for which keep is true, and deletes the others.
func (c *Column) Keep(keep func(row int) bool) {
	lists := c.lists()
	n := 0
	for row := range c.Item {
		if !keep(row) {
			continue
		}
		if n < row {
			for _, list := range lists {
				(*list)[n] = (*list)[row]
			}
		}
		n++
	}
	for _, list := range lists {
		*list = (*list)[:n]
	}
}

// Arrange reorders the rows: new row i is the row that was at order[i].
func (c *Column) Arrange(order []int32) {
	moved := make([]int32, len(order))
	for _, list := range c.lists() {
		for i, row := range order {
			moved[i] = (*list)[row]
		}
		copy(*list, moved)
	}
}

// A Series is a rater and a criterion.
type Series struct {
	*Rater
	*Measured
}

// A Rating is one value of a file, with its rater, criterion and item.
type Rating struct {
	Series
	Item   int32
	Line   int32  // line of its record
	Value  string // as in the file; "" if there is none; for a pair: a, b or tie
	Reason string // why the value is missing, or else the rater's explanation
	Failed bool   // the value is missing because the rater failed
}

// A RowPlace is the position of a rating: its column, and its row in the column.
type RowPlace struct{ Column, Row int }

// Len returns the number of rows of all columns.
func (j *Judgements) Len() (n int) {
	for k := range j.Columns {
		n += len(j.Columns[k].Item)
	}
	return n
}

// At returns the rating at a position.
func (j *Judgements) At(place RowPlace) Rating {
	c := &j.Columns[place.Column]
	row := place.Row
	r := Rating{Series: Series{&j.Raters[c.Rater[row]], &j.Criteria[place.Column]}, Item: c.Item[row], Line: c.Line[row],
		Failed: c.Word[row] == FailedWord, Value: c.Value(row)}
	if row < len(c.Reason) {
		r.Reason = j.Reasons[c.Reason[row]]
	}
	return r
}

// All yields the ratings with their positions, column by column.
func (j *Judgements) All() iter.Seq2[RowPlace, Rating] {
	return func(yield func(RowPlace, Rating) bool) {
		for column := range j.Columns {
			for row := range j.Columns[column].Item {
				if place := (RowPlace{column, row}); !yield(place, j.At(place)) {
					return
				}
			}
		}
	}
}

// RaterPlace returns the index of a rater, and adds the rater if it is new.
func (j *Judgements) RaterPlace(r Rater) int32 {
	return placeAmong(r, &j.Raters, &j.raters, &j.lastRater, func(r Rater) Rater {
		r.Name = strings.Clone(r.Name) // a substring would keep the whole record in memory
		return r
	})
}

// CriterionPlace returns the index of a criterion. A new criterion is added with an empty column.
func (j *Judgements) CriterionPlace(m Measured) int32 {
	place := placeAmong(m, &j.Criteria, &j.criteria, &j.lastCriterion, func(m Measured) Measured {
		m.ID = strings.Clone(m.ID)
		return m
	})
	if int(place) == len(j.Columns) {
		j.Columns = append(j.Columns, Column{})
	}
	return place
}

// placeAmong returns the index of a value in a list, and adds a copy of the value if it is new. last is the index returned by the previous
// call: most rows of a table have the same value as the row before, or the next value, so that the map is seldom needed.
func placeAmong[T comparable](value T, list *[]T, places *map[T]int32, last *int32, clone func(T) T) int32 {
	if *places == nil {
		*places = map[T]int32{}
		for i, known := range *list {
			(*places)[known] = int32(i)
		}
	}
	place, known := findAmong(value, *list, *places, last)
	if !known {
		place, value = int32(len(*list)), clone(value)
		*list = append(*list, value)
		(*places)[value] = place
		*last = place
	}
	return place
}

// findAmong returns the index of a value in a list, as placeAmong does, but adds nothing.
func findAmong[T comparable](value T, list []T, places map[T]int32, last *int32) (place int32, known bool) {
	if n := int32(len(list)); n > 0 {
		for _, near := range []int32{*last % n, (*last + 1) % n} {
			if list[near] == value {
				*last = near
				return near, true
			}
		}
	}
	place, known = places[value]
	if known {
		*last = place
	}
	return place, known
}

// A Coded is a value whose criterion, rater and word are known.
type Coded struct{ criterion, rater, word int32 }

// Code returns the indices of a value that a rater gave on a criterion. known is false if one of them is not here yet.
func (j *Judgements) Code(m Measured, r Rater, value string) (c Coded, known bool) {
	c.criterion, known = findAmong(m, j.Criteria, j.criteria, &j.lastCriterion)
	if !known {
		return c, false
	}
	c.rater, known = findAmong(r, j.Raters, j.raters, &j.lastRater)
	if !known {
		return c, false
	}
	c.word, known = j.Columns[c.criterion].places[value]
	return c, known
}

// AddCoded adds a rating without a reason.
func (j *Judgements) AddCoded(c Coded, item, line int32) {
	j.know(c.criterion, c.rater)
	j.Columns[c.criterion].add(item, c.rater, c.word, line)
}

// Add adds a rating and returns its position. A new rater or criterion is added too.
func (j *Judgements) Add(r Rating) RowPlace {
	return j.AddRow(j.CriterionPlace(*r.Measured), j.RaterPlace(*r.Rater), r)
}

// AddRow adds a rating for the criterion and the rater at these indices.
func (j *Judgements) AddRow(criterion, rater int32, r Rating) RowPlace {
	j.know(criterion, rater)
	c := &j.Columns[criterion]
	place := RowPlace{int(criterion), len(c.Item)}
	c.Add(r.Item, rater, r.Value, int(r.Line))
	j.settle(place, r)
	return place
}

// Expect reserves the place of a series in the order of Series, before it has ratings.
func (j *Judgements) Expect(s Series) { j.know(j.CriterionPlace(*s.Measured), j.RaterPlace(*s.Rater)) }

// know records that a rater has rows in the column of a criterion.
func (j *Judgements) know(criterion, rater int32) {
	c := &j.Columns[criterion]
	if n := int(rater) + 1 - len(c.known); n > 0 {
		c.known = append(c.known, make([]bool, n)...)
	}
	if !c.known[rater] {
		c.known[rater] = true
		j.series = append(j.series, [2]int32{criterion, rater})
	}
}

// AddSheet adds the scores of a sheet to the columns of the criteria, which are identified by name. A judge's sheet has all scores, or all
// of its values failed; a person's sheet may have gaps.
func (j *Judgements) AddSheet(s Given, rater Rater, criteria []Measured, item int32) {
	for k, c := range criteria {
		r := Rating{Series: Series{&rater, &Measured{ID: c.Name}}, Item: item, Reason: s.Ending.Reason}
		switch {
		case s.Scores == nil:
			r.Failed = true
			r.Reason = cmp.Or(r.Reason, string(s.Status))
		case math.IsNaN(s.Scores[k]):
			continue
		default:
			r.Value = strconv.FormatFloat(s.Scores[k], 'f', -1, 64)
		}
		j.Add(r)
	}
}

// Set replaces the value and the reason of a row.
func (j *Judgements) Set(place RowPlace, r Rating) {
	j.Columns[place.Column].Set(place.Row, r.Value, int(r.Line))
	j.settle(place, r)
}

// settle sets whether a row failed, and its reason. Consecutive rows with the same reason share it.
func (j *Judgements) settle(place RowPlace, r Rating) {
	c := &j.Columns[place.Column]
	if r.Failed {
		c.Word[place.Row] = FailedWord
	}
	if r.Reason == "" && c.Reason == nil {
		return
	}
	if j.Reasons == nil {
		j.Reasons = []string{""}
	}
	c.Reason = append(c.Reason, make([]int32, len(c.Item)-len(c.Reason))...)
	last := len(j.Reasons) - 1
	switch r.Reason {
	case j.Reasons[c.Reason[place.Row]]:
		return
	case "":
		last = 0
	case j.Reasons[last]:
	default:
		last++
		j.Reasons = append(j.Reasons, r.Reason)
	}
	c.Reason[place.Row] = int32(last)
}

// NoNumber marks a row that EachFirst skips.
const NoNumber = -1

// EachFirst visits the rows of a column. For each row, first is the first row of the same rater with the same number, which may be the row
// itself. number returns the number of a row: from 0, without gaps, or NoNumber to skip the row. Rows are visited rater by rater, unless
// the numbers of each rater ascend: then each row is the first, as usual in a file.
func (j *Judgements) EachFirst(column int, number func(row int) int32, visit func(first, row int, number int32)) {
	c := &j.Columns[column]
	if j.ascending(column, number) {
		for row := range c.Item {
			if n := number(row); n != NoNumber {
				visit(row, row, n)
			}
		}
		return
	}
	ofRater := make([][]int32, len(j.Raters)+1)
	numbers := make([]int32, len(c.Item))
	most := int32(NoNumber)
	for row, rater := range c.Rater {
		numbers[row] = number(row)
		if numbers[row] != NoNumber {
			ofRater[rater+1] = append(ofRater[rater+1], int32(row)) // index 0 is for NoRater
			most = max(most, numbers[row])
		}
	}
	firsts := make([]int32, most+1) // index of the row plus 1; 0 if there is none
	for _, rows := range ofRater {
		for _, row := range rows {
			first := &firsts[numbers[row]]
			if *first == 0 {
				*first = row + 1
			}
			visit(int(*first-1), int(row), numbers[row])
		}
		for _, row := range rows {
			firsts[numbers[row]] = 0
		}
	}
}

// ascending reports whether each rater's rows in a column have ascending numbers, so that no number repeats.
func (j *Judgements) ascending(column int, number func(row int) int32) bool {
	c := &j.Columns[column]
	latest := slices.Repeat([]int32{NoNumber}, len(j.Raters)+1)
	for row, rater := range c.Rater {
		n := number(row)
		if n == NoNumber {
			continue
		}
		if n <= latest[rater+1] {
			return false
		}
		latest[rater+1] = n
	}
	return true
}

// Delete deletes the ratings for which bad is true.
func (j *Judgements) Delete(bad func(Rating) bool) {
	for k := range j.Columns {
		j.Columns[k].Keep(func(row int) bool { return !bad(j.At(RowPlace{k, row})) })
	}
}

// Series returns the series that have ratings, in the order in which they first occurred.
func (j *Judgements) Series() (list []Series) {
	there := make([][]bool, len(j.Columns))
	for k := range j.Columns {
		there[k] = make([]bool, len(j.Raters))
		for _, rater := range j.Columns[k].Rater {
			there[k][rater] = true
		}
	}
	for _, pair := range j.series {
		if there[pair[0]][pair[1]] {
			list = append(list, Series{&j.Raters[pair[1]], &j.Criteria[pair[0]]})
		}
	}
	return list
}

// Rename renames raters and criteria. Raters or criteria whose names become equal are merged.
func (j *Judgements) Rename(rater func(Rater) Rater, criterion func(Measured) Measured) {
	renamed := Judgements{Reasons: j.Reasons}
	raters := Each(j.Raters, func(r Rater) int32 { return renamed.RaterPlace(rater(r)) })
	criteria := Each(j.Criteria, func(m Measured) int32 { return renamed.CriterionPlace(criterion(m)) })
	renamed.take(j, raters, criteria, 0)
	j.Raters = renamed.Raters
	j.Criteria = renamed.Criteria
	j.Columns = renamed.Columns
	j.Reasons = renamed.Reasons
	j.raters = renamed.raters
	j.criteria = renamed.criteria
	j.series = renamed.series
}

// Append adds the ratings of other, whose item 0 has the index first here. The columns of other are not usable afterwards.
func (j *Judgements) Append(other *Judgements, first int) {
	raters := Each(other.Raters, j.RaterPlace)
	criteria := Each(other.Criteria, j.CriterionPlace)
	j.take(other, raters, criteria, first)
}

// take moves the rows of other's columns to the columns with the indices criteria. raters maps other's raters to raters here, and first is
// added to the index of each item. An empty column takes over the other column as a whole.
func (j *Judgements) take(other *Judgements, raters, criteria []int32, first int) {
	reasons := 0 // offset of the other's reasons after ours
	if len(other.Reasons) > 0 && len(j.Reasons) > 0 && &other.Reasons[0] != &j.Reasons[0] {
		reasons = len(j.Reasons)
		j.Reasons = append(slices.Clip(j.Reasons), other.Reasons...)
	} else if len(j.Reasons) == 0 {
		j.Reasons = other.Reasons
	}
	for _, theirs := range other.series {
		j.know(criteria[theirs[0]], raters[theirs[1]])
	}
	for k := range other.Columns {
		from := &other.Columns[k]
		to := &j.Columns[criteria[k]]
		for row := range from.Item {
			from.Item[row] += int32(first)
			from.Rater[row] = raters[from.Rater[row]]
		}
		for row := range from.Reason {
			if from.Reason[row] > 0 {
				from.Reason[row] += int32(reasons)
			}
		}
		if len(to.Item) == 0 {
			known := to.known
			*to = *from
			to.known = known
			continue
		}
		words := Each(from.Words, to.Place)
		if from.Reason != nil || to.Reason != nil {
			to.Reason = append(to.Reason, make([]int32, len(to.Item)-len(to.Reason))...)
			to.Reason = append(append(to.Reason, from.Reason...), make([]int32, len(from.Item)-len(from.Reason))...)
		}
		to.Item = append(to.Item, from.Item...)
		to.Rater = append(to.Rater, from.Rater...)
		to.Line = append(to.Line, from.Line...)
		for _, word := range from.Word {
			if word != FailedWord {
				word = words[word]
			}
			to.Word = append(to.Word, word)
		}
	}
}

// CloneColumns returns a copy with its own columns.
func (j *Judgements) CloneColumns() Judgements {
	copied := *j
	copied.Raters, copied.Criteria, copied.series = slices.Clone(j.Raters), slices.Clone(j.Criteria), slices.Clone(j.series)
	copied.raters, copied.criteria, copied.Columns = nil, nil, slices.Clone(j.Columns)
	for k := range copied.Columns {
		c := &copied.Columns[k]
		for _, list := range c.lists() {
			*list = slices.Clone(*list)
		}
		c.Words, c.known, c.places = slices.Clone(c.Words), slices.Clone(c.known), nil
	}
	return copied
}
