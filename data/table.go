package data

import (
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

	"github.com/gocarina/gocsv"
	"github.com/tidwall/gjson"
)

// A Header is the line of a table with the names of its columns.
type Header struct {
	Names []string
	Line  int
	Comma rune // between columns
}

// tabled yields the rows of a table as objects of texts, by the names of columns. Columns are separated by commas,
// semicolons or tabs. Lines above the header and empty rows are left out. With note, so are rows that are shorter than
// the header, and of columns with the same name the second is called "name (2)"; without it, these are errors.
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
	header, err := tableHeader(path, rows, csvReader(text, rows.Comma, lazy), note != nil)
	if err != nil {
		yield(Document{File: path, Line: 1}, err)
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

// tableHeader reads the names of columns: the first row of which most cells have text. again reads the same table.
func tableHeader(path string, rows, again *csv.Reader, loose bool) (*Header, error) {
	width, _ := usualWidth(again)
	for {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s is empty: a header line is needed", path)
		} else if err != nil {
			return nil, CSVError(path, err)
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
				return nil, &LineError{path, line, fmt.Errorf("duplicate column %q", name)}
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

// GuardCell writes a CSV cell so that no spreadsheet executes it: a formula gets a ' in front. So does a text that
// looks like a guarded formula; the readers of this package remove one ' from such cells. Numbers stay numbers, and so
// does "-", which the tables use for "does not apply".
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

// ReadCSV reads a table of this program into rows of a struct with csv tags.
//
// gocsv, which fills the structs, ignores missing and unknown columns, takes an empty number for 0 and
// accepts NaN. So the header and the cells are checked first.
func ReadCSV[Row any](path, text string) (rows []Row, err error) {
	var table records
	columns := csvColumns(reflect.TypeFor[Row]())
	tabled(path, text, nil, func(d Document, fault error) bool {
		if err = fault; err == nil && table == nil {
			table = append(table, d.Table.Names)
			err = checkHeader(path, d.Table, slices.Collect(maps.Keys(columns)))
		}
		if err != nil {
			return false
		}
		var cells []string
		d.Value.ForEach(func(name, cell gjson.Result) bool {
			cells = append(cells, cell.Str)
			kind := columns[name.Str].Kind()
			if number, ok := plainNumber(cell.Str); kind >= reflect.Int && kind <= reflect.Float64 && !ok ||
				kind >= reflect.Int && kind <= reflect.Uint64 && number != math.Trunc(number) {
				err = d.Errorf("column %s is %q, not a number of type %v", name.Str, cell.Str, kind)
			}
			return err == nil
		})
		table = append(table, cells)
		return err == nil
	})
	if err == nil && table != nil {
		err = gocsv.UnmarshalCSV(table, &rows)
	}
	return rows, err
}

// records are a table for gocsv.
type records [][]string

func (r records) Read() ([]string, error)      { return nil, io.EOF }
func (r records) ReadAll() ([][]string, error) { return r, nil }

// csvColumns are the columns of a struct as gocsv names them. It panics where gocsv would leave columns
// out: an embedded struct must be exported.
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

// checkHeader finds columns that are missing or unknown.
func checkHeader(path string, h *Header, columns []string) error {
	slices.Sort(columns)
	for _, name := range h.Names {
		if !slices.Contains(columns, name) {
			return &LineError{path, h.Line, fmt.Errorf("unknown column %q%s", name, Suggest(name, "columns", columns))}
		}
	}
	return h.Check(path, columns...)
}

// Check is an error if a table lacks a column.
func (h *Header) Check(path string, columns ...string) error {
	for _, name := range columns {
		if !slices.Contains(h.Names, name) {
			return &LineError{path, h.Line, fmt.Errorf("there is no column %q%s", name, Suggest(name, "columns", h.Names))}
		}
	}
	return nil
}

// Number is the finite number that a text writes, also with a decimal comma.
func Number(text string) (x float64, ok bool) {
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1)
	}
	return plainNumber(text)
}

// plainNumber is a number with a point; -0 is 0.
func plainNumber(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x + 0, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
}
