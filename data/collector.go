package data

import (
	"math"
	"slices"
)

// A Collector builds Judgements from values that come one by one, in any order. The zero value is empty.
type Collector struct {
	j      Judgements
	items  map[string]int32
	raters map[string]int32
	places map[[2]int32]int // index of a sheet, by rater and item
}

// Item returns the index of the item with a key, and adds the item if it is new.
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

// Give adds the value that a rater gave an item on a criterion. Raters are identified by name, criteria by ID. A second value for the same
// rater, item and criterion replaces the first.
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

// Judgements returns all values as sheets, with NaN for missing values. Nothing can be added afterwards.
func (c *Collector) Judgements() *Judgements {
	for _, sheet := range c.j.Sheets {
		for len(sheet.Scores) < len(c.j.Criteria) {
			sheet.Scores = append(sheet.Scores, math.NaN())
		}
	}
	slices.SortFunc(c.j.Sheets, CompareSheets)
	return &c.j
}
