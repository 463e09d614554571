package pairwise

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
)

// A Table compares two answers aspect by aspect.
type Table []data.AspectRow

// name sets the aspects of rows, which come without them.
func (t Table) name(aspects []string) {
	for i := range t {
		t[i] = row(aspects[i], t[i].OnlyA, t[i].Both, t[i].OnlyB)
	}
}

func row(aspect, onlyA, both, onlyB string) data.AspectRow {
	return data.AspectRow{Aspect: aspect, OnlyA: cell(onlyA), Both: cell(both), OnlyB: cell(onlyB)}
}

// cell returns the content of a cell, "" for what models write for nothing.
func cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	switch strings.ToLower(strings.Trim(s, " .…-–—")) {
	case "", "na", "n/a", "none", "nothing", "not applicable":
		return ""
	}
	return s
}

// nothing is shown in an empty cell.
const nothing = "NA"

// Exchanged returns the table for the answers in the other order.
func (t Table) Exchanged() Table {
	list := slices.Clone(t)
	for i := range list {
		list[i].OnlyA, list[i].OnlyB = list[i].OnlyB, list[i].OnlyA
	}
	return list
}

// Markdown returns the table for models and people.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| Aspect | Only A | Both | Only B |\n| --- | --- | --- | --- |\n")
	show := func(cell string) string { return strings.ReplaceAll(cmp.Or(cell, nothing), "|", "/") }
	for _, r := range t {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", show(r.Aspect), show(r.OnlyA), show(r.Both), show(r.OnlyB))
	}
	return b.String()
}

// Overlap measures the inconsistency of a table without a model: for each row with a shared cell and an exclusive one,
// Jaccard's index of the words in the shared cell and in the exclusive cells, without stop words; the mean of these rows, in
// [0, 1]. SC2 asks for 0. It is undefined without such a row.
func (t Table) Overlap() (float64, bool) {
	sum := 0.0
	rows := 0
	for _, r := range t {
		shared := data.Set(lexical.ContentWords(r.Both))
		exclusive := data.Set(lexical.ContentWords(r.OnlyA + " " + r.OnlyB))
		if len(shared) == 0 || len(exclusive) == 0 {
			continue
		}
		sum += data.Jaccard(shared, exclusive)
		rows++
	}
	if rows == 0 {
		return 0, false
	}
	return sum / float64(rows), true
}

// cells are the cells of a row in a reply.
type cells struct {
	OnlyA *string `json:"only_a"`
	Both  *string `json:"both"`
	OnlyB *string `json:"only_b"`
}

// tableSchema returns the JSON Schema of a table of n aspects, whose numbers are the keys: a
// list would not guarantee one row per aspect.
func tableSchema(n int) json.RawMessage {
	return structured.Schema(structured.Keys(structured.Numbers(n), func(int) any { return cells{} }))
}

// tableForm returns the object that a prompt asks for.
func tableForm(n int) string {
	return Table(slices.Repeat([]data.AspectRow{{OnlyA: "…", Both: "…", OnlyB: "…"}}, n)).json()
}

// json returns the table in the form that a model writes.
func (t Table) json() string {
	said := func(cell string) string { return structured.Text(cmp.Or(cell, nothing)) }
	rows := make([]string, len(t))
	for i, r := range t {
		rows[i] = fmt.Sprintf(`  "%d": {"only_a": %s, "both": %s, "only_b": %s}`, i+1, said(r.OnlyA), said(r.Both), said(r.OnlyB))
	}
	return "{\n" + strings.Join(rows, ",\n") + "\n}"
}

// readTable reads a table on the given aspects from a reply: an object with a row for each, by its number or name, anywhere
// in the reply; or a Markdown table of four columns. A table without all aspects and cells, without any content, or with a
// cell that repeats the prompt is an error.
func readTable(reply string, aspects []string, m structured.Material, instructions structured.Instructions) (Table, error) {
	rows, fault := structured.Entries[cells](reply, len(aspects), aspects, "aspect", "only_a, both and only_b", m)
	read := markdownRows(reply, aspects)
	if fault.Status == "" {
		read = nil
		for i, r := range rows {
			if r.OnlyA == nil || r.Both == nil || r.OnlyB == nil {
				return nil, fmt.Errorf("the row of aspect %d has not all of only_a, both and only_b", i+1)
			}
			read = append(read, row(aspects[i], *r.OnlyA, *r.Both, *r.OnlyB))
		}
	}
	if read == nil {
		return nil, fmt.Errorf("the reply has no table of all %d aspects (%s)", len(aspects), fault.Reason)
	}
	said := 0
	for _, r := range read {
		for _, text := range []string{r.OnlyA, r.Both, r.OnlyB} {
			if text != "" {
				said++
				if instructions.Repeats(text) {
					return nil, fmt.Errorf("a cell of the table repeats the prompt: %s", ending(text))
				}
			}
		}
	}
	if said == 0 {
		return nil, errors.New("the table says nothing")
	}
	return read, nil
}

// markdownRows reads a pipe table with one row per aspect, in their order.
func markdownRows(reply string, aspects []string) Table {
	var t Table
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 || strings.Trim(line, "|-: ") == "" {
			continue
		}
		if len(t) < len(aspects) && sameAspect(cells[0], aspects[len(t)]) {
			t = append(t, row(aspects[len(t)], cells[1], cells[2], cells[3]))
		}
	}
	if len(t) != len(aspects) || len(t) == 0 {
		return nil
	}
	return t
}
