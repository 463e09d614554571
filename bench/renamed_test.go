package bench

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"compqa/data/sharedtest"
	"compqa/results/validation"
)

// validationOf are the figures of a validation without flags; declared: nothing rests on a reading that is assumed or not checked.
func validationOf(log, people string) (figures map[string]bool, declared bool, err error) {
	var f validateFlags
	f.add(pflag.NewFlagSet("validate", pflag.ContinueOnError))
	if err := f.parse(); err != nil {
		return nil, false, err
	}
	f.people = people
	result, err := f.compute([]string{log})
	if err != nil {
		return nil, false, err
	}
	figures = map[string]bool{}
	for _, row := range result.Rows {
		if row.N > 0 {
			figures[fmt.Sprint(result.Join.Method, " ", row.N, " ", row.Agreement.Value.Text(3), " ", row.Alpha.Value.Text(3))] = true
		}
	}
	return figures, len(result.Assumed) == 0 && len(result.Unanswered()) == 0, nil
}

// isTable reports whether files with an extension have a header.
func isTable(ext string) bool { return ext == ".csv" || ext == ".tsv" }

// columnNames are the names of the columns of a table, or all names of members of JSON.
func columnNames(text, ext string) (names []string) {
	if isTable(ext) {
		header, _, _ := strings.Cut(text, "\n")
		for _, name := range strings.FieldsFunc(strings.TrimSpace(header), func(c rune) bool { return strings.ContainsRune(",;\t", c) }) {
			names = append(names, strings.Trim(name, `"`))
		}
		return names
	}
	for _, m := range regexp.MustCompile(`"([^"\\]+)"\s*:`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// renamed is a file's text with another name of a column, or of a member wherever it occurs.
func renamed(text, name, ext string) string {
	if !isTable(ext) {
		return regexp.MustCompile(`"`+regexp.QuoteMeta(name)+`"(\s*:)`).ReplaceAllString(text, `"outcome"$1`)
	}
	header, rows, _ := strings.Cut(text, "\n")
	column := regexp.MustCompile(`(^|[,;\t"])` + regexp.QuoteMeta(name) + `([,;\t"]|\r?$)`)
	return column.ReplaceAllString(header, "${1}outcome${2}") + "\n" + rows
}

// byText reports whether figures are of items that were joined by text.
func byText(figures map[string]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(figures)), func(figure string) bool { return strings.HasPrefix(figure, validation.ByText) })
}

// nestedLogs are logs of ../shared/data/harness-logs whose records are nested, each with people's file.
var nestedLogs = map[string]string{"inspect_ai/2026-11-23T23-53-00-00-00_support-friendly_4tgVjZHYUjS2jZJvV9tFrT.noevents.json": "people/wide.csv",
	"deepeval/test_run_20261123_235942.json": "people/wide.csv", "promptfoo/results.jsonl": "people/wide.csv", "mlflow/traces.json": "people/wide.csv",
	"deepeval/evaluate_result.json": "labelstudio/export.json"}

// A renaming counts what files with one renamed column end in.
type renaming struct {
	*testing.T
	same, stopped, silent int
}

// TestSoakRenamedColumns: with one column or member renamed, a file has the same figures, is refused, or its reading is assumed.
func TestSoakRenamedColumns(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	r := &renaming{T: t}
	tables := sharedtest.Path(t, "cases5", "tables")
	for _, pair := range slices.Sorted(maps.Keys(rightAlpha)) {
		log, people, _ := strings.Cut(pair, " ")
		r.all(filepath.Join(tables, log), filepath.Join(tables, people))
	}
	tables = sharedtest.Path(t, "data", "harness-logs")
	for _, log := range slices.Sorted(maps.Keys(nestedLogs)) {
		r.all(filepath.Join(tables, log), filepath.Join(tables, nestedLogs[log]))
	}
	t.Logf("%d same, %d stopped or marked, %d silent", r.same, r.stopped, r.silent)
	if r.same < 50 || r.stopped < 100 {
		t.Error("few files are read")
	}
}

// all renames each column of both files.
func (r *renaming) all(log, people string) {
	want, _, err := validationOf(log, people)
	if err != nil {
		r.Errorf("%s, %s: %v", log, people, err)
		return
	}
	r.file(log, want, func(other string) (string, string) {
		if log == people {
			return other, other
		}
		return other, people
	})
	if log != people {
		r.file(people, want, func(other string) (string, string) { return log, other })
	}
}

// file renames each column of a file.
func (r *renaming) file(path string, want map[string]bool, with func(other string) (log, people string)) {
	content, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	text, ext := string(content), filepath.Ext(path)
	if ext == ".qrels" {
		return // it has no names
	}
	other := filepath.Join(r.TempDir(), filepath.Base(path))
	for _, name := range columnNames(text, ext) {
		if err := os.WriteFile(other, []byte(renamed(text, name, ext)), 0o600); err != nil {
			r.Fatal(err)
		}
		got, declared, err := validationOf(with(other))
		declared = declared && (byText(want) || !byText(got)) // it is said that ids are in none of both
		more := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(figure string) bool { return want[figure] })
		switch {
		case err != nil || !declared || len(got) == 0:
			r.stopped++
		case len(more) > 0:
			r.silent++
			r.Errorf("without %q of %s the figures are %v, not %v", name, filepath.Base(path), more, slices.Sorted(maps.Keys(want)))
		default:
			r.same++
		}
	}
}
