package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// ReadRatings reads what raters gave to units from a file of any form that Read knows: long, wide, lists, exports of tools. A
// unit is an item, with its system and turn where the file has them. cluster names the column of a unit's cluster; "" is the
// column group or cluster, if there is one. Of several values of one rater of one unit the first counts, or their mean; where
// they differ in more than 2 % of the units, that is an error (see Options.Repeats).
func ReadRatings(path, cluster string, o Options) (a data.Annotations, log *Log, err error) {
	o.People, o.Raters, o.Alone = true, true, true
	if cluster != "" {
		o.Columns = []string{cluster}
	}
	log, err = Read(path, o)
	if err != nil {
		return a, log, err
	}
	if len(log.Scores) == 0 { // judges' values alone
		o.People = false
		log, err = Read(path, o)
		if err != nil {
			return a, log, err
		}
	}
	if len(log.Scores) == 0 {
		return a, log, fmt.Errorf("%s has no ratings that can be read%s. A rating is a number or one of a few labels; its row needs an id of "+
			"the unit. Name columns: --map item=COLUMN,rater=COLUMN,value=COLUMN", path, leftText(log))
	}
	if cluster != "" && !slices.ContainsFunc(log.Items, func(i Item) bool { return i.Columns[0] != "" }) {
		sheet, err := OpenSheet(path)
		if err != nil {
			return a, log, err
		}
		return a, log, fmt.Errorf("%s has no column %q%s", path, cluster, data.Suggest(cluster, "columns", data.Each(sheet.Columns, pathOf)))
	}
	a, err = annotations(log, cluster, o)
	a.Path = path
	return a, log, err
}

func leftText(log *Log) string {
	if left := leftOut(log.Left); left != "" {
		return "; left out: " + left
	}
	return ""
}

// annotations are the scores of a log as ratings of units.
func annotations(log *Log, cluster string, o Options) (a data.Annotations, err error) {
	type column struct {
		criterion int
		rater     string
	}
	columns, numbers, raters := map[*Series]column{}, map[column]int32{}, map[string]bool{}
	criteria := map[string]int{}
	units := data.Each(log.Items, func(i Item) string { return strings.TrimSpace(unitOf(&i)) })
	firsts := log.firsts(log.numbers(func(i *Item) string { return strings.TrimSpace(unitOf(i)) }), func(s *Score) int32 {
		of, known := columns[s.Series]
		if !known {
			criterion := strings.TrimSpace(s.Criterion)
			if log.unnamed() {
				criterion = data.NoCriterion
			}
			k, known := criteria[criterion]
			if !known {
				k = len(a.Criteria)
				a.Criteria, criteria[criterion] = append(a.Criteria, data.Annotated{Criterion: criterion}), k
			}
			of = column{k, strings.TrimSpace(s.By)}
			columns[s.Series], raters[of.rater] = of, true
		}
		n, known := numbers[of]
		if !known {
			n = int32(len(numbers))
			numbers[of] = n
		}
		return n
	})
	at, again := make([]int, len(log.Scores)), repeats{mean: o.Repeats == RepeatsMean, last: o.Repeats == RepeatsLast,
		values: map[int32][]float64{}}
	written := map[string]string{}
	clusters := map[string]data.Rating{} // a unit's first rating
	grouped := cluster != "" || slices.ContainsFunc(log.Items, func(i Item) bool { return i.Group != "" })
	a.Named, a.Clustered = true, grouped && len(log.Scores) > 0
	sizes := make([]int, len(a.Criteria))
	for i, first := range firsts {
		if int(first) == i {
			sizes[columns[log.Scores[i].Series].criterion]++
		}
	}
	for k, n := range sizes {
		a.Criteria[k].Ratings = make([]data.Rating, 0, n)
	}
	for i := range log.Scores {
		s := &log.Scores[i]
		item, here := &log.Items[s.Item], columns[s.Series]
		rating := data.Rating{Line: int(s.Line), Unit: units[s.Item], Rater: here.rater}
		var known bool
		rating.Value, known = written[s.Value]
		if !known {
			rating.Value, err = ratingValue(s.Value)
			if err != nil {
				return a, &data.LineError{Path: item.File, Line: int(s.Line), Err: err}
			}
			written[s.Value] = rating.Value
		}
		if grouped {
			rating.Cluster = strings.TrimSpace(item.Group)
			if cluster != "" {
				rating.Cluster = strings.TrimSpace(item.Columns[0])
			}
			rating.Cluster = cmp.Or(rating.Cluster, rating.Unit)
			if first, known := clusters[rating.Unit]; !known {
				clusters[rating.Unit] = rating
			} else if first.Cluster != rating.Cluster {
				return a, &data.LineError{Path: item.File, Line: rating.Line, Err: fmt.Errorf("unit %q is in %s %q here and in %q on line %d; a unit "+
					"must be in one cluster", rating.Unit, cmp.Or(cluster, "group"), rating.Cluster, first.Cluster, first.Line)}
			}
		}
		ratings := &a.Criteria[here.criterion].Ratings
		if before := firsts[i]; int(before) != i {
			again.add(before, &(*ratings)[at[before]], rating)
			continue
		}
		again.begin(int32(i), rating)
		at[i] = len(*ratings)
		*ratings = append(*ratings, rating)
	}
	log.Notes = append(log.Notes, again.notes()...)
	if len(raters) == 1 {
		return a, fmt.Errorf("%s: all values are of one rater; agreement needs two. Say who rated: --map rater=COLUMN, or a column a rater%s",
			log.Path, leftText(log))
	}
	return a, nil
}

// repeats are values that a rater gave again: the first counts, the last, or their mean.
type repeats struct {
	mean, last   bool
	values       map[int32][]float64 // all numbers, by the place of the first score
	count, other int                 // of them, those with another value
}

func (r *repeats) begin(at int32, first data.Rating) {
	if x, number := data.Number(first.Value); r.mean && number {
		r.values[at] = []float64{x}
	}
}

// add changes the first rating by a later one; a missing value counts as none.
func (r *repeats) add(at int32, first *data.Rating, later data.Rating) {
	switch {
	case later.Value == "":
		return
	case first.Value == "":
		first.Value, first.Line = later.Value, later.Line
		return
	}
	r.count++
	if first.Value != later.Value {
		r.other++
	}
	if r.last {
		first.Value, first.Line = later.Value, later.Line
	}
	if x, number := data.Number(later.Value); r.mean && number && r.values[at] != nil {
		r.values[at] = append(r.values[at], x)
		first.Value, _ = data.NormaliseValue(strconv.FormatFloat(mean(r.values[at]), 'g', -1, 64))
	}
}

func (r *repeats) notes() []string {
	if r.count == 0 {
		return nil
	}
	counts := "the first counts"
	switch {
	case r.mean:
		counts = "their mean counts"
	case r.last:
		counts = "the last counts"
	}
	return []string{fmt.Sprintf("%s repeated by a rater, %d with another value: %s", data.Plural(r.count, "value is", "values are"),
		r.other, counts)}
}

func mean(values []float64) (m float64) {
	for _, x := range values {
		m += x / float64(len(values))
	}
	return m
}

// ratingValue is a value as data.NormaliseValue writes it, also with a decimal comma.
func ratingValue(text string) (string, error) {
	if x, number := data.Number(text); number {
		text = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return data.NormaliseValue(text)
}

// unitOf is what names an item among those of its file: its id, or else its text, with its system, turn and repeat.
func unitOf(item *Item) string {
	parts := []string{cmp.Or(item.ID, item.Text, item.Question)}
	if item.Pair != nil {
		parts = []string{item.Pair.ID}
	}
	if item.System != "" {
		parts = append(parts, item.System)
	}
	if item.Turn != "" {
		parts = append(parts, "turn "+item.Turn)
	}
	if item.Repeat > 1 {
		parts = append(parts, "repeat "+strconv.Itoa(item.Repeat))
	}
	return strings.Join(parts, " · ")
}

// unnamed reports whether the log is of a long table that has a column of values and none of criteria.
func (log *Log) unnamed() bool {
	r := log.format.table
	if r == nil || r.Column(RoleCriterion) != "" || r.Column(RoleRater) == "" {
		return false
	}
	values := r.of(RoleValue)
	return len(values) == 1 && (slices.Contains(valueNames(), folded(values[0].Column)) || values[0].Why == flagged)
}
