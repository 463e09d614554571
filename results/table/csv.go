package table

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/gocarina/gocsv"

	"compqa/data"
)

// A CSVWriter writes CSV and checks that columns have distinct names and records have a
// cell for each. It writes text of others so that neither a terminal nor a spreadsheet
// executes it: see Printable and data.GuardCell.
type CSVWriter struct {
	*csv.Writer
	Columns int
}

func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{Writer: csv.NewWriter(w)} }

// Write writes a record; the first is the header.
func (t *CSVWriter) Write(record []string) error {
	if t.Columns == 0 {
		seen := map[string]bool{}
		for i, name := range record {
			if name == "" || seen[name] {
				return fmt.Errorf("column %d of the table is named %q: names must be non-empty and unique", i+1, name)
			}
			seen[name] = true
		}
		t.Columns = len(record)
	}
	if len(record) != t.Columns {
		return fmt.Errorf("a record has %d cells under %d columns", len(record), t.Columns)
	}
	for i, cell := range record {
		if safe := data.GuardCell(Printable(cell)); safe != cell {
			record = slices.Clone(record)
			record[i] = safe
		}
	}
	return t.Writer.Write(record)
}

// Records are rows with csv tags as JSON objects: numbers are numbers, a missing Figure is null.
func Records[Row any](rows []Row) []map[string]any {
	records := []map[string]any{}
	for _, row := range rows {
		record := map[string]any{}
		for _, c := range columnsOf(reflect.TypeFor[Row]()) {
			record[c.name] = reflect.ValueOf(row).FieldByIndex(c.field).Interface()
			if f, is := record[c.name].(Figure); is {
				record[c.name] = f.Number
			}
		}
		records = append(records, record)
	}
	return records
}

// CSV writes rows of a struct with csv tags through gocsv, which would call the columns of bounds
// alpha.value, alpha.low and alpha.high. A missing Figure is an empty cell; NaN and infinities are errors,
// and so is an exported field without a csv tag ("-" to be left out).
func CSV[Row any](rows []Row) func(io.Writer) error {
	return func(w io.Writer) error {
		c := NewCSVWriter(w)
		if err := c.Write(Each(columnsOf(reflect.TypeFor[Row]()), func(c column) string { return c.name })); err != nil {
			return err
		}
		return gocsv.MarshalCSVWithoutHeaders(rows, c)
	}
}

// WriteCSV writes a table as it is shown, with numbers in full: a column of intervals is followed by
// columns for their bounds, and one of means by columns for their deviations and numbers of verdicts.
func (t *Table) WriteCSV(w io.Writer) error {
	c := NewCSVWriter(w)
	records := make([][]string, 1+len(t.Rows))
	for i, name := range t.Header {
		if slices.Contains(records[0], name) || name == "" {
			name = fmt.Sprint(name, i+1)
		}
		for n, more := range []string{"", " low", " high", " deviation", " n"} {
			if n > 0 && !slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[i].figures()[n].Known() }) {
				continue
			}
			records[0] = append(records[0], name+more)
			for r, row := range t.Rows {
				f := row[i].figures()[n]
				text, err := f.MarshalCSV()
				if err != nil {
					return err
				}
				if n == 0 && !f.Known() && row[i].Text != None {
					text = row[i].Text
				}
				records[1+r] = append(records[1+r], text)
			}
		}
	}
	for _, record := range records {
		if err := c.Write(record); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

var latexSpecial = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}",
	`\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"†", `\textdagger{}`, "‡", `\textdaggerdbl{}`, "§", `\S{}`, "±", `$\pm$`, "–", "--", "−", "$-$", "≠", `$\neq$`, "<", "$<$",
	">", "$>$", "\n", " ")

// Latex is the table for LaTeX with the package booktabs.
func (t *Table) Latex() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\\begin{tabular}{%s%s}\n\\toprule\n", strings.Repeat("l", t.Words), strings.Repeat("r", len(t.Header)-t.Words))
	for i, line := range t.texts() {
		for c, text := range line {
			line[c] = latexSpecial.Replace(Printable(text))
		}
		b.WriteString(strings.Join(line, " & ") + " \\\\\n")
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	return b.String() + "\\bottomrule\n\\end{tabular}\n"
}
