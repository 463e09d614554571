package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostFaults is the number of different faults of a file that are listed.
const mostFaults = 20

// Faults collects the faults of a file's rows. Equal faults of several rows are listed once. The zero value is empty.
type Faults struct {
	list    []error
	repeats map[string]*repeatedFault
}

// A repeatedFault is a fault that occurs in several rows.
type repeatedFault struct {
	index, more, last int // index in the list, number of further rows with it, and line of the last of them
}

// A rowFault is an error in a row. Errors of the same kind are the same fault, even if they mention different values.
type rowFault struct {
	error
	kind string
}

func (f rowFault) Unwrap() error { return f.error }

// newRowFault returns a fault whose kind is its format. If the format begins with a name or an error, as "%s is %q", the kind also contains
// the first argument.
func newRowFault(format string, args []any) rowFault {
	kind := format
	if strings.HasPrefix(format, "%s") || strings.HasPrefix(format, "%w") {
		kind += fmt.Sprint("\x00", args[0])
	}
	return rowFault{fmt.Errorf(format, args...), kind}
}

// Add adds a fault, or nothing if err is nil. more is false when the list is full.
func (f *Faults) Add(err error) (more bool) {
	if err == nil {
		return true
	}
	fault, ok := errors.AsType[rowFault](err)
	if !ok {
		fault.kind = err.Error()
	}
	if same := f.repeats[fault.kind]; same != nil {
		same.more++
		same.last = lineOf(err)
		return true
	}
	if f.repeats == nil {
		f.repeats = map[string]*repeatedFault{}
	}
	f.repeats[fault.kind] = &repeatedFault{index: len(f.list)}
	f.list = append(f.list, err)
	return len(f.list) < mostFaults
}

// Err returns all faults of a file as one error, ordered by line, or nil if there are none.
func (f *Faults) Err(path string) error {
	for _, same := range f.repeats {
		switch {
		case same.more == 1:
			f.list[same.index] = withWords(f.list[same.index], fmt.Sprintf(" (another row has this fault: line %d)", same.last))
		case same.more > 1:
			f.list[same.index] = withWords(f.list[same.index], fmt.Sprintf(" (%d more rows have this fault, the last on line %d)", same.more,
				same.last))
		}
	}
	f.repeats = nil
	slices.SortStableFunc(f.list, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	switch len(f.list) {
	case 1:
		return f.list[0]
	case mostFaults:
		f.list = append(f.list, fmt.Errorf("%s: only the first %d errors are listed", path, mostFaults))
	}
	return errors.Join(f.list...)
}

// withWords appends words to an error, and keeps its line.
func withWords(err error, words string) error {
	lineError, ok := errors.AsType[*LineError](err)
	if !ok {
		return fmt.Errorf("%w%s", err, words)
	}
	return &LineError{lineError.Path, lineError.Line, fmt.Errorf("%w%s", lineError.Err, words)}
}

// lineOf returns the line of an error, or 0 if it has none.
func lineOf(err error) int {
	if e, ok := errors.AsType[*LineError](err); ok {
		return e.Line
	}
	return 0
}
