package sources

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"compqa/data"
)

// of is the reading of a file for a side: the one of that side, or of several the one with the name of the file; nil: nothing is given.
func (r *Readings) of(path, side string) (*Reading, error) {
	if r == nil {
		return nil, nil
	}
	of := data.Where(r.Readings, func(r *Reading) bool { return r.Side == side })
	if len(of) == 1 {
		return of[0], nil
	}
	one, found := data.First(of, func(r *Reading) bool { return r.File == filepath.Base(path) })
	if !found {
		return nil, fmt.Errorf("--reading has no reading of %s for side %s; it has %s", path, side, strings.Join(data.Each(r.Readings,
			func(r *Reading) string { return r.File + " (" + r.Side + ")" }), ", "))
	}
	return one, nil
}

// again is the format that reads a file as a reading says, or an error that names the column that is new, gone or has new labels. f is
// the format of the file by its content; nil: a table.
func (r *Reading) again(path string, f *Format, o Options) (*Format, error) {
	if f != nil || r.Format != "" {
		if f == nil || f.Name != r.Format {
			name := "a table"
			if f != nil {
				name = f.Name
			}
			return nil, fmt.Errorf("%s is %s, but the reading is of %s", path, name, r.Format)
		}
		return f, nil
	}
	sheet, err := OpenSheet(path)
	if err != nil {
		return nil, err
	}
	known := data.Among(data.Each(r.Columns, func(c ColumnRead) string { return c.Column }))
	for _, c := range sheet.Columns {
		if !known[c.Path] {
			return nil, fmt.Errorf("%s: the column %q is not in the reading; add it to --reading, for instance with role %q", path, c.Path, RoleLeft)
		}
	}
	for _, read := range r.Columns {
		c := sheet.column(read.Column)
		switch {
		case c == nil && sheet.format.leads(path, paths{read.Column}) != nil:
			return nil, fmt.Errorf("%s has no column %q, which the reading has with role %q", path, read.Column, read.Role)
		case c == nil || read.Role != RoleValue || len(read.Values) == 0 || len(read.Values) >= mostShownValues:
			continue
		}
		for _, value := range c.shown() {
			if _, number := data.Number(value); !number && !slices.Contains(read.Values, value) {
				return nil, fmt.Errorf("%s: the column %q has the new label %q; the reading has %s", path, read.Column, data.Clip(value),
					strings.Join(read.Values, ", "))
			}
		}
	}
	declared := *r
	declared.Columns = slices.Clone(r.Columns)
	for i := range declared.Columns {
		declared.Columns[i].Assumed = false
	}
	return declared.compile(sheet, o), nil
}

// Settle marks the criteria that both sides name as declared. What the judge has and people have not is not compared, so that nothing
// rests on it.
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
				c.Assumed, c.Why = false, bothName
			case len(o.Names) > 1:
				c.Assumed, c.Why = false, "people have no such criterion"
			}
		}
	}
}
