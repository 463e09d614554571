package bench

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/results/report"
)

// TestColumns: columns.md describes the columns of every CSV file of a run and of its pairs, in
// their order, and no others.
func TestColumns(t *testing.T) {
	t.Parallel()
	described := map[string][]string{}
	for _, section := range strings.Split(report.Columns, "\n## ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		for _, m := range regexp.MustCompile("(?m)^\\| `(.+?)` \\|").FindAllStringSubmatch(section, -1) {
			described[name] = append(described[name], m[1])
		}
	}
	dir := recordedRun(t, "").dir
	files, err := filepath.Glob(filepath.Join(dir, "tables", "*.csv"))
	if err != nil || len(files) < 18 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	perCriterion := regexp.MustCompile(`^c\d+$`)
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		header, err := csv.NewReader(f).Read()
		if err != nil {
			t.Fatal(err)
		}
		for i := range header {
			if perCriterion.MatchString(header[i]) {
				header[i] = "c1 …"
			}
		}
		if name := filepath.Base(path); !slices.Equal(slices.Compact(header), described[name]) {
			t.Errorf("%s has the columns\n%q, and columns.md describes\n%q", name, header, described[name])
		}
	}
}
