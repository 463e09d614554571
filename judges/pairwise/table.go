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

// A Table compares two answers aspect by aspect: what only the first says, what both say, what only the second says.
type Table []data.AspectRow

// name sets the aspects of the rows, which a model's reply or an example gives by number only.
func (t Table) name(aspects []string) {
	for i := range t {
		t[i] = row(aspects[i], t[i].OnlyA, t[i].Both, t[i].OnlyB)
	}
}

// row returns a row with cleaned cells.
func row(aspect, onlyA, both, onlyB string) data.AspectRow {
	return data.AspectRow{Aspect: aspect, OnlyA: cell(onlyA), Both: cell(both), OnlyB: cell(onlyB)}
}

// cell returns the cleaned content of a cell. It returns "" for words that models write into empty cells ("N/A").
func cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	switch strings.ToLower(strings.Trim(s, " .…-–—")) {
	case "", "na", "n/a", "none", "nothing", "not applicable":
		return ""
	}
	return s
}

// emptyCell is what models and people are shown in an empty cell.
const emptyCell = "NA"

// Exchanged returns the table for the answers in the other order.
func (t Table) Exchanged() Table {
	list := slices.Clone(t)
	for i := range list {
		list[i].OnlyA, list[i].OnlyB = list[i].OnlyB, list[i].OnlyA
	}
	return list
}

// Markdown returns the table as a Markdown table.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| Aspect | Only A | Both | Only B |\n| --- | --- | --- | --- |\n")
	show := func(cell string) string { return strings.ReplaceAll(cmp.Or(cell, emptyCell), "|", "/") }
	for _, r := range t {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", show(r.Aspect), show(r.OnlyA), show(r.Both), show(r.OnlyB))
	}
	return b.String()
}

// Overlap measures the inconsistency of a table without a model. For each row with content in both and in an exclusive cell, it takes the
// Jaccard index of the content words of the shared cell and of the exclusive cells. The result is the mean over these rows, in [0, 1]; SC2
// aims at 0. The bool is false without such a row.
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

// cells is the JSON form of a row in a reply.
type cells struct {
	OnlyA *string `json:"only_a"`
	Both  *string `json:"both"`
	OnlyB *string `json:"only_b"`
}

// tableSchema returns the JSON Schema of a table of n aspects. The keys are the aspects' numbers, because a list would not guarantee one
// row for each aspect.
func tableSchema(n int) json.RawMessage {
	return structured.Schema(structured.Keys(structured.Numbers(n), func(int) any { return cells{} }))
}

// tableForm returns the JSON object that a prompt shows as the form of the reply.
func tableForm(n int) string {
	return Table(slices.Repeat([]data.AspectRow{{OnlyA: "…", Both: "…", OnlyB: "…"}}, n)).json()
}

// json returns the table as JSON, as a model is to write it.
func (t Table) json() string {
	said := func(cell string) string { return structured.Text(cmp.Or(cell, emptyCell)) }
	rows := make([]string, len(t))
	for i, r := range t {
		rows[i] = fmt.Sprintf(`  "%d": {"only_a": %s, "both": %s, "only_b": %s}`, i+1, said(r.OnlyA), said(r.Both), said(r.OnlyB))
	}
	return "{\n" + strings.Join(rows, ",\n") + "\n}"
}

// readTable reads a table on the given aspects from a reply. The table is a JSON object with a row for each aspect, by number or name,
// anywhere in the reply, or a Markdown table of four columns. It is an error if an aspect or cell is missing, if all cells are empty, or if
// a cell repeats the prompt.
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

// markdownRows reads a Markdown table with one row for each aspect, in the aspects' order. It returns nil if a row is missing.
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
