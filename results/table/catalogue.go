package table

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"compqa/data"
)

// A Def defines a table: its file, and the sections of pages that show its rows. Its columns are the csv tags of Row, in CSV files, in JSON
// and in JSON Schema.
type Def[Row any] struct {
	File  string // confusion.csv
	Views []View[Row]
}

// A View is a section with the rows of a table for which In is true, or with all rows if In is nil. From explains Words and Shown.
type View[Row any] struct {
	Title, About string
	In           func(Row) bool
	Words        int
	Shown        []string
}

// A Definition is a Def of any row type.
type Definition interface {
	Name() string      // name of the file
	Columns() []string // names of the columns, in order
	jsonType() reflect.Type
}

// Name returns the name of the table's file.
func (d Def[Row]) Name() string { return d.File }

// Columns returns the names of the table's columns, in order.
func (d Def[Row]) Columns() []string {
	return data.Each(columnsOf(reflect.TypeFor[Row]()), func(c column) string { return c.name })
}

func (d Def[Row]) jsonType() reflect.Type { return reflect.TypeFor[Rows[Row]]() }

// Sections returns all views of the rows.
func (d Def[Row]) Sections(rows []Row) []Section {
	return data.Each(d.Views, func(v View[Row]) Section { return v.Section(rows) })
}

// Section returns the view of the rows.
func (v View[Row]) Section(rows []Row) Section {
	if v.In != nil {
		rows = data.Where(rows, v.In)
	}
	return Section{Title: v.Title, About: v.About, Table: From(v.Words, rows, v.Shown...)}
}

// A Catalogue has the tables of a result, in the order in which Put added them.
type Catalogue struct{ entries []entry }

type entry struct {
	Definition
	rows     int
	file     func(io.Writer) error
	json     any // Rows
	sections func() []Section
}

// Put adds a table to a catalogue. It panics if the catalogue already has its file.
func Put[Row any](c *Catalogue, d Def[Row], rows []Row) {
	if slices.ContainsFunc(c.entries, func(e entry) bool { return e.Name() == d.File }) {
		panic(d.File + " is twice in a catalogue")
	}
	c.entries = append(c.entries, entry{d, len(rows), CSV(rows), Rows[Row](rows), func() []Section { return d.Sections(rows) }})
}

// Definitions returns the definitions of all tables, including those without rows.
func (c *Catalogue) Definitions() []Definition {
	return data.Each(c.entries, func(e entry) Definition { return e.Definition })
}

// Select returns a catalogue with only the given tables, in the given order.
func (c *Catalogue) Select(tables ...Definition) *Catalogue {
	selected := &Catalogue{}
	for _, d := range tables {
		i := slices.IndexFunc(c.entries, func(e entry) bool { return e.Name() == d.Name() })
		selected.entries = append(selected.entries, c.entries[i])
	}
	return selected
}

// Files returns functions that write the tables, by file name. A table without rows has nil, so that WriteFiles deletes its file.
func (c *Catalogue) Files() map[string]func(io.Writer) error {
	files := map[string]func(io.Writer) error{}
	for _, e := range c.entries {
		files[e.Name()] = nil
		if e.rows > 0 {
			files[e.Name()] = e.file
		}
	}
	return files
}

// Counts returns the number of rows of each table, by file name.
func (c *Catalogue) Counts() map[string]int {
	counts := map[string]int{}
	for _, e := range c.entries {
		counts[e.Name()] = e.rows
	}
	return counts
}

// Sections returns the views of all tables.
func (c *Catalogue) Sections() []Section {
	return slices.Concat(data.Each(c.entries, func(e entry) []Section { return e.sections() })...)
}

// InJSON returns a struct as JSON. Its field of type *Catalogue is replaced by a field for each table, named after its file.
func InJSON(object any) ([]byte, error) {
	value := reflect.ValueOf(object)
	tables := &Catalogue{}
	var fields []reflect.Value
	for i := range value.NumField() {
		if c, is := value.Field(i).Interface().(*Catalogue); is {
			tables = c
			fields = append(fields, data.Each(c.entries, func(e entry) reflect.Value { return reflect.ValueOf(e.json) })...)
		} else {
			fields = append(fields, value.Field(i))
		}
	}
	filled := reflect.New(JSONTypeWith(value.Type(), tables.Definitions()...)).Elem()
	for i, field := range fields {
		filled.Field(i).Set(field)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(filled.Interface())
	return text.Bytes(), err
}

// JSONTypeWith returns the type that InJSON writes for a struct with these tables, for JSON Schema.
func JSONTypeWith(object reflect.Type, tables ...Definition) reflect.Type {
	var fields []reflect.StructField
	for _, f := range reflect.VisibleFields(object) {
		if f.Type != reflect.TypeFor[*Catalogue]() {
			fields = append(fields, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
			continue
		}
		for i, d := range tables {
			key := strings.TrimSuffix(path.Base(d.Name()), ".csv")
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("Table", i), Type: d.jsonType(),
				Tag: reflect.StructTag(fmt.Sprintf("json:%q", key))})
		}
	}
	return reflect.StructOf(fields)
}
