package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gocarina/gocsv"
)

// A Header describes the columns of a table: their names and where they stand.
type Header struct {
	Names []string
	Line  int
	Comma rune // separator of columns; 0 for a spreadsheet
	Sheet bool // the rows come from a spreadsheet

	merged *mergedRows    // nil if it is not a sheet of Excel
	places map[string]int // index of each name
}

// Renamed returns a copy of the header with new names for the columns in names.
func (h *Header) Renamed(names map[string]string) *Header {
	now := *h
	now.Names = Each(h.Names, func(name string) string {
		if to, found := names[name]; found {
			return to
		}
		return name
	})
	now.number()
	return &now
}

// number sets the index of each name; of equal names, the first counts.
func (h *Header) number() {
	h.places = make(map[string]int, len(h.Names))
	for i, name := range h.Names {
		if _, twice := h.places[name]; !twice {
			h.places[name] = i
		}
	}
}

// Column returns the index of the column with a name.
func (h *Header) Column(name string) (index int, found bool) {
	index, found = h.places[name]
	return index, found
}

// A tableRow is a row as it was read, or the error of its line.
type tableRow struct {
	cells []string
	line  int
	err   error
}

// tabled yields the rows of a table in a text file. Columns are separated by commas, semicolons, tabs or vertical bars.
func tabled(path string, text *bufio.Reader, head string, note func(string), yield func(Document, error) bool) {
	comma, before := separator(path, head)
	text.Discard(before)
	quotes := &quoteReader{r: text, path: path, comma: byte(comma), line: 1 + strings.Count(head[:before], "\n")}
	first := quotes.line - 1
	firstLine, _, _ := strings.Cut(head[before:], "\n")
	firstLine = strings.TrimSpace(firstLine)
	framed := comma == '|' && len(firstLine) > 1 && firstLine[0] == '|' && firstLine[len(firstLine)-1] == '|' // as in Markdown
	rows := csvReader(quotes, comma, comma == '\t' || note != nil)
	next := func() ([]string, int, error) {
		cells, err := rows.Read()
		for framed && err == nil && rule(cells) {
			cells, err = rows.Read()
		}
		line := first
		if len(cells) > 0 {
			index, _ := rows.FieldPos(0)
			line += index
		}
		if fault, ok := errors.AsType[*csv.ParseError](err); ok {
			fault.Line += first
		}
		if framed && len(cells) > 2 {
			cells = Each(cells[1:len(cells)-1], strings.TrimSpace)
		}
		return cells, line, err
	}
	rowsOf(path, next, &Header{Comma: comma}, note, yield)
	if quotes.bad > 0 && note != nil && comma != '\t' {
		note(fmt.Sprintf("%s:%d has quotes that are neither closed nor doubled; they were read as written", path, quotes.bad))
	}
}

// rule reports whether a row is the line of dashes below the header of a Markdown table.
func rule(cells []string) bool {
	return filled(cells) > 0 && !slices.ContainsFunc(cells, func(cell string) bool { return strings.Trim(cell, " :-\r") != "" })
}

// rowsOf yields the rows of a table as cells under the names of columns. next returns the next row and its line. Rows above the header and
// empty rows are skipped. With note, rows of a text that are shorter than the header are skipped too, and a repeated column name becomes
// "name (2)". Without note, both are errors.
func rowsOf(path string, next func() ([]string, int, error), header *Header, note func(string), yield func(Document, error) bool) {
	var first []tableRow // rows that are needed to find the header
	for range 100 {
		cells, line, err := next()
		if len(cells) > MostColumns && err == nil {
			err = &LineError{path, line, fmt.Errorf("%d cells in a row: %w", len(cells), errTooWide)}
		}
		first = append(first, tableRow{cells, line, err})
		if endsFile(err) {
			break
		}
	}
	begin, err := header.read(path, first, note != nil)
	if err != nil {
		yield(Document{File: path, Line: 1}, err)
		return
	}
	header.number()
	width := len(header.Names)
	left := 0
	index := begin
	for {
		var row tableRow
		if index < len(first) {
			row = first[index]
			index++
		} else {
			row.cells, row.line, row.err = next()
		}
		if errors.Is(row.err, io.EOF) {
			break
		}
		d := Document{File: path, Line: row.line, Table: header}
		n := filled(row.cells)
		switch {
		case row.err != nil:
			row.err = CSVError(path, row.err)
			if !yield(d, row.err) || endsFile(row.err) {
				return
			}
			continue
		case n == 0:
			continue
		case len(row.cells) < width && header.Sheet: // a sheet stores no cells after the last filled one
			row.cells = append(row.cells, make([]string, width-len(row.cells))...)
		case len(row.cells) < width && note != nil:
			left++
			continue
		case len(row.cells) < width || filled(row.cells[width:]) > 0:
			row.err = d.Errorf("%d cells, but the header has %d columns", len(row.cells), width)
		}
		if row.err == nil {
			d.Cells = row.cells[:width]
			for i, cell := range d.Cells {
				d.Cells[i] = plainCell(cell)
			}
		}
		if !yield(d, row.err) {
			return
		}
	}
	if left > 0 {
		note(fmt.Sprintf("%s: %s with fewer cells than the header left out", path, Plural(left, "row", "rows")))
	}
}

var errTooWide = fmt.Errorf("at most %d columns are read", MostColumns)

// endsFile reports whether an error is not one of a single line, so that no rows follow it.
func endsFile(err error) bool {
	if err == nil {
		return false
	}
	_, ofRow := errors.AsType[*csv.ParseError](err)
	return !ofRow
}

func csvReader(text io.Reader, comma rune, lazy bool) *csv.Reader {
	r := csv.NewReader(text)
	r.Comma = comma
	r.FieldsPerRecord = -1
	r.LazyQuotes = lazy
	return r
}

// A quoteReader checks the quotes of a table while it is read, because a cell whose quote is never closed would swallow the rest of the
// table.
type quoteReader struct {
	r          io.Reader
	path       string
	comma      byte
	line       int
	begun      int  // line on which the current quoted cell begins
	bad        int  // first line with a quote that is neither closed nor doubled; 0 if there is none
	strayQuote bool // the current quoted cell has such a quote
	record     int  // number of bytes since the row began
	state      byte // 0: at the beginning of a cell; p: in an unquoted cell; q: in a quoted cell; e: after a quote in a quoted cell
}

func (q *quoteReader) Read(p []byte) (int, error) {
	n, err := q.r.Read(p)
	for i, c := range p[:n] {
		if q.state == 'p' && c != '"' && c != q.comma && c != '\n' && q.record < MostLine {
			q.record++ // nothing to follow within an unquoted cell
			continue
		}
		if fault := q.advance(c); fault != nil {
			return i, fault
		}
	}
	if err == io.EOF && q.state == 'q' {
		return n, q.unclosed()
	}
	return n, err
}

var errUnclosed = errors.New(`a cell begins with a quote (") that is not closed; close it, or write "" for a quote in a cell`)

// unclosed returns the error of a quote that is not closed.
func (q *quoteReader) unclosed() error {
	return &LineError{q.path, q.begun, errUnclosed}
}

// advance updates the state with the next byte. It returns an error for a quote that is not closed, and for a line that is too long.
func (q *quoteReader) advance(c byte) error {
	q.record++
	switch {
	case q.record > MostLine && q.state == 'q':
		return &LineError{q.path, q.begun, fmt.Errorf("a cell with a quote begins here that is longer than %d MiB", MostLine>>20)}
	case q.record > MostLine:
		return &LineError{q.path, q.line, fmt.Errorf("this line is longer than %d MiB", MostLine>>20)}
	case q.state == 'q':
		if c == '"' {
			q.state = 'e'
		} else if c == '\n' && q.strayQuote {
			return q.unclosed()
		}
	case q.state == 'e' && c == '"':
		q.state = 'q'
	case c == '\n':
		q.state = 0
		q.record = 0
	case c == q.comma:
		q.state = 0
	case q.state == 'e' && c != '\r':
		q.state = 'q'
		q.strayQuote = true
		if q.bad == 0 {
			q.bad = q.line
		}
		if q.line > q.begun {
			return q.unclosed()
		}
	case q.state == 0 && c == '"':
		q.state = 'q'
		q.begun = q.line
		q.strayQuote = false
	case q.state == 0:
		q.state = 'p'
	case c == '"' && q.bad == 0:
		q.bad = q.line
	}
	if c == '\n' {
		q.line++
	}
	return nil
}

// filled returns the number of cells with text.
func filled(cells []string) (n int) {
	for _, cell := range cells {
		if strings.TrimSpace(cell) != "" {
			n++
		}
	}
	return n
}

// separator returns the character between columns: that of a first line such as sep=; or a tab in .tsv files, else the candidate that
// splits most of the first rows into the same number of columns. before is the length of the line sep=; in bytes.
func separator(path, head string) (comma rune, before int) {
	if after, found := strings.CutPrefix(head, "sep="); found && len(after) > 1 && after[0] < utf8.RuneSelf &&
		strings.ContainsRune("\r\n", rune(after[1])) {
		return rune(after[0]), strings.IndexByte(head, '\n') + 1
	}
	if extension(path) == ".tsv" {
		return '\t', 0
	}
	best := ','
	most := 0
	for _, comma := range []rune{',', ';', '\t', '|'} {
		rows := csvReader(strings.NewReader(head), comma, true)
		var first []tableRow
		for range 100 {
			if cells, err := rows.Read(); err == nil {
				first = append(first, tableRow{cells: cells})
			}
		}
		width, n := usualWidth(first)
		if weight := 1000*n + width; width > 1 && weight > most {
			best = comma
			most = weight
		}
	}
	return best, 0
}

// usualWidth returns the most frequent number of cells in the first rows, and how many rows have it.
func usualWidth(first []tableRow) (width, n int) {
	widths := map[int]int{}
	for _, row := range first {
		if row.err == nil {
			widths[len(row.cells)]++
		}
	}
	for w, count := range widths {
		if count > n || count == n && w > width {
			width = w
			n = count
		}
	}
	return width, n
}

// read finds the header: the first row in which most cells have text. It sets the names of columns, and returns the number of rows up to
// and including the header. If names repeat, and the row above has merged cells with names of groups, a column is called "group (name)".
// loose permits repeated names and rows above the header.
func (h *Header) read(path string, first []tableRow, loose bool) (rows int, err error) {
	width, _ := usualWidth(first)
	if h.Sheet {
		for _, row := range first {
			width = max(width, filled(row.cells))
		}
	}
	var above []string
	for i, row := range first {
		if errors.Is(row.err, io.EOF) {
			break
		} else if row.err != nil {
			return 0, CSVError(path, row.err)
		}
		n := filled(row.cells)
		cells := row.cells
		if spans := h.spans(row.line, width); loose && len(spans) > 0 {
			if i+1 < len(first) && first[i+1].err == nil && namedBelow(first[i+1].cells, spans) {
				above = row.cells // each of these cells belongs to the columns up to the next one
				continue
			}
			cells = spread(cells, spans)
			n = filled(cells)
		}
		if n == 0 || loose && width > 1 && 2*n <= width {
			above = cells
			continue
		}
		h.Line = row.line
		return i + 1, h.name(path, cells, above, loose)
	}
	return 0, fmt.Errorf("%s is empty: a header line is needed", path)
}

// spans returns the merged cells of a row that reach over several columns.
func (h *Header) spans(line, width int) []mergedRange {
	if h.merged == nil {
		return nil
	}
	return h.merged.spans(line, width)
}

// namedBelow reports whether a row has a name below each column of the merged cells above it.
func namedBelow(cells []string, spans []mergedRange) bool {
	return !slices.ContainsFunc(spans, func(s mergedRange) bool {
		for column := s.fromColumn; column <= s.toColumn; column++ {
			if column > len(cells) || strings.TrimSpace(cells[column-1]) == "" {
				return true
			}
			if _, number := Number(cells[column-1]); number {
				return true
			}
		}
		return false
	})
}

// spread copies the value of merged cells into each of their columns.
func spread(cells []string, spans []mergedRange) []string {
	cells = slices.Clone(cells)
	for _, s := range spans {
		for column := s.fromColumn + 1; column <= min(s.toColumn, 1<<14); column++ {
			for len(cells) < column {
				cells = append(cells, "")
			}
			cells[column-1] = cells[s.fromColumn-1]
		}
	}
	return cells
}

// name sets the names of columns. An empty cell becomes "column 3"; a repeated name becomes "name (2)" if loose, and an error otherwise.
func (h *Header) name(path string, cells, above []string, loose bool) error {
	if h.Sheet {
		for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
			cells = cells[:len(cells)-1]
		}
	}
	groups := groupsAbove(cells, above)
	taken := map[string]int{}
	for i, cell := range cells {
		name := strings.Join(strings.Fields(plainCell(cell)), " ")
		if groups != nil && groups[i] != "" && name != "" && name != groups[i] {
			name = groups[i] + " (" + name + ")"
		}
		if name == "" {
			name = "column " + strconv.Itoa(i+1)
		} else if taken[name] > 0 && !loose {
			return &LineError{path, h.Line, fmt.Errorf("duplicate column %q", name)}
		}
		base := name
		for k := 2; taken[name] > 0; k++ {
			name = fmt.Sprintf("%s (%d)", base, k)
		}
		taken[name]++
		h.Names = append(h.Names, name)
	}
	return nil
}

// groupsAbove returns the group name above each column, which reaches to the next group name. It returns nil if no column name repeats, or
// if there are fewer than two group names.
func groupsAbove(cells, above []string) []string {
	seen := map[string]bool{}
	twice := false
	for _, cell := range cells {
		name := strings.TrimSpace(cell)
		twice = twice || name != "" && seen[name]
		seen[name] = true
	}
	if !twice || filled(above) < 2 {
		return nil
	}
	groups := make([]string, len(cells))
	group := ""
	for i := range cells {
		if i < len(above) && strings.TrimSpace(above[i]) != "" {
			group = strings.Join(strings.Fields(above[i]), " ")
		}
		groups[i] = group
	}
	return groups
}

// CSVError adds file and line to an error of a csv.Reader.
func CSVError(path string, err error) error {
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		return &LineError{path, p.Line, p.Err}
	}
	if errors.Is(err, errTooWide) {
		return err
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

// GuardCell writes a CSV cell so that no spreadsheet program executes it: a formula gets a ' in front. A text that already looks like a
// guarded formula gets one more. The readers of this package remove one ' again. Numbers stay numbers, and "-", which tables use for "does
// not apply", stays as it is.
func GuardCell(cell string) string {
	if !formula(cell) || cell == "-" {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// plainCell reverses GuardCell.
func plainCell(cell string) string {
	if cell != "" && cell[0] == '\'' && formula(cell) {
		return cell[1:]
	}
	return cell
}

// formula reports whether a spreadsheet program may execute a cell, apart from any ' in front of it.
func formula(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexByte("=+-@\t\r\n", cell[0]) >= 0
}

// ReadCSV reads a table that this program wrote into structs with csv tags.
//
// It checks the header and the cells first. gocsv, which fills the structs, ignores missing and unknown columns, reads an empty number as
// 0, and accepts NaN.
func ReadCSV[Row any](path, text string) (rows []Row, err error) {
	var table records
	columns := csvColumns(reflect.TypeFor[Row]())
	tabled(path, bufio.NewReader(strings.NewReader(text)), text, nil, func(d Document, fault error) bool {
		if err = fault; err == nil && table == nil {
			table = append(table, d.Table.Names)
			err = checkHeader(path, d.Table, slices.Collect(maps.Keys(columns)))
		}
		if err != nil {
			return false
		}
		for i, cell := range d.Cells {
			kind := columns[d.Table.Names[i]].Kind()
			if number, ok := plainNumber(cell); kind >= reflect.Int && kind <= reflect.Float64 && !ok ||
				kind >= reflect.Int && kind <= reflect.Uint64 && number != math.Trunc(number) {
				err = d.Errorf("column %s is %q, not a number of type %v", d.Table.Names[i], cell, kind)
				return false
			}
		}
		table = append(table, d.Cells)
		return true
	})
	if err == nil && table != nil {
		err = gocsv.UnmarshalCSV(table, &rows)
	}
	return rows, err
}

// records is a table in memory, in the form that gocsv reads.
type records [][]string

func (r records) Read() ([]string, error) { return nil, io.EOF }

// ReadAll returns all records; gocsv calls it.
func (r records) ReadAll() ([][]string, error) { return r, nil }

// csvColumns returns the columns of a struct with their types, by the names that gocsv uses. It panics for an embedded struct that is not
// exported, whose columns gocsv would skip.
func csvColumns(row reflect.Type) map[string]reflect.Type {
	columns := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(row) {
		if name, _, _ := strings.Cut(f.Tag.Get("csv"), ","); name != "" && name != "-" {
			if len(f.Index) > 1 && !row.Field(f.Index[0]).IsExported() {
				panic(fmt.Sprintf("%v: %s is in an embedded struct that is not exported", row, f.Name))
			}
			columns[name] = f.Type
		}
	}
	return columns
}

// checkHeader returns an error if a column is missing or unknown.
func checkHeader(path string, h *Header, columns []string) error {
	slices.Sort(columns)
	for _, name := range h.Names {
		if !slices.Contains(columns, name) {
			return &LineError{path, h.Line, fmt.Errorf("unknown column %q%s", name, Suggest(name, "columns", columns))}
		}
	}
	return h.Check(path, columns...)
}

// Check returns an error if a table lacks a column.
func (h *Header) Check(path string, columns ...string) error {
	for _, name := range columns {
		if !slices.Contains(h.Names, name) {
			return &LineError{path, h.Line, fmt.Errorf("there is no column %q%s", name, Suggest(name, "columns", h.Names))}
		}
	}
	return nil
}

// Number returns the finite number in a text. A decimal comma is allowed.
func Number(text string) (x float64, ok bool) {
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	return plainNumber(text)
}

// plainNumber returns the finite number in a text with a decimal point. -0 becomes 0.
func plainNumber(text string) (x float64, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > MostDigits {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x + 0, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}
