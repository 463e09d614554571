package table

import (
	"fmt"
	"io"
	"slices"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Screen is the maximum width of tables on the terminal, and nameWidth the maximum width
// of a name.
const (
	Screen    = 100
	nameWidth = 26
)

// Terminal prints the table. A table that is too wide is split into several, each with
// the columns of words.
func (t *Table) Terminal(w io.Writer) error {
	widths := columnWidths(append([][]string{t.Header}, t.Rows...))
	for c := range widths {
		widths[c] += cellPadding
	}
	for from := t.Words; ; {
		width, to := 0, from
		for _, of := range widths[:t.Words] {
			width += of
		}
		for to < len(widths) && (to == from || width+widths[to] <= Screen) {
			width += widths[to]
			to++
		}
		if err := t.Columns(from, to).print(w); err != nil {
			return err
		}
		if to == len(widths) {
			return nil
		}
		fmt.Fprintln(w)
		from = to
	}
}

// cellPadding is the space around a cell's content.
const cellPadding = 2

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
	view := tablewriter.NewTable(w,
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
	return nil
}

// Short truncates a name for the terminal.
func Short(name string) string { return narrow.Truncate(name, nameWidth, "…") }
