package table

import "slices"

// A Table is a table for Markdown and the terminal. The first columns are words; the
// others are figures.
type Table struct {
	Words  int
	Header []string
	Rows   [][]string
}

func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) Markdown() string { return MarkdownTable(t.Words, t.Header, t.Rows) }

// Shortened is the table with names truncated for the terminal.
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
