package sources

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
)

// ReadRatings reads the ratings that raters gave to units, from a file in any form that Read knows: long or wide tables, lists, exports of
// tools. A unit is an item, with its system and turn if the file has them. cluster names the column of a unit's cluster; "" means the
// column group or cluster, if there is one. If a rater rated a unit several times, the first value counts, or as Options.Repeats says. If
// repeated values differ in more than 2 % of the units, the result is an error, unless Options.Repeats is set.
func ReadRatings(path, cluster string, o Options) (j *data.Judgements, log *Log, err error) {
	o.People = true
	o.Raters = true
	o.Alone = true
	if cluster != "" {
		o.Columns = []string{cluster}
	}
	j = &data.Judgements{From: path}
	log, err = Read(path, o)
	if err != nil {
		return j, log, err
	}
	if log.Values.Len() == 0 { // the file may have only values of judges
		o.People = false
		log, err = Read(path, o)
		if err != nil {
			return j, log, err
		}
	}
	if log.Values.Len() == 0 {
		return j, log, fmt.Errorf("%s has no ratings that can be read%s. A rating is a number or one of a few labels; its row needs an id of "+
			"the unit. Name columns: --map item=COLUMN,rater=COLUMN,value=COLUMN%s", path, leftText(log), readAs(log))
	}
	if cluster != "" && !slices.ContainsFunc(log.Items, func(i Item) bool { return i.About().Columns[0] != "" }) {
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

// leftText lists what was left out of a log, as the end of a sentence, or returns "".
func leftText(log *Log) string {
	if left := leftOut(log.Left); left != "" {
		return "; left out: " + left
	}
	return ""
}

// readAs says what each column of a table was read as, and why: "; columns: id (id of the item), gold (left out, …)". It returns
// "" for other files.
func readAs(log *Log) string {
	var columns []string
	for _, reading := range log.Readings {
		for _, c := range reading.Columns {
			columns = append(columns, fmt.Sprintf("%s (%s: %s)", data.Clip(c.Column), c.What(), c.Why))
		}
	}
	if columns == nil {
		return ""
	}
	return "; columns: " + data.Some(columns)
}

// judgementsOf returns the values of a log as judgements of units. It changes the log's own values: its items become the units.
func judgementsOf(log *Log, cluster string, o Options) (*data.Judgements, error) {
	j := &log.Values
	j.From = log.Path
	if said := log.NotPeoples(); said != "" {
		log.Notes = append(log.Notes, said)
	}
	items := log.distinct() && !slices.ContainsFunc(log.Items, func(i Item) bool { return unitOf(&i) != i.ID }) // each item is a unit
	units := map[string]int32{}
	unit := make([]int32, len(log.Items)) // index of the unit, by item
	for i := range log.Items {
		unit[i] = int32(i)
		if !items {
			unit[i] = numberOf(units, unitOf(&log.Items[i]))
		}
	}
	if err := log.setClusters(unit, cluster); err != nil {
		return j, err
	}
	kept := log.Items[:0] // of the items of a unit the first
	for i, u := range unit {
		if int(u) == len(kept) {
			kept = append(kept, log.Items[i])
		}
	}
	log.Items = kept
	unnamed := log.unnamed()
	j.Rename(func(r data.Rater) data.Rater { return data.Rater{Name: strings.TrimSpace(r.Name)} },
		func(m data.Measured) data.Measured {
			if unnamed {
				return data.Measured{ID: data.NoCriterion}
			}
			return data.Measured{ID: strings.TrimSpace(m.ID)}
		})
	if err := log.normalise(); err != nil {
		return j, err
	}
	again := repeats{mean: o.Repeats == RepeatsMean, last: o.Repeats == RepeatsLast}
	for k := range j.Columns {
		column := &j.Columns[k]
		for row, item := range column.Item {
			column.Item[row] = unit[item]
		}
		again.leaveOut(j, k)
	}
	log.Notes = append(log.Notes, again.notes()...)
	if len(j.Raters) == 1 {
		return j, fmt.Errorf("%s: all values are of one rater; agreement needs two. Say which column names the rater (--map rater=COLUMN), or "+
			"which columns are raters (--map \"rater=COLUMN|COLUMN\")%s%s",
			log.Path, leftText(log), readAs(log))
	}
	return j, nil
}

// normalise rewrites all values with data.NormaliseValue. The error is for the first line whose value is refused.
func (log *Log) normalise() error {
	var fault *data.LineError
	for k := range log.Values.Columns {
		column := &log.Values.Columns[k]
		faults := make([]error, len(column.Words))
		words := data.Each(slices.Clone(column.Words), func(word string) int32 {
			value, err := ratingValue(word)
			if place := column.Place(value); err == nil {
				return place
			}
			return data.FailedWord
		})
		for word := range faults {
			if words[word] == data.FailedWord {
				_, faults[word] = ratingValue(column.Words[word])
			}
		}
		for row, word := range column.Word {
			switch {
			case word == data.FailedWord:
				column.Word[row] = column.Place("")
			case faults[word] == nil:
				column.Word[row] = words[word]
			case fault == nil || int(column.Line[row]) < fault.Line:
				fault = &data.LineError{Path: log.Items[column.Item[row]].About().File, Line: int(column.Line[row]), Err: faults[word]}
			}
		}
	}
	if fault != nil {
		return fault
	}
	return nil
}

// setClusters sets the clusters of units from the column that the user names, or else from the groups of items. A unit in two clusters is
// an error.
func (log *Log) setClusters(unit []int32, column string) error {
	j := &log.Values
	if j.Len() == 0 || column == "" && !slices.ContainsFunc(log.Items, func(i Item) bool { return i.About().Group != "" }) {
		return nil
	}
	rated := make([]bool, len(log.Items))
	for k := range j.Columns {
		for _, item := range j.Columns[k].Item {
			rated[item] = true
		}
	}
	nameOf := func(i int) string {
		name := log.Items[i].About().Group
		if column != "" {
			name = log.Items[i].About().Columns[0]
		}
		return cmp.Or(strings.TrimSpace(name), unitOf(&log.Items[i]))
	}
	clusters := map[string]int32{}
	firsts := make([]int, slices.Max(unit)+1) // index of the first item plus 1, by unit
	j.Clusters = make([]int32, len(firsts))
	for i := range log.Items {
		if !rated[i] {
			continue
		}
		u, name := unit[i], nameOf(i)
		if firsts[u] == 0 {
			firsts[u], j.Clusters[u] = i+1, numberOf(clusters, name)
			continue
		}
		first := firsts[u] - 1
		if before := nameOf(first); before != name {
			item := &log.Items[i]
			return &data.LineError{Path: item.About().File, Line: item.Line, Err: fmt.Errorf("unit %q is in %s %q here and in %q on "+
				"line %d; a unit must be in one cluster", unitOf(item), cmp.Or(column, "group"), name, before, log.Items[first].Line)}
		}
	}
	return nil
}

// repeats combines the values that a rater gave a unit several times: the first counts, or the last, or their mean.
type repeats struct {
	mean, last   bool
	values       map[int][]float64 // all numbers of a repeated value, by the row of the first one
	count, other int               // repeated values, and those of them that differ
}

// leaveOut removes the rows of a column that repeat an earlier row, after adding them to it.
func (r *repeats) leaveOut(j *data.Judgements, k int) {
	column := &j.Columns[k]
	r.values = map[int][]float64{}
	left := make([]bool, len(column.Item))
	some := false
	j.EachFirst(k, func(row int) int32 { return column.Item[row] }, func(first, row int, _ int32) {
		if first == row {
			return
		}
		left[row] = true
		some = true
		r.add(column, first, row)
	})
	if some {
		column.Keep(func(row int) bool { return !left[row] })
	}
}

// add updates the first value of a rater for a unit with a later one. A missing value does not count.
func (r *repeats) add(column *data.Column, first, row int) {
	before := column.Value(first)
	later := column.Value(row)
	line := int(column.Line[row])
	switch {
	case later == "":
		return
	case before == "":
		column.Set(first, later, line)
		return
	}
	r.count++
	if before != later {
		r.other++
	}
	if r.last {
		column.Set(first, later, line)
	}
	if !r.mean {
		return
	}
	if r.values[first] == nil {
		if x, number := data.Number(before); number {
			r.values[first] = []float64{x}
		}
	}
	if x, number := data.Number(later); number && r.values[first] != nil {
		r.values[first] = append(r.values[first], x)
		value, err := data.NormaliseValue(strconv.FormatFloat(mean(r.values[first]), 'g', -1, 64))
		if err == nil { // the mean of numbers is always valid
			column.Set(first, value, int(column.Line[first]))
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

// ratingValue normalises a value as data.NormaliseValue does, and also accepts a decimal comma.
func ratingValue(text string) (string, error) {
	if x, number := data.Number(text); number {
		text = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return data.NormaliseValue(text)
}

// unitOf returns the name of the unit of an item: its id, or else its text or question, with system, turn and repeat.
func unitOf(item *Item) string {
	about := item.About()
	parts := []string{cmp.Or(item.ID, item.Text, item.Question)}
	if about.Pair != nil {
		parts = []string{about.Pair.ID}
	}
	if about.System != "" {
		parts = append(parts, about.System)
	}
	if about.Turn != "" {
		parts = append(parts, "turn "+about.Turn)
	}
	if about.Repeat > 1 {
		parts = append(parts, "repeat "+strconv.Itoa(about.Repeat))
	}
	return strings.TrimSpace(strings.Join(parts, " · "))
}

// unnamed reports whether the log is a long table that has one column of values but no column of criteria.
func (log *Log) unnamed() bool {
	r := log.format.table
	if r == nil || r.Column(RoleCriterion) != "" || r.Column(RoleRater) == "" {
		return false
	}
	values := r.columns(RoleValue)
	return len(values) == 1 && (slices.Contains(valueNames(), folded(values[0].Column)) || values[0].Why == flagged)
}
