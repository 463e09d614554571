package sources

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
)

// Sides of readings of pairs and of preferences on them.
const (
	sidePairs       = "pairs"
	sidePreferences = "preferences"
)

// PairMap is the map with which a file of preferences (FormatFile) or of pairs (any other format) is read as a reading says. A column that
// is new or gone, a choice with a new label, and a file of another format are errors that name it. Of a published layout, the map has only
// the columns whose roles differ from those of the layout.
func (r *Readings) PairMap(path, format string) (map[string]string, error) {
	side := sidePairs
	if format == FormatFile {
		side = sidePreferences
	}
	given, err := r.reading(path, side)
	if err != nil {
		return nil, err
	}
	f, err := layoutOf(path, format)
	if err != nil {
		return nil, err
	}
	if err := given.isOf(path, f); err != nil {
		return nil, err
	}
	var layout []ColumnRead
	if f.Name != tableOfPairs {
		reading, err := ReadingOfPairs(path, format, Options{})
		if err != nil {
			return nil, err
		}
		if reading != nil {
			layout = reading.Columns
		}
	}
	columns, _, _, err := f.raw().pairColumns(path, Options{})
	if err != nil {
		return nil, err
	}
	named := func(column string) *pairColumn {
		c, _ := data.First(columns, func(c *pairColumn) bool { return c.name == column })
		return c
	}
	head := func(column string) string { // of the path of a member
		if named(column) != nil {
			return column
		}
		name, _, _ := strings.Cut(column, ".")
		name = strings.TrimSuffix(name, "[]")
		if named(name) == nil {
			return ""
		}
		return name
	}
	err = given.differs(path, data.Each(columns, func(c *pairColumn) string { return c.name }), head,
		func(column string) []string { return named(column).shown() })
	if err != nil {
		return nil, err
	}
	return given.pairMap(layout)
}

// layoutOf returns the published layout of a file of pairs, or the table that any other file is.
func layoutOf(path, format string) (*Format, error) {
	if format != FormatFile {
		f, err := pairFormat(path, format, Options{})
		if f != nil || err == nil {
			return f, err
		}
		// A table that nobody understands without a map: its columns are looked at.
	}
	return &Format{Name: tableOfPairs, Rows: tablesOfPairs}, nil
}

// pairMap returns a reading as a map, but for the columns that a layout reads in the same way.
func (r *Reading) pairMap(layout []ColumnRead) (map[string]string, error) {
	m := map[string]string{}
	for _, c := range r.Columns {
		if slices.ContainsFunc(layout, func(column ColumnRead) bool { return column.Column == c.Column && column.Role == c.Role }) {
			continue
		}
		name := c.Role
		if name == RoleLeft {
			name = "left"
		}
		if pairKeys[name] == "" {
			return nil, fmt.Errorf("the reading has the role %q for %s; the roles of pairs are %s", c.Role, c.Column, pairKeyNames())
		}
		if m[name] == "" {
			m[name] = c.Column
		} else {
			m[name] += "|" + c.Column
		}
	}
	return m, nil
}
