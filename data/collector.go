package data

import (
	"math"
	"slices"
)

// A Collector makes Judgements of values that come one by one, in any order. The zero value has none.
type Collector struct {
	j      Judgements
	items  map[string]int32
	raters map[string]int32
	places map[[2]int32]int // of sheets, by rater and item
}

// Item returns the place of the item with a key, which is added if it is new.
func (c *Collector) Item(key string, item Rated) int32 {
	place, known := c.items[key]
	if !known {
		if c.items == nil {
			c.items = map[string]int32{}
		}
		place = int32(len(c.j.Items))
		c.items[key] = place
		c.j.Items = append(c.j.Items, item)
	}
	return place
}

// Give adds the value that a rater, known by its name, gave to an item on a criterion, known by its ID. A value that is given again is
// another value of the same sheet, and the last one counts.
func (c *Collector) Give(rater Rater, item int32, criterion Measured, value float64) {
	k, known := c.raters[rater.Name]
	if !known {
		if c.raters == nil {
			c.raters = map[string]int32{}
		}
		k = int32(len(c.j.Raters))
		c.raters[rater.Name] = k
		c.j.Raters = append(c.j.Raters, rater)
	}
	m := slices.IndexFunc(c.j.Criteria, func(one Measured) bool { return one.ID == criterion.ID })
	if m < 0 {
		m = len(c.j.Criteria)
		c.j.Criteria = append(c.j.Criteria, criterion)
	}
	key := [2]int32{k, item}
	place, known := c.places[key]
	if !known {
		if c.places == nil {
			c.places = map[[2]int32]int{}
		}
		place = len(c.j.Sheets)
		c.places[key] = place
		c.j.Sheets = append(c.j.Sheets, Given{Rater: k, Item: item, Repeat: 1, Ending: &Ending{Status: Partial}})
	}
	sheet := c.j.Sheets[place]
	for len(sheet.Scores) <= m {
		sheet.Scores = append(sheet.Scores, math.NaN())
	}
	sheet.Scores[m] = value
}

// Judgements returns all values as sheets with gaps. Nothing is added after it.
func (c *Collector) Judgements() *Judgements {
	for _, sheet := range c.j.Sheets {
		for len(sheet.Scores) < len(c.j.Criteria) {
			sheet.Scores = append(sheet.Scores, math.NaN())
		}
	}
	slices.SortFunc(c.j.Sheets, CompareSheets)
	return &c.j
}
