package sources

import (
	"fmt"
	"slices"
	"strings"

	"compqa/data"
)

// guess returns the format of a file that no known format matches: a table or list, whose columns are read by their names and values. A
// file of judges and people that does not say which values are whose is an error.
func guess(path string, o Options) (*Format, error) {
	sheet, err := OpenSheet(path)
	if err != nil {
		return nil, err
	}
	if way := keyed(path); way != "" {
		return nil, fmt.Errorf("%s %s", path, way)
	}
	sheet.declareSets(o.Sets)
	r, err := sheet.Read(o)
	if err != nil {
		return nil, err
	}
	if len(o.Judges) == 0 && o.shared(path) && !r.sided(sheet, o) && !r.splitRaters(sheet, o) {
		return nil, errNoSide(r, sheet)
	}
	return r.compile(sheet, o), nil
}

// declareSets keeps lists in cells as values, for columns whose criterion Options.Sets declares as sets of answers.
func (s *Sheet) declareSets(criteria []string) {
	for _, c := range s.Columns {
		if c.lists == nil || !slices.ContainsFunc(criteria, func(name string) bool { return SameCriterion(c.Path, name) }) {
			continue
		}
		for _, list := range c.lists {
			c.values[valueOf(list)]++
		}
		c.lists = nil
		c.long = 0
	}
}

// sided reports whether the value columns that were read belong to this side only: the other side reads none of them, unless by the user's
// flag.
func (r *Reading) sided(s *Sheet, o Options) bool {
	o.People = !o.People
	other, err := s.Read(o)
	if err != nil {
		return true // the error is reported when the other side is read
	}
	theirs := data.Each(other.columns(RoleValue), func(c ColumnRead) string { return c.Column })
	return !slices.ContainsFunc(r.columns(RoleValue), func(c ColumnRead) bool { return slices.Contains(theirs, c.Column) && c.Why != flagged })
}

// compile turns a reading of a table into a format that reads its records. Three layouts: a turned table (columns are items), pairs with a
// choice, and items with scores.
func (r *Reading) compile(s *Sheet, o Options) *Format {
	f := *s.format
	f.table = r
	if r.Turned {
		f.Item = itemMap{ID: paths{RoleItem}}
		f.Scores = []scoreMap{{Value: paths{RoleValue}, Criterion: paths{literalPath(o.onlyCriterion())}}}
		f.Scores[0].by(o, paths{RoleRater}, s.Path)
		return &f
	}
	column := func(role string) paths {
		if name := r.Column(role); name != "" {
			return paths{name}
		}
		return nil
	}
	f.Item = itemMap{ID: r.idPath(), Repeat: column(RoleRepeat), Turn: column(RoleTurn), Question: column(RoleQuestion),
		Text:  column(RoleText),
		Group: column(RoleGroup), System: column(RoleSystem), Inclusion: column(RoleInclusion), Confidence: column(RoleConfidence),
		Origin: column(RoleOrigin)}
	if f.Item.Group == nil {
		f.Item.Group = column(RoleTopic)
	}
	f.Status = column(RoleStatus)
	if r.Column(RoleChoice) != "" {
		a := folded(r.Column(RoleA))
		if !slices.ContainsFunc([]string{"output", "answer", "response"}, func(word string) bool { return strings.HasPrefix(a, word) }) {
			f.Item.SystemA, f.Item.SystemB = column(RoleA), column(RoleB) // otherwise the columns have texts
		}
		f.Item.System = nil
		f.Item.A, f.Item.B, f.Item.Text = column(RoleA), column(RoleB), nil
		f.Scores = []scoreMap{{Value: column(RoleChoice), Choices: firstSecond, Method: paths{"'annotation'"}}}
		f.Scores[0].by(o, column(RoleRater), s.Path)
		return &f
	}
	if o.Raters && f.Item.ID == nil && f.Item.Text == nil && f.Item.Question == nil && !r.Turned {
		f.Item.ID = paths{"@line"}
	}
	for _, c := range r.columns(RoleValue) {
		if s.column(c.Column) != nil && s.column(c.Column).lists != nil {
			continue
		}
		m := scoreMap{Reason: column(RoleReason), Value: paths{c.Column}, Criterion: paths{literalPath(c.Criterion)}}
		if c.Criterion == "" {
			m.Criterion = column(RoleCriterion)
		}
		m.by(o, column(RoleRater), s.Path)
		if c.Rater != "" {
			m.by(o, paths{literalPath(c.Rater)}, s.Path)
		}
		f.Scores = append(f.Scores, m)
	}
	f.Scores = append(f.Scores, s.lists(r, o)...)
	return &f
}

// idPath returns the path of an item's id: one column, or several joined by " · ", with the topic first. It returns nil without a
// column.
func (r *Reading) idPath() paths {
	columns := data.Each(append(r.columns(RoleTopic), r.columns(RoleItem)...), func(c ColumnRead) string { return c.Column })
	switch len(columns) {
	case 0:
		return nil
	case 1:
		return paths{columns[0]}
	}
	return paths{"{" + strings.Join(columns, "} · {") + "}"}
}

// literalPath returns a path whose value is the text itself.
func literalPath(text string) string { return "'" + strings.ReplaceAll(text, "'", "’") + "'" }

// by sets who gave the scores: the raters in a column; a row without one, or a table without the column, gets the file's name as its rater.
func (m *scoreMap) by(o Options, column paths, path string) {
	who := slices.Clone(column)
	if !o.Raters || column == nil {
		who = append(who, literalPath(baseName(path)))
	}
	if o.People {
		m.Person = who
	} else {
		m.Judge = who
	}
}
