package sources

import (
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// Turned explains why no scores were found in a table, and what to do. It returns "" if none of these cases holds:
//   - Nobody has filled in the table.
//   - Its columns are items of the log and its rows are people, as an online form writes them.
//   - It has no header line.
func Turned(path string, log *Log) string {
	sheet, err := OpenSheet(path)
	if err != nil {
		return ""
	}
	if empty := data.Where(sheet.Columns, func(c *Column) bool { return c.Filled == 0 && c.lists == nil }); FormatOf(path) == "" &&
		sheet.rows > 1 && len(empty) > 0 {
		names := data.Each(empty, pathOf)
		return fmt.Sprintf("nobody has filled in %s: %s %s in all %d rows", path, strings.Join(names[:min(4, len(names))], ", "),
			data.Form(len(names), "is empty", "are empty"), sheet.rows)
	}
	ids := map[string]bool{}
	for i := range log.Items {
		ids[log.Items[i].ID] = true
	}
	delete(ids, "")
	var named, numbers []string
	for _, c := range sheet.Columns {
		words := strings.FieldsFunc(c.Path, func(r rune) bool { return strings.ContainsRune(" _[]():#", r) })
		if _, found := data.First(append(words, c.Path), func(word string) bool { return ids[word] }); found {
			named = append(named, c.Path)
		}
		if _, number := data.Number(c.Path); number {
			numbers = append(numbers, c.Path)
		}
	}
	switch {
	case len(named) >= 3 && 2*len(named) > len(sheet.Columns):
		return fmt.Sprintf("the columns of %s are items of the log (%s), and its rows are people. Write a row for each item and person instead: "+
			"id, annotator, criterion, value; or exchange rows and columns (in a spreadsheet: Paste special, Transpose), so that each person is "+
			"a column", path, data.Clip(data.Some(named)))
	case len(numbers) > 0 || len(sheet.Columns) > 0 && ids[sheet.Columns[0].Path]:
		var names []string
		for _, c := range sheet.Columns {
			names = append(names, c.Path)
		}
		return fmt.Sprintf("%s has no line with names of columns: its first line is %s. Write one above it, for instance id,score", path,
			data.Clip(strings.Join(names, ", ")))
	}
	return ""
}

// cells yields the values of one row of a turned table as records of a long table. In a turned table, a row is a rater and a column is an
// item.
func (r *Reading) cells(record *scope) iter.Seq[*scope] {
	return func(yield func(*scope) bool) {
		rater := textOf(record.get(r.Column(RoleRater)))
		for _, c := range r.columns(RoleValue) {
			value := valueOf(record.get(c.Column))
			text, err := json.Marshal(map[string]string{RoleItem: r.turnedItem(c.Column), RoleRater: rater, RoleValue: value})
			if err == nil && !yield(&scope{Document: record.Document, value: gjson.ParseBytes(text)}) {
				return
			}
		}
	}
}

var numberAtEnd = regexp.MustCompile(`(\d+)\W*$`)

// turnedItem returns the item of a column of a turned table. If the names of all columns end in different numbers, it is the number, else
// the name.
func (r *Reading) turnedItem(column string) string {
	known := map[string]bool{}
	for _, c := range r.columns(RoleValue) {
		m := numberAtEnd.FindStringSubmatch(c.Column)
		if m == nil || known[m[1]] {
			return column
		}
		known[m[1]] = true
	}
	return numberAtEnd.FindStringSubmatch(column)[1]
}
