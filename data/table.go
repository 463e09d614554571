package data

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"
	"github.com/tidwall/gjson"
)

// A Header is the line of a table with the names of its columns.
type Header struct {
	Names []string
	Line  int
	Comma rune // between columns
}

// tabled yields the rows of a table as objects of texts, by the names of columns. Columns are
// separated by commas, semicolons or tabs. Lines above the header and empty rows are left out. With
// note, so are rows that are shorter than the header, and of columns with the same name the second
// is called "name (2)"; without it, these are errors.
func tabled(path, text string, note func(string), yield func(Document, error) bool) {
	comma, text := separator(path, text)
	if comma != '\t' && note != nil {
		if _, err := csvReader(text, comma, false).ReadAll(); err != nil {
			note(fmt.Sprintf("%s has quotes that are neither closed nor doubled; they were read as written", path))
			comma = -comma
		}
	}
	lazy := comma == '\t' || comma < 0
	rows := csvReader(text, max(comma, -comma), lazy)
	header, err := tableHeader(rows, csvReader(text, rows.Comma, lazy), note != nil)
	if err != nil {
		yield(Document{File: path, Line: 1}, err.at(path))
		return
	}
	width, left := len(header.Names), 0
	var object []byte
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		d := Document{File: path, Table: header}
		if err != nil {
			err = CSVError(path, err)
		} else if d.Line, _ = rows.FieldPos(0); len(cells) < width && note != nil || filled(cells) == 0 {
			left += min(1, filled(cells))
			continue
		} else if len(cells) < width || filled(cells[width:]) > 0 {
			err = d.Errorf("%d cells, but the header has %d columns", len(cells), width)
		} else {
			object = append(object[:0], '{')
			for i, cell := range cells[:width] {
				object = gjson.AppendJSONString(object, header.Names[i])
				object = append(gjson.AppendJSONString(append(object, ':'), plainCell(cell)), ',')
			}
			object[len(object)-1] = '}'
			d.Value = gjson.ParseBytes(object)
			d.Root = d.Value
		}
		if !yield(d, err) {
			return
		}
	}
	if left > 0 {
		note(fmt.Sprintf("%s: %s with fewer cells than the header left out", path, Plural(left, "row", "rows")))
	}
}

func csvReader(text string, comma rune, lazy bool) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes = comma, -1, lazy
	return r
}

// filled counts the cells with text.
func filled(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// separator is the character between columns: a tab in .tsv, else the one that gives most of the
// first rows the same number of columns. A first line sep=; says it.
func separator(path, text string) (comma rune, rest string) {
	if after, found := strings.CutPrefix(text, "sep="); found && len(after) > 1 && strings.ContainsRune("\r\n", rune(after[1])) {
		return rune(after[0]), strings.TrimLeft(after[1:], "\r\n")
	}
	if extension(path) == ".tsv" {
		return '\t', text
	}
	best, most := ',', 0
	for _, comma := range []rune{',', ';', '\t'} {
		width, n := usualWidth(csvReader(text[:min(len(text), 1<<18)], comma, true))
		if weight := 1000*n + width; width > 1 && weight > most {
			best, most = comma, weight
		}
	}
	return best, text
}

// usualWidth is the number of cells that most of the first rows have, and how many have it.
func usualWidth(rows *csv.Reader) (width, n int) {
	widths := map[int]int{}
	for range 100 {
		if cells, err := rows.Read(); err == nil {
			widths[len(cells)]++
		}
	}
	for w, count := range widths {
		if count > n || count == n && w > width {
			width, n = w, count
		}
	}
	return width, n
}

// A headerError is an error in the line of the header.
type headerError struct {
	line int
	err  error
}

func (e *headerError) at(path string) error {
	if e.line == 0 {
		return fmt.Errorf("%s %w", path, e.err)
	}
	return &LineError{Path: path, Line: e.line, Err: e.err}
}

// tableHeader reads the names of columns: the first row of which most cells have text. again reads
// the same table.
func tableHeader(rows, again *csv.Reader, loose bool) (*Header, *headerError) {
	width, _ := usualWidth(again)
	for {
		cells, err := rows.Read()
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, &headerError{parse.Line, parse.Err}
		}
		if err != nil {
			return nil, &headerError{0, errors.New("is empty: a header line is needed")}
		}
		if n := filled(cells); n == 0 || loose && width > 1 && 2*n <= width {
			continue
		}
		line, _ := rows.FieldPos(0)
		h := &Header{Line: line, Comma: rows.Comma}
		for i, cell := range cells {
			name := strings.Join(strings.Fields(cell), " ")
			if name == "" {
				name = "column " + strconv.Itoa(i+1)
			} else if slices.Contains(h.Names, name) && !loose {
				return nil, &headerError{line, fmt.Errorf("duplicate column %q", name)}
			}
			for k := 2; slices.Contains(h.Names, name); k++ {
				name = fmt.Sprintf("%s (%d)", strings.TrimSuffix(name, fmt.Sprintf(" (%d)", k-1)), k)
			}
			h.Names = append(h.Names, name)
		}
		return h, nil
	}
}

// CSVError adds file and line to an error of a csv.Reader.
func CSVError(path string, err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return &LineError{path, p.Line, p.Err}
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

// GuardCell writes a CSV cell so that no spreadsheet executes it: a formula gets a ' in
// front. So does a text that looks like a guarded formula; the readers of this package
// remove one ' from such cells. Numbers stay numbers, and so does "-", which the tables
// use for "does not apply".
func GuardCell(cell string) string {
	if !formula(cell) || cell == "-" {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// plainCell is the text that GuardCell was given.
func plainCell(cell string) string {
	if cell != "" && cell[0] == '\'' && formula(cell) {
		return cell[1:]
	}
	return cell
}

// formula reports whether a spreadsheet may execute a cell, without quotes in front of it.
func formula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0
}

// A CSVForm says how a file differs from CSV with exactly the columns of its rows.
type CSVForm struct {
	Comma rune                    // 0: a comma. With a tab, quotes inside cells are text
	Name  func(tag string) string // the file's name of a column; nil: its tag
	More  bool                    // columns without a field are ignored
}

// ReadCSV reads rows of a struct with csv tags. It returns the line of each row.
//
// gocsv, which fills the structs, ignores missing, duplicate and unknown columns, takes an
// empty number for 0, accepts NaN, and counts records where lines are meant. So the header and
// the cells are checked first. Errors are *LineError.
func ReadCSV[Row any](path string, in io.Reader, form CSVForm) ([]Row, []int, error) {
	c := &checkedCSV{Reader: csv.NewReader(in), path: path, form: form, columns: CSVColumns(reflect.TypeFor[Row]())}
	if c.FieldsPerRecord = -1; form.Comma != 0 {
		c.Comma, c.LazyQuotes = form.Comma, form.Comma == '\t'
	}
	var rows []Row
	err := gocsv.UnmarshalCSV(c, &rows)
	if parse, is := errors.AsType[*csv.ParseError](err); is && parse.Line >= 2 && parse.Line-2 < len(c.lines) {
		err = &LineError{path, c.lines[parse.Line-2], parse.Err}
	}
	return rows, c.lines, err
}

// A CSVColumn is a column of a struct with csv tags.
type CSVColumn struct {
	Name string
	Type reflect.Type
}

// CSVColumns are the columns of a struct as gocsv names them: those of embedded structs are
// inline, and an array with the tag csv[]:"N" has a column name[0] … name[N-1]. It panics where
// gocsv would leave columns out: an embedded struct must be exported.
func CSVColumns(row reflect.Type) (columns []CSVColumn) {
	for _, f := range reflect.VisibleFields(row) {
		name, _, _ := strings.Cut(f.Tag.Get("csv"), ",")
		n, err := strconv.Atoi(f.Tag.Get("csv[]"))
		switch {
		case name == "" || name == "-":
		case len(f.Index) > 1 && !row.Field(f.Index[0]).IsExported():
			panic(fmt.Sprintf("%v: %s is in an embedded struct that is not exported", row, f.Name))
		case err != nil:
			columns = append(columns, CSVColumn{name, f.Type})
		default:
			for i := range n {
				columns = append(columns, CSVColumn{fmt.Sprintf("%s[%d]", name, i), f.Type.Elem()})
			}
		}
	}
	return columns
}

// A checkedCSV is a CSV file whose header and cells are checked.
type checkedCSV struct {
	*csv.Reader
	path    string
	form    CSVForm
	columns []CSVColumn
	lines   []int // of the records after the header
}

// ReadAll returns all records, the header first.
func (c *checkedCSV) ReadAll() ([][]string, error) {
	header, err := c.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s is empty: a header line is needed", c.path)
	}
	if err != nil {
		return nil, CSVError(c.path, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	if err := c.checkHeader(header); err != nil {
		return nil, &LineError{c.path, 1, err}
	}
	records := [][]string{header}
	for {
		cells, err := c.Read()
		if err == io.EOF {
			return records, nil
		}
		if err != nil {
			return nil, CSVError(c.path, err)
		}
		line, _ := c.FieldPos(0)
		if err := c.checkCells(header, cells); err != nil {
			return nil, &LineError{c.path, line, err}
		}
		records, c.lines = append(records, cells), append(c.lines, line)
	}
}

// checkHeader finds columns that are missing, unknown or there twice, and gives the others the
// names of the tags.
func (c *checkedCSV) checkHeader(header []string) error {
	names := make([]string, len(c.columns)) // in the file
	for i, column := range c.columns {
		if names[i] = column.Name; c.form.Name != nil {
			names[i] = c.form.Name(column.Name)
		}
	}
	seen := map[string]bool{}
	for i, name := range header {
		at := slices.Index(names, name)
		switch {
		case at < 0 && !c.form.More:
			return fmt.Errorf("unknown column %q%s", name, Suggest(name, "columns", names))
		case at < 0:
			header[i] = ""
		case seen[name]:
			return fmt.Errorf("duplicate column %q", name)
		default:
			header[i], seen[name] = c.columns[at].Name, true
		}
	}
	if missing := slices.DeleteFunc(names, func(name string) bool { return seen[name] }); len(missing) > 0 {
		return fmt.Errorf("the table has no column %s", strings.Join(missing, ", "))
	}
	return nil
}

// checkCells checks the numbers of a record, and undoes GuardCell, which this program applies to
// the CSV files that it writes.
func (c *checkedCSV) checkCells(header, cells []string) error {
	if len(cells) != len(header) {
		return fmt.Errorf("%d cells, but the header has %d columns", len(cells), len(header))
	}
	for i, cell := range cells {
		at := slices.IndexFunc(c.columns, func(column CSVColumn) bool { return column.Name == header[i] })
		if at < 0 {
			continue
		}
		if cell != "" && c.form.Comma == 0 {
			cells[i] = plainCell(cell)
		}
		switch kind := c.columns[at].Type.Kind(); {
		case kind >= reflect.Int && kind <= reflect.Uint64:
			if _, err := strconv.Atoi(cell); err != nil {
				return fmt.Errorf("column %s is %q, not a whole number", header[i], cell)
			}
		case kind == reflect.Float64:
			if v, err := strconv.ParseFloat(cell, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("column %s is %q, not a number", header[i], cell)
			}
		}
	}
	return nil
}
