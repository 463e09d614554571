package sources

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
)

// The sides of readings of pairs, and of readings of preferences on pairs.
const (
	sidePairs       = "pairs"
	sidePreferences = "preferences"
)

// PairMap turns a reading that the user gave back into a map from roles to columns. format is FormatFile for preferences, any other format
// for pairs. A new or missing column, a new label and a file of another format are errors. For a published layout, the map has only the
// columns whose roles differ from the layout's.
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
	head := func(column string) string { // the path may lead into a member
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

// layoutOf returns the published layout that a file of pairs has, or else a plain table.
func layoutOf(path, format string) (*Format, error) {
	if format != FormatFile {
		f, err := pairFormat(path, format, Options{})
		if f != nil || err == nil {
			return f, err
		}
		// A table that cannot be read without a map: treat it as a plain table.
	}
	return &Format{Name: tableOfPairs, Rows: tablesOfPairs}, nil
}

// pairMap returns a reading as a map, without the columns that the layout reads in the same role.
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
