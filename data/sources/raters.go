package sources

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"compqa/data"
)

// raters finds the people whose scores stand in columns of their own: correct_anna, "correct (Anna)", anna_correct; rater 1 and
// rater 2, or Anna and Ben where there is one criterion.
func (r *Roles) raters(s *Sheet, o Options) {
	paths := data.Each(r.Scores, func(c ScoreColumn) string { return c.Criterion })
	only := "score"
	if len(o.Names) == 1 {
		only = o.Names[0]
	}
	known := slices.ContainsFunc(paths, o.named)
	switch split := splitting(paths, o.Names); {
	case ofAnnotators(paths), !known && split == nil && (o.Raters || len(o.Names) == 1) && alike(s, r.Scores):
		for i := range r.Scores {
			r.Scores[i].By, r.Scores[i].Criterion = paths[i], only
		}
		if !ofAnnotators(paths) {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: the columns %s are read as people who scored %s (--map people.CRITERION=COLUMN)", s.Path,
				data.Clip(strings.Join(paths, ", ")), only))
		}
	case split != nil:
		for i := range r.Scores {
			if criterion, person := split(paths[i]); person != "" && criterion != "" {
				r.Scores[i].By, r.Scores[i].Criterion = person, criterion
			}
		}
		shown, _ := data.First(r.Scores, func(c ScoreColumn) bool { return c.By != "" })
		r.Notes = append(r.Notes, fmt.Sprintf("%s: columns such as %q are read as a criterion and a person: %s, scored by %s (--map "+
			"people.CRITERION=COLUMN)", s.Path, shown.Path, shown.Criterion, shown.By))
	}
}

// alike reports whether columns have the same values, as those of several raters of one criterion have.
func alike(s *Sheet, scores []ScoreColumn) bool {
	all := map[string]bool{}
	for _, score := range scores {
		for value := range s.column(score.Path).values {
			all[strings.ToLower(value)] = true
		}
	}
	return len(scores) > 1 && !slices.ContainsFunc(scores, func(score ScoreColumn) bool {
		c, first := s.column(score.Path), s.column(scores[0].Path)
		few := 2*len(c.values) < len(all) && c.Filled > 2*len(all)
		return few || c.mostlyNumbers() != first.mostlyNumbers() || rangeInName.MatchString(score.Path) || strings.HasSuffix(score.Path, "?")
	})
}

// rangeInName matches the name of a criterion with its scale, as in "helpful (1-5)".
var rangeInName = regexp.MustCompile(`\d\s*(-|–|\.\.|to)\s*\d+\W*$`)

var numbered = regexp.MustCompile(`^(.+?)(?:[0-9]+|[a-z])$`)

// ofAnnotators reports whether all columns have the names of people without a criterion, as "Rater 1" and "Rater 2".
func ofAnnotators(columns []string) bool {
	return len(columns) > 1 && !slices.ContainsFunc(columns, func(name string) bool {
		m := numbered.FindStringSubmatch(folded(name))
		return m == nil || !slices.ContainsFunc(slices.Concat(names().Roles["by"], names().Sides[sidePeople], []string{"r"}),
			func(word string) bool { return folded(word) == m[1] })
	})
}

// A cut parts the name of a column in two; the second is empty where it cannot.
type cut func(name string) (first, second string)

var cuts = func() (all []cut) {
	all = append(all, func(name string) (string, string) { // "correct (Anna)"; "correct (0-2)" has a scale
		at := strings.LastIndexByte(name, '(')
		if at <= 0 || !strings.HasSuffix(name, ")") ||
			strings.ContainsAny(name[at:], "0123456789") && !strings.ContainsFunc(name[at:], isLetter) {
			return "", ""
		}
		return strings.TrimSpace(name[:at]), strings.TrimSpace(name[at+1 : len(name)-1])
	})
	for _, sep := range []string{" – ", " - ", "_", ".", "/", ":", "|", "-", " "} {
		all = append(all, func(name string) (string, string) {
			at := strings.LastIndex(name, sep)
			if at < 0 {
				return "", ""
			}
			return strings.TrimSpace(name[:at]), strings.TrimSpace(name[at+len(sep):])
		}, func(name string) (string, string) {
			first, second, _ := strings.Cut(name, sep)
			return strings.TrimSpace(first), strings.TrimSpace(second)
		})
	}
	return all
}()

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127 }

// splitting finds how names of columns consist of a criterion and a person, whose names form most of a grid; nil: they do not.
// criteria are the names that criteria may have.
func splitting(columns, criteria []string) (split cut) {
	known := map[string]bool{}
	for _, name := range criteria {
		known[folded(name)], known[folded(name[strings.LastIndexByte(name, '.')+1:])] = true, true
	}
	whole := 0 // columns that are criteria as they are
	for _, name := range columns {
		if known[folded(name)] {
			whole++
		}
	}
	best := 100 * whole
	for _, cut := range cuts {
		first, second, cells := map[string]bool{}, map[string]bool{}, 0
		for _, c := range columns {
			if a, b := cut(c); a != "" && b != "" {
				first[a], second[b], cells = true, true, cells+1
			}
		}
		if cells == 0 || 2*cells < len(columns) || 4*cells < 3*len(first)*len(second) {
			continue
		}
		if path := len(first) == 1 && strings.Contains(columns[0], firstOf(first)+"."); path && !known[folded(firstOf(first))] {
			continue // scores.clear and scores.kind are criteria in an object
		}
		if fit := fits(first, second, cells, known); fit > best {
			best, split = fit, cut
		}
		if fit := fits(second, first, cells, known); fit > best && (len(criteria) > 0 || len(second) == 1) {
			best, split = fit, func(name string) (string, string) { a, b := cut(name); return b, a }
		}
	}
	return split
}

// fits says how likely names are criteria and others people; 0: not at all.
func fits(names, people map[string]bool, cells int, known map[string]bool) int {
	found := 0
	for name := range names {
		if known[folded(name)] {
			found++
		}
	}
	switch {
	case found > 0:
		return 100*found + cells
	case len(people) < 2 || len(known) > 0 && len(names) > 1 && len(people) < 2:
		return 0
	}
	return cells
}

// lists are where lists in cells have scores: each entry of binary_labels is the score of one person, and so is each object of
// expert_annotations; an object with a name and a score is a score of anybody.
func (s *Sheet) lists(r *Roles, o Options) (scored []scoreMap) {
	for _, c := range s.Columns {
		if len(c.lists) == 0 || slices.Contains(slices.Collect(maps.Values(r.Columns)), c.Path) {
			continue
		}
		before := len(scored)
		objects := objectKeys(c.lists)
		criterion := keyNamed("criterion", objects)
		if criterion == "" && len(objects) > 0 {
			if criterion = "name"; !slices.ContainsFunc(objects, func(c *Column) bool { return c.Path == "name" && c.repeats() }) {
				criterion = ""
			}
		}
		value, by := keyNamed("value", objects), keyNamed("by", objects)
		person := s.entryNames(c)
		switch {
		case criterion != "" && value != "":
			m := scoreMap{Each: paths{c.Path}, Criterion: paths{criterion}, Value: paths{value}, Reason: keyPath(keyNamed("reason", objects))}
			m.by(o, keyPath(by), s.Path)
			scored = append(scored, m)
		case !o.People:
		case len(objects) > 0:
			for _, key := range objects {
				if key.Path != by && key.noScore() == "" {
					m := scoreMap{Each: paths{c.Path}, Criterion: paths{literalPath(key.Path)}, Value: paths{key.Path}}
					m.Person = append(keyPath(by), person...)
					scored = append(scored, m)
				}
			}
		case ratersOf(c, len(r.Scores) > 0):
			scored = append(scored, scoreMap{Each: paths{c.Path}, Criterion: paths{literalPath(c.Path)}, Value: paths{"@value"}, Person: person})
		}
		if before == len(scored) && !namesPeople(c.Path) {
			r.leave(c.Path, "lists")
		}
	}
	return scored
}

func keyPath(key string) paths {
	if key == "" {
		return nil
	}
	return paths{key}
}

// keyNamed is the key of objects with a role.
func keyNamed(role string, keys []*Column) string {
	if c := (&Sheet{Columns: keys}).find(names().Roles[role], func(*Column) bool { return false }); c != nil {
		return c.Path
	}
	return ""
}

// objectKeys are the members of the objects in lists, as columns.
func objectKeys(lists []gjson.Result) (keys []*Column) {
	at := map[string]*Column{}
	for _, list := range lists {
		for _, entry := range list.Array() {
			if !entry.IsObject() {
				return nil
			}
			entry.ForEach(func(key, value gjson.Result) bool {
				c := at[key.Str]
				if c == nil {
					c = &Column{Path: key.Str, values: map[string]int{}, rising: true}
					at[key.Str], keys = c, append(keys, c)
				}
				c.add(value, mostValues)
				return true
			})
		}
	}
	return keys
}

// ratersOf reports whether the lists of a column have a score an entry; where other columns have scores, labels are none.
func ratersOf(c *Column, others bool) bool {
	most, n, values := 0, 0, map[string]bool{}
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

// entryNames are the names of the people whose scores are the entries of a list: those in a list beside it, as in
// anonymized_physician_ids, or else expert 1 … of expert_annotations.
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

// namesPeople reports whether a column has the names of people, by a word in its own.
func namesPeople(column string) bool {
	return slices.ContainsFunc(wordsOf(column), func(word string) bool {
		return slices.Contains(names().Roles["by"], strings.TrimSuffix(word, "s"))
	})
}

func firstOf(names map[string]bool) string {
	for name := range names {
		return name
	}
	return ""
}
