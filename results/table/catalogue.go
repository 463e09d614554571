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

// A Def defines a table: the file that it is in, and the sections of pages that show its rows as they are. Its columns are the
// csv tags of Row, in CSV files, JSON and JSON Schema.
type Def[Row any] struct {
	File  string // confusion.csv
	Views []View[Row]
}

// A View is a section with the rows of a table that In lets through, all without it. For Words and Shown see From.
type View[Row any] struct {
	Title, About string
	In           func(Row) bool
	Words        int
	Shown        []string
}

// A Definition is a Def of any rows.
type Definition interface {
	Name() string      // the name of its file
	Columns() []string // in order
	jsonType() reflect.Type
}

// Name returns the name of the table's file.
func (d Def[Row]) Name() string { return d.File }

// Columns returns the names of the table's columns, in order.
func (d Def[Row]) Columns() []string {
	return data.Each(columnsOf(reflect.TypeFor[Row]()), func(c column) string { return c.name })
}

func (d Def[Row]) jsonType() reflect.Type { return reflect.TypeFor[Rows[Row]]() }

// Sections returns the views of rows.
func (d Def[Row]) Sections(rows []Row) []Section {
	return data.Each(d.Views, func(v View[Row]) Section { return v.Section(rows) })
}

// Section returns the view of rows.
func (v View[Row]) Section(rows []Row) Section {
	if v.In != nil {
		rows = data.Where(rows, v.In)
	}
	return Section{Title: v.Title, About: v.About, Table: From(v.Words, rows, v.Shown...)}
}

// A Catalogue has the tables of one result, in the order in which they were put into it.
type Catalogue struct{ entries []entry }

type entry struct {
	Definition
	rows     int
	file     func(io.Writer) error
	json     any // Rows
	sections func() []Section
}

// Put adds a table to a catalogue. It panics if the file is there already.
func Put[Row any](c *Catalogue, d Def[Row], rows []Row) {
	if slices.ContainsFunc(c.entries, func(e entry) bool { return e.Name() == d.File }) {
		panic(d.File + " is twice in a catalogue")
	}
	c.entries = append(c.entries, entry{d, len(rows), CSV(rows), Rows[Row](rows), func() []Section { return d.Sections(rows) }})
}

// Definitions returns the definitions of the tables, also of those without rows.
func (c *Catalogue) Definitions() []Definition {
	return data.Each(c.entries, func(e entry) Definition { return e.Definition })
}

// Select returns a catalogue with some of the tables, in their order.
func (c *Catalogue) Select(tables ...Definition) *Catalogue {
	selected := &Catalogue{}
	for _, d := range tables {
		i := slices.IndexFunc(c.entries, func(e entry) bool { return e.Name() == d.Name() })
		selected.entries = append(selected.entries, c.entries[i])
	}
	return selected
}

// Files returns the files of the tables by name, nil without rows: WriteFiles deletes such a file.
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

// Counts returns the number of rows of each table by the name of its file.
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

// InJSON returns an object as JSON. Its field of the type *Catalogue is replaced by the tables in it, each by the name of its file.
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

// JSONTypeWith returns the type of what InJSON writes of an object with these tables, for JSON Schema.
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
