package sources

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// reading returns the reading that the user gave back for a file and a side. If there is one for the side, it is returned; of several, the
// one with the file's name. Without readings the result is nil; a file without a reading is an error.
func (r *Readings) reading(path, side string) (*Reading, error) {
	if r == nil {
		return nil, nil
	}
	readings := data.Where(r.Readings, func(r *Reading) bool { return r.Side == side })
	if len(readings) == 1 {
		return readings[0], nil
	}
	one, found := data.First(readings, func(r *Reading) bool { return r.File == filepath.Base(path) })
	if !found {
		return nil, fmt.Errorf("--reading has no reading of %s for side %s; it has %s", path, side, strings.Join(data.Each(r.Readings,
			func(r *Reading) string { return r.File + " (" + r.Side + ")" }), ", "))
	}
	return one, nil
}

// again returns the format that reads a file as the reading says. It returns an error that names a column that is new, is missing or has
// new labels. f is the format that the file's content shows, or nil for a table.
func (r *Reading) again(path string, f *Format, o Options) (*Format, error) {
	if f != nil || r.Format != "" {
		if f == nil {
			f = &Format{}
		}
		return f, r.isOf(path, f)
	}
	sheet, err := OpenSheet(path)
	if err != nil {
		return nil, err
	}
	head := func(column string) string {
		if sheet.column(column) == nil && sheet.format.leads(path, paths{column}) != nil {
			return ""
		}
		return column
	}
	shown := func(column string) []string {
		if c := sheet.column(column); c != nil {
			return c.shown()
		}
		return nil
	}
	if err := r.differs(path, data.Each(sheet.Columns, pathOf), head, shown); err != nil {
		return nil, err
	}
	declared := *r
	declared.Columns = slices.Clone(r.Columns)
	for i := range declared.Columns {
		declared.Columns[i].Assumed = false
	}
	return declared.compile(sheet, o), nil
}

// isOf returns an error if the file's format f is not the format of the reading.
func (r *Reading) isOf(path string, f *Format) error {
	if f.Name == r.Format {
		return nil
	}
	return fmt.Errorf("%s is %s, but the reading is of %s", path, aFormat(f.Name), aFormat(r.Format))
}

// aFormat returns the name of a format for messages: "a table" for files of no known format.
func aFormat(name string) string {
	if name == tableOfPairs || name == "" {
		return "a table"
	}
	return name
}

// differs returns an error in three cases: the file has a column that the reading lacks, the file lacks a column of the reading, or a
// column of values or choices has a new label. head maps a column of the reading to a column of the file, or to "" if there is none. shown
// returns the labels of a column.
func (r *Reading) differs(path string, columns []string, head func(string) string, shown func(string) []string) error {
	heads := data.Each(r.Columns, func(c ColumnRead) string { return head(c.Column) })
	known := data.Among(heads)
	for _, column := range columns {
		if !known[column] {
			return fmt.Errorf("%s: the column %q is not in the reading; add it to --reading, for instance with role %q", path, column, RoleLeft)
		}
	}
	for i, read := range r.Columns {
		if heads[i] == "" {
			return fmt.Errorf("%s has no column %q, which the reading has with role %q", path, read.Column, read.Role)
		}
		role, _, _ := strings.Cut(read.Role, ".")
		if role != RoleValue && role != RoleChoice || len(read.Values) == 0 || len(read.Values) >= mostShownValues {
			continue
		}
		for _, value := range shown(heads[i]) {
			if _, number := data.Number(value); !number && !slices.Contains(read.Values, value) {
				return fmt.Errorf("%s: the column %q has the new label %q; the reading has %s", path, read.Column, data.Clip(value),
					strings.Join(read.Values, ", "))
			}
		}
	}
	return nil
}

// Settle marks the assumed columns of values as declared if people have the same criterion. If people have several criteria, and not this
// one, the column is settled too: it is not compared, so no result depends on it.
func Settle(judged, people *Log) {
	if people == nil {
		return
	}
	o := Options{Names: criteriaOf(people)}.folding()
	for _, r := range judged.Readings {
		for i := range r.Columns {
			c := &r.Columns[i]
			switch {
			case c.Role != RoleValue || !c.Assumed || c.Why == severalValued && o.named(c.Criterion):
			case o.named(c.Criterion):
				c.Assumed = false
				c.Why = bothName
			case len(o.Names) > 1:
				c.Assumed = false
				c.Why = "people have no such criterion"
			}
		}
	}
}
