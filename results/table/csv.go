package table

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"compqa/data"
	"compqa/stats"
)

// A CSVWriter writes CSV. It checks that columns have distinct names, and that each record has a cell for each column. It changes text so
// that neither a terminal nor a spreadsheet executes it (see Printable and data.GuardCell).
//
// Unlike encoding/csv, it looks only at cells that differ from the cell above. The first error of writing is returned by all later calls,
// and by Flush.
type CSVWriter struct {
	*bufio.Writer
	Columns int
	latest  []string // the latest record; many cells of a table repeat the cell above
	written []string // the latest record, as written
}

// NewCSVWriter returns a CSVWriter. Its first record must be the header.
func NewCSVWriter(w io.Writer) *CSVWriter { return &CSVWriter{Writer: bufio.NewWriter(w)} }

// Write writes a record. The first record is the header.
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
		t.latest = make([]string, len(record))
		t.written = make([]string, len(record))
	}
	if len(record) != t.Columns {
		return fmt.Errorf("a record has %d cells under %d columns", len(record), t.Columns)
	}
	row := t.AvailableBuffer()
	for i, cell := range record {
		if cell != t.latest[i] {
			t.latest[i] = cell
			t.written[i] = quotedCell(data.GuardCell(Printable(cell)))
		}
		if i > 0 {
			row = append(row, ',')
		}
		row = append(row, t.written[i]...)
	}
	_, err := t.Writer.Write(append(row, '\n'))
	return err
}

// quotedCell writes a cell as encoding/csv does: in quotes if it contains a comma, a quote or a line break, or begins with a space.
func quotedCell(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	if strings.ContainsAny(cell, ",\"\r\n") || unicode.IsSpace(first) || cell == `\.` {
		return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	return cell
}

// CSV returns a function that writes rows with csv tags. A figure with an interval has three columns (see column). A missing figure is an
// empty cell. NaN and infinities are errors. Fields without a csv tag are left out.
func CSV[Row any](rows []Row) func(io.Writer) error { return CSVOf(slices.Values(rows)) }

// CSVOf is CSV for rows that are produced while they are written.
func CSVOf[Row any](rows iter.Seq[Row]) func(io.Writer) error {
	return func(w io.Writer) error {
		columns := columnsOf(reflect.TypeFor[Row]())
		c := NewCSVWriter(w)
		record := data.Each(columns, func(c column) string { return c.name })
		if err := c.Write(record); err != nil {
			return err
		}
		var current Row
		value := reflect.ValueOf(&current).Elem()
		for current = range rows {
			for i, column := range columns {
				text, err := csvText(column.value(value))
				if err != nil {
					return fmt.Errorf("column %s: %w", column.name, err)
				}
				record[i] = text
			}
			if err := c.Write(record); err != nil {
				return err
			}
		}
		return c.Flush()
	}
}

// csvText returns a value as the text of a CSV cell. A nil pointer is "".
func csvText(v reflect.Value) (string, error) {
	switch {
	case v.Kind() == reflect.String:
		return v.String(), nil
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool()), nil
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10), nil
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64), nil
	case v.Kind() == reflect.Pointer && v.IsNil():
		return "", nil
	case v.Kind() == reflect.Pointer:
		return csvText(v.Elem())
	}
	if v.CanAddr() { // the value need not be copied
		v = v.Addr()
	}
	return v.Interface().(interface{ MarshalCSV() (string, error) }).MarshalCSV()
}

// cellParts are the CSV columns that a column of cells may need: the value, then its bounds, deviation, n, and so on.
var cellParts = []struct {
	name   string
	render func(Cell) (string, error)
}{
	{"", func(c Cell) (string, error) {
		if c.Value.Known || c.Text == stats.Missing {
			return c.Value.Point().MarshalCSV()
		}
		return c.Text, nil
	}},
	{" low", func(c Cell) (string, error) { return c.bound(c.Value.Lower()).MarshalCSV() }},
	{" high", func(c Cell) (string, error) { return c.bound(c.Value.Upper()).MarshalCSV() }},
	{" deviation", func(c Cell) (string, error) { return c.deviation.MarshalCSV() }},
	{" n", func(c Cell) (string, error) { return c.n.MarshalCSV() }},
	{" as shown", func(c Cell) (string, error) { // only if the text has more numbers than the other parts
		if !c.Value.Known || c.Value.Bounded || c.n.Known || !severalNumbers.MatchString(c.Text) {
			return "", nil
		}
		return c.Text, nil
	}},
	{" mark", func(c Cell) (string, error) { return c.Mark, nil }},
}

var severalNumbers = regexp.MustCompile(`[0-9].*[a-z(,].*[0-9]`)

// bound returns a bound of the cell's interval. It is missing if there are too few questions to show it.
func (c Cell) bound(f stats.Figure) stats.Figure {
	if c.Value.Few {
		return stats.Figure{}
	}
	return f
}

// WriteCSV writes a table as CSV, with all digits of its numbers. After each column follow the further parts that its cells have (see
// cellParts).
func (t *Table) WriteCSV(w io.Writer) error {
	c := NewCSVWriter(w)
	records := make([][]string, 1+len(t.Rows))
	for i, name := range t.Header {
		if slices.Contains(records[0], name) || name == "" {
			name = fmt.Sprint(name, i+1)
		}
		for n, part := range cellParts {
			texts := make([]string, len(t.Rows))
			for r, row := range t.Rows {
				var err error
				texts[r], err = part.render(row[i])
				if err != nil {
					return err
				}
			}
			if n > 0 && strings.Join(texts, "") == "" {
				continue
			}
			records[0] = append(records[0], name+part.name)
			for r, text := range texts {
				records[1+r] = append(records[1+r], text)
			}
		}
	}
	for _, record := range records {
		if err := c.Write(record); err != nil {
			return err
		}
	}
	return c.Flush()
}

var latexSpecial = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}",
	`\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"†", `\textdagger{}`, "‡", `\textdaggerdbl{}`, "§", `\S{}`, "±", `$\pm$`, "–", "--", "−", "$-$", "≠", `$\neq$`, "<", "$<$",
	">", "$>$", "\n", " ")

// Latex returns the table as LaTeX, for the package booktabs.
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

// WriteFiles writes files into a folder in parallel, and creates the folder if necessary. A file appears under its name only when it is
// complete. A file whose function is nil is deleted if it exists. CSV and Text return such functions.
func WriteFiles(dir string, files map[string]func(io.Writer) error) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	return data.SideBySide(len(names), func(i int) error {
		path := filepath.Join(dir, names[i])
		write := files[names[i]]
		err := error(nil)
		if write != nil {
			err = WriteFile(path, write)
		} else if err = os.Remove(path); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", names[i], err)
		}
		return nil
	})
}

// Text returns a function that writes a text, made safe by Printable.
func Text(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, Printable(text)); return err }
}

// WriteFile writes a file completely before it replaces the old one, which readers see until then.
func WriteFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails harmlessly after the rename
	buffered := bufio.NewWriter(f)
	if err = write(buffered); err == nil {
		err = buffered.Flush()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// WriteLine writes a value as a line of JSON, without characters that a terminal would act on.
func WriteLine(w io.Writer, v any) error {
	text, err := JSONText(v)
	if err == nil {
		_, err = io.WriteString(w, text+"\n")
	}
	return err
}

// JSONText returns a value as JSON, without characters that a terminal would act on.
func JSONText(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return Printable(strings.TrimSuffix(b.String(), "\n")), err
}

// Lines returns a function that writes each row as a line of JSON.
func Lines[Row any](rows []Row) func(io.Writer) error {
	return func(w io.Writer) error {
		for _, row := range rows {
			if err := WriteLine(w, row); err != nil {
				return err
			}
		}
		return nil
	}
}

// WriteJSON writes a value as indented JSON.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
