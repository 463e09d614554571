package sources

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// addUnread adds to the reading of a known format the columns that the format does not know and whose values look like scores or labels:
// one of them may be the column of values under another name. They are assumed to be none, so that no gate rests on it. A format whose
// scores are lists or objects in a record, or all columns that it names nowhere else, has none left over.
func (f *Format) addUnread(path string, o Options, reading *Reading) error {
	nested := slices.ContainsFunc(f.Scores, func(m scoreMap) bool { return m.Each != nil || m.Columns != nil })
	if f.table != nil || f.Source != "" || nested || len(f.Scores) == 0 || o.Given != nil || len(o.Map)+len(o.Judges) > 0 {
		return nil
	}
	sheet, err := open(path, f, mostValues)
	if err != nil {
		return err
	}
	sheet.Columns = data.Where(sheet.Columns, func(c *Column) bool { return !strings.Contains(c.Path, ".") && !f.knows(c.Path, sheet) })
	table, err := sheet.Read(Options{People: o.People, Names: o.Names})
	if err != nil {
		return err
	}
	for _, read := range table.of(RoleValue) {
		c := sheet.column(read.Column)
		if c.lists == nil && c.constant() == "" && c.repeats() && (c.mostlyNumbers() || c.known()) {
			reading.Columns = append(reading.Columns, ColumnRead{Column: c.Path, Role: RoleUnread, Values: read.Values, Assumed: true,
				Why: "looks like values, but is no column of " + f.Name})
		}
	}
	return nil
}

// knows reports whether a path of the format, or a pattern of its columns, has the name of a column.
func (f *Format) knows(column string, sheet *Sheet) bool {
	for _, m := range f.Scores {
		if m.Match == "" {
			continue
		}
		pattern := regexp.MustCompile(m.Match)
		if pattern.MatchString(column) {
			return true
		}
		for _, c := range sheet.Columns { // as clear_gold says that clear is a criterion
			if found := pattern.FindStringSubmatch(c.Path); found != nil && (column == found[1] || strings.HasPrefix(column, found[1]+"/")) {
				return true
			}
		}
	}
	word := regexp.MustCompile(`(^|[^\pL\pN_])` + regexp.QuoteMeta(column) + `($|[^\pL\pN_])`)
	return word.MatchString(fmt.Sprint(f.Marks, f.Item, f.Runs, f.Scores, f.Status, f.Left))
}
