package bench

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/bench/run"
	"compqa/results/report"
)

// TestColumns: columns.md describes the columns of every CSV file of a run and of its pairs, in
// their order, and no others.
func TestColumns(t *testing.T) {
	t.Parallel()
	dir := recordedRun(t, "").dir
	files, err := filepath.Glob(filepath.Join(dir, "tables", "*.csv"))
	if err != nil || len(files) < 18 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	validated := filepath.Join(t.TempDir(), "validated")
	var out bytes.Buffer
	demo := filepath.Join(t.TempDir(), "demo")
	if code, _, errs := compqa("validate", "--demo", "--out", demo); code != 0 {
		t.Fatal(errs)
	}
	log := filepath.Join(demo, "demo-log.csv")
	args := []string{"validate", log, "--people", filepath.Join(demo, "demo-people.csv"), "--by", "system", "--since", log, "--labels-for", "0.1",
		"--out", validated}
	if code := Main(args, run.Streams{Out: &out, Err: &out}); code != 0 {
		t.Fatalf("%d: %s", code, out.String())
	}
	more, err := filepath.Glob(filepath.Join(validated, "tables", "*.csv"))
	if err != nil || len(more) < 5 {
		t.Fatalf("validate writes %v, %v", more, err)
	}
	checkColumns(t, "", append(files, more...)...)
	for file, want := range map[string]string{"values.csv": "values.csv\n\nWritten by `compqa annotate export`", "agreement.csv": "\nannotation/agreement.csv\n"} {
		if code, text, _ := compqa("docs", file); code != 0 || !strings.Contains(text, want) {
			t.Errorf("docs %s: %s", file, text)
		}
	}
}

// checkColumns compares the columns of files with those that columns.md describes for files in a folder.
func checkColumns(t *testing.T, folder string, files ...string) {
	t.Helper()
	described := map[string][]string{}
	for _, section := range strings.Split(report.Columns, "\n## ")[1:] {
		name, _, _ := strings.Cut(section, "\n")
		for _, m := range regexp.MustCompile("(?m)^\\| `(.+?)` \\|").FindAllStringSubmatch(section, -1) {
			described[name] = append(described[name], m[1])
		}
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
		name := filepath.Base(path)
		if described[folder+name] != nil {
			name = folder + name
		}
		if !slices.Equal(slices.Compact(header), described[name]) {
			t.Errorf("%s has the columns\n%q, and columns.md describes\n%q", name, header, described[name])
		}
	}
}
