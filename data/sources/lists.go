package sources

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// lists returns the places of scores in those columns of values whose cells are lists.
func (s *Sheet) lists(r *Reading, o Options) (scored []scoreMap) {
	for _, read := range r.columns(RoleValue) {
		if c := s.column(read.Column); c != nil && c.lists != nil {
			scored = append(scored, s.listScores(c, r.scored(s), o)...)
		}
	}
	return scored
}

// listScores returns the places of scores in a column of lists; nil means that there are none. Three cases:
//   - Objects with a criterion and a value, as {"name": "clear", "score": 4}, are scores of a judge or a person.
//   - Other objects, as in expert_annotations: each member is a criterion, each object one person. Only for people's side.
//   - Plain values, as binary_labels: each entry is the score of one person. Only for people's side; ratersOf decides.
//
// others says that other columns have scores.
func (s *Sheet) listScores(c *Column, others bool, o Options) (scored []scoreMap) {
	objects := objectKeys(c.lists)
	criterion := keyNamed("criterion", objects)
	if criterion == "" && slices.ContainsFunc(objects, func(c *Column) bool { return c.Path == "name" && c.repeats() }) {
		criterion = "name"
	}
	value := keyNamed("value", objects)
	by := keyNamed("by", objects)
	person := s.entryNames(c)
	switch {
	case criterion != "" && value != "":
		m := scoreMap{Each: paths{c.Path}, Criterion: paths{criterion}, Value: paths{value}, Reason: keyPath(keyNamed("reason", objects))}
		m.by(o, keyPath(by), s.Path)
		return []scoreMap{m}
	case !o.People:
		return nil
	case len(objects) > 0:
		for _, key := range objects {
			if key.Path != by && key.noScore() == "" {
				m := scoreMap{Each: paths{c.Path}, Criterion: paths{literalPath(key.Path)}, Value: paths{key.Path}}
				m.Person = append(keyPath(by), person...)
				scored = append(scored, m)
			}
		}
		return scored
	case ratersOf(c, others):
		return []scoreMap{{Each: paths{c.Path}, Criterion: paths{literalPath(c.Path)}, Value: paths{"@value"}, Person: person}}
	}
	return nil
}

func keyPath(key string) paths {
	if key == "" {
		return nil
	}
	return paths{key}
}

// keyNamed returns the key of objects whose name is among the names of a role, or "".
func keyNamed(role string, keys []*Column) string {
	if c := (&Sheet{Columns: keys}).find(names().Roles[role], func(*Column) bool { return false }); c != nil {
		return c.Path
	}
	return ""
}

// objectKeys returns the keys of the objects in lists as columns, or nil if an entry is not an object.
func objectKeys(lists []gjson.Result) (keys []*Column) {
	columns := map[string]*Column{}
	for _, list := range lists {
		for _, entry := range list.Array() {
			if !entry.IsObject() {
				return nil
			}
			entry.ForEach(func(key, value gjson.Result) bool {
				c := columns[key.Str]
				if c == nil {
					c = &Column{Path: key.Str, values: map[string]int{}, rising: true}
					columns[key.Str] = c
					keys = append(keys, c)
				}
				c.add(value, mostValues)
				return true
			})
		}
	}
	return keys
}

// ratersOf reports whether each entry of a column's lists is the score of one rater. If others is true (other columns have scores), entries
// that are texts are not scores.
func ratersOf(c *Column, others bool) bool {
	most := 0
	n := 0
	values := map[string]bool{}
	for _, list := range c.lists {
		entries := list.Array()
		most = max(most, len(entries))
		for _, entry := range entries {
			text := valueOf(entry)
			if entry.Type == gjson.JSON || len(text) > 20 || others && entry.Type == gjson.String {
				return false
			}
			n++
			values[text] = true
		}
	}
	return most > 1 && most <= 50 && 2*len(values) <= n && !namesPeople(c.Path)
}

// entryNames returns the paths of the names of the people whose scores are the entries of a list. They are in a column of people's names
// with lists of the same lengths, as anonymized_physician_ids; else people are numbered: "expert 1" for expert_annotations.
func (s *Sheet) entryNames(c *Column) (who paths) {
	lengths := func(c *Column) []int64 {
		return data.Each(c.lists, func(list gjson.Result) int64 { return list.Get("#").Int() })
	}
	for _, names := range s.Columns {
		if names != c && namesPeople(names.Path) && slices.Equal(lengths(names), lengths(c)) {
			who = append(who, "@path:^"+names.Path+".{@key}")
			break
		}
	}
	words := slices.DeleteFunc(wordsOf(c.Path), func(word string) bool {
		return slices.Contains(names().Lists, word)
	})
	return append(who, strings.TrimSpace(strings.Join(words, " ")+" {@number}"))
}

// namesPeople reports whether a word in a column's name says that it has the names of people.
func namesPeople(column string) bool {
	return slices.ContainsFunc(wordsOf(column), func(word string) bool {
		return slices.Contains(names().Roles["by"], strings.TrimSuffix(word, "s"))
	})
}

// scored reports whether a column other than those of lists has scores.
func (r *Reading) scored(s *Sheet) bool {
	return slices.ContainsFunc(r.columns(RoleValue), func(read ColumnRead) bool {
		c := s.column(read.Column)
		return c == nil || c.lists == nil
	})
}
