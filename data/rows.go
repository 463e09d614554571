package data

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
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
	json   bool     // JSON Lines, where a missing field differs from an empty one
	header []string // of CSV and TSV
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

// key is a field's string as a name: without surrounding space, in Unicode's composed form
// (NFC). A number is accepted too.
func (r *row) key(name string) string {
	if f := r.fields[name]; f.json != nil && f.json[0] != '"' {
		var n json.Number
		if err := json.Unmarshal(f.json, &n); err == nil {
			return n.String()
		}
	}
	return norm.NFC.String(strings.TrimSpace(r.text(name)))
}

// need is key for a required field.
func (r *row) need(name string) string {
	s := r.key(name)
	if s == "" {
		r.fail("%s is missing", name)
	}
	return s
}

// needText is a required text as it is written.
func (r *row) needText(name string) string {
	r.need(name)
	return r.text(name)
}

// content is a required text that may be empty.
func (r *row) content(name string) string {
	if _, ok := r.fields[name]; !ok && (r.json || !slices.Contains(r.header, name)) {
		r.fail("%s is missing", name)
	}
	return r.text(name)
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
