package sources

import (
	"iter"

	"compqa/data"
)

// Scores are the values of a log, of which there may be millions: a column without pointers, whose raters are places among the series.
type Scores struct {
	column  data.Column
	series  []*Series
	places  map[*Series]int32
	reason  []int32 // of rows: place among reasons; nil: no row has one
	reasons []string
}

// failedWord is the word of a score that failed.
const failedWord = -1

// Len returns the number of scores.
func (c *Scores) Len() int { return len(c.column.Item) }

// At returns a score.
func (c *Scores) At(row int) Score {
	s := Score{Series: c.series[c.column.Rater[row]], Item: c.column.Item[row], Line: c.column.Line[row]}
	s.Failed = c.column.Word[row] == failedWord
	if !s.Failed {
		s.Value = c.column.Value(row)
	}
	if c.reason != nil {
		s.Reason = c.reasons[c.reason[row]]
	}
	return s
}

// Items returns the items of the scores.
func (c *Scores) Items() []int32 { return c.column.Item }

// All returns the scores with their places.
func (c *Scores) All() iter.Seq2[int, Score] {
	return func(yield func(int, Score) bool) {
		for row := range c.Len() {
			if !yield(row, c.At(row)) {
				return
			}
		}
	}
}

// Add adds a score.
func (c *Scores) Add(s Score) {
	place, known := c.places[s.Series]
	if !known {
		if c.places == nil {
			c.places = map[*Series]int32{}
		}
		place = int32(len(c.series))
		c.series, c.places[s.Series] = append(c.series, s.Series), place
	}
	c.column.Add(s.Item, place, s.Value, int(s.Line))
	c.settle(c.Len()-1, s)
}

// Set gives a score another value, or none, and another reason.
func (c *Scores) Set(row int, s Score) {
	c.column.Set(row, s.Value, int(s.Line))
	c.settle(row, s)
}

// settle sets whether a score failed, and its reason. Scores of one record have the same reason, which is kept once.
func (c *Scores) settle(row int, s Score) {
	if s.Failed {
		c.column.Word[row] = failedWord
	}
	if s.Reason != "" && c.reasons == nil {
		c.reasons = []string{""}
	}
	if c.reasons == nil {
		return
	}
	c.reason = append(c.reason, make([]int32, c.Len()-len(c.reason))...)
	if c.reasons[c.reason[row]] == s.Reason {
		return
	}
	place := len(c.reasons) - 1
	if c.reasons[place] != s.Reason {
		place++
		c.reasons = append(c.reasons, s.Reason)
	}
	c.reason[row] = int32(place)
}

// Delete deletes the scores that are such ones.
func (c *Scores) Delete(is func(Score) bool) {
	lists := []*[]int32{&c.column.Item, &c.column.Rater, &c.column.Word, &c.column.Line, &c.reason}
	if c.reason == nil {
		lists = lists[:4]
	}
	n := 0
	for row, s := range c.All() {
		if is(s) {
			continue
		}
		for _, list := range lists {
			(*list)[n] = (*list)[row]
		}
		n++
	}
	for _, list := range lists {
		*list = (*list)[:n]
	}
}

// Series returns the series of the scores, in the order of their first ones.
func (c *Scores) Series() (list []*Series) {
	seen, known := make([]bool, len(c.series)), map[*Series]bool{}
	for _, place := range c.column.Rater {
		if s := c.series[place]; !seen[place] {
			seen[place] = true
			if !known[s] {
				known[s] = true
				list = append(list, s)
			}
		}
	}
	return list
}

// Rename gives series others in their place.
func (c *Scores) Rename(other func(*Series) *Series) {
	for place, s := range c.series {
		c.series[place] = other(s)
	}
}
