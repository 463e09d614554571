package archive

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ErrDifference is the error of the first difference between an export and the recomputed results.
var ErrDifference = errors.New("first difference")

// Differ returns an ErrDifference that a format and its arguments describe.
func Differ(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDifference}, args...)...)
}

// bothFiles opens a file of an export (theirs) and the recomputed file (ours). It is an ErrDifference if one of the two does not exist.
func bothFiles(name, exported, computed string) (theirs, ours *os.File, err error) {
	theirs, errThere := os.Open(exported)
	ours, errHere := os.Open(computed)
	switch {
	case errors.Is(errThere, os.ErrNotExist):
		err = Differ("the manifest lists %s, but the export does not contain it", name)
	case errors.Is(errHere, os.ErrNotExist):
		err = Differ("%s is in the export, but not among the recomputed files", name)
	default:
		err = errors.Join(errThere, errHere)
	}
	if err != nil { // close the file that was opened; closing a nil file does nothing
		theirs.Close()
		ours.Close()
	}
	return theirs, ours, err
}

// compareTable compares a table of an export with the recomputed table, and returns the columns that were not compared. name is the table's
// name in messages. Numbers may differ in the last bits, because processors round sums of products differently. Other text must be equal.
func compareTable(name, exported, computed string, may rules) (uncomparedColumns, error) {
	theirs, ours, err := bothFiles(name, exported, computed)
	if err != nil {
		return uncomparedColumns{}, err
	}
	defer theirs.Close()
	defer ours.Close()
	return compareCSV(name, theirs, ours, may)
}

// compareTexts compares a text file of an export with the recomputed file, line by line.
func compareTexts(name, exported, computed string) error {
	theirs, ours, err := bothFiles(name, exported, computed)
	if err != nil {
		return err
	}
	defer theirs.Close()
	defer ours.Close()
	return compareLines(name, bufio.NewReader(theirs), bufio.NewReader(ours))
}

func compareLines(name string, theirs, ours *bufio.Reader) error {
	for line := 1; ; line++ {
		a, errA := theirs.ReadString('\n')
		b, errB := ours.ReadString('\n')
		switch {
		case errA != nil && errA != io.EOF || errB != nil && errB != io.EOF:
			return errors.Join(errA, errB)
		case a != b:
			return Differ("%s, line %d: the export has %s, the record gives %s", name, line, shownLine(a), shownLine(b))
		case a == "":
			return nil
		}
	}
}

// shownLine returns a line in quotes for a message, or "no such line".
func shownLine(line string) string {
	if line == "" {
		return "no such line"
	}
	return strconv.Quote(strings.TrimSuffix(line, "\n"))
}

// uncomparedColumns are the columns that were not compared in a table that another version of the program exported.
type uncomparedColumns struct {
	lacking   []string // recomputed columns that the export does not have
	otherwise []string // columns of the export that differ, as another version may compute them by another rule (see otherRules)
}

// compareCSV compares an exported table with the recomputed one, and returns the columns that it could not compare. If may is nil, this
// version of the program made the export: both tables must have the same columns, and every cell must be equal.
func compareCSV(name string, there, here io.Reader, may rules) (not uncomparedColumns, err error) {
	theirs := csv.NewReader(there)
	ours := csv.NewReader(here)
	theirs.FieldsPerRecord = -1
	ours.FieldsPerRecord = -1
	header, errHere := ours.Read()
	exported, errThere := theirs.Read()
	if err := errors.Join(errHere, errThere); err != nil {
		return not, Differ("%s has no header: %w", name, err)
	}
	if may == nil && !slices.Equal(exported, header) {
		return not, Differ("%s has the columns %s; the record gives %s", name, strings.Join(exported, ", "), strings.Join(header, ", "))
	}
	columns := may[path.Base(name)]
	places := make([]int, len(exported)) // place of each exported column in the recomputed table; -1: that table lacks it
	for i, column := range exported {
		places[i] = slices.Index(header, column)
		if places[i] < 0 && columns[column] == nil {
			return not, Differ("%s has a column %s, which is not recomputed", name, column)
		}
		if slices.Contains(exported[:i], column) {
			return not, Differ("%s has the column %s twice", name, column)
		}
	}
	for _, column := range header {
		if !slices.Contains(exported, column) {
			not.lacking = append(not.lacking, column)
		}
	}
	not.otherwise, err = compareRows(name, theirs, ours, exported, header, places, columns, may != nil)
	return not, err
}

// compareRows compares the rows of an exported and a recomputed table, and returns the columns with a difference that a rule allows. places
// has the place of each exported column in the recomputed table, or -1 if that table lacks it. may has the rules of the table's columns.
// other reports whether another version of the program made the export: bounds of intervals then have a rule, too (see bound).
func compareRows(name string, theirs, ours *csv.Reader, exported, header []string, places []int,
	may map[string]rule, other bool) (differing []string, err error) {
	for line := 2; ; line++ {
		a, errA := theirs.Read()
		b, errB := ours.Read()
		switch {
		case errA == io.EOF && errB == io.EOF:
			return differing, nil
		case errA == io.EOF:
			return nil, Differ("%s ends before line %d; recomputed: %s", name, line, strings.Join(b, ","))
		case errB == io.EOF:
			return nil, Differ("%s, line %d: the export has %s; the recomputed file has no such line", name, line, strings.Join(a, ","))
		case errA != nil || errB != nil:
			return nil, Differ("%s, line %d cannot be read: %w", name, line, errors.Join(errA, errB))
		}
		if len(a) != len(exported) || len(b) != len(header) {
			return nil, Differ("%s, line %d: the export has %d cells, the record gives %d", name, line, len(a), len(b))
		}
		for i, k := range places {
			column := exported[i]
			computed := ""
			if k >= 0 {
				computed = b[k]
			}
			allowed := may[column]
			if allowed == nil && other {
				allowed = bound(path.Base(name), column, header)
			}
			switch {
			case k >= 0 && sameCell(a[i], computed):
			case allowed == nil || !allowed(b, a[i], computed):
				key := strings.Join(b[:min(3, len(b))], ", ")
				return nil, Differ("%s, line %d (%s), column %s: the export has %q, the record gives %q", name, line, key, column, a[i], computed)
			case !slices.Contains(differing, column):
				differing = append(differing, column)
			}
		}
	}
}

// Two numbers are equal if they differ by at most the relative tolerance cellPrecision or the absolute tolerance cellNothing.
const (
	cellPrecision = 1e-9
	cellNothing   = 1e-12
)

func sameCell(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && sameNumber(x, y)
}

// sameNumber reports whether two numbers are equal within the tolerances. An infinite number equals only itself.
func sameNumber(x, y float64) bool {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return x == y
	}
	return math.Abs(x-y) <= max(cellNothing, cellPrecision*max(math.Abs(x), math.Abs(y)))
}
