package results

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"compqa/rubric"
)

// ErrDifference is what an export and what is computed from it differ by.
var ErrDifference = errors.New("first difference")

// A Verified is what was checked of an export in which no difference was found.
type Verified struct {
	Manifest
	Verdicts int // on record
	Tables   []string
}

// Verify computes everything in an export anew from its raw verdicts, read by
// rescore, and compares. The error is ErrDifference with the first difference, a
// NoExportError, or what keeps the file from being read. hash is how a rubric is
// hashed.
func Verify(file string, rescore Rescore, hash func(rubric.Rubric) string) (Verified, error) {
	dir, err := os.MkdirTemp("", "compqa-verify-*")
	if err != nil {
		return Verified{}, fmt.Errorf("verifying %s: %w", file, err)
	}
	defer os.RemoveAll(dir)
	v := Verified{}
	if v.Manifest, err = unpack(file, dir); err != nil {
		return v, err
	}
	if err := checkRecord(dir); err != nil {
		return v, err
	}
	anew := filepath.Join(dir, "anew")
	run, err := writeTables(dir, anew, rescore)
	if err != nil {
		return v, err
	}
	v.Verdicts = len(run.Sheets)
	if err := v.checkProvenance(dir, run, hash); err != nil {
		return v, err
	}
	for _, f := range v.Files {
		if folder, name := path.Split(f.Name); folder != "" {
			v.Tables = append(v.Tables, name)
		}
	}
	computed, err := os.ReadDir(anew)
	if err != nil {
		return v, err
	}
	for _, e := range computed {
		if !slices.Contains(v.Tables, e.Name()) {
			return v, fmt.Errorf("%w: the record gives %s, and it is not in the export", ErrDifference, e.Name())
		}
	}
	for _, name := range v.Tables {
		if err := compareTables(filepath.Join(dir, tablesFolder, name), filepath.Join(anew, name)); err != nil {
			return v, err
		}
	}
	return v, nil
}

// checkRecord looks for damage that no query might meet.
func checkRecord(dir string) error {
	s, err := Open(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	var found string
	if err := s.db.QueryRow(`PRAGMA quick_check(1)`).Scan(&found); err != nil {
		return fault("reading", RecordName, err)
	}
	if found != "ok" {
		return fmt.Errorf("%w: %s is damaged: %s", ErrDifference, RecordName, found)
	}
	return nil
}

// checkProvenance compares what the export says it was made with and what the
// record does.
func (v *Verified) checkProvenance(dir string, run *Run, hash func(rubric.Rubric) string) error {
	made := run.Made[0]
	config, err := os.ReadFile(filepath.Join(dir, configName))
	if err != nil {
		return err
	}
	for _, pair := range []struct{ what, here, there string }{
		{"the configuration", string(config), made.Config},
		{"the hash of the questions", v.DataHash, made.DataHash},
		{"the hash of the rubric", v.RubricHash, made.RubricHash},
		{"the hash of the release", v.ReleaseHash, made.ReleaseHash},
		{"the seed", fmt.Sprint(v.Seed), fmt.Sprint(made.Seed)},
	} {
		if pair.here != pair.there {
			return fmt.Errorf("%w: %s is not that of the record", ErrDifference, pair.what)
		}
	}
	if !json.Valid(config) {
		return fmt.Errorf("%w: the configuration is no JSON", ErrDifference)
	}
	if hash(run.Rubric) != made.RubricHash {
		return fmt.Errorf("%w: the record's rubric is not the one whose hash it has", ErrDifference)
	}
	return nil
}

// compareTables compares a file of the export with the one computed anew. In CSV
// a number may differ in its last bits, since not all processors round sums of
// products alike; prose has to be the same.
func compareTables(exported, computed string) error {
	name := filepath.Base(exported)
	there, err := os.ReadFile(exported)
	if err != nil {
		return err
	}
	here, err := os.ReadFile(computed)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %s is in the export, and the record does not give it", ErrDifference, name)
	}
	if err != nil {
		return err
	}
	if string(there) == string(here) {
		return nil
	}
	if filepath.Ext(name) == ".csv" {
		return compareCSV(name, string(there), string(here))
	}
	theirs, ours := strings.Split(string(there), "\n"), strings.Split(string(here), "\n")
	for i := range max(len(theirs), len(ours)) {
		if a, b := lineAt(theirs, i), lineAt(ours, i); a != b {
			return fmt.Errorf("%w: %s, line %d: the export has %s, the record gives %s", ErrDifference, name, i+1, a, b)
		}
	}
	return nil
}

// lineAt is a line as a message shows it.
func lineAt(lines []string, i int) string {
	if i >= len(lines) {
		return "no such line"
	}
	return strconv.Quote(lines[i])
}

func compareCSV(name, there, here string) error {
	theirs, ours := csv.NewReader(strings.NewReader(there)), csv.NewReader(strings.NewReader(here))
	theirs.FieldsPerRecord, ours.FieldsPerRecord = -1, -1
	var header []string
	for line := 1; ; line++ {
		a, errA := theirs.Read()
		b, errB := ours.Read()
		switch {
		case errA == io.EOF && errB == io.EOF:
			return nil
		case errA == io.EOF:
			return fmt.Errorf("%w: %s ends before line %d, where the record gives %s", ErrDifference, name, line, strings.Join(b, ","))
		case errB == io.EOF:
			return fmt.Errorf("%w: %s, line %d: the export has %s, the record gives no such line", ErrDifference, name, line, strings.Join(a, ","))
		case errA != nil || errB != nil:
			return fmt.Errorf("%w: %s, line %d cannot be read: %w", ErrDifference, name, line, errors.Join(errA, errB))
		}
		if line == 1 {
			header = b
		}
		if len(a) != len(b) {
			return fmt.Errorf("%w: %s, line %d: the export has %d columns, the record gives %d", ErrDifference, name, line, len(a), len(b))
		}
		for i := range b {
			if !sameCell(a[i], b[i]) {
				column := strconv.Itoa(i + 1)
				if i < len(header) {
					column = header[i]
				}
				return fmt.Errorf("%w: %s, line %d (%s), %s: the export has %q, the record gives %q", ErrDifference, name, line, strings.Join(b[:min(3, len(b))], ", "), column, a[i], b[i])
			}
		}
	}
}

// cellPrecision is how far apart two numbers may be, as a share of them.
const cellPrecision = 1e-9

func sameCell(a, b string) bool {
	if a == b {
		return true
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && math.Abs(x-y) <= cellPrecision*max(math.Abs(x), math.Abs(y))
}
