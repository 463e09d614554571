package sources

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

// fixturesOfPairs returns the paths of all fixtures of pairs that are read: published layouts, published sets, and the files of
// shared/cases/pairs and shared/cases5/pairs.
func fixturesOfPairs(t *testing.T) (paths []string) {
	t.Helper()
	for _, l := range pairLayouts(t) {
		if l.Refused == "" {
			paths = append(paths, l.file(t, l.Records))
		}
	}
	for _, c := range pairSetCases() {
		if c.name != "trec-news" { // its files have no columns of pairs
			paths = append(paths, written(t, c.files))
		}
	}
	for _, pattern := range []string{"cases/pairs/*.*", "cases5/pairs/*.*", "cases5/pairs/refused/*.*", "data/pandalm"} {
		more, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data"), "..", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	return paths
}

// TestEveryColumnOfPairs checks that in all fixtures each column has a role, or a line that says why it is left out.
func TestEveryColumnOfPairs(t *testing.T) {
	formats := map[string]bool{}
	n := 0
	for _, path := range fixturesOfPairs(t) {
		f, err := pairFormat(path, "", Options{})
		if err != nil || f.Name == FormatFile {
			continue // refused, or this project's own format: see TestCasesOfPairs5
		}
		if f.Reading == nil {
			t.Errorf("%s (%s) has no reading", path, f.Name)
			continue
		}
		formats[f.Name] = true
		n++
		columns, _, _, err := f.raw().pairColumns(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			known := slices.ContainsFunc(f.Reading.Columns, func(read ColumnRead) bool {
				return read.Column == c.name || strings.HasPrefix(read.Column, c.name+".")
			})
			if !known {
				t.Errorf("%s (%s): nothing says what %s is", path, f.Name, c.name)
			}
		}
	}
	for _, name := range []string{"mt-bench", "tldr", "pandalm", "judgebench", "arena", "helpsteer3", "oasst", "argilla-ranking", "reward-bench-2"} {
		if !formats[name] {
			t.Errorf("no fixture of %s", name)
		}
	}
	if n < 70 {
		t.Errorf("%d files", n)
	}
}

// TestUnknownColumnOfLayouts adds a column to each published layout. A column of choices or long texts is refused, with advice, unless the
// map leaves it out. A column of numbers is left out with a note.
func TestUnknownColumnOfLayouts(t *testing.T) {
	add := func(records, name, value string) string {
		return strings.ReplaceAll(records, "{\"zz\": 0, ", "{\""+name+"\": "+value+", ")
	}
	marked := func(records string) string { // gives each record a first member zz
		lines := strings.Split(strings.TrimSpace(records), "\n")
		for i, line := range lines {
			index := strings.Index(line, "{")
			lines[i] = line[:index] + "{\"zz\": 0, " + line[index+1:]
		}
		return strings.Join(lines, "\n") + "\n"
	}
	layouts := data.Where(pairLayouts(t), func(l pairLayout) bool { return l.Refused == "" })
	for _, c := range pairSetCases() {
		if len(c.files) == 1 && c.name != "trec-news" && c.name != "hh-rlhf" && c.name != "alpaca-eval" {
			for _, text := range c.files {
				layouts = append(layouts, pairLayout{Name: c.name, Records: text})
			}
		}
	}
	for _, l := range layouts {
		records := marked(l.Records)
		if strings.Count(records, "\n") == 1 { // in a file of one row, every column is constant
			records += records
		}
		if strings.HasPrefix(records, "[") {
			continue // TestEveryColumnOfPairs
		}
		lines := strings.SplitN(add(records, "second_choice", `"a"`), "\n", 2)
		path := l.file(t, strings.Replace(lines[0], `"second_choice": "a"`, `"second_choice": "b"`, 1)+"\n"+lines[1])
		if _, err := ReadPairs(path, "", Options{}); err == nil || !strings.Contains(err.Error(), "the column second_choice is not read") {
			t.Errorf("%s with a second choice: %v", l.Name, err)
		}
		if _, err := ReadPairs(path, "", Options{Map: map[string]string{"left": "second_choice"}}); err != nil {
			t.Errorf("%s with a second choice that is left out: %v", l.Name, err)
		}
		f, err := pairFormat(l.file(t, add(records, "zz_number", "17")), "", Options{})
		if err != nil || len(data.Where(f.Reading.Columns, func(c ColumnRead) bool { return c.Column == "zz_number" && c.Role == RoleLeft })) != 1 {
			t.Errorf("%s with a number: %v", l.Name, err)
		}
	}
}
