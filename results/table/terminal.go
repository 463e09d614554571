package table

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Screen is the width of tables where there is no terminal, and nameWidth the maximum width of
// a name.
const (
	Screen    = 100
	nameWidth = 26
)

// cellPadding is the space around a cell's content.
const cellPadding = 2

// Terminal prints the table. Headings and words are wrapped between words where the table is
// too wide; if that is not enough, it is split into several, each with the columns of words.
func (t *Table) Terminal(w io.Writer) error {
	for from := t.Words; ; {
		to := max(from+1, len(t.Header))
		for to > from+1 && t.Columns(from, to).least() > Screen {
			to--
		}
		to = min(to, len(t.Header))
		part := t.Columns(from, to)
		if err := part.wrapped().print(w); err != nil {
			return err
		}
		if to == len(t.Header) {
			return nil
		}
		fmt.Fprintln(w)
		from = to
	}
}

// Columns is the table with the words and the columns from … to-1, without empty rows.
func (t *Table) Columns(from, to int) *Table {
	part := func(cells []string) []string {
		return append(append([]string{}, cells[:t.Words]...), cells[from:to]...)
	}
	out := &Table{Header: part(t.Header), Words: t.Words}
	for _, row := range t.Rows {
		if from == to || slices.ContainsFunc(row[from:to], func(cell string) bool { return cell != "" }) {
			out.Add(part(row)...)
		}
	}
	return out
}

// widest is the width of each column, where a text counts as measure says.
func (t *Table) widest(measure func(text string, wraps bool) int) []int {
	widths := make([]int, len(t.Header))
	for c, heading := range t.Header {
		widths[c] = measure(heading, true)
		for _, row := range t.Rows {
			widths[c] = max(widths[c], measure(row[c], c < t.Words))
		}
	}
	return widths
}

// longestWord is the least width of a text.
func longestWord(text string, wraps bool) int {
	if !wraps {
		return narrow.StringWidth(text)
	}
	width := 0
	for _, word := range strings.Fields(text) {
		width = max(width, narrow.StringWidth(word))
	}
	return width
}

func sumOf(widths []int) int {
	sum := cellPadding * len(widths)
	for _, w := range widths {
		sum += w
	}
	return sum
}

// least is the width of the table if every line has one word.
func (t *Table) least() int { return sumOf(t.widest(longestWord)) }

// wrapped has line breaks between words, so that the table fits on the screen if it can. First
// headings get several lines, then cells; the widest column first.
func (t *Table) wrapped() *Table {
	natural := func(text string, _ bool) int { return narrow.StringWidth(text) }
	widths, least := t.widest(natural), t.widest(longestWord)
	cells := (&Table{Words: t.Words, Header: make([]string, len(t.Header)), Rows: t.Rows}).widest(natural)
	for c := range cells {
		cells[c] = max(cells[c], least[c])
	}
	for _, limits := range [][]int{cells, least} {
		for sumOf(widths) > Screen {
			at := -1
			for c, w := range widths {
				if w > limits[c] && (at < 0 || w > widths[at]) {
					at = c
				}
			}
			if at < 0 {
				break
			}
			widths[at]--
		}
	}
	out := &Table{Words: t.Words}
	for c, heading := range t.Header {
		out.Header = append(out.Header, strings.Join(wrap(heading, widths[c]), "\n"))
	}
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for c := range t.Words {
			row[c] = strings.Join(wrap(row[c], widths[c]), "\n")
		}
		out.Add(row...)
	}
	return out
}

// wrap is a text in lines of at most width columns, unless a word is longer.
func wrap(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && narrow.StringWidth(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// print renders the table with tablewriter. Its formatting of headers, which changes
// "score (95% CI)" and "model_name", and its wrapping are switched off in the
// configuration, because options would be overridden.
func (t *Table) print(w io.Writer) error {
	align := make([]tw.Align, len(t.Header))
	for c := range align {
		align[c] = tw.AlignRight
		if c < t.Words {
			align[c] = tw.AlignLeft
		}
	}
	cells := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Alignment:  tw.CellAlignment{PerColumn: align},
	}
	var b strings.Builder
	view := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off, ShowHeader: tw.On},
				Lines:      tw.Lines{ShowHeaderLine: tw.On},
			},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells}))
	view.Header(t.Header)
	if err := view.Bulk(t.Rows); err != nil {
		return fmt.Errorf("printing a table: %w", err)
	}
	if err := view.Render(); err != nil {
		return fmt.Errorf("printing a table: %w", err)
	}
	for line := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	return nil
}

// Short truncates a name for the terminal.
func Short(name string) string { return narrow.Truncate(name, nameWidth, "…") }

// PrintWrapped prints a text in lines of at most Screen columns, the second and others indented.
func PrintWrapped(w io.Writer, text string) {
	for i, line := range wrap(text, Screen-2) {
		if i > 0 {
			line = "  " + line
		}
		fmt.Fprintln(w, line)
	}
}
