package raters

import (
	"cmp"
	"math"

	"compqa/data"
	"compqa/stats/agreement"
)

// BySheet returns a table of each criterion whose units are the sheets of a reference, with the reference and then the others as raters,
// and the items of the units. Of people the sheet with the same repeat counts, of others the first one of the item.
func BySheet(j *data.Judgements, reference int, others ...int) (tables []Table, items []int32) {
	theirs := data.ByRater(j.Sheets, reference)
	items = data.Each(theirs, func(s data.Given) int32 { return s.Item })
	columns := [][]*data.Given{sheetsFor(j, theirs, reference, true)}
	for _, other := range others {
		columns = append(columns, sheetsFor(j, theirs, other, j.Raters[other].Kind == string(Person)))
	}
	return tabled(j, items, append([]int{reference}, others...), columns), items
}

// UnitOf returns what the units of tables by the sheets of a reference are: UnitSheet where an item has several of them, else UnitItem.
func UnitOf(j *data.Judgements, reference int) string {
	sheets := data.ByRater(j.Sheets, reference)
	for i := range sheets[min(1, len(sheets)):] {
		if sheets[i].Item == sheets[i+1].Item {
			return UnitSheet
		}
	}
	return UnitItem
}

// ByItem returns a table of each criterion whose units are the items that any of some raters has a sheet of, in the order of items; of
// several sheets of one item the first counts. Items that were not found are left out.
func ByItem(j *data.Judgements, who ...int) []Table {
	rated := make([]bool, len(j.Items))
	for _, k := range who {
		for _, s := range data.ByRater(j.Sheets, k) {
			rated[s.Item] = j.Items[s.Item].Cluster != data.NotFound
		}
	}
	var items []data.Given
	for item, is := range rated {
		if is {
			items = append(items, data.Given{Item: int32(item)})
		}
	}
	columns := data.Each(who, func(k int) []*data.Given { return sheetsFor(j, items, k, false) })
	return tabled(j, data.Each(items, func(s data.Given) int32 { return s.Item }), who, columns)
}

// tabled returns the tables of the sheets of raters, one for each of the items, or nil.
func tabled(j *data.Judgements, items []int32, who []int, columns [][]*data.Given) (tables []Table) {
	units := data.Each(items, func(item int32) Unit {
		i := &j.Items[item]
		return Unit{ID: i.ID, Cluster: i.Cluster, System: i.System, Words: i.Words}
	})
	for k, c := range j.Criteria {
		t := Table{Criterion: c.ID, Scale: Scale{Level: cmp.Or(agreement.Level(c.Level), agreement.Interval), High: c.High}, Units: units}
		for i, sheets := range columns {
			t.Raters = append(t.Raters, Rater{Name: j.Raters[who[i]].Name, Kind: Kind(j.Raters[who[i]].Kind),
				Values: data.Each(sheets, func(s *data.Given) Value { return valueOf(s, k) })})
		}
		tables = append(tables, t)
	}
	return tables
}

// sheetsFor returns a rater's sheets of the items of other sheets, nil where there is none: those with the same repeat, or the first ones.
func sheetsFor(j *data.Judgements, others []data.Given, rater int, sameRepeat bool) []*data.Given {
	sheets := data.ByRater(j.Sheets, rater)
	k := 0
	found := make([]*data.Given, len(others))
	for i, r := range others {
		for k < len(sheets) && (sheets[k].Item < r.Item || sameRepeat && sheets[k].Item == r.Item && sheets[k].Repeat < r.Repeat) {
			k++
		}
		if k < len(sheets) && sheets[k].Item == r.Item && (!sameRepeat || sheets[k].Repeat == r.Repeat) {
			found[i] = &sheets[k]
		}
	}
	return found
}

// reasons maps the status of a sheet without points to the reason why a value is missing; any other status is a failure.
var reasons = map[data.Status]Reason{data.Unparsed: Unreadable, data.Incomplete: Unreadable, data.OutOfRange: OutOfRange,
	data.Skipped: Skipped, data.Pending: NotAsked}

// valueOf returns what a sheet, which may be nil, gives on a criterion.
func valueOf(s *data.Given, criterion int) Value {
	switch {
	case s == nil:
		return Missing(NotAsked)
	case s.Status == data.Partial && math.IsNaN(s.Scores[criterion]):
		return Missing(Skipped)
	case s.Status == data.Valid || s.Status == data.Partial:
		return Number(s.Scores[criterion])
	case reasons[s.Status] != Given:
		return Missing(reasons[s.Status])
	}
	return Missing(Failed)
}
