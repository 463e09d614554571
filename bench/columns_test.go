package bench

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"compqa/bench/cli"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/results/paper"
	"compqa/results/preferences"
	"compqa/results/report"
	"compqa/results/summaries"
	"compqa/results/table"
	"compqa/results/train"
	"compqa/results/validation"
	pages "compqa/web/annotate"
)

// TestColumns: columns.yaml describes the columns of every CSV file of a run and of its pairs, in their order, and no others.
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
	if code := Main(context.Background(), args, cli.Streams{Out: &out, Err: &out}); code != 0 {
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

// TestMeanings: every column of every table has a description, and every description has a column.
func TestMeanings(t *testing.T) {
	t.Parallel()
	dir := recordedRun(t, "").dir
	verdicts, err := reportOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := preferences.Write(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	results := slices.Concat(verdicts.Catalogue().Definitions(), pairs.Catalogue().Definitions(),
		new(validation.Result).Catalogue().Definitions(), []table.Definition{
			table.Def[preferences.LLMBarRow]{File: "llmbar.csv"}, table.Def[paper.ReproducedCell]{File: "table2.csv … table5.csv"},
			table.Def[train.ComparisonRow]{File: "trained.csv"}, table.Def[summaries.CoCoTripRow]{File: "cocotrip.csv"},
			table.Def[data.SystemBias]{File: "surface_systems.csv"}, table.Def[pairwise.ContrastSource]{File: contrastSourcesName},
			table.Def[pairwise.ContrastCount]{File: contrastCountsName}})
	streamed := map[string]bool{"answers.csv": true, "verdicts.csv": true, "preferences.csv": true} // TestColumns reads these files
	described := map[string]report.Described{}
	for _, d := range report.Tables() {
		described[d.File] = d
	}
	meant := map[string]bool{}
	check := func(folder string, tables []table.Definition) {
		for _, d := range tables {
			name := d.Name()
			if described[folder+name].File != "" {
				name = folder + name
			}
			meant[name] = true
			if columns := columnsOf(described[name]); !slices.Equal(columns, d.Columns()) {
				t.Errorf("%s has the columns\n%q, and columns.yaml describes\n%q", name, d.Columns(), columns)
			}
		}
	}
	check("", results)
	check("annotation/", pages.Tables)
	for name, d := range described {
		if !meant[name] && !streamed[name] {
			t.Errorf("columns.yaml describes %s, which no table has", name)
		}
		for _, m := range d.Columns {
			if m.Means == "" || m.Unit == "" || m.Empty == "" {
				t.Errorf("columns.yaml does not say what %s of %s means: %+v", m.Column, name, m)
			}
		}
	}
}

func columnsOf(d report.Described) []string {
	return data.Each(d.Columns, func(m report.Meaning) string { return m.Column })
}

// checkColumns compares the columns of files with those that columns.yaml describes for a folder.
func checkColumns(t *testing.T, folder string, files ...string) {
	t.Helper()
	described := map[string][]string{}
	for _, d := range report.Tables() {
		described[d.File] = columnsOf(d)
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
			t.Errorf("%s has the columns\n%q, and columns.yaml describes\n%q", name, header, described[name])
		}
	}
}
