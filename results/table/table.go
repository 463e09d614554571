// Package table writes tables as CSV, as Markdown and to the terminal.
//
// A missing figure is an empty cell in CSV and a dash elsewhere. NaN and infinities are errors.
package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/stats"
)

// A Table has typed cells. The first Words columns are words. The other columns are figures, except those with Head.Aside.
type Table struct {
	Words  int
	Header []string
	Heads  map[int]Head // by column: what else belongs to its heading
	Rows   [][]Cell
	Key    int    // index of the column that names the row
	Look   string // style of the table on pages: "", heat, list, sheet
	Spans  []Span // heads above the headings
	Foot   string // a line below the table
}

// A Span is a head above several columns.
type Span struct {
	Columns     int
	Text, Class string
}

// A Head has what belongs to the heading of a column besides its name.
type Head struct {
	Mark string  // follows the name: †
	To   *Target // link of the name
	Axis *Axis   // scale on which the figures are drawn
	// Aside marks a column of words after the figures. On phones it is a line of its own.
	Aside bool
}

// A Cell is a value of a table with its text. Only this package formats numbers.
type Cell struct {
	Text  string
	Mark  string       // follows a name: †
	Value stats.Figure // the number behind the text; missing for words
	To    *Target      // link of the cell
	Class string       // bad, differs, quiet, key, more, less, tied, heat h0 to h5
	Drawn *Drawn       // what is drawn next to the figure
	Row   *Row         // set in the cell that names the row

	deviation, n stats.Figure // of a mean: its deviation and its number of observations
}

// A Row has what a page shows of a row besides its cells.
type Row struct {
	Group string // heading above the first of several rows
	Class string
	About string // text below the cells
	Hit   string // the match of a search in the row
	Below []Line // lines below the cells
}

// A Line is a value with whose value it is and what it means. Mark is "more" or "less" (than people's), or "".
type Line struct{ Value, Who, Class, Text, Mark string }

func (c Cell) String() string { return c.Text + c.Mark }

// CellOf returns the cell of a value: a word, a number, a figure with or without an interval, or a cell itself.
func CellOf(value any, decimals int, signed bool) Cell {
	switch x := value.(type) {
	case Cell:
		return x
	case stats.Figure:
		if signed {
			return Cell{Text: x.Signed(decimals), Value: x}
		}
		return Cell{Text: x.Text(decimals), Value: x}
	case Ranged:
		return CellOf(x.Figure, decimals, signed)
	case *float64:
		return CellOf(stats.FigureOf(x), decimals, signed)
	case float64:
		return CellOf(stats.Number(x), decimals, signed)
	case int:
		return Cell{Text: strconv.Itoa(x), Value: stats.Count(x)}
	}
	return Cell{Text: fmt.Sprint(value)}
}

// FewNote says that some intervals are not shown. Files have them.
var FewNote = fmt.Sprintf("Intervals of fewer than %d questions are not shown.", stats.FewClusters)

// Below returns the text below the table: its foot, and FewNote if it applies.
func (t *Table) Below() string { return strings.TrimSpace(t.Foot + " " + t.fewNote()) }

// fewNote returns FewNote if a figure's interval is not shown, because it has too few questions. Else it returns "".
func (t *Table) fewNote() string {
	for _, row := range t.Rows {
		if slices.ContainsFunc(row, func(c Cell) bool { return c.Value.Few && c.Value.Bounded }) {
			return FewNote
		}
	}
	return ""
}

// Figured returns the cell of a number or figure, with the given number of decimals.
func Figured(value any, decimals int) Cell { return CellOf(value, decimals, false) }

// Signed returns the cell of a number or figure with its sign, with the given number of decimals.
func Signed(value any, decimals int) Cell { return CellOf(value, decimals, true) }

// Points returns the cell of points with at most two decimals. NaN is missing.
func Points(points float64) Cell {
	if math.IsNaN(points) {
		return Figured(stats.Figure{}, 2)
	}
	return Cell{Text: strings.Replace(stats.Shortest(math.Round(100*points)/100), "-", "−", 1), Value: stats.Number(points)}
}

// Probability returns the cell of a p-value: "0.013" or "< 0.001".
func Probability(p stats.Figure) Cell {
	c := Figured(p, 3)
	if p.Known && p.Value < 0.001 {
		c.Text = "< 0.001"
	}
	return c
}

// New returns a table without rows. The first words columns contain words.
func New(words int, header ...string) *Table { return &Table{Words: words, Header: header} }

// Add adds a row (see CellOf). Figures have two decimals.
func (t *Table) Add(cells ...any) {
	t.Rows = append(t.Rows, data.Each(cells, func(value any) Cell { return Figured(value, 2) }))
}

// Link sets the links of the names in a column. to may return nil for no link.
func (t *Table) Link(column int, to func(name string) *Target) *Table {
	for _, row := range t.Rows {
		row[column].To = to(row[column].Text)
	}
	return t
}

// Mark sets the marks of the names in a column.
func (t *Table) Mark(column int, mark func(row []Cell) string) *Table {
	for _, row := range t.Rows {
		row[column].Mark = mark(row)
	}
	return t
}

// Draw adds a drawing of the figures in a column, on an axis.
func (t *Table) Draw(name string, axis *Axis) *Table {
	if c := slices.Index(t.Header, name); c >= 0 {
		t.SetHead(c, func(h *Head) { h.Axis = axis })
	}
	return t
}

// With returns the table with other rows.
func (t *Table) With(rows [][]Cell) *Table {
	out := *t
	out.Rows = rows
	return &out
}

// Without returns the table without the rows that have a word for which word is true, and without the columns of figures for which column
// is true. If no column of figures is left, it has no rows.
func (t *Table) Without(word func(header, name string) bool, column func(header string) bool) *Table {
	out := t.with(func(c int) bool { return !column(t.Header[c]) })
	out.Rows = data.Where(out.Rows, func(row []Cell) bool {
		for c, cell := range row[:t.Words] {
			if word(t.Header[c], cell.Text) {
				return false
			}
		}
		return len(row) > t.Words || len(t.Header) == t.Words
	})
	return out
}

// with returns the table with all columns of words, and the other columns for which column is true.
func (t *Table) with(column func(c int) bool) *Table {
	out := &Table{Words: t.Words, Key: t.Key, Look: t.Look, Foot: t.Foot, Heads: map[int]Head{}}
	var kept []int
	for c, header := range t.Header {
		if c < t.Words || column(c) {
			out.Heads[len(kept)] = t.Heads[c]
			kept = append(kept, c)
			out.Header = append(out.Header, header)
		}
	}
	out.Rows = data.Each(t.Rows, func(row []Cell) []Cell { return data.Each(kept, func(c int) Cell { return row[c] }) })
	return out
}

// SetHead changes the head of a column.
func (t *Table) SetHead(column int, change func(*Head)) {
	if t.Heads == nil {
		t.Heads = map[int]Head{}
	}
	h := t.Heads[column]
	change(&h)
	t.Heads[column] = h
}

// Heading returns the name of a column with its mark.
func (t *Table) Heading(column int) string { return t.Header[column] + t.Heads[column].Mark }

// Sort sorts the rows by a column: numbers by value with missing ones last, words alphabetically.
func (t *Table) Sort(name string, descending bool) {
	c := slices.Index(t.Header, name)
	if c < 0 {
		return
	}
	sign := 1
	if descending {
		sign = -1
	}
	slices.SortStableFunc(t.Rows, func(a, b []Cell) int {
		x := a[c].Value.Point()
		y := b[c].Value.Point()
		if x.Known || y.Known {
			return stats.CompareFigures(x, y, sign)
		}
		return sign * cmp.Compare(strings.ToLower(a[c].Text), strings.ToLower(b[c].Text))
	})
}

// isWords reports whether a column has words, which are aligned left and wrapped, instead of figures.
func (t *Table) isWords(column int) bool { return column < t.Words || t.Heads[column].Aside }

// texts returns the texts of the heading and of all rows.
func (t *Table) texts() [][]string {
	lines := [][]string{make([]string, len(t.Header))}
	for c := range t.Header {
		lines[0][c] = t.Heading(c)
	}
	for _, row := range t.Rows {
		lines = append(lines, data.Each(row[:len(t.Header)], Cell.String))
	}
	return lines
}

// Shortened returns the table with names truncated for the terminal. Different names stay different.
func (t *Table) Shortened() *Table {
	out := &Table{Words: t.Words, Header: ShortNames(t.Header, nameWidth), Heads: t.Heads}
	out.Rows = data.Each(t.Rows, func(row []Cell) []Cell { return slices.Clone(row) })
	for c := range t.Words {
		for i, name := range ShortNames(data.Each(t.Rows, func(row []Cell) string { return row[c].Text }), nameWidth) {
			out.Rows[i][c].Text = name
		}
	}
	return out
}

// A Grid is a table whose rows and columns are in the order in which their names first appear.
type Grid struct{ Table }

// NewGrid returns an empty grid. words are the headings of the columns that name a row.
func NewGrid(words ...string) *Grid { return &Grid{Table{Words: len(words), Header: words}} }

// Set sets the cell in a column of the row with the given names. It adds the row and the column if necessary.
func (g *Grid) Set(cell any, column string, row ...string) {
	c := g.Words + slices.Index(g.Header[g.Words:], column)
	if c < g.Words {
		c = len(g.Header)
		g.Header = append(g.Header, column)
		for i := range g.Rows {
			g.Rows[i] = append(g.Rows[i], Cell{})
		}
	}
	index := slices.IndexFunc(g.Rows, func(cells []Cell) bool {
		return slices.EqualFunc(cells[:g.Words], row, func(c Cell, name string) bool { return c.Text == name })
	})
	if index < 0 {
		line := make([]Cell, len(g.Header))
		for i, name := range row {
			line[i].Text = name
		}
		index = len(g.Rows)
		g.Rows = append(g.Rows, line)
	}
	g.Rows[index][c] = Figured(cell, 2)
}

// Transposed returns the first row as a column: each heading with its value.
func (t *Table) Transposed() (rows [][]Cell) {
	for c, name := range t.Header {
		if len(t.Rows) > 0 {
			rows = append(rows, []Cell{{Text: name}, t.Rows[0][c]})
		}
	}
	return rows
}
