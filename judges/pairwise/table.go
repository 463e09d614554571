package pairwise

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/judges/text/lexical"
	"compqa/llm"
)

// A Table compares two answers aspect by aspect: what is true of the answer shown first
// only, of both, of the other only.
type Table []Row

// A Row is one aspect. An empty cell is "".
type Row struct {
	Aspect string `json:"aspect"`
	OnlyA  string `json:"only_a"`
	Both   string `json:"both"`
	OnlyB  string `json:"only_b"`
}

// name sets the aspects of rows, which come without them.
func (t Table) name(aspects []string) {
	for i := range t {
		t[i] = Row{aspects[i], cell(t[i].OnlyA), cell(t[i].Both), cell(t[i].OnlyB)}
	}
}

// cell is the content of a cell, "" for what models write for nothing.
func cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	switch strings.ToLower(strings.Trim(s, " .-–—")) {
	case "", "na", "n/a", "none", "nothing", "not applicable":
		return ""
	}
	return s
}

// nothing is shown in an empty cell.
const nothing = "NA"

// Exchanged is the table for the answers in the other order.
func (t Table) Exchanged() Table {
	list := slices.Clone(t)
	for i := range list {
		list[i].OnlyA, list[i].OnlyB = list[i].OnlyB, list[i].OnlyA
	}
	return list
}

// Markdown is the table for models and people.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| Aspect | Only A | Both | Only B |\n| --- | --- | --- | --- |\n")
	show := func(cell string) string { return strings.ReplaceAll(cmp.Or(cell, nothing), "|", "/") }
	for _, r := range t {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", show(r.Aspect), show(r.OnlyA), show(r.Both), show(r.OnlyB))
	}
	return b.String()
}

// Overlap measures the inconsistency of a table without a model: for each row with a
// shared cell and an exclusive one, Jaccard's index of the words in the shared cell and
// in the exclusive cells, without stop words; the mean of these rows, in [0, 1]. SC2
// asks for 0. It is undefined without such a row.
func (t Table) Overlap() (float64, bool) {
	sum, rows := 0.0, 0
	for _, r := range t {
		shared, exclusive := data.Set(lexical.ContentWords(r.Both)), data.Set(lexical.ContentWords(r.OnlyA+" "+r.OnlyB))
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

// tableSchema is the JSON Schema of a table of n aspects, whose numbers are the keys: a
// list would not guarantee one row per aspect. It is written by hand, because a model
// writes keys in the order of the schema's text.
func tableSchema(n int) json.RawMessage {
	const row = `{"type":"object","properties":{"only_a":{"type":"string"},"both":{"type":"string"},"only_b":{"type":"string"}},"required":["only_a","both","only_b"],"additionalProperties":false}`
	properties, required := make([]string, n), make([]string, n)
	for i := range n {
		properties[i], required[i] = fmt.Sprintf("%q:%s", strconv.Itoa(i+1), row), strconv.Quote(strconv.Itoa(i+1))
	}
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(required, ",") + `],"additionalProperties":false}`)
}

// tableForm is the object that a prompt asks for.
func tableForm(n int) string {
	return Table(slices.Repeat([]Row{{OnlyA: "…", Both: "…", OnlyB: "…"}}, n)).json()
}

// json is the table in the form that a model writes.
func (t Table) json() string {
	said := func(cell string) string { return jsonText(cmp.Or(cell, nothing)) }
	rows := make([]string, len(t))
	for i, r := range t {
		rows[i] = fmt.Sprintf(`  "%d": {"only_a": %s, "both": %s, "only_b": %s}`, i+1, said(r.OnlyA), said(r.Both), said(r.OnlyB))
	}
	return "{\n" + strings.Join(rows, ",\n") + "\n}"
}

// jsonText is a text as a JSON string, with < and & unescaped.
func jsonText(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always has one
	}
	return strings.TrimSpace(b.String())
}

// readTable reads a table on the given aspects from a reply: an object with a row for
// each, by its number or name, anywhere in the reply; or a Markdown table of four
// columns. A table without all aspects and cells is an error.
func readTable(reply string, aspects []string) (Table, error) {
	var read Table
	for _, o := range llm.Objects(reply) {
		if t, ok := tableOf(o, aspects); ok {
			read = t
		}
	}
	if read == nil {
		read = markdownRows(reply, aspects)
	}
	if read == nil {
		return nil, fmt.Errorf("the reply has no table of all %d aspects", len(aspects))
	}
	return read, nil
}

// tableOf reads the rows of one object, also of an object inside such as {"rows": …}.
func tableOf(o map[string]json.RawMessage, aspects []string) (Table, bool) {
	if len(o) == 1 {
		for _, inner := range o {
			var nested map[string]json.RawMessage
			if json.Unmarshal(inner, &nested) == nil && len(nested) >= len(aspects) && len(aspects) > 1 {
				return tableOf(nested, aspects)
			}
		}
	}
	t := make(Table, len(aspects))
	for i, aspect := range aspects {
		raw, ok := o[strconv.Itoa(i+1)]
		if !ok {
			raw, ok = o[aspect]
		}
		var cells struct {
			OnlyA *string `json:"only_a"`
			Both  *string `json:"both"`
			OnlyB *string `json:"only_b"`
		}
		if !ok || json.Unmarshal(raw, &cells) != nil || cells.OnlyA == nil || cells.Both == nil || cells.OnlyB == nil {
			return nil, false
		}
		t[i] = Row{aspect, cell(*cells.OnlyA), cell(*cells.Both), cell(*cells.OnlyB)}
	}
	return t, true
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
			t = append(t, Row{aspects[len(t)], cell(cells[1]), cell(cells[2]), cell(cells[3])})
		}
	}
	if len(t) != len(aspects) || len(t) == 0 {
		return nil
	}
	return t
}
