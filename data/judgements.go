package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Judgements are what raters gave to items on the criteria of one rubric: the one form in which a producer, such as a run, says who gave
// what to which item. results/raters makes tables of them.
//
// A run has Sheets. A file has Columns, one for each criterion, whose values are words until the scale of the criterion is known.
type Judgements struct {
	From      string // the file
	Items     []Rated
	Raters    []Rater // none: the file does not name them
	Criteria  []Measured
	Sheets    []Given // by rater, item and repeat
	Columns   []Column
	Reasons   []string          // of rows of columns
	Clustered bool              // the file says which items belong together; else each is a cluster of its own
	Families  map[string]string // of raters and systems, where they are declared
	Texts     []string          // of items; nil: they were not read

	// Confidence is that of a judge in its first sheet of an item, by the places of both; nil: none is known.
	Confidence map[[2]int32]float64

	raters                   map[Rater]int32    // places
	criteria                 map[Measured]int32 // places
	lastRater, lastCriterion int32              // places
	series                   [][2]int32         // places of criterion and rater, in the order of their first rows
}

// A Rated is what is rated: an answer.
type Rated struct {
	ID, System, Scenario, Aspect string
	Cluster                      int       // of the question: items of a cluster are not independent; NotFound: the item was not found
	Words                        int       // of the text; 0: unknown
	Asked                        *Question // nil without a valid answer to a known question
}

// NotFound is the cluster of an item of which nothing but sheets is on record.
const NotFound = -1

// A Rater gives sheets.
type Rater struct {
	Name    string
	Kind    string // KindJudge, KindPerson or KindFloor
	Tuned   bool   // it was trained or tuned on what people gave to items of these judgements
	Decided bool   // it decided after it had seen the sheets of other people
	Pooled  bool   // it is the mean of other raters, and not on record

	Order, Method string // of a pair: how it was shown, and how the choice was found
}

// IsPerson reports whether the rater is a person.
func (r *Rater) IsPerson() bool { return r.Kind == KindPerson }

// The kinds of raters.
const (
	KindJudge  = "judge"
	KindPerson = "human"
	KindFloor  = "floor" // does not look at what it rates
)

// A Measured is a criterion.
type Measured struct {
	ID    string
	Name  string  // "": it has none but the ID
	High  float64 // the most points that it gives; 0: not said
	Scale string  // its points as LOW..HIGH, where its rubric declares more than 0 and 1
	Level string  // nominal, ordinal or interval, where a file says so
	Extra bool    // of values next to the scores of a file, for instance in their metadata
}

// NoCriterion is the criterion of a file without criteria.
const NoCriterion = "-"

// Errorf returns an error about a row of a column, with file and line.
func (j *Judgements) Errorf(c *Column, row int, format string, args ...any) error {
	return &LineError{j.From, int(c.Line[row]), fmt.Errorf(format, args...)}
}

// NotAsked begins the reason of a judge's sheet that was skipped because judges before it decide the answer, or people whatever it says.
const NotAsked = "not asked: "

// Left reports whether a judge was not asked for the sheet: see NotAsked.
func (g Given) Left() bool { return g.Scores == nil && strings.HasPrefix(g.Reason, NotAsked) }

// A Given is what a rater gave to an item at once. It is small, because there may be millions.
type Given struct {
	Rater  int32 // index into Judgements.Raters; of a run, the judge
	Item   int32 // index into Judgements.Items; of a run, the answer
	Repeat int32
	Paid   bool // Cost is known
	*Ending
	Cost float64
}

// An Ending is the result of a sheet: its status, and its scores in the order of the criteria, nil unless it is valid or partial: NaN is a
// gap of a partial one, whose total is 0. Equal endings are shared to save memory.
type Ending struct {
	Status Status
	Reason string
	Scores []float64
	Total  float64
}

// ByRater returns the sheets of a rater, of sheets by rater, item and repeat.
func ByRater(sheets []Given, rater int) []Given {
	return sheetsWith(sheets, rater, func(g Given) int32 { return g.Rater })
}

// ByItem returns the sheets of an item, of one rater's sheets by item and repeat.
func ByItem(sheets []Given, item int) []Given {
	return sheetsWith(sheets, item, func(g Given) int32 { return g.Item })
}

// Everyone returns the places of all raters.
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

// sheetsWith returns the sheets with a number, by which they are sorted.
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
