package sources

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// unreadColumns collects the columns, or members of nested records, that a known format does not read. One of them may be the values, or
// the rater, under another name. Of nested records, only members beside a place where the format expects a member, and no record has it,
// are collected.
type unreadColumns struct {
	f       *Format
	nested  bool
	records int
	places  map[string]*unknownPlace // by index of the scoreMap and path of the expected member
	columns map[string]*Column
	names   map[string]bool // by name: whether the format uses it
	text    string          // all paths of the format, to search for names
}

// An unknownPlace is a place where the format expects a member. For flat records, a single one stands for the whole record.
type unknownPlace struct {
	found   bool
	decides bool      // the value of the member says who scored, as annotator_kind: HUMAN does
	columns []*Column // members beside it that the format does not use
}

// mostUnread is the number of records that are searched for unknown columns.
const mostUnread = 2000

// newUnread returns nil if no column can be unread: for a set of pairs, a table, a format that reads all remaining columns as criteria, or
// if a user maps columns or gave a reading back.
func newUnread(f *Format, o Options) *unreadColumns {
	columns := slices.ContainsFunc(f.Scores, func(m scoreMap) bool { return m.Columns != nil })
	if f.table != nil || f.Source != "" || columns || len(f.Scores) == 0 || o.Given != nil || len(o.Map)+len(o.Judges) > 0 {
		return nil
	}
	return &unreadColumns{f: f, nested: slices.ContainsFunc(f.Scores, func(m scoreMap) bool { return m.Each != nil }),
		places: map[string]*unknownPlace{}, columns: map[string]*Column{}, names: map[string]bool{},
		text: fmt.Sprint(f.Marks, f.Item, f.Runs, f.Scores, f.Status, f.Left)}
}

// read collects the unknown members of one more record.
func (u *unreadColumns) read(record *scope) {
	if u == nil || u.records == mostUnread {
		return
	}
	u.records++
	if !u.nested {
		u.beside("", "", "", record.object(), false)
		return
	}
	for i := range u.f.Scores {
		m := &u.f.Scores[i]
		for _, each := range m.Each {
			each, _, _ = strings.Cut(each, "[]")
			u.look(i, record, each, false)
		}
		for _, place := range m.all(record) {
			for path, want := range m.If {
				u.look(i, place, path, want != "" && !strings.HasPrefix(want, "!"))
			}
			for _, path := range slices.Concat(m.Judge, m.Person, m.Criterion, m.Value, m.Mark, slices.Collect(maps.Values(m.Values))) {
				u.look(i, place, path, false)
			}
		}
	}
}

// look follows a path from a place and notes the members beside each step. decides says that the value at the path tells whose score it is.
func (u *unreadColumns) look(scores int, place *scope, path string, decides bool) {
	key := strconv.Itoa(scores) + " "
	for strings.HasPrefix(path, "^") && place.up != nil {
		place = place.up
		path = path[1:]
	}
	if path == "" || strings.ContainsAny(path, `'"@$^{#*|\`) {
		return
	}
	object := place.object()
	objectPath := ""
	for name := range strings.SplitSeq(path, ".") {
		object = parsed(object)
		if !object.IsObject() {
			return
		}
		member := object.Get(gjson.Escape(name))
		u.beside(key, objectPath, name, object, decides)
		if !member.Exists() {
			return
		}
		object = member
		objectPath += name + "."
	}
}

// beside notes whether an object has the member name, and if not, the members that the format does not use.
func (u *unreadColumns) beside(key, path, name string, object gjson.Result, decides bool) {
	key += path + name
	place := u.places[key]
	if place == nil {
		place = &unknownPlace{}
		u.places[key] = place
	}
	place.decides = place.decides || decides
	if place.found || name != "" && object.Get(gjson.Escape(name)).Exists() {
		place.found = true
		place.columns = nil
		return
	}
	object.ForEach(func(field, member gjson.Result) bool {
		if !u.knows(field.Str) {
			u.visit(place, key, path+field.Str, member)
		}
		return true
	})
}

// visit collects the values of a member and of everything in it.
func (u *unreadColumns) visit(place *unknownPlace, key, path string, value gjson.Result) {
	if value.IsObject() || value.IsArray() && value.Get("0").Type == gjson.JSON {
		value.ForEach(func(field, member gjson.Result) bool {
			inner := path
			if value.IsObject() {
				inner += "." + field.Str
			}
			u.visit(place, key, inner, member)
			return true
		})
		return
	}
	key += " " + path
	c := u.columns[key]
	if c == nil {
		c = &Column{Path: strings.Clone(path), values: map[string]int{}, rising: true}
		u.columns[key] = c
		place.columns = append(place.columns, c)
	}
	c.add(value, mostValues)
}

// knows reports whether a path of the format contains a name.
func (u *unreadColumns) knows(name string) bool {
	known, found := u.names[name]
	if !found {
		known = regexp.MustCompile(`(^|[^\pL\pN_])` + regexp.QuoteMeta(name) + `($|[^\pL\pN_])`).MatchString(u.text)
		u.names[strings.Clone(name)] = known
	}
	return known
}

// matches reports whether a name belongs to a pattern of the format: clear_gold matches it, and clear is what the pattern extracts.
func (u *unreadColumns) matches(name string) bool {
	for _, m := range u.f.Scores {
		if m.Match == "" {
			continue
		}
		pattern := regexp.MustCompile(m.Match)
		if pattern.MatchString(name) {
			return true
		}
		for _, c := range u.places[""].columns { // clear_gold shows that clear is a criterion
			if found := pattern.FindStringSubmatch(c.Path); found != nil && (name == found[1] || strings.HasPrefix(name, found[1]+"/")) {
				return true
			}
		}
	}
	return false
}

// assume adds the unknown columns whose values look like scores or labels to the reading, with the role RoleUnread. They are marked as
// assumed, so that results do not silently rest on the reading. If a missing member would have said whose score it is, all labels beside it
// are added.
func (u *unreadColumns) assume(reading *Reading, o Options) error {
	if u == nil {
		return nil
	}
	sheet := &Sheet{Path: reading.File, format: u.f, rows: u.records}
	deciding := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(u.places)) {
		for _, c := range u.places[name].columns {
			if sheet.column(c.Path) == nil && (u.nested || !u.matches(c.Path)) {
				sheet.Columns = append(sheet.Columns, c)
			}
			deciding[c.Path] = deciding[c.Path] || u.places[name].decides
		}
	}
	table, err := sheet.Read(Options{People: o.People, Names: o.Names})
	if err != nil {
		return err
	}
	for _, read := range table.Columns {
		c := sheet.column(read.Column)
		value := read.Role == RoleValue && (c.mostlyNumbers() || c.known())
		label := deciding[read.Column] && c.Numbers == 0 && c.long == 0 && len(c.values) <= 12
		if (value || label) && c.lists == nil && len(c.values) > 1 && c.repeats() {
			reading.Columns = append(reading.Columns, ColumnRead{Column: c.Path, Role: RoleUnread, Values: read.Values, Assumed: true,
				Why: "looks like values, but is no column of " + u.f.Name})
		}
	}
	return nil
}
