package data

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// mostFaults is the number of faults of a file that are listed.
const mostFaults = 20

// Faults are the faults of a file's rows. The zero value has none.
type Faults struct{ list []error }

// Add adds a fault, nil: none. It reports whether more are listed.
func (f *Faults) Add(err error) (more bool) {
	if err != nil {
		f.list = append(f.list, err)
	}
	return len(f.list) < mostFaults
}

// Err is one error for all faults of a file, in the order of lines; nil: it has none.
func (f *Faults) Err(path string) error {
	slices.SortStableFunc(f.list, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	switch len(f.list) {
	case 1:
		return f.list[0]
	case mostFaults:
		f.list = append(f.list, fmt.Errorf("%s: only the first %d errors are listed", path, mostFaults))
	}
	return errors.Join(f.list...)
}

// lineOf is the line of an error; 0: none.
func lineOf(err error) int {
	if e, ok := errors.AsType[*LineError](err); ok {
		return e.Line
	}
	return 0
}
