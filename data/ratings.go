package data

import (
	"fmt"
	"slices"
	"strings"

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

// A Rating is one rater's value for one unit. Value is "" if it is missing, and else in
// the form of NormaliseValue.
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

// ReadRatings reads an annotation table in long form, with one rating in each row: unit,
// rater, value, and optionally criterion. cluster names the column of the unit's cluster
// (the question of an answer); "" means the column "cluster", if it exists. Other
// columns are ignored.
//
// See Documents for the format; path "-" is standard input. A row without a value is a missing rating.
// A second rating of a unit by a rater on a criterion and a unit in two clusters are
// errors that name both lines.
func ReadRatings(path, cluster string) (Annotations, error) {
	t := longTable{
		Annotations: Annotations{Path: path, Named: true}, wanted: cluster,
		names: map[string]string{}, at: map[string]int{}, lines: map[cell]int{}, clusters: map[string]Rating{},
	}
	err := readRows(path, func(string) error { return nil }, t.row)
	if err == nil && t.rows == 0 {
		err = fmt.Errorf("%s has no ratings", path)
	}
	return t.Annotations, err
}

// A longTable reads an annotation table.
type longTable struct {
	Annotations
	wanted   string // the requested cluster column, or ""
	cluster  string // the cluster column of the file, or ""
	criteria bool   // the file has the column criterion
	rows     int
	names    map[string]string // see name
	at       map[string]int    // criterion → index
	lines    map[cell]int
	clusters map[string]Rating // unit → its first rating
}

// A cell identifies one rating.
type cell struct {
	criterion   int
	unit, rater string
}

func (t *longTable) row(r *row) {
	if r.err = t.columns(r); r.err != nil {
		return
	}
	rating := Rating{Line: r.Line, Unit: t.name(r.need(fieldUnit)), Rater: t.name(r.need(fieldRater))}
	criterion := NoCriterion
	if t.criteria {
		criterion = t.name(r.need(fieldCriterion))
	}
	if t.Clustered {
		rating.Cluster = t.name(r.need(t.cluster))
	}
	rating.Value = t.name(r.value(fieldValue))
	if r.err == nil {
		r.err = t.add(criterion, rating)
	}
}

// columns checks that the row has the required fields, and the optional ones if the first
// row has them. A header is checked once, with the first row.
func (t *longTable) columns(r *row) error {
	if t.rows++; t.rows > 1 && r.Table != nil {
		return nil
	}
	line, has := r.Line, []string(nil)
	if r.Table != nil {
		line = r.Table.Line
	}
	r.Value.ForEach(func(name, _ gjson.Result) bool { has = append(has, name.Str); return true })
	if t.rows == 1 {
		t.criteria = slices.Contains(has, fieldCriterion)
		if t.cluster = t.wanted; t.cluster == "" && slices.Contains(has, fieldCluster) {
			t.cluster = fieldCluster
		}
		t.Clustered = t.cluster != ""
	}
	needed := []string{fieldUnit, fieldRater, fieldValue}
	if t.criteria {
		needed = append(needed, fieldCriterion)
	} else if slices.Contains(has, fieldCriterion) {
		return &LineError{t.Path, line, fmt.Errorf("this line has a criterion, but earlier lines have none")}
	}
	if t.Clustered {
		needed = append(needed, t.cluster)
	}
	for _, name := range needed {
		if !slices.Contains(has, name) {
			return &LineError{t.Path, line, fmt.Errorf("there is no column %q%s", name, Suggest(name, "columns", has))}
		}
	}
	return nil
}

// name trims a text and returns one copy for equal texts. A cell of CSV would keep the
// complete line in memory.
func (t *longTable) name(text string) string {
	text = strings.TrimSpace(text)
	kept, ok := t.names[text]
	if !ok {
		kept = strings.Clone(text)
		t.names[kept] = kept
	}
	return kept
}

func (t *longTable) add(criterion string, r Rating) error {
	at, ok := t.at[criterion]
	if !ok {
		at = len(t.Criteria)
		t.at[criterion] = at
		t.Criteria = append(t.Criteria, Annotated{Criterion: criterion})
	}
	place := cell{at, r.Unit, r.Rater}
	if first, ok := t.lines[place]; ok {
		if t.criteria {
			return t.Errorf(r, "line %d already has a rating of unit %q by %q on %q", first, r.Unit, r.Rater, criterion)
		}
		return t.Errorf(r, "line %d already has a rating of unit %q by %q; ratings on several criteria need a column criterion", first,
			r.Unit, r.Rater)
	}
	t.lines[place] = r.Line
	if t.Clustered {
		first, ok := t.clusters[r.Unit]
		if !ok {
			t.clusters[r.Unit] = r
		} else if first.Cluster != r.Cluster {
			return t.Errorf(r, "unit %q is in %s %q here and in %q on line %d; a unit must be in one cluster", r.Unit, t.cluster,
				r.Cluster, first.Cluster, first.Line)
		}
	}
	t.Criteria[at].Ratings = append(t.Criteria[at].Ratings, r)
	return nil
}
