package data

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A LineError is an error in an input file, with a line counted from 1.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// A row is one line of a JSON Lines, CSV or TSV file, not yet interpreted. In CSV and
// TSV an empty cell is a missing field. The row keeps its first error.
type row struct {
	path   string
	line   int
	json   bool // JSON Lines, where a missing field differs from an empty one
	fields map[string]field
	err    error
}

// A field is a JSON value, or the text of a CSV cell.
type field struct {
	json json.RawMessage
	cell string
}

// fail records an error, unless the row has one.
func (r *row) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &LineError{r.path, r.line, fmt.Errorf(format, args...)}
	}
}

// OpenInput opens a file, or standard input for "-". It also returns the name for messages.
func OpenInput(path string) (io.ReadCloser, string, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), "standard input", nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, path, fmt.Errorf("cannot read %s: %w", path, errors.Unwrap(err))
	}
	return f, path, nil
}

// readRecords reads every row as a record. read also returns descriptions that identify
// the record; two records with the same description are an error, and so are an unknown
// field and, unless what is "", a file without records.
func readRecords[T any](path string, fields []string, what string, read func(*row) (T, []string)) ([]T, error) {
	f, path, err := OpenInput(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return scanRecords(path, f, fields, what, read)
}

func scanRecords[T any](path string, f io.Reader, fields []string, what string, read func(*row) (T, []string)) ([]T, error) {
	var records []T
	lines := map[string]int{}
	err := scanRows(path, f, known(fields), func(r *row) {
		record, keys := read(r)
		for _, key := range keys {
			if first, ok := lines[key]; ok {
				r.fail("duplicate %s: it is also on line %d", key, first)
			}
			lines[key] = r.line
		}
		records = append(records, record)
	})
	if err == nil && len(records) == 0 && what != "" {
		err = fmt.Errorf("%s has no %s", path, what)
	}
	return records, err
}

// known checks that a field has one of the names. The error suggests the nearest one.
func known(names []string) func(string) error {
	return func(name string) error {
		if slices.Contains(names, name) {
			return nil
		}
		return fmt.Errorf("unknown field %q%s", name, Suggest(name, "fields", names))
	}
}

// scanRows calls check for every name of a field, and each for every row, in order. The
// extension (.csv, .tsv, .jsonl) decides the format. Without one the first line decides: a
// brace begins JSON Lines, a tab occurs in TSV, anything else is CSV.
func scanRows(path string, f io.Reader, check func(string) error, each func(*row)) error {
	r := bufio.NewReaderSize(f, 1<<16)
	if bom, _ := r.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		r.Discard(3)
	}
	start, _ := r.Peek(1 << 12)
	header, _, _ := bytes.Cut(start, []byte("\n"))
	switch ext := strings.ToLower(filepath.Ext(path)); {
	case ext == ".csv":
		return readCSV(path, r, ',', check, each)
	case ext == ".tsv":
		return readCSV(path, r, '\t', check, each)
	case slices.Contains([]string{".jsonl", ".ndjson", ".json"}, ext), len(start) == 0, start[0] == '{':
		return readJSONL(path, r, check, each)
	case bytes.ContainsRune(header, '\t'):
		return readCSV(path, r, '\t', check, each)
	}
	return readCSV(path, r, ',', check, each)
}

func readJSONL(path string, r *bufio.Reader, check func(string) error, each func(*row)) error {
	for line := 1; ; line++ {
		text, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return fmt.Errorf("reading %s: %w", path, err)
		}
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 {
			var object map[string]json.RawMessage
			if jsonErr := json.Unmarshal(trimmed, &object); jsonErr != nil {
				if trimmed[0] == '[' {
					jsonErr = errors.New("this is the beginning of a list")
				}
				return &LineError{path, line, fmt.Errorf("not a JSON object on one line: %w", jsonErr)}
			}
			rec := &row{path: path, line: line, json: true, fields: make(map[string]field, len(object))}
			for _, name := range slices.Sorted(maps.Keys(object)) {
				if err := check(name); err != nil {
					return &LineError{path, line, err}
				}
				if !bytes.Equal(object[name], []byte("null")) {
					rec.fields[name] = field{json: object[name]}
				}
			}
			if each(rec); rec.err != nil {
				return rec.err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

func readCSV(path string, r io.Reader, comma rune, check func(string) error, each func(*row)) error {
	c := csv.NewReader(r)
	c.Comma = comma
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty: a header line is needed", path)
	}
	if err != nil {
		return CSVError(path, err)
	}
	for i, name := range header {
		if name != "" {
			if err := check(name); err != nil {
				return &LineError{path, 1, err}
			}
		}
		if slices.Contains(header[:i], name) {
			return &LineError{path, 1, fmt.Errorf("duplicate column %q", name)}
		}
	}
	for {
		cells, err := c.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return CSVError(path, err)
		}
		line, _ := c.FieldPos(0)
		if len(cells) != len(header) {
			return &LineError{path, line, fmt.Errorf("%d cells, but the header has %d columns", len(cells), len(header))}
		}
		rec := &row{path: path, line: line, fields: make(map[string]field, len(cells))}
		for i, cell := range cells {
			if cell != "" {
				rec.fields[header[i]] = field{cell: cell}
			}
		}
		if each(rec); rec.err != nil {
			return rec.err
		}
	}
}

// CSVError adds file and line to an error of a csv.Reader.
func CSVError(path string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &LineError{path, p.Line, p.Err}
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

// text is a field's string; a missing field is the empty string.
func (r *row) text(name string) (s string) {
	f := r.fields[name]
	if f.json == nil {
		return f.cell
	}
	if err := json.Unmarshal(f.json, &s); err != nil {
		r.fail("%s is %s; a string is needed", name, Clip(string(f.json)))
	}
	return s
}

// key is a field's string; a number is accepted too.
func (r *row) key(name string) string {
	if f := r.fields[name]; f.json != nil && f.json[0] != '"' {
		var n json.Number
		if err := json.Unmarshal(f.json, &n); err == nil {
			return n.String()
		}
	}
	return r.text(name)
}

// need is key for a required field.
func (r *row) need(name string) string {
	s := r.key(name)
	if strings.TrimSpace(s) == "" {
		r.fail("%s is missing", name)
	}
	return s
}

// number is a field's finite number; a missing field is nil.
func (r *row) number(name string) *float64 {
	f, ok := r.fields[name]
	if !ok {
		return nil
	}
	s := f.cell
	if f.json != nil {
		s = string(f.json)
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		r.fail("%s is %s; a number is needed", name, Clip(s))
		return nil
	}
	return &x
}

// repeat is the field "repeat", counted from 1; default 1.
func (r *row) repeat() int {
	x := r.number("repeat")
	if x == nil {
		return 1
	}
	if *x != math.Trunc(*x) || *x < 1 || *x > 1e6 {
		r.fail("repeat is %v; it must be 1, 2, 3 …", *x)
	}
	return int(*x)
}

// raw is a field's JSON; a CSV cell must contain JSON.
func (r *row) raw(name string) json.RawMessage {
	f := r.fields[name]
	if f.json != nil {
		return f.json
	}
	return json.RawMessage(f.cell)
}

// Clip shortens a text for a message.
func Clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// Suggest ends the message about a name that does not exist: with the nearest name, or with
// all of them. what says in the plural what they are.
func Suggest(typed, what string, names []string) string {
	switch near := Nearest(typed, names); {
	case near != "":
		return fmt.Sprintf("; did you mean %q?", near)
	case len(names) == 0:
		return ""
	}
	return fmt.Sprintf("; the %s are %s", what, strings.Join(names, ", "))
}

// Nearest is the name most similar to a mistyped one, or "" if none is similar: a third
// of its letters may differ, at least 1 and at most 3. A missing, additional, changed or
// exchanged letter counts as one difference (optimal string alignment, Damerau 1964).
func Nearest(typed string, names []string) string {
	best, bestDistance := "", min(3, max(1, len(typed)/3))+1
	for _, name := range names {
		if d := editDistance(strings.ToLower(typed), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

func editDistance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
