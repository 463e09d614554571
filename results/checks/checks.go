// Package checks looks for signs that the values of judge and people were read or joined wrongly. Examples are labels that the two never
// have in common, codes for missing values, a judge that copies a person, and a "person" that is the mean of others.
//
// A finding of a check has one of three effects (Kind): the criterion gets no figures, or figures without a verdict and without a gate, or
// only a sentence. Each finding has a sentence, and a flag with which the user answers it. The answers are kept with the reading
// (Readings.Checked).
package checks

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/results/raters"
)

// A Kind says what a finding does to its criterion.
type Kind string

const (
	Stop Kind = "stop" // the criterion has no figures
	Mark Kind = "mark" // the criterion has figures, but no verdict and no gate
	Say  Kind = "say"  // the criterion gets a sentence only
)

// A Side has what the file of the judge or the file of people contains on one criterion.
type Side struct {
	Name   string // judge or people; "": a single table of raters
	Values []Written
	Words  []string // words that may mean a missing value, as none; one entry for each cell
	Empty  int      // cells that are empty or have a code such as NA
	Given  bool     // the user gave its scale
}

// A Written is a value, as the file writes it, and how often it occurs.
type Written struct {
	Text string
	N    int
}

// Count returns the distinct values with their counts, in order of first occurrence.
func Count(values ...string) (different []Written) {
	places := map[string]int{}
	for _, v := range values {
		place, known := places[v]
		if !known {
			place = len(different)
			places[v] = place
			different = append(different, Written{Text: v})
		}
		different[place].N++
	}
	return different
}

// n returns the number of all values of a side.
func (s Side) n() (n int) {
	for _, v := range s.Values {
		n += v.N
	}
	return n
}

// Joined has the values of one judge and of people on one criterion, on the same units. A single table of raters has no judge.
type Joined struct {
	Criterion string
	Judge     raters.Rater // without values, the judge is missing
	People    []raters.Rater
	Labels    bool // values are labels without an order
	Label     func(float64) string
	Sides     []Side // the judge's and people's, or one of a single table
	OneScale  bool   // the user said how the two scales correspond: by a scale, a threshold or a mapping
	Record    bool   // item ids come from a run, so that items cannot be joined wrongly
	Spellings []string
	Assumed   []string // people whose column was only assumed to be a rater
	Versions  []string // versions of a judge, no two of which rated the same item
}

// A Finding describes a possible wrong reading that a check found.
type Finding struct {
	Check     string `csv:"check"`
	Kind      Kind   `csv:"kind"`
	Judge     string `csv:"judge"`
	Criterion string `csv:"criterion"`
	Text      string `csv:"text"`
	Flag      string `csv:"flag"` // the command-line flag with which the user answers it; "": no flag
}

// Sentence returns a finding in one sentence, including the flag with which the user answers it.
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

// Question returns what the user is asked about a finding, worded to follow "say".
func (f Finding) Question() string {
	if question := questions[f.Check]; question != "" {
		return question
	}
	return "whether this is so: " + f.Text
}

// questions has short questions for checks whose text is long, by the check's name.
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
	Find    func(j *Joined) (text, flag string) // text is "" if nothing is found
	Example func() *Joined                      // values in which the check finds something, for a test
}

// Run runs all checks except the answered ones, and returns their findings.
func Run(j *Joined, answered []string) (found []Finding) {
	for _, c := range Table {
		if slices.Contains(answered, c.Name) {
			continue
		}
		text, flag := c.Find(j)
		if text != "" {
			found = append(found, Finding{Check: c.Name, Kind: c.Kind, Judge: j.Judge.Name, Criterion: j.Criterion, Text: text, Flag: flag})
		}
	}
	return found
}

// Answerable returns the names of checks that a user can answer with --checked. The check "pair" is not in Table, but can be answered.
func Answerable() []string {
	var names []string
	for _, c := range Table {
		if c.Kind != Say && !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
	}
	return append(names, "pair")
}

// Known returns an error if one of the names is not the name of a check that can be answered.
func Known(names []string) error {
	for _, name := range names {
		if !slices.Contains(Answerable(), name) {
			return fmt.Errorf("--checked %s: there is no such check; there are %s", name, strings.Join(Answerable(), ", "))
		}
	}
	return nil
}

// Stopped reports whether a finding stops its criterion, so that the criterion has no figures.
func Stopped(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Kind == Stop })
}

// Marked reports whether a finding stops or marks its criterion, so that the criterion has no verdict.
func Marked(found []Finding) bool {
	return slices.ContainsFunc(found, func(f Finding) bool { return f.Kind != Say })
}
