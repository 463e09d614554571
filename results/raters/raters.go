// Package raters measures how well raters agree: judges with people, people with each other, and both with floors, which are raters that do
// not look at what they rate. All other packages measure agreement with it: they make a Table and show a Row.
//
// A missing value has a reason and never becomes a number. A figure of two raters uses every unit that both rated. All signed figures are
// judge minus reference. Intervals are by cluster. A missing figure has a reason (stats.Figure.Why).
package raters

import (
	"fmt"
	"math"
	"slices"

	"compqa/data"
	"compqa/stats"
	"compqa/stats/agreement"
)

// A Kind says what a rater is.
type Kind string

const (
	Judge   Kind = data.KindJudge  // a model or a program
	Person  Kind = data.KindPerson // an annotator
	Floor   Kind = data.KindFloor  // a rater that does not look at what it rates
	Derived Kind = "derived"       // computed from several raters: a majority, a mean
)

// A Reason says why a value is missing. Given is the reason of a value that is not missing.
type Reason uint8

const (
	Given      Reason = iota // the value is not missing
	NotAsked                 // nobody asked the rater
	Failed                   // the call failed, or the model refused
	Unreadable               // the reply has no value that can be read
	OutOfRange               // the value is not on the scale
	Skipped                  // the rater skipped the unit
	Tied                     // several values are equally frequent
)

func (r Reason) String() string {
	return [...]string{"given", "not asked", "failed", "unreadable", "out of range", "skipped", "tied"}[r]
}

// A Value is a number (for a label, the label's number), or it is missing with a reason. It takes only eight bytes, because there may be
// millions of values. Two values are equal (==) if both have the same number, or both are missing for the same reason.
type Value struct{ bits uint64 }

// missing has the bits of a missing value: a NaN that no computation produces, whose last byte is the reason.
const missing = 0x7ff8_6d69_7373_0000

// Number returns a value with a number.
func Number(x float64) Value {
	if x == 0 {
		x = 0 // -0 is 0
	}
	return Value{math.Float64bits(x)}
}

// Missing returns a value that is missing, with the reason.
func Missing(why Reason) Value { return Value{missing | uint64(why)} }

// Given reports whether there is a value.
func (v Value) Given() bool { return v.bits&^0xff != missing }

// Number returns the value's number, or 0 if the value is missing.
func (v Value) Number() float64 {
	if !v.Given() {
		return 0
	}
	return math.Float64frombits(v.bits)
}

// Missing returns the reason why the value is missing, or Given if it is not missing.
func (v Value) Missing() Reason {
	if v.Given() {
		return Given
	}
	return Reason(v.bits & 0xff)
}

// A Unit is what is rated, for instance an answer. Consecutive units with the same ID are one item, which the reference rated several
// times.
type Unit struct {
	ID      string
	Cluster int // number of the question; units of a cluster are not independent
	System  string
	Words   int // number of words of the text; 0: unknown
}

// The units of a table of a judge and a reference (see UnitOf).
const (
	UnitItem  = "item"  // each unit is an item
	UnitSheet = "sheet" // each unit is a score sheet of the reference, which has several sheets of some items
)

// A Rater has a value for every unit of a table.
type Rater struct {
	Name   string
	Kind   Kind
	Values []Value
	Means  bool // the values are means over other units, as of CriterionMean, and may lie between the points of the scale
}

// A Scale says what the values of a table mean.
type Scale struct {
	Level     agreement.Level
	Low, High float64   // the ends; unknown unless Low < High
	Values    []float64 // possible values in ascending order; nil: those that occur
	Rates     bool      // 1 means yes and 0 means no, so that there are rates
	Ties      bool      // some values are Tie, which is not a decision
	Tie       float64
}

// A Table has the values that raters gave to units on one criterion, or on several pooled criteria.
type Table struct {
	Criterion string
	Scale     Scale
	Units     []Unit
	Raters    []Rater
	Criteria  []int // if criteria are pooled: the criterion of each unit, from 0
	Sheets    []int // if criteria are pooled: the score sheet of each unit, from 0
	Centred   bool  // the mean of each rater was subtracted from its values, so that values have no level of their own

	// Strata is nil, or references rated no simple random sample of the units, and figures are weighted to all units that the judge rated.
	// It then has the stratum of each unit, or stats.NoStratum if labels say nothing about the unit. Inclusion has the probability in (0, 1]
	// with which the reference was to rate each unit; it is nil for equal probabilities within strata.
	Strata    []int
	Inclusion []float64
}

// Weighted reports whether figures of the table are weighted.
func (t Table) Weighted() bool { return t.Strata != nil }

// Rater returns the rater with a name. ok is false if there is none.
func (t Table) Rater(name string) (r Rater, ok bool) {
	index := slices.IndexFunc(t.Raters, func(r Rater) bool { return r.Name == name })
	if index < 0 {
		return r, false
	}
	return t.Raters[index], true
}

// Add adds a rater whose values are all missing (NotAsked).
func (t *Table) Add(name string, kind Kind) {
	t.Raters = append(t.Raters, Rater{Name: name, Kind: kind, Values: slices.Repeat([]Value{Missing(NotAsked)}, len(t.Units))})
}

// Put sets the value that a rater gave to a unit, and adds the rater if its name is new. Values that are never set stay missing (NotAsked).
func (t *Table) Put(name string, kind Kind, unit int, number float64) {
	index := slices.IndexFunc(t.Raters, func(r Rater) bool { return r.Name == name })
	if index < 0 {
		index = len(t.Raters)
		t.Add(name, kind)
	}
	t.Raters[index].Values[unit] = Number(number)
}

// Kind returns the raters of a kind.
func (t Table) Kind(kind Kind) (raters []Rater) {
	for _, r := range t.Raters {
		if r.Kind == kind {
			raters = append(raters, r)
		}
	}
	return raters
}

// Pairs has the values of a judge and a reference on the units that both rated, with the index and the cluster of each unit.
type Pairs struct {
	Judge, Reference []float64
	Units, Clusters  []int
}

// Pairs returns the pairs of values of a judge and a reference.
func (t Table) Pairs(judge, reference Rater) (p Pairs) {
	n := 0
	for i, v := range judge.Values {
		if v.Given() && reference.Values[i].Given() {
			n++
		}
	}
	if n == 0 {
		return p
	}
	p = Pairs{make([]float64, 0, n), make([]float64, 0, n), make([]int, 0, n), make([]int, 0, n)}
	for i, v := range judge.Values {
		if w := reference.Values[i]; v.Given() && w.Given() {
			p.Judge, p.Reference = append(p.Judge, v.Number()), append(p.Reference, w.Number())
			p.Units = append(p.Units, i)
			p.Clusters = append(p.Clusters, t.Units[i].Cluster)
		}
	}
	return p
}

// JudgeMinusReference returns the judge's value minus the reference's value for each pair. All signed figures have this sign.
func (p Pairs) JudgeMinusReference() []float64 {
	differences := make([]float64, len(p.Judge))
	for i := range differences {
		differences[i] = p.Judge[i] - p.Reference[i]
	}
	return differences
}

// columnsOf returns raters in the form of package stats/agreement.
func columnsOf(raters []Rater) []agreement.Rater {
	columns := make([]agreement.Rater, len(raters))
	for k, r := range raters {
		columns[k] = agreement.Rater{Values: make([]float64, len(r.Values)), Missing: make([]bool, len(r.Values))}
		for i, v := range r.Values {
			columns[k].Values[i], columns[k].Missing[i] = v.Number(), !v.Given()
		}
	}
	return columns
}

// clusters returns the cluster of each unit.
func (t Table) clusters() []int {
	all := make([]int, len(t.Units))
	for i, u := range t.Units {
		all[i] = u.Cluster
	}
	return all
}

// Reasons why a figure has no meaning, although it could be computed.
var (
	ErrCentred error = stats.Reason("means were subtracted")
	ErrMeans   error = stats.Reason("the values are means over other units")
	ErrRare    error = stats.Reason(fmt.Sprintf("the class has fewer than %d units", leastOfClass))
	ErrMissing error = stats.Reason("the raters have no unit in common")
	// ErrCategories: so many distinct values are measurements, not categories.
	ErrCategories error = stats.Reason("there are too many different values")

	errManyRaters = stats.Reason(fmt.Sprintf("there are more than %d raters", mostPaired))
)
