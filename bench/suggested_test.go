package bench

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// suggestion matches a flag with its value in a message.
var suggestion = regexp.MustCompile(`(--(?:map-scale|map|scale|missing|pair|repeats|same|join|leave-out|threshold|judge))[ =]("[^"]+"|'[^']+'|[^\s;,]+(?:,[^\s;,]+=[^\s;,]+)*)`)

// forUser matches a placeholder that the user must replace.
var forUser = regexp.MustCompile(`\b(COLUMN|NAME|PATH|CRITERION|FILE|JUDGE|PEOPLE|VALUE|WHOM|LOW|HIGH|WORST|N|LABEL|WIDTH|DIR|role|a=b)\b|\|`)

// suggestions returns the flags that a message suggests.
func suggestions(message string) (all [][]string) {
	for _, m := range suggestion.FindAllStringSubmatch(regexp.MustCompile(`\n +`).ReplaceAllString(message, " "), -1) {
		value := strings.Trim(m[2], `"'.:)`)
		words := regexp.MustCompile(`^[a-z]+$`).MatchString(value) && slices.Contains([]string{"--map", "--scale", "--threshold", "--pair", "--judge"}, m[1])
		if !words && !forUser.MatchString(value) && !slices.ContainsFunc(all, func(s []string) bool { return s[0] == m[1] && s[1] == value }) {
			all = append(all, []string{m[1], value})
		}
	}
	return all
}

// TestSoakSuggestions: every flag that is printed about a file, or about two files of one folder, can be used as printed and gives figures.
// For a pair of criteria these are the figures shown with it. Two files without a common item give no figures, whichever labels count.
func TestSoakSuggestions(t *testing.T) {
	sharedtest.Soak(t)
	tables := sharedtest.Path(t, "cases5", "tables")
	known := map[[2]string]bool{}
	for _, c := range readCases {
		known[[2]string{filepath.Join(tables, c.log), filepath.Join(tables, c.people)}] = c.people != ""
	}
	folders, err := filepath.Glob(filepath.Join(tables, "..", "..", "cases", "tables", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatal(folders, err)
	}
	for _, folder := range append(folders, filepath.Join("..", "data", "sources", "testdata", "formats")) {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, log := range files {
			for _, people := range files {
				alike := strings.TrimSuffix(log.Name(), filepath.Ext(log.Name())) == strings.TrimSuffix(people.Name(), filepath.Ext(people.Name()))
				if len(files) < 10 || alike && !strings.HasSuffix(log.Name()+people.Name(), ".want") {
					known[[2]string{filepath.Join(folder, log.Name()), filepath.Join(folder, people.Name())}] = true
				}
			}
		}
	}
	all, err := os.ReadDir(tables)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range all { // with itself, and with one file that is unrelated to most of them
		path := filepath.Join(tables, file.Name())
		known[[2]string{path, path}] = true
		known[[2]string{filepath.Join(tables, "q_judge.csv"), path}] = true
	}
	run := 0
	for files, is := range known {
		if !is {
			continue
		}
		code, out, errs := compqa("validate", files[0], "--people", files[1], "--out", filepath.Join(t.TempDir(), "before"))
		for _, flag := range suggestions(out + errs) {
			run++
			after, with, refusal := compqa("validate", files[0], "--people", files[1], "--out", filepath.Join(t.TempDir(), "after"), flag[0], flag[1])
			if flag[1] == "people.origin=none" && strings.Contains(refusal, "no item of the log is among those of people") {
				continue // labels by a model count only on request, and the two files are unrelated
			}
			if after != exitDone || flag[0] == "--pair" && code == exitDone && firstRow(out) != firstRow(with) {
				t.Errorf("%s with %s: exit code %d with %s\n%s%s\n%s%s", files[0], files[1], after, strings.Join(flag, " "), out, errs, with, refusal)
			}
		}
	}
	t.Logf("%d suggestions were run", run)
	if run < 30 {
		t.Error("few suggestions are found")
	}
}

// firstRow returns the first row of the first table in an output.
func firstRow(out string) string {
	_, rows, _ := strings.Cut(out, "─\n")
	first, _, _ := strings.Cut(rows, "\n")
	return first
}
