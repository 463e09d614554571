package data

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

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
	known := func(name string) error {
		if slices.Contains(fields, name) {
			return nil
		}
		return fmt.Errorf("unknown field %q%s", name, Suggest(name, "fields", fields))
	}
	err := scanRows(path, f, known, func(r *row) {
		record, keys := read(r)
		for _, key := range keys {
			if first, ok := lines[key]; ok {
				r.fail("duplicate %s: it is also on line %d", key, first)
			}
			lines[key] = r.line
		}
		records = append(records, record)
	})
	switch {
	case err != nil:
		return nil, err
	case len(records) == 0 && what != "":
		return nil, fmt.Errorf("%s has no %s", path, what)
	}
	return records, nil
}

// A scan reads the rows of a file. It continues after a fault, to list several at once.
type scan struct {
	path   string
	check  func(field string) error
	each   func(*row)
	in     *utf8Reader
	faults []error // *LineError
}

// mostFaults is the number of faults of a file that are listed.
const mostFaults = 20

// errEnough ends a scan whose remaining faults are not listed.
var errEnough = errors.New("further errors are not listed")

// fault notes an error. It returns errEnough if the scan should end.
func (s *scan) fault(line int, err error) error {
	if _, placed := errors.AsType[*LineError](err); !placed {
		err = &LineError{s.path, line, err}
	}
	if s.faults = append(s.faults, err); len(s.faults) >= mostFaults {
		return errEnough
	}
	return nil
}

// scanRows calls check for every name of a field, and each for every row, in order. The
// extension (.csv, .tsv, .jsonl) decides the format. Without one the first line decides: a
// brace begins JSON Lines, a tab occurs in TSV, anything else is CSV, with semicolons if its
// header has more of them than commas. A row has at most MostRecord bytes. The error lists up
// to mostFaults faults, in the order of lines.
func scanRows(path string, f io.Reader, check func(string) error, each func(*row)) error {
	s := &scan{path: path, check: check, each: each}
	s.in = &utf8Reader{in: f, scan: s, line: 1}
	err := s.rows(bufio.NewReaderSize(s.in, 1<<16))
	if err != nil && err != errEnough {
		return err
	}
	return s.result()
}

// result is the error of a scan.
func (s *scan) result() error {
	slices.SortStableFunc(s.faults, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	if len(s.faults) >= mostFaults {
		s.faults = append(s.faults, fmt.Errorf("%s: only the first %d errors are listed", s.path, mostFaults))
	}
	if len(s.faults) == 1 {
		return s.faults[0]
	}
	return errors.Join(s.faults...)
}

// lineOf is the line of an error; 0: none.
func lineOf(err error) int {
	if e, ok := errors.AsType[*LineError](err); ok {
		return e.Line
	}
	return 0
}

func (s *scan) rows(r *bufio.Reader) error {
	if bom, _ := r.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		r.Discard(3)
	}
	start, _ := r.Peek(1 << 12)
	header, _, _ := bytes.Cut(start, []byte("\n"))
	comma := ','
	if bytes.Count(header, []byte(";")) > bytes.Count(header, []byte(",")) {
		comma = ';'
	}
	switch ext := strings.ToLower(filepath.Ext(s.path)); {
	case ext == ".csv":
		return s.csv(r, comma)
	case ext == ".tsv":
		return s.csv(r, '\t')
	case slices.Contains([]string{".jsonl", ".ndjson", ".json"}, ext), len(start) == 0, start[0] == '{':
		return s.jsonl(r)
	case bytes.ContainsRune(header, '\t'):
		return s.csv(r, '\t')
	}
	return s.csv(r, comma)
}

func (s *scan) jsonl(r *bufio.Reader) error {
	for line := 1; ; line++ {
		text, end := r.ReadBytes('\n')
		if end != nil && end != io.EOF {
			return s.readError(end)
		}
		s.in.record = 0
		if trimmed := bytes.TrimSpace(text); len(trimmed) > 0 {
			if err := s.object(trimmed, line); err != nil && s.fault(line, err) != nil {
				return errEnough
			}
		}
		if end == io.EOF {
			return nil
		}
	}
}

// object reads a line of JSON Lines.
func (s *scan) object(text []byte, line int) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		if text[0] == '[' {
			err = errors.New("this is the start of a JSON list")
		}
		return fmt.Errorf("not a JSON object on one line: %w", err)
	}
	if key := DuplicateKey(gjson.ParseBytes(text)); key != "" {
		return fmt.Errorf("the key %q occurs twice", Clip(key))
	}
	rec := &row{path: s.path, line: line, json: true, fields: make(map[string]field, len(object))}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := s.check(name); err != nil {
			return err
		}
		if !bytes.Equal(object[name], []byte("null")) {
			rec.fields[name] = field{json: object[name]}
		}
	}
	s.each(rec)
	return rec.err
}

func (s *scan) csv(r io.Reader, comma rune) error {
	c := csv.NewReader(r)
	c.Comma = comma
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err == io.EOF {
		return fmt.Errorf("%s is empty: a header line is needed", s.path)
	}
	if err != nil {
		return s.readError(err)
	}
	for i, name := range header {
		if name != "" {
			err = s.check(name)
		}
		if slices.Contains(header[:i], name) {
			err = fmt.Errorf("duplicate column %q", name)
		}
		if err != nil && s.fault(1, err) != nil {
			return errEnough
		}
		err = nil
	}
	for len(s.faults) == 0 || lineOf(s.faults[len(s.faults)-1]) > 1 { // after a fault of the header, every row would have one
		cells, err := c.Read()
		s.in.record = 0
		if err == io.EOF {
			return nil
		}
		parse, syntax := errors.AsType[*csv.ParseError](err)
		line := 0
		switch {
		case syntax:
			line, err = parse.Line, parse.Err
		case err != nil:
			return s.readError(err)
		default:
			line, _ = c.FieldPos(0)
			err = s.record(header, cells, line)
		}
		if err != nil && s.fault(line, err) != nil {
			return errEnough
		}
	}
	return errEnough
}

// DuplicateKey is a key that a JSON object, or an object within a value, has twice; "" if there is
// none. Programs disagree on which of the two values counts.
func DuplicateKey(value gjson.Result) (twice string) {
	seen := map[string]bool{}
	object := value.IsObject()
	value.ForEach(func(key, member gjson.Result) bool {
		if object && seen[key.Str] {
			twice = key.Str
		} else if seen[key.Str] = true; member.Type == gjson.JSON {
			twice = DuplicateKey(member)
		}
		return twice == ""
	})
	return twice
}

// record reads a record of CSV.
func (s *scan) record(header, cells []string, line int) error {
	if len(cells) != len(header) {
		return fmt.Errorf("%d cells, but the header has %d columns", len(cells), len(header))
	}
	rec := &row{path: s.path, line: line, header: header, fields: make(map[string]field, len(cells))}
	for i, cell := range cells {
		if cell != "" {
			rec.fields[header[i]] = field{cell: plainCell(cell)}
		}
	}
	s.each(rec)
	return rec.err
}

func (s *scan) readError(err error) error {
	if errors.Is(err, errEnough) {
		return errEnough
	}
	return CSVError(s.path, err)
}

// CSVError adds file and line to an error of a csv.Reader.
func CSVError(path string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return &LineError{path, p.Line, p.Err}
	}
	return fmt.Errorf("reading %s: %w", path, err)
}
