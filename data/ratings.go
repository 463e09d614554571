package data

import "fmt"

// Annotations are ratings of units by raters, by criterion.
type Annotations struct {
	Path      string
	Criteria  []Annotated // in order of appearance
	Named     bool        // raters have names
	Clustered bool        // every unit has a cluster
}

// Annotated holds the ratings on one criterion, in the order of the file.
type Annotated struct {
	Criterion string // NoCriterion in a table without criteria
	Level     string // nominal, ordinal or interval if the file says so, else ""
	Ratings   []Rating
}

// NoCriterion is the criterion of ratings without one.
const NoCriterion = "-"

// A Rating is one rater's value for one unit. Value is "" if it is missing, and else in the form of NormaliseValue.
type Rating struct {
	Unit    string
	Rater   string
	Cluster string
	Value   string
	Line    int
}

// Errorf is an error about one of the ratings, with file and line.
func (a Annotations) Errorf(r Rating, format string, args ...any) error {
	return &LineError{a.Path, r.Line, fmt.Errorf(format, args...)}
}
