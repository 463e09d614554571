package table

import "slices"

// A textTable is a table for people: a header, rows as wide as it, and how many
// of its first columns are words; the others are figures.
type Table struct {
	Words  int
	Header []string
	Rows   [][]string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Markdown() string { return MarkdownTable(t.Words, t.Header, t.Rows) }

// shortened has names that leave room on a terminal.
func (t *Table) Shortened() *Table {
	out := &Table{Words: t.Words}
	for i, cells := range append([][]string{t.Header}, t.Rows...) {
		line := slices.Clone(cells)
		for c := range line {
			if i == 0 || c < t.Words {
				line[c] = Short(line[c])
			}
		}
		out.Rows = append(out.Rows, line)
	}
	out.Header, out.Rows = out.Rows[0], out.Rows[1:]
	return out
}

// orNothing is the table, or what to say of one without rows.
func (t *Table) OrText(otherwise string) string {
	if t.Rows == nil {
		return otherwise + "\n\n"
	}
	return t.Markdown()
}
