package data

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"
)

// readRecords reads all rows of a file of this project: JSON Lines, a JSON list or a table. read returns a record and the keys that
// identify it, as texts for errors; two records with the same key are an error. Unknown fields are errors, and so is a file without
// records, unless what is "".
func readRecords[T any](path string, fields []string, what string, read func(*row) (T, []string)) ([]T, error) {
	var records []T
	lines := map[string]int{}
	err := eachRecord(path, fields, what, func(r *row) {
		record, keys := read(r)
		for _, key := range keys {
			if first, ok := lines[key]; ok {
				r.fail("duplicate %s: it is also on line %d", key, first)
			}
			lines[key] = r.Line
		}
		records = append(records, record)
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

// eachRecord does what readRecords does, but passes the rows to each and keeps nothing.
func eachRecord(path string, fields []string, what string, each func(*row)) error {
	known := func(name string) error {
		if slices.Contains(fields, name) {
			return nil
		}
		return fmt.Errorf("unknown field %q%s", name, Suggest(name, "fields", fields))
	}
	n := 0
	err := readRows(path, known, func(r *row) {
		each(r)
		n++
	})
	if err == nil && n == 0 && what != "" {
		err = fmt.Errorf("%s has no %s", path, what)
	}
	return err
}

// readRows calls check for each field name and each for each row, in order. The error lists the faults by line.
func readRows(path string, check func(string) error, each func(*row)) error {
	var faults Faults
	checked := false
	fields := map[string]gjson.Result{} // of the current row
	for doc, err := range Documents(path, nil) {
		if !checked && doc.Table != nil {
			for _, name := range doc.Table.Names {
				if err := check(name); err != nil && !strings.HasPrefix(name, "column ") {
					faults.Add(&LineError{doc.File, doc.Table.Line, err})
				}
			}
			if faults.list != nil { // otherwise the same fault would follow for each row
				break
			}
		}
		checked = true
		if err == nil {
			clear(fields)
			err = readRow(&row{Document: &doc, fields: fields}, check, each)
		}
		if !faults.Add(err) || err != nil && doc.Table != nil && lineOf(err) == doc.Table.Line { // a missing column: every row lacks it
			break
		}
	}
	return faults.Err(path)
}

// readRow fills the fields of a row with the record of its document, checks their names, and passes the row to each. Duplicate keys are an
// error.
func readRow(r *row, check func(string) error, each func(*row)) error {
	for i, cell := range r.Cells {
		if cell != "" {
			r.fields[r.Table.Names[i]] = gjson.Result{Type: gjson.String, Str: cell}
		}
	}
	if r.Table == nil && !r.Value.IsObject() {
		return r.Errorf("this is %s; a JSON object is needed", Clip(r.Value.Raw))
	}
	var few [24]string // no memory is allocated for an object of usual size
	keys := few[:0]
	twice := ""
	r.Value.ForEach(func(name, value gjson.Result) bool {
		keys = append(keys, name.Str)
		if twice == "" && value.Type == gjson.JSON {
			twice = DuplicateKey(value, true)
		}
		err := check(name.Str)
		if err != nil {
			r.fail("%w", err)
		}
		if err == nil && value.Type != gjson.Null {
			r.fields[name.Str] = value
		}
		return true
	})
	twice = cmp.Or(twice, repeated(keys))
	if twice != "" {
		return r.Errorf("the key %q occurs twice", Clip(twice))
	}
	if r.err == nil {
		each(r)
	}
	return r.err
}

// DuplicateKey returns a key that occurs twice in a JSON object, or "". With deep, objects within it are searched too. Programs disagree on
// which of the two values counts.
func DuplicateKey(value gjson.Result, deep bool) (twice string) {
	var few [24]string // no memory is allocated for an object of usual size
	keys := few[:0]
	object := value.IsObject()
	value.ForEach(func(key, member gjson.Result) bool {
		if object {
			keys = append(keys, key.Str)
		}
		if deep && member.Type == gjson.JSON {
			twice = DuplicateKey(member, true)
		}
		return twice == ""
	})
	return cmp.Or(twice, repeated(keys))
}

// repeated returns a text that a list has twice, or "". It sorts the list.
func repeated(keys []string) string {
	slices.Sort(keys)
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return keys[i]
		}
	}
	return ""
}

// A row is one record of a file before it is interpreted. In a table, an empty cell is a missing field. Methods that find an error keep the
// first one in err.
type row struct {
	*Document
	fields map[string]gjson.Result
	err    error
}

// fail records an error, unless the row has one.
func (r *row) fail(format string, args ...any) {
	if r.err == nil {
		r.err = r.Errorf(format, args...)
	}
}

// hasField reports whether the row has a field, even without a value.
func (r *row) hasField(name string) bool {
	if r.Table == nil {
		return r.Value.Get(gjson.Escape(name)).Exists()
	}
	_, found := r.Cell(name)
	return found
}

// text returns the string in a field, or "" if the field is missing.
func (r *row) text(name string) string {
	f := r.fields[name]
	if f.Type != gjson.String && f.Exists() {
		r.fail("%s is %s; a string is needed", name, Clip(f.Raw))
	}
	return f.Str
}

// key returns the string in a field as a name: trimmed, in Unicode's composed form (NFC). A number is accepted too. The result is a copy,
// since a substring would keep the whole line in memory.
func (r *row) key(name string) string {
	if f := r.fields[name]; f.Type == gjson.Number {
		return strings.Clone(f.Raw)
	}
	return strings.Clone(norm.NFC.String(strings.TrimSpace(r.text(name))))
}

// need returns key for a required field; a missing field or an empty name is an error.
func (r *row) need(name string) string {
	s := r.key(name)
	if s == "" && r.Table != nil && r.err == nil {
		r.err = r.Table.Check(r.File, name)
	}
	if s == "" {
		r.fail("%s is missing", name)
	}
	return s
}

// needText returns the text of a required field, unchanged.
func (r *row) needText(name string) string {
	r.need(name)
	return r.text(name)
}

// content returns the text of a required field that may be empty.
func (r *row) content(name string) string {
	if !r.fields[name].Exists() && !r.hasField(name) { // has is called last, because it reads the record once more
		r.need(name)
	}
	return r.text(name)
}

// status returns the status of a record; the default is Valid.
func (r *row) status() Status {
	s := Status(cmp.Or(r.text("status"), string(Valid)))
	if index := slices.Index(Statuses, s); index >= 0 {
		return Statuses[index]
	}
	r.fail("unknown status %q; it must be one of %v", s, Statuses)
	return s
}

// number returns the finite number in a field, or nil if the field is missing. In a table with semicolons, a decimal comma is allowed.
func (r *row) number(name string) *float64 {
	f, ok := r.fields[name]
	if !ok {
		return nil
	}
	read := plainNumber
	if r.Table != nil && r.Table.Comma == ';' {
		read = Number
	}
	x, ok := read(string(r.raw(name)))
	if !ok {
		r.fail("%s is %s; a number is needed", name, Clip(f.String()))
		return nil
	}
	return &x
}

// count returns the whole number in a field, from 1. A missing field gives missing.
func (r *row) count(name string, missing int) int {
	return r.wholeNumber(name, 1e6, missing, "1, 2, 3 …")
}

// wholeNumber returns the whole number in a field, from 1 to most. form describes the allowed values in an error.
func (r *row) wholeNumber(name string, most, missing int, form string) int {
	x := r.number(name)
	if x == nil {
		return missing
	}
	if *x != math.Trunc(*x) || *x < 1 || *x > float64(most) {
		r.fail("%s is %v; it must be %s", name, *x, form)
	}
	return int(*x)
}

// decode decodes the JSON in a field, and reports whether the field is there. needed describes the allowed values in an error.
func (r *row) decode(name string, into any, needed string) bool {
	raw := r.raw(name)
	if len(raw) == 0 || string(raw) == "null" {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		r.fail("%s is %s; %s: %w", name, Clip(string(raw)), needed, err)
	}
	return true
}

// raw returns the JSON of a field; in a table, the cell contains the JSON.
func (r *row) raw(name string) json.RawMessage {
	f := r.fields[name]
	if r.Table != nil {
		return json.RawMessage(f.Str)
	}
	return json.RawMessage(f.Raw)
}

// Clip shortens a text to 60 characters for a message.
func Clip(s string) string {
	if len(s) <= 60 {
		return s
	}
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
