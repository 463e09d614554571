package raters

import (
	"cmp"
	"math"

	"compqa/data"
	"compqa/stats/agreement"
)

// BySheet returns a table for each criterion whose units are the score sheets of a reference, and the item of each unit. The reference is
// the first rater, the others follow. Another person's sheet is the one with the same repeat; any other rater's is its first sheet of the
// item.
func BySheet(j *data.Judgements, reference int, others ...int) (tables []Table, items []int32) {
	theirs := data.ByRater(j.Sheets, reference)
	items = data.Each(theirs, func(s data.Given) int32 { return s.Item })
	columns := [][]*data.Given{sheetsFor(j, theirs, reference, true)}
	for _, other := range others {
		columns = append(columns, sheetsFor(j, theirs, other, j.Raters[other].Kind == string(Person)))
	}
	return tabled(j, items, append([]int{reference}, others...), columns), items
}

// UnitOf returns what the units of BySheet's tables are: UnitSheet if the reference has several sheets of an item, else UnitItem.
func UnitOf(j *data.Judgements, reference int) string {
	sheets := data.ByRater(j.Sheets, reference)
	for i := range sheets[min(1, len(sheets)):] {
		if sheets[i].Item == sheets[i+1].Item {
			return UnitSheet
		}
	}
	return UnitItem
}

// ByItem returns a table for each criterion whose units are the items of which one of some raters has a sheet, in the order of items. If a
// rater has several sheets of an item, the first one counts. Items that are not in the data (data.NotFound) are left out.
func ByItem(j *data.Judgements, who ...int) []Table {
	rated := make([]bool, len(j.Items))
	for _, k := range who {
		for _, s := range data.ByRater(j.Sheets, k) {
			rated[s.Item] = j.Items[s.Item].Cluster != data.NotFound
		}
	}
	items := make([]data.Given, 0, len(rated))
	for item, is := range rated {
		if is {
			items = append(items, data.Given{Item: int32(item)})
		}
	}
	columns := data.Each(who, func(k int) []*data.Given { return sheetsFor(j, items, k, false) })
	return tabled(j, data.Each(items, func(s data.Given) int32 { return s.Item }), who, columns)
}

// tabled returns a table for each criterion. columns has for each rater one sheet for each item, or nil if the rater has no sheet.
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

// sheetsFor returns a rater's sheet for each of other sheets, or nil if it has none. It is the sheet of the same item with the same repeat
// (sameRepeat), or else the first sheet of the item.
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

// reasons maps the status of a sheet without points to the reason why its values are missing. Any other status means Failed.
var reasons = map[data.Status]Reason{data.Unparsed: Unreadable, data.Incomplete: Unreadable, data.OutOfRange: OutOfRange,
	data.Skipped: Skipped, data.Pending: NotAsked}

// valueOf returns the value of a sheet on a criterion. The sheet may be nil.
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
