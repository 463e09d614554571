// Package raters measures how well raters agree: judges with people, people with each other, and both with raters that do
// not look. It is the only measure of this; results/validation, results/preferences and the others make a Table and show a Row.
//
// A value that is missing has a reason and never becomes a number. A figure of two raters uses every unit that both have.
// Every signed figure is judge minus reference. Intervals are by cluster; a figure that is missing says why (stats.Figure.Why).
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
	Derived Kind = "derived"       // from several raters: a majority, a mean
)

// A Reason says why a value is missing; Given is that of a value that is not.
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

// A Value is a number, or a label's number, or missing with a reason. It has the size of a number, because there may be millions. Two are
// equal (==) if their numbers are, or the reasons for which they are missing.
type Value struct{ bits uint64 }

// missing are the bits of a missing value: those of a NaN that no computation gives, and in the last byte the reason.
const missing = 0x7ff8_6d69_7373_0000

// Number returns a value that is given.
func Number(x float64) Value {
	if x == 0 {
		x = 0 // -0 is 0
	}
	return Value{math.Float64bits(x)}
}

// Missing returns a value that is not.
func Missing(why Reason) Value { return Value{missing | uint64(why)} }

// Given reports whether there is a value.
func (v Value) Given() bool { return v.bits&^0xff != missing }

// Number returns the number; 0 if it is missing.
func (v Value) Number() float64 {
	if !v.Given() {
		return 0
	}
	return math.Float64frombits(v.bits)
}

// Missing returns the reason for which the value is missing; Given if it is not.
func (v Value) Missing() Reason {
	if v.Given() {
		return Given
	}
	return Reason(v.bits & 0xff)
}

// A Unit is what is rated. Units of one ID that follow each other are one item, which the reference rated several times.
type Unit struct {
	ID      string
	Cluster int // of the question: units of a cluster are not independent
	System  string
	Words   int // of the text; 0: unknown

	// Of a table that is Weighted: the stratum of the unit, or stats.NoStratum where labels say nothing about it, and the probability
	// with which it was to be rated by the reference, in (0, 1]; 0: equal within the stratum.
	Stratum   int
	Inclusion float64
}

// The kinds of units of a table.
const (
	UnitItem  = "item"  // each item is one
	UnitSheet = "sheet" // each sheet of the reference, which has several of an item
)

// A Rater has a value for every unit of a table.
type Rater struct {
	Name   string
	Kind   Kind
	Values []Value
	Means  bool // the values are means over other units, as those of CriterionMean: they are not on the scale
}

// A Scale is what values of a table mean.
type Scale struct {
	Level     agreement.Level
	Low, High float64   // the ends, where Low < High
	Values    []float64 // that can be given, in ascending order; nil: those that occur
	Rates     bool      // 1 means yes and 0 means no, so that there are rates
	Ties      bool      // Tie is not a decision
	Tie       float64
}

// A Table is what raters gave to units on one criterion, or on several that were pooled.
type Table struct {
	Criterion string
	Scale     Scale
	Units     []Unit
	Raters    []Rater
	Criteria  []int // of units, where several criteria are pooled, from 0
	Sheets    []int // of units, where several criteria are pooled: what was rated on them
	Centred   bool  // each rater's means were subtracted: values have no level of their own
	Weighted  bool  // references rated a part of the units that is not a simple random sample: figures are of all units the judge rated
}

// Rater returns the rater with a name; ok is false if there is none.
func (t Table) Rater(name string) (r Rater, ok bool) {
	index := slices.IndexFunc(t.Raters, func(r Rater) bool { return r.Name == name })
	if index < 0 {
		return r, false
	}
	return t.Raters[index], true
}

// Add adds a rater without values: not asked.
func (t *Table) Add(name string, kind Kind) {
	t.Raters = append(t.Raters, Rater{Name: name, Kind: kind, Values: slices.Repeat([]Value{Missing(NotAsked)}, len(t.Units))})
}

// Put adds what a rater, known by its name, gave to one of the table's units. What is not put is missing: not asked.
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

// Pairs are the values of the units that a judge and a reference both rated, with the places of the units and their clusters.
type Pairs struct {
	Judge, Reference []float64
	Units, Clusters  []int
}

// Pairs returns those of a judge and a reference.
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

// JudgeMinusReference returns the one signed difference of two raters, for each of their pairs.
func (p Pairs) JudgeMinusReference() []float64 {
	differences := make([]float64, len(p.Judge))
	for i := range differences {
		differences[i] = p.Judge[i] - p.Reference[i]
	}
	return differences
}

// columnsOf returns raters as stats/agreement has them, each on all units.
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

// clusters returns those of all units.
func (t Table) clusters() []int {
	all := make([]int, len(t.Units))
	for i, u := range t.Units {
		all[i] = u.Cluster
	}
	return all
}

// Why a figure has no meaning, although it could be computed.
var (
	ErrCentred error = stats.Reason("means were subtracted")
	ErrMeans   error = stats.Reason("the values are means over other units")
	ErrRare    error = stats.Reason(fmt.Sprintf("the class has fewer than %d units", leastOfClass))
	ErrMissing error = stats.Reason("the raters have no unit in common")
	// ErrCategories: so many distinct values are measurements, not categories.
	ErrCategories error = stats.Reason("there are too many different values")

	errManyRaters = stats.Reason(fmt.Sprintf("there are more than %d raters", mostPaired))
)
