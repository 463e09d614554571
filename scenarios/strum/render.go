package strum

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"compqa/data"
)

// Answer returns the answer for a table. If the table has no rows, the answer is empty, and the reason counts why rows were dropped.
func Answer(q data.Question, t data.ContrastTable, sources []data.Source, choice bool) data.Answer {
	if text := Render(q, t, sources, choice); text != "" {
		return data.Answer{Status: data.Valid, Text: text, Table: &t}
	}
	a := data.Answer{Status: data.Empty, Reason: "the sources contain no attribute to compare", Table: &t}
	if len(t.Dropped) > 0 {
		counts := map[string]int{}
		for _, d := range t.Dropped {
			counts[d.Reason]++
		}
		reasons := data.Each(slices.Sorted(maps.Keys(counts)), func(reason string) string { return fmt.Sprintf("%d %s", counts[reason], reason) })
		a.Reason = "the table has no rows: all values were dropped (" + strings.Join(reasons, ", ") + ")"
	}
	return a
}

// Render returns the text of a table: a summary with the most important attributes, a list item for each row, and the cited sources with
// their numbers. With choice, it also has the object that Choose returns. The text of a table without rows is "".
func Render(q data.Question, t data.ContrastTable, sources []data.Source, choice bool) string {
	if len(t.Rows) == 0 {
		return ""
	}
	r := renderer{numbers: map[string]int{}, cited: map[int]bool{}}
	for i, s := range sources {
		r.numbers[s.ID] = i + 1
	}
	var rows strings.Builder
	for _, row := range t.Rows {
		fmt.Fprintf(&rows, "- **%s**: %s\n", data.Capital(row.Attribute), r.row(q, row))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "**Summary**\n%s\n\n**Main aspects**\n%s", introduction(q, t, len(r.cited)), rows.String())
	if chosen := ChosenName(q, Choose(q, t, sources)); choice && chosen != "" {
		fmt.Fprintf(&b, "\n**Best option**: %s\n", chosen)
	}
	b.WriteString("\n**Sources**\n")
	for i, s := range sources {
		if r.cited[i+1] {
			fmt.Fprintf(&b, "%d. %s\n", i+1, description(q, s))
		}
	}
	return strings.TrimSpace(b.String())
}

// introduction returns the summary: how many attributes and sources there are, and the first three attributes.
func introduction(q data.Question, t data.ContrastTable, sources int) string {
	top := data.Each(t.Rows[:min(len(t.Rows), 3)], func(r data.ContrastRow) string { return r.Attribute })
	differ := len(data.Where(t.Rows, func(r data.ContrastRow) bool { return r.Kind == data.RowContrast }))
	text := fmt.Sprintf("%s and %s are compared on %s, from %s.", q.Object1, q.Object2, data.Plural(len(t.Rows), "attribute", "attributes"),
		data.Plural(sources, "source", "sources"))
	if t.Unused > 0 {
		text += fmt.Sprintf(" %d of %d sentences of the sources are in no row.", t.Unused, t.Sentences)
	}
	if differ == 0 {
		return text + fmt.Sprintf(" The sources show no contrast; what they say most about is %s.", data.List(top))
	}
	return text + fmt.Sprintf(" They differ in %d of these. The most important: %s.", differ, data.List(top))
}

// A renderer numbers the sources and records which are cited.
type renderer struct {
	numbers map[string]int // by id
	cited   map[int]bool
}

// row returns the values that both cells have, then the other values of each object.
func (r *renderer) row(q data.Question, row data.ContrastRow) string {
	var sides []string
	show := func(name string, values []data.ContrastValue) {
		if len(values) > 0 {
			sides = append(sides, name+strings.Join(data.Each(values, r.value), "; "))
		}
	}
	both := Common(row)
	show("", both)
	for k, values := range row.Cells() {
		show([2]string{q.Object1, q.Object2}[k]+" – ", Except(values, both))
	}
	return strings.Join(sides, ". ") + "."
}

// Common returns the values that are in both cells, because their statement names both objects.
func Common(row data.ContrastRow) []data.ContrastValue {
	return data.Where(row.Object1, func(v data.ContrastValue) bool { return slices.ContainsFunc(row.Object2, sameAs(v)) })
}

// Except returns the values of a cell that are not in both.
func Except(values, both []data.ContrastValue) []data.ContrastValue {
	return data.Where(values, func(v data.ContrastValue) bool { return !slices.ContainsFunc(both, sameAs(v)) })
}

func sameAs(v data.ContrastValue) func(data.ContrastValue) bool {
	return func(w data.ContrastValue) bool { return v.Value == w.Value && slices.Equal(v.Evidence, w.Evidence) }
}

// value returns a value with the numbers of its sources, and notes on how many other sources support or contradict it.
func (r *renderer) value(v data.ContrastValue) string {
	text := v.Value
	shown := map[int]bool{}
	for _, e := range v.Evidence {
		if n := r.numbers[e.Source]; n > 0 && !shown[n] {
			shown[n] = true
			r.cited[n] = true
			text += fmt.Sprintf(" [%d]", n)
		}
	}
	if notes := Notes(v, func(id string) int {
		n := r.numbers[id]
		r.cited[n] = true
		return n
	}); notes != "" {
		text += " (" + notes + ")"
	}
	return text
}

// Notes returns how many sources support a value besides those that are quoted, and how many contradict it, with their numbers. It returns
// "" if there are none. number returns the number of a source, or 0.
func Notes(v data.ContrastValue, number func(id string) int) string {
	quoted := data.Set(data.Each(v.Evidence, func(e data.Evidence) string { return e.Source }))
	var notes []string
	if others := len(v.Supporters) - len(quoted); others > 0 {
		notes = append(notes, data.Plural(others, "other source supports this", "other sources support this"))
	}
	if n := len(v.Conflicts); n > 0 {
		disputed := "disputed: " + data.Plural(n, "source contradicts it", "sources contradict it")
		for _, id := range v.Conflicts {
			if n := number(id); n > 0 {
				disputed += fmt.Sprintf(" [%d]", n)
			}
		}
		notes = append(notes, disputed)
	}
	return strings.Join(notes, ", ")
}

// NameOf returns the title of a source, or its address, or its id.
func NameOf(s data.Source) string { return cmp.Or(s.Title, s.URL, "source "+s.ID) }

// description describes a source in the list of sources: by the argument's text, or by title and address.
func description(q data.Question, s data.Source) string {
	switch {
	case argumentOf(q, s) != nil:
		return s.Text
	case s.Title != "" && s.URL != "":
		return s.Title + ", " + s.URL
	}
	return NameOf(s)
}

// Cited returns the sources that a table cites, in the order of their first citation. Only their ids are known.
func Cited(t data.ContrastTable) []data.Source {
	var sources []data.Source
	for _, r := range t.Rows {
		for _, v := range slices.Concat(r.Object1, r.Object2) {
			for _, e := range v.Evidence {
				if !slices.ContainsFunc(sources, func(s data.Source) bool { return s.ID == e.Source }) {
					sources = append(sources, data.Source{ID: e.Source, Entity: data.EntityBoth})
				}
			}
		}
	}
	return sources
}
