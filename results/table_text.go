package results

import "slices"

// A textTable is a table for people: a header, rows as wide as it, and how many
// of its first columns are words; the others are figures.
type textTable struct {
	words  int
	header []string
	rows   [][]string
}

func (t *textTable) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *textTable) markdown() string { return markdownTable(t.words, t.header, t.rows) }

// shortened has names that leave room on a terminal.
func (t *textTable) shortened() *textTable {
	out := &textTable{words: t.words}
	for i, cells := range append([][]string{t.header}, t.rows...) {
		line := slices.Clone(cells)
		for c := range line {
			if i == 0 || c < t.words {
				line[c] = short(line[c])
			}
		}
		out.rows = append(out.rows, line)
	}
	out.header, out.rows = out.rows[0], out.rows[1:]
	return out
}
