package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Judgements are the values that raters gave to items on the criteria of one rubric. Runs and files are converted to this form.
// results/raters makes tables of it.
//
// A run fills Sheets. A file fills Columns, one for each criterion, whose values stay words until the scale of the criterion is known.
type Judgements struct {
	From     string  // the file
	Items    []Rated // of a run; the items of a file have no more than their number
	Raters   []Rater // empty if the file does not name raters
	Criteria []Measured
	Sheets   []Given // sorted by rater, item and repeat
	Columns  []Column
	Reasons  []string          // reasons that rows of columns refer to
	Clusters []int32           // of a file: the cluster of each item; nil: each item is its own cluster
	Families map[string]string // declared model families of raters and systems
	Texts    []string          // texts of the items; nil if they were not read

	// Confidence is a judge's confidence in its first sheet for an item, by rater and item index; nil if none is known.
	Confidence map[[2]int32]float64

	raters                   map[Rater]int32    // indices
	criteria                 map[Measured]int32 // indices
	lastRater, lastCriterion int32              // indices returned last
	series                   [][2]int32         // indices of criterion and rater, in the order of their first rows
}

// A Rated is an item that raters rate: an answer.
type Rated struct {
	ID, System, Scenario, Aspect string
	Cluster                      int       // of the question: items of one cluster are not independent; or NotFound
	Words                        int       // number of words of the text; 0 if unknown
	Asked                        *Question // nil if the answer is invalid or its question is unknown
}

// NotFound is the cluster of an item that is known only from its sheets.
const NotFound = -1

// A Rater is a judge, a person or a baseline that gives scores.
type Rater struct {
	Name    string
	Kind    string // KindJudge, KindPerson or KindFloor
	Tuned   bool   // was trained or tuned on people's scores of these items
	Decided bool   // decided after seeing the sheets of other people
	Pooled  bool   // is the mean of other raters, and is not recorded

	Order, Method string // for pairs: the order shown, and how the choice was found
}

// IsPerson reports whether the rater is a person.
func (r *Rater) IsPerson() bool { return r.Kind == KindPerson }

// The kinds of raters.
const (
	KindJudge  = "judge"
	KindPerson = "human"
	KindFloor  = "floor" // a baseline, which does not look at what it rates
)

// A Measured is a criterion as it was measured.
type Measured struct {
	ID    string
	Name  string  // "" if it has only an ID
	High  float64 // its highest score; 0 if unknown
	Scale string  // its range as LOW..HIGH, if the rubric declares more than 0 and 1
	Level string  // level of measurement: nominal, ordinal or interval; "" if the file does not say it
	Extra bool    // its values stand beside the scores of a file, for instance in metadata
}

// NoCriterion is the criterion of a file without criteria.
const NoCriterion = "-"

// Errorf returns an error about a row of a column, with file and line.
func (j *Judgements) Errorf(c *Column, row int, format string, args ...any) error {
	return &LineError{j.From, int(c.Line[row]), fmt.Errorf(format, args...)}
}

// NotAsked begins the reason of a sheet that a judge was not asked for: earlier judges decided the answer, or people decide it in any case.
const NotAsked = "not asked: "

// Left reports whether a judge was not asked for the sheet; see NotAsked.
func (g Given) Left() bool { return g.Scores == nil && strings.HasPrefix(g.Reason, NotAsked) }

// A Given is a sheet: all scores that a rater gave to an item at once. It is small, because there may be millions.
type Given struct {
	Rater  int32 // index in Judgements.Raters; in a run, of the judge
	Item   int32 // index in Judgements.Items; in a run, of the answer
	Repeat int32
	Paid   bool // Cost is known
	*Ending
	Cost float64
}

// An Ending is the result of a sheet. Scores are in the order of the criteria, and nil unless the status is valid or partial. In a partial
// sheet, NaN marks a missing score, and Total is 0. Sheets with equal results share one Ending to save memory.
type Ending struct {
	Status Status
	Reason string
	Scores []float64
	Total  float64
}

// ByRater returns the sheets of a rater. sheets must be sorted by rater, item and repeat.
func ByRater(sheets []Given, rater int) []Given {
	return sheetsWith(sheets, rater, func(g Given) int32 { return g.Rater })
}

// ByItem returns the sheets of an item. sheets must be of one rater, sorted by item and repeat.
func ByItem(sheets []Given, item int) []Given {
	return sheetsWith(sheets, item, func(g Given) int32 { return g.Item })
}

// Everyone returns the indices of all raters.
func (j *Judgements) Everyone() []int {
	who := make([]int, len(j.Raters))
	for k := range who {
		who[k] = k
	}
	return who
}

// Share reports whether two raters have sheets of the same item.
func (j *Judgements) Share(first, second int) bool {
	a := ByRater(j.Sheets, first)
	b := ByRater(j.Sheets, second)
	for len(a) > 0 && len(b) > 0 && a[0].Item != b[0].Item {
		if a[0].Item < b[0].Item {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return len(a) > 0 && len(b) > 0
}

// sheetsWith returns the sheets for which numberOf returns a number. sheets must be sorted by that number.
func sheetsWith(sheets []Given, number int, numberOf func(Given) int32) []Given {
	from := func(number int) int {
		place, _ := slices.BinarySearchFunc(sheets, number, func(g Given, number int) int { return int(numberOf(g)) - number })
		return place
	}
	return sheets[from(number):from(number+1)]
}

// CompareSheets orders sheets by rater, item and repeat.
func CompareSheets(a, b Given) int {
	return cmp.Or(cmp.Compare(a.Rater, b.Rater), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Repeat, b.Repeat))
}
