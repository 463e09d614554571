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

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/results/validation"
)

// validationOf validates a log and returns its figures. declared reports whether none of them depends on an assumed or unchecked reading.
func validationOf(log, people string, flags ...string) (figures map[string]bool, declared bool, err error) {
	var f validateFlags
	set := pflag.NewFlagSet("validate", pflag.ContinueOnError)
	f.add(set)
	if err := set.Parse(append([]string{"--people", people}, flags...)); err != nil {
		return nil, false, err
	}
	if err := f.parse(); err != nil {
		return nil, false, err
	}
	result, err := f.compute([]string{log})
	if err != nil {
		return nil, false, f.usage([]string{log}, err)
	}
	figures = map[string]bool{}
	for _, row := range result.Rows {
		if row.N > 0 {
			figures[fmt.Sprint(result.Join.Method, " ", row.N, " ", row.Agreement.Point().Text(3), " ", row.Alpha.Point().Text(3))] = true
		}
	}
	return figures, len(result.Assumed) == 0 && len(result.Unanswered()) == 0, nil
}

// isTable reports whether files with this extension have a header.
func isTable(ext string) bool { return ext == ".csv" || ext == ".tsv" }

// columnNames returns the names of a table's columns, or of all members of JSON.
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

// renamed returns a file's text in which a column, or a member wherever it occurs, has the name "outcome".
func renamed(text, name, ext string) string {
	if !isTable(ext) {
		return regexp.MustCompile(`"`+regexp.QuoteMeta(name)+`"(\s*:)`).ReplaceAllString(text, `"outcome"$1`)
	}
	header, rows, _ := strings.Cut(text, "\n")
	column := regexp.MustCompile(`(^|[,;\t"])` + regexp.QuoteMeta(name) + `([,;\t"]|\r?$)`)
	return column.ReplaceAllString(header, "${1}outcome${2}") + "\n" + rows
}

// byText reports whether the figures are for items that were joined by text.
func byText(figures map[string]bool) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(figures)), func(figure string) bool { return strings.HasPrefix(figure, validation.ByText) })
}

// nestedLogs maps logs of ../shared/data/harness-logs with nested records to their files of people's scores.
var nestedLogs = map[string]string{"inspect_ai/2026-11-23T23-53-00-00-00_support-friendly_4tgVjZHYUjS2jZJvV9tFrT.noevents.json": "people/wide.csv",
	"deepeval/test_run_20261123_235942.json": "people/wide.csv", "promptfoo/results.jsonl": "people/wide.csv", "mlflow/traces.json": "people/wide.csv",
	"deepeval/evaluate_result.json": "labelstudio/export.json"}

// A renaming counts the outcomes for files with one renamed column.
type renaming struct {
	*testing.T
	same, stopped, silent, run int
}

// suggested runs each flag that a refusal suggests. It must give figures, and only figures that the file has with its own names.
func (r *renaming) suggested(refusal error, want map[string]bool, with func(other string) (log, people string), other string) {
	plain := func(figure string) string { _, plain, _ := strings.Cut(figure, " "); return plain } // without how items are joined
	known := data.Among(data.Each(slices.Collect(maps.Keys(want)), plain))
	for _, flag := range suggestions(refusal.Error()) {
		r.run++
		log, people := with(other)
		got, _, err := validationOf(log, people, flag...)
		wrong := data.Where(slices.Sorted(maps.Keys(got)), func(figure string) bool { return !known[plain(figure)] })
		if err != nil || len(got) == 0 || len(wrong) > 0 {
			r.Errorf("%v\nwith %s: %v, and figures %v, not %v", refusal, strings.Join(flag, " "), err, wrong, slices.Sorted(maps.Keys(want)))
		}
	}
}

// TestSoakRenamedColumns: if one column or member is renamed, a file has the same figures, or is refused, or its reading is marked as
// assumed. A flag that a refusal suggests gives the same figures.
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
	t.Logf("%d same, %d stopped or marked, %d silent; %d suggestions were run", r.same, r.stopped, r.silent, r.run)
	if r.same < 50 || r.stopped < 100 || r.run < 8 {
		t.Error("few files are read")
	}
}

// all renames each column of both files, one at a time.
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

// file renames each column of a file, one at a time.
func (r *renaming) file(path string, want map[string]bool, with func(other string) (log, people string)) {
	content, err := os.ReadFile(path)
	if err != nil {
		r.Fatal(err)
	}
	text := string(content)
	ext := filepath.Ext(path)
	if ext == ".qrels" {
		return // the format has no names
	}
	other := filepath.Join(r.TempDir(), filepath.Base(path))
	for _, name := range columnNames(text, ext) {
		if err := os.WriteFile(other, []byte(renamed(text, name, ext)), 0o600); err != nil {
			r.Fatal(err)
		}
		got, declared, err := validationOf(with(other))
		declared = declared && (byText(want) || !byText(got)) // a join by text is reported, because the files share no ids
		more := slices.DeleteFunc(slices.Sorted(maps.Keys(got)), func(figure string) bool { return want[figure] })
		if err != nil {
			r.suggested(err, want, with, other)
		}
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
