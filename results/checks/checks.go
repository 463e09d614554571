// Package checks looks at joined values for the marks of a wrong reading, whatever led to it: labels that never meet, codes for
// missing values, a judge that copies a person, a person who is nobody.
//
// A check that stops its criterion withholds the figures of it. One that marks it leaves the figures, without a verdict and
// without a gate. One that only says leaves everything. Each has a sentence and the flag that answers it; the answers are kept in the
// reading (Readings.Checked).
package checks

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/raters"
)

// A Kind is what a finding does to its criterion.
type Kind string

const (
	Stop Kind = "stop" // no figure
	Mark Kind = "mark" // figures, no verdict, no gate
	Say  Kind = "say"  // a sentence
)

// A Side is what one side's file has of a criterion.
type Side struct {
	Name   string   // judge or people; "": one table of raters
	Values []string // all that are given, as they are written
	Words  []string // words for missing values, as none, one for each place
	Empty  int      // cells that are empty or have a code such as NA
	Given  bool     // the user gave its scale

	different []written // Values
}

// A written is a value and how often it occurs.
type written struct {
	text string
	n    int
}

// count notes the different values of a side, in the order of their first ones.
func (s *Side) count() {
	places := map[string]int{}
	s.different = nil
	for _, v := range s.Values {
		place, known := places[v]
		if !known {
			place = len(s.different)
			places[v] = place
			s.different = append(s.different, written{text: v})
		}
		s.different[place].n++
	}
}

// Joined are the values of one judge and of people on one criterion, of the same units. One table of raters has no judge.
type Joined struct {
	Criterion string
	Judge     raters.Rater // without values: there is none
	People    []raters.Rater
	Labels    bool // values are labels without an order
	Label     func(float64) string
	Sides     []Side // of the judge and of people, or of one table
	OneScale  bool   // the user said how scales meet: a scale, a threshold, a mapping
	Record    bool   // ids come from a run, and cannot be read wrongly
	Spellings []string
	Assumed   []string // people, each of whom is a column that was only assumed to be one
	Versions  []string // judges no two of which have an item
}

// A Finding is what a check found.
type Finding struct {
	Check     string `csv:"check"`
	Kind      Kind   `csv:"kind"`
	Judge     string `csv:"judge"`
	Criterion string `csv:"criterion"`
	Text      string `csv:"text"`
	Flag      string `csv:"flag"` // that answers it; "": none
}

// Sentence returns a finding in one sentence, with the flag that answers it.
func (f Finding) Sentence() string {
	text := f.Text
	if f.Criterion != "" && f.Criterion != data.NoCriterion {
		text = f.Criterion + ": " + text
	}
	if f.Flag != "" {
		text += ": " + f.Flag
	}
	switch f.Kind {
	case Stop:
		return "No figure of " + text
	case Mark:
		return text + ". Until this is answered there is no verdict and no gate"
	}
	return text
}

// Question returns what a finding asks, as the end of "say …".
func (f Finding) Question() string {
	if question := questions[f.Check]; question != "" {
		return question
	}
	return "whether this is so: " + f.Text
}

// questions has the questions of checks whose text is long.
var questions = map[string]string{
	"copy":     "whether its values are a copy of a person's",
	"person":   "whether names that are written in several ways are one person",
	"pair":     "whether its criterion and people's are the same",
	"reversed": "whether one of the scales is turned",
	"stranger": "whether a column is a rater",
	"join":     "whether the items were joined rightly",
	"repeats":  "which of a person's several values counts",
}

// A Check looks for one kind of wrong reading.
type Check struct {
	Name    string
	Kind    Kind
	Find    func(j *Joined) (text, flag string) // "": nothing
	Example func() *Joined                      // where it finds something
}

// Run returns the findings of all checks but those that were answered.
func Run(j *Joined, answered []string) (found []Finding) {
	counted := *j
	counted.Sides = slices.Clone(j.Sides)
	for i := range counted.Sides {
		counted.Sides[i].count()
	}
	for _, c := range Table {
		if slices.Contains(answered, c.Name) {
			continue
		}
		text, flag := c.Find(&counted)
		if text != "" {
			found = append(found, Finding{Check: c.Name, Kind: c.Kind, Judge: j.Judge.Name, Criterion: j.Criterion, Text: text, Flag: flag})
		}
	}
	return found
}

// Answerable returns the names of checks that a user can answer.
func Answerable() []string {
	var names []string
	for _, c := range Table {
		if c.Kind != Say && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return append(names, "pair")
}

// Known returns an error if a name is not that of a check.
func Known(names []string) error {
	for _, name := range names {
		if !slices.Contains(Answerable(), name) {
			return fmt.Errorf("--checked %s: there is no such check; there are %s", name, strings.Join(Answerable(), ", "))
		}
	}
	return nil
}

// Stopped reports whether any finding stops its criterion, and Marked whether any leaves it without a verdict.
func Stopped(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == Stop })
}

// Marked reports whether any finding leaves a criterion without a verdict.
func Marked(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Kind != Say })
}
