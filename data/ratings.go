package data

import (
	"fmt"
	"strings"
	"unique"

	"github.com/tidwall/gjson"
)

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

// The fields of a table in long form. Criterion and cluster are optional.
const (
	fieldUnit      = "unit"
	fieldRater     = "rater"
	fieldValue     = "value"
	fieldCriterion = "criterion"
	fieldCluster   = "cluster"
)

// ReadRatings reads an annotation table in long form, with one rating in each row: unit, rater, value, and optionally
// criterion. cluster names the column of the unit's cluster (the question of an answer); "" means the column "cluster",
// if it exists. Other columns are ignored.
//
// See Documents for the format; path "-" is standard input. A row without a value is a missing rating. A second rating
// of a unit by a rater on a criterion and a unit in two clusters are errors that name both lines.
func ReadRatings(path, cluster string) (Annotations, error) {
	a := Annotations{Path: path, Named: true}
	criteria, clusters := map[string]int{}, map[string]Rating{} // clusters: a unit's first rating
	lines := map[[3]string]int{}                                // of ratings, by criterion, unit and rater
	// name is a copy of a text: a cell would keep its line in memory. Equal texts share copies.
	name := func(text string) string { return unique.Make(strings.TrimSpace(text)).Value() }
	needed := []string{fieldUnit, fieldRater, fieldValue}
	rows, several := 0, false
	err := readRows(path, func(string) error { return nil }, func(r *row) {
		if rows++; rows == 1 {
			if several = r.has(fieldCriterion); several {
				needed = append(needed, fieldCriterion)
			}
			if cluster == "" && r.has(fieldCluster) {
				cluster = fieldCluster
			}
			if a.Clustered = cluster != ""; a.Clustered {
				needed = append(needed, cluster)
			}
		}
		if r.columns(needed, rows == 1); r.Table == nil && !several && r.has(fieldCriterion) {
			r.fail("this line has a criterion, but earlier lines have none")
		}
		if r.err != nil {
			return
		}
		rating := Rating{Line: r.Line, Unit: name(r.need(fieldUnit)), Rater: name(r.need(fieldRater)), Value: name(r.value(fieldValue))}
		criterion := NoCriterion
		if several {
			criterion = name(r.need(fieldCriterion))
		}
		if a.Clustered {
			rating.Cluster = name(r.need(cluster))
			if first, known := clusters[rating.Unit]; !known {
				clusters[rating.Unit] = rating
			} else if first.Cluster != rating.Cluster {
				r.fail("unit %q is in %s %q here and in %q on line %d; a unit must be in one cluster", rating.Unit, cluster, rating.Cluster,
					first.Cluster, first.Line)
			}
		}
		place := [3]string{criterion, rating.Unit, rating.Rater}
		if first, twice := lines[place]; twice && several {
			r.fail("line %d already has a rating of unit %q by %q on %q", first, rating.Unit, rating.Rater, criterion)
		} else if twice {
			r.fail("line %d already has a rating of unit %q by %q; ratings on several criteria need a column criterion", first,
				rating.Unit, rating.Rater)
		}
		lines[place] = r.Line
		at, known := criteria[criterion]
		if !known {
			at, a.Criteria = len(a.Criteria), append(a.Criteria, Annotated{Criterion: criterion})
			criteria[criterion] = at
		}
		a.Criteria[at].Ratings = append(a.Criteria[at].Ratings, rating)
	})
	if err == nil && rows == 0 {
		err = fmt.Errorf("%s has no ratings", path)
	}
	return a, err
}

// has reports whether the row has a field, even without a value.
func (r *row) has(name string) bool { return r.Value.Get(gjson.Escape(name)).Exists() }

// columns fails if the row lacks a field. The header of a table is checked with its first row.
func (r *row) columns(needed []string, first bool) {
	if r.Table != nil {
		if first {
			r.err = r.Table.Check(r.File, needed...)
		}
		return
	}
	for _, name := range needed {
		if !r.has(name) {
			var names []string
			r.Value.ForEach(func(name, _ gjson.Result) bool { names = append(names, name.Str); return true })
			r.fail("there is no column %q%s", name, Suggest(name, "columns", names))
			return
		}
	}
}
