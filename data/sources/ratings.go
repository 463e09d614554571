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
func ReadRatings(path, cluster string, o Options) (j *data.Judgements, log *Log, err error) {
	o.People, o.Raters, o.Alone = true, true, true
	if cluster != "" {
		o.Columns = []string{cluster}
	}
	j = &data.Judgements{From: path}
	log, err = Read(path, o)
	if err != nil {
		return j, log, err
	}
	if log.Scores.Len() == 0 { // judges' values alone
		o.People = false
		log, err = Read(path, o)
		if err != nil {
			return j, log, err
		}
	}
	if log.Scores.Len() == 0 {
		return j, log, fmt.Errorf("%s has no ratings that can be read%s. A rating is a number or one of a few labels; its row needs an id of "+
			"the unit. Name columns: --map item=COLUMN,rater=COLUMN,value=COLUMN", path, leftText(log))
	}
	if cluster != "" && !slices.ContainsFunc(log.Items, func(i Item) bool { return i.Columns[0] != "" }) {
		sheet, err := OpenSheet(path)
		if err != nil {
			return j, log, err
		}
		return j, log, fmt.Errorf("%s has no column %q%s", path, cluster, data.Suggest(cluster, "columns", data.Each(sheet.Columns, pathOf)))
	}
	j, err = judgementsOf(log, cluster, o)
	j.From = path
	return j, log, err
}

func leftText(log *Log) string {
	if left := leftOut(log.Left); left != "" {
		return "; left out: " + left
	}
	return ""
}

// judgementsOf returns the scores of a log as judgements of units.
func judgementsOf(log *Log, cluster string, o Options) (*data.Judgements, error) {
	j := &data.Judgements{From: log.Path}
	units, unit := map[string]int32{}, make([]int32, len(log.Items)) // of items
	for i := range log.Items {
		name := strings.TrimSpace(unitOf(&log.Items[i]))
		unit[i] = numberOf(units, name)
		if int(unit[i]) == len(j.Items) {
			j.Items = append(j.Items, data.Rated{ID: name, Cluster: int(unit[i])})
		}
	}
	err := log.setClusters(j, unit, cluster)
	if err != nil {
		return j, err
	}
	sourceOf := log.sources(j)
	firsts := log.firsts(data.Each(log.Scores.Items(), func(item int32) int32 { return unit[item] }),
		func(s Score) int32 { return sourceOf(s.Series).number })
	sizes := make([]int, len(j.Columns))
	for i, first := range firsts {
		if int(first) == i {
			sizes[sourceOf(log.Scores.At(i).Series).column]++
		}
	}
	for k := range j.Columns {
		j.Columns[k].Grow(sizes[k])
	}
	rows, again := make([]int32, log.Scores.Len()), repeats{mean: o.Repeats == RepeatsMean, last: o.Repeats == RepeatsLast,
		values: map[int32][]float64{}}
	written := map[string]string{}
	for i, s := range log.Scores.All() {
		value, known := written[s.Value]
		if !known {
			value, err = ratingValue(s.Value)
			if err != nil {
				return j, &data.LineError{Path: log.Items[s.Item].File, Line: int(s.Line), Err: err}
			}
			written[s.Value] = value
		}
		source := sourceOf(s.Series)
		column := &j.Columns[source.column]
		if before := firsts[i]; int(before) != i {
			again.add(before, column, int(rows[before]), value, int(s.Line))
			continue
		}
		again.begin(int32(i), value)
		rows[i] = int32(len(column.Item))
		column.Add(unit[s.Item], source.rater, value, int(s.Line))
	}
	log.Notes = append(log.Notes, again.notes()...)
	if len(j.Raters) == 1 {
		return j, fmt.Errorf("%s: all values are of one rater; agreement needs two. Say who rated: --map rater=COLUMN, or a column a rater%s",
			log.Path, leftText(log))
	}
	return j, nil
}

// A source is where the values of a series go: a column and a rater of judgements, with the number of both together.
type source struct{ column, rater, number int32 }

// sources returns the source of each series; it adds the criteria and raters to judgements.
func (log *Log) sources(j *data.Judgements) func(*Series) source {
	criteria, raters, numbers := map[string]int32{}, map[string]int32{}, map[[2]int32]int32{}
	unnamed := log.Scores.Len() > 0 && log.unnamed()
	return once(func(s *Series) source {
		criterion, who := strings.TrimSpace(s.Criterion), strings.TrimSpace(s.By)
		if unnamed {
			criterion = data.NoCriterion
		}
		column, rater := numberOf(criteria, criterion), numberOf(raters, who)
		if int(column) == len(j.Criteria) {
			j.Criteria, j.Columns = append(j.Criteria, data.Measured{ID: criterion}), append(j.Columns, data.Column{})
		}
		if int(rater) == len(j.Raters) {
			j.Raters = append(j.Raters, data.Rater{Name: who})
		}
		return source{column, rater, numberOf(numbers, [2]int32{column, rater})}
	})
}

// setClusters sets the clusters of units where the file has them: in a column that the user names, or in that of groups. A unit is in one
// cluster.
func (log *Log) setClusters(j *data.Judgements, unit []int32, column string) error {
	if log.Scores.Len() == 0 || column == "" && !slices.ContainsFunc(log.Items, func(i Item) bool { return i.Group != "" }) {
		return nil
	}
	j.Clustered = true
	nameOf := func(s Score) string {
		item := &log.Items[s.Item]
		name := item.Group
		if column != "" {
			name = item.Columns[0]
		}
		return cmp.Or(strings.TrimSpace(name), j.Items[unit[s.Item]].ID)
	}
	clusters, firsts := map[string]int32{}, make([]int, len(j.Items)) // 1 + the place of a score
	for i, s := range log.Scores.All() {
		u, name := unit[s.Item], nameOf(s)
		if firsts[u] == 0 {
			firsts[u], j.Items[u].Cluster = i+1, int(numberOf(clusters, name))
			continue
		}
		first := log.Scores.At(firsts[u] - 1)
		if before := nameOf(first); before != name {
			return &data.LineError{Path: log.Items[s.Item].File, Line: int(s.Line), Err: fmt.Errorf("unit %q is in %s %q here and in %q on line "+
				"%d; a unit must be in one cluster", j.Items[u].ID, cmp.Or(column, "group"), name, before, first.Line)}
		}
	}
	return nil
}

// repeats are values that a rater gave again: the first counts, the last, or their mean.
type repeats struct {
	mean, last   bool
	values       map[int32][]float64 // all numbers, by the place of the first score
	count, other int                 // of them, those with another value
}

func (r *repeats) begin(first int32, value string) {
	if x, number := data.Number(value); r.mean && number {
		r.values[first] = []float64{x}
	}
}

// add changes the row of the first score by a later value; a missing value counts as none.
func (r *repeats) add(first int32, column *data.Column, row int, later string, line int) {
	before := column.Value(row)
	switch {
	case later == "":
		return
	case before == "":
		column.Set(row, later, line)
		return
	}
	r.count++
	if before != later {
		r.other++
	}
	if r.last {
		column.Set(row, later, line)
	}
	if x, number := data.Number(later); r.mean && number && r.values[first] != nil {
		r.values[first] = append(r.values[first], x)
		value, err := data.NormaliseValue(strconv.FormatFloat(mean(r.values[first]), 'g', -1, 64))
		if err == nil { // a mean of numbers is one
			column.Set(row, value, int(column.Line[row]))
		}
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
	values := r.columns(RoleValue)
	return len(values) == 1 && (slices.Contains(valueNames(), folded(values[0].Column)) || values[0].Why == flagged)
}
