package table

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"compqa/data"
	"compqa/stats"
)

// A column is a column of a row struct. The csv tags of the struct's fields define the columns everywhere: in CSV files, in Markdown and on
// the terminal. A figure with the tag "alpha" has one column. With "alpha,alpha_low,alpha_high" it has three: its value and the bounds of
// its interval. Columns of embedded structs are included in place.
type column struct {
	name  string
	field []int                           // index path of the field
	part  func(stats.Figure) stats.Figure // of a figure with three columns: Point, Lower or Upper
	noted [][]int                         // index paths of the figures that a Reasons column explains
}

// A Reasons field is a column that says why figures of its row are missing. Its tag names the fields of the figures, as in
//
//	Note table.Reasons `csv:"note" figures:"MAE,Corrected"`
type Reasons struct{}

// value returns the value of a row in the column.
func (c column) value(row reflect.Value) reflect.Value {
	if c.noted != nil {
		return reflect.ValueOf(reasons(row, c.noted))
	}
	v := row.FieldByIndex(c.field)
	if c.part == nil {
		return v
	}
	return reflect.ValueOf(c.part(v.Interface().(stats.Figure)))
}

// typeIn returns the type of the values in the column.
func (c column) typeIn(row reflect.Type) reflect.Type {
	if c.noted != nil {
		return reflect.TypeFor[string]()
	}
	return row.FieldByIndex(c.field).Type
}

// reasons returns why the figures in some fields of a row are missing. Each reason occurs once.
func reasons(row reflect.Value, figures [][]int) string {
	var texts []string
	for _, field := range figures {
		if text := row.FieldByIndex(field).Interface().(stats.Figure).Reason(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(data.Set(texts), "; ")
}

// knownColumns has the results of columnsOf, a []column by reflect.Type: finding them takes longer than writing a row.
var knownColumns sync.Map

// columnsOf returns the columns of a row type, in the order of its fields. It skips fields without a csv tag or with "-".
func columnsOf(row reflect.Type) []column {
	if known, is := knownColumns.Load(row); is {
		return known.([]column)
	}
	var columns []column
	for _, f := range reflect.VisibleFields(row) {
		names := strings.Split(f.Tag.Get("csv"), ",")
		switch {
		case names[0] == "" || names[0] == "-":
		case f.Type == reflect.TypeFor[Reasons]():
			var noted [][]int
			for name := range strings.SplitSeq(f.Tag.Get("figures"), ",") {
				noted = append(noted, fieldOf(row, name))
			}
			columns = append(columns, column{name: names[0], field: f.Index, noted: noted})
		case f.Type != reflect.TypeFor[stats.Figure]() || len(names) < 3:
			columns = append(columns, column{name: names[0], field: f.Index})
		default:
			columns = append(columns, column{names[0], f.Index, stats.Figure.Point, nil}, column{names[1], f.Index, stats.Figure.Lower, nil},
				column{names[2], f.Index, stats.Figure.Upper, nil})
		}
	}
	knownColumns.Store(row, columns)
	return columns
}

// From returns a table of rows for Markdown and the terminal, with the given columns. The first words columns contain words. A column is
// written as NAME, NAME:DECIMALS or NAME+DECIMALS (with a sign), optionally followed by =HEADING, as "alpha:3=alpha (interval)". NAME is
// the first name in a field's csv tag, or the name of a field. By default, figures have two decimals and the heading is the name. From
// panics without such a field.
func From[Row any](words int, rows []Row, columns ...string) *Table {
	t := &Table{Words: words}
	typ := reflect.TypeFor[Row]()
	cells := make([]func(reflect.Value) Cell, len(columns))
	for i, spec := range columns {
		name, heading, titled := strings.Cut(spec, "=")
		decimals := 2
		signed := strings.Contains(name, "+")
		if index := strings.IndexAny(name, ":+"); index >= 0 {
			decimals, _ = strconv.Atoi(name[index+1:])
			name = name[:index]
		}
		if !titled {
			heading = strings.ReplaceAll(name, "_", " ")
		}
		field := fieldOf(typ, name)
		cells[i] = func(row reflect.Value) Cell { return CellOf(row.FieldByIndex(field).Interface(), decimals, signed) }
		t.Header = append(t.Header, heading)
	}
	for _, row := range rows {
		value := reflect.ValueOf(row)
		t.Rows = append(t.Rows, data.Each(cells, func(cell func(reflect.Value) Cell) Cell { return cell(value) }))
	}
	return t
}

// First returns the first row for which is is true, or the zero row.
func First[Row any](rows []Row, is func(Row) bool) (row Row) {
	row, _ = data.First(rows, is)
	return row
}

// Grouped returns the rows in groups with the same key, in the order in which the keys first appear.
func Grouped[Row any, Key comparable](rows []Row, key func(Row) Key) [][]Row {
	numbers, keys := stats.NumberLabels(data.Each(rows, key))
	groups := make([][]Row, len(keys))
	for i, n := range numbers {
		groups[n] = append(groups[n], rows[i])
	}
	return groups
}

func fieldOf(row reflect.Type, name string) []int {
	for _, f := range reflect.VisibleFields(row) {
		if tag, _, _ := strings.Cut(f.Tag.Get("csv"), ","); tag == name || f.Name == name {
			return f.Index
		}
	}
	panic(fmt.Sprintf("%v has no column %q", row, name))
}
