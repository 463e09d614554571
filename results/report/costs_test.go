package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/results/recordtest"
	"compqa/results/table"
)

// Tests in results/judgequality check the rows of costs.csv.
func TestCostsInFiles(t *testing.T) {
	dir := t.TempDir()
	recordtest.Costly(t, dir)
	var screen strings.Builder
	if err := printed([]string{dir}, dir, &screen); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "tables", "costs.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := table.CSV(must(Compute(recordtest.Load(t, dir))).Quality.Paid)(&want); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("costs.csv\n%s\nwant\n%s", got, want.Bytes())
	}
	text, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"| total   |         |       |     7 |        9 |                   |              – |        1 | 7.3100 |    0.5000 |", "| dear    | human   |                     1.00 |                 1000.00 |                       0.001 |"} {
		if !strings.Contains(string(text), part) {
			t.Errorf("report.md lacks %q\n%s", part, text)
		}
	}
}

// The costs of two records are added.
func TestCostsOfTwoRunsInFiles(t *testing.T) {
	a := t.TempDir()
	b := t.TempDir()
	out := t.TempDir()
	recordtest.Costly(t, a)
	recordtest.Costly(t, b)
	if _, err := Write([]string{a, b}, out); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(out, "tables", "costs.csv"))
	if err != nil || !strings.Contains(string(got), "\nverdict,dear,p,m,4,6,600,0,0,120,0,,,12,1,0,6,2000,human,1,0.0005,0\n") {
		t.Errorf("%v\n%s", err, got)
	}
}
