package data

import (
	"cmp"
	"slices"
)

// Judgements are what raters gave to items on the criteria of one rubric: the one form in which a producer, such as a run, says who gave
// what to which item. results/raters makes tables of them.
type Judgements struct {
	Items    []Rated
	Raters   []Rater
	Criteria []Measured
	Sheets   []Given // by rater, item and repeat
}

// A Rated is what is rated: an answer.
type Rated struct {
	ID, System, Scenario, Aspect string
	Cluster                      int // of the question: items of a cluster are not independent; NotFound: the item was not found
	Words                        int // of the text; 0: unknown
}

// NotFound is the cluster of an item of which nothing but sheets is on record.
const NotFound = -1

// A Rater gives sheets.
type Rater struct {
	Name string
	Kind string // as results/raters calls it: judge, human, floor
}

// A Measured is a criterion; High is the most points that it gives.
type Measured struct {
	ID   string
	High float64
}

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
