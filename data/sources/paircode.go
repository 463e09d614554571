package sources

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"compqa/data"
)

// raw returns a copy of a format of pairs that reads records as they are in the file, without its Prepare and Expand functions.
func (f *Format) raw() *Format {
	raw := *f
	raw.Prepare = ""
	raw.Expand = ""
	return &raw
}

// byCode returns a published layout of pairs that is read by code, with a Reading of the role of each column. A column that the layout does
// not read is an error if it may be a choice, an answer, an order or a text that the judge should see. The user's map can leave such
// columns out.
func (f *Format) byCode(path string, o Options) (*Format, error) {
	if f.Marks == nil {
		return f, nil // formats of folders whose documents differ in kind
	}
	copied, raw := *f, f.raw()
	columns, first, rows, err := raw.pairColumns(path, o)
	if err != nil {
		return f, nil // the error is reported when the file is read
	}
	p := &pairFinder{f: raw, o: o, columns: columns, first: first, rows: rows, used: map[string]bool{}, code: true,
		reading: &Reading{File: filepath.Base(path), Side: sidePairs, Format: f.Name}}
	p.given, err = o.pairMap(first, columns)
	if err != nil {
		return nil, err
	}
	for _, column := range p.given[RoleLeft] {
		p.take(column, RoleLeft, "--map")
	}
	for _, role := range raw.pairPaths() {
		for _, path := range role.paths {
			for _, column := range p.heads(path) {
				p.take(column, role.name, "format "+f.Name)
			}
		}
	}
	for _, name := range f.Reads {
		if p.named(name) {
			p.take(name, roleOfRead(p.roleOfName(name)), "format "+f.Name)
		}
	}
	p.leaveOut()
	if err := p.rest(); err != nil {
		return nil, err
	}
	copied.Reading = p.reading
	return &copied, nil
}

// roleOfRead returns the role of a column that a function reads. list is the list of pairroles.yaml that has the column's name; "" gives
// RoleText.
func roleOfRead(list string) string {
	switch list {
	case "id":
		return RoleItem
	case "":
		return RoleText
	}
	return list
}

// pathInText matches a path in braces within a text, as in "Summarise: {info.title?}".
var pathInText = regexp.MustCompile(`\{([^{}@]+?)\??\}`)

// heads returns the columns that a path, or the paths in braces within a text, begin with.
func (p *pairFinder) heads(path string) (columns []string) {
	names := []string{strings.TrimPrefix(path, "^")}
	for _, inner := range pathInText.FindAllStringSubmatch(path, -1) {
		names = append(names, inner[1])
	}
	for _, name := range names {
		if column := p.head(name); column != "" && !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
	}
	return columns
}

// leaveOut marks as left out the columns that the layout knows and ignores.
func (p *pairFinder) leaveOut() {
	for _, name := range p.f.Left {
		c, known := data.First(p.columns, func(c *pairColumn) bool { return folded(c.name) == folded(name) })
		if known && !p.used[c.name] {
			p.take(c.name, RoleLeft, "of "+p.f.Name+", neither asked nor chosen")
		}
	}
}
