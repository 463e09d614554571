package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/verify"
	"compqa/data/sharedtest"
)

// validated runs compqa validate. It returns the row of the first criterion (with reference people:mean), the output, and the exit code.
func validated(t *testing.T, args ...string) (row map[string]any, printed string, code int) {
	t.Helper()
	code, out, errs := compqa(append([]string{"validate", "--json", "--out", filepath.Join(t.TempDir(), "out")}, args...)...)
	if code != exitDone {
		return nil, errs, code
	}
	var result struct {
		Validation []map[string]any
		Read       []string
		Findings   []finding
		Notes      []string
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	for _, r := range result.Validation { // for yes and no, kappa is computed with the majority
		if row == nil && r["reference"] == "people:mean" {
			row = r
		} else if row != nil && r["criterion"] == row["criterion"] && r["reference"] == "people:majority" && row["kappa"] == nil {
			row["kappa"] = r["kappa"]
		}
	}
	return row, strings.Join(slices.Concat(result.Read, textsOf(result.Findings), result.Notes), "\n"), code
}

// TestCasesOfTables reads the tables in ../shared/cases/tables, whose README has the right value or the right refusal for each.
func TestCasesOfTables(t *testing.T) {
	t.Parallel()
	folder := sharedtest.Path(t, "cases", "tables")
	for name, c := range map[string]struct {
		log, people string
		flags       []string
		n           int
		figure      string // column of validation.csv
		want        float64
		says        string // text in the output or, if the file is refused, in the error
		refused     bool
	}{
		"01 pairs without a choice": {log: "01-panic-pair-table/min3.csv", people: "01-panic-pair-table/p.csv", n: 2, says: "no column says which was chosen"},
		"01 the other way":          {log: "01-panic-pair-table/p4.csv", people: "01-panic-pair-table/min4.csv", n: 2},
		"02 one file":               {log: "02-file-with-itself/both.csv", people: "02-file-with-itself/both.csv", n: 40, figure: "spearman", want: .868, says: "people's by its name"},
		"03 marks of failures":      {log: "03-promptfoo-graderError/results.json", people: "03-promptfoo-graderError/pf_people.csv", n: 3, says: "11 times"},
		"05 turns":                  {log: "05-mtbench-minus-one/mt_single.jsonl", people: "05-mtbench-minus-one/mt_people.csv", refused: true, says: "--missing judge.-1"},
		"05 without -1": {log: "05-mtbench-minus-one/mt_single.jsonl", people: "05-mtbench-minus-one/mt_people.csv", flags: []string{"--missing", "-1"},
			n: 110, figure: "spearman", want: .968},
		"06 observations":    {log: "06-langfuse-observations/lf_obs.csv", people: "06-langfuse-observations/lf_obs.csv", n: 60, figure: "kappa", want: .767},
		"07 lists":           {log: "07-lists-of-raters/healthbench_judge.jsonl", people: "07-lists-of-raters/healthbench.jsonl", n: 40, says: "3 people"},
		"08 leading zeros":   {log: "08-suggested-command/judge.csv", people: "08-suggested-command/zero_ids.csv", n: 40, figure: "alpha", want: .89, says: "leading zeros"},
		"09 Qualtrics":       {log: "09-qualtrics-headers/qualtrics_judge.jsonl", people: "09-qualtrics-headers/qualtrics.csv", n: 20, says: "2 rows below the header"},
		"09 one header row":  {log: "09-qualtrics-headers/qualtrics_judge.jsonl", people: "09-qualtrics-headers/qualtrics2.csv", n: 20, says: "1 row below the header"},
		"10 NaN":             {log: "10-deepeval-nan/de.json", people: "10-deepeval-nan/de_people.csv", n: 26},
		"11 99 is named":     {log: "11-missing-codes-of-surveys/idx_j.csv", people: "11-missing-codes-of-surveys/code99.csv", refused: true, says: "--missing people.99"},
		"11 99 is missing":   {log: "11-missing-codes-of-surveys/idx_j.csv", people: "11-missing-codes-of-surveys/code99.csv", flags: []string{"--missing", "99"}, n: 27, figure: "spearman", want: 1},
		"11 of people alone": {log: "11-missing-codes-of-surveys/idx_j.csv", people: "11-missing-codes-of-surveys/code0.csv", flags: []string{"--missing", "people.0"}, n: 27, figure: "spearman", want: 1},
		"11 skip":            {log: "11-missing-codes-of-surveys/idx_j.csv", people: "11-missing-codes-of-surveys/skip.csv", n: 27, figure: "spearman", want: 1, says: `"skip" among numbers`},
		"15 tokens":          {log: "15-large-number-column/big_j.csv", people: "15-large-number-column/big_p.csv", n: 30, figure: "kappa", want: 1, says: "column tokens"},
		"16 workers":         {log: "16-mturk/m_judge.csv", people: "16-mturk/mturk.csv", n: 30, says: "80 values of 7 people"},
		"16 rejected":        {log: "16-mturk/m_judge.csv", people: "16-mturk/mturk.csv", n: 30, says: "10 rows (status rejected)"},
		"17 events":          {log: "17-events-of-a-sample/oai_legacy.jsonl", people: "17-events-of-a-sample/oai_legacy_p.csv", n: 29},
	} {
		t.Run(name, func(t *testing.T) {
			row, printed, code := validated(t, append([]string{filepath.Join(folder, c.log), "--people", filepath.Join(folder, c.people)}, c.flags...)...)
			if c.refused != (code == exitUsage) || !strings.Contains(printed, c.says) {
				t.Fatalf("exit code %d: %s", code, printed)
			}
			if got := fmt.Sprint(row["n"]); !c.refused && got != fmt.Sprint(c.n) {
				t.Errorf("n is %s, want %d: %s", got, c.n, printed)
			}
			if got, _ := row[c.figure].(float64); c.figure != "" && math.Abs(got-c.want) > .0051 {
				t.Errorf("%s is %v, want %v", c.figure, got, c.want)
			}
		})
	}
	for file, want := range map[string]string{"04-agree-missing-codes/nltk.csv": "1"} {
		if row := agreed(t, "--units", filepath.Join(folder, file), "--level", "nominal")[0]; row["alpha"] != want {
			t.Errorf("%s: alpha is %s, want %s", file, row["alpha"], want)
		}
	}
	rows := agreed(t, "--units", filepath.Join(folder, "07-lists-of-raters/summeval.jsonl"))
	if len(rows) != 4 || rows[0]["raters"] != "8" {
		t.Errorf("SummEval: %v", rows)
	}
}

// TestSoakSheetsInManyLayouts: one sheet of two people and three criteria gives the same figures in every layout.
func TestSoakSheetsInManyLayouts(t *testing.T) {
	sharedtest.Soak(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	people, criteria := []string{"Anna", "Ben M."}, []string{"clear", "kind", "full"}
	value := func(i, p, c int) float64 {
		if i == 3 && p == 1 {
			return -1 // a missing value
		}
		return float64((i*(c+3)+i/4+p*(i%3/2))%5)/2 + 1
	}
	log := "id,clear,kind,full\n"
	layouts := map[string]*strings.Builder{}
	for _, name := range []string{"wide.csv", "paren.csv", "first.csv", "semicolon.csv", "long.csv", "rows.csv", "tab.tsv", "lines.jsonl", "nested.json", "lists.jsonl",
		"codes.csv", "title.csv", "zeros.csv"} {
		layouts[name] = &strings.Builder{}
	}
	put := func(name, format string, args ...any) { fmt.Fprintf(layouts[name], format, args...) }
	text := func(x float64) string {
		if x < 0 {
			return ""
		}
		return fmt.Sprint(x)
	}
	for name, cell := range map[string]string{"wide.csv": ",%[1]s_%[2]s", "paren.csv": ",%[1]s (%[2]s)", "first.csv": ",%[2]s_%[1]s", "codes.csv": ",%[1]s - %[2]s",
		"semicolon.csv": ";%[1]s_%[2]s", "tab.tsv": "\t%[1]s_%[2]s", "title.csv": ",%[1]s_%[2]s", "zeros.csv": ",%[1]s_%[2]s"} {
		if name == "title.csv" {
			put(name, "Our scores of June\n\n")
		}
		put(name, "id")
		for _, person := range people {
			for _, c := range criteria {
				put(name, cell, c, person)
			}
		}
		put(name, "\n")
	}
	put("long.csv", "item,annotator,metric,score,comment\n")
	put("rows.csv", "item,rater,clear,kind,full\n")
	put("nested.json", `{"results": {"sheets": [`)
	for i := range 40 {
		log += fmt.Sprintf("%d,%v,%v,%v\n", i, value(i, 0, 0), value(i, 0, 1), value(i+1, 0, 2))
		for name, sep := range map[string]string{"wide.csv": ",", "paren.csv": ",", "first.csv": ",", "codes.csv": ",", "semicolon.csv": ";", "tab.tsv": "\t", "title.csv": ",",
			"zeros.csv": ","} {
			put(name, map[bool]string{true: "%03d", false: "%d"}[name == "zeros.csv"], i)
			for p := range people {
				for c := range criteria {
					cell := text(value(i, p, c))
					if name == "semicolon.csv" {
						cell = strings.Replace(cell, ".", ",", 1)
					}
					if name == "codes.csv" && cell == "" {
						cell = "N/A"
					}
					put(name, "%s%s", sep, cell)
				}
			}
			put(name, "\n")
		}
		var objects []string
		for p, person := range people {
			put("rows.csv", "%d,%s", i, person)
			object := fmt.Sprintf(`"rater": %q`, person)
			for c, criterion := range criteria {
				put("long.csv", "%d,%s,%s,%s,\n", i, person, criterion, text(value(i, p, c)))
				put("rows.csv", ",%s", text(value(i, p, c)))
				x := text(value(i, p, c))
				if x == "" {
					x = "null"
				}
				object += fmt.Sprintf(", %q: %s", criterion, x)
			}
			put("rows.csv", "\n")
			put("lines.jsonl", "{\"id\": %d, %s}\n", i, object)
			objects = append(objects, "{"+object+"}")
			put("nested.json", "%s", map[bool]string{true: "", false: ","}[i+p == 0]+fmt.Sprintf(`{"id": "%d", %s}`, i, object))
		}
		put("lists.jsonl", "{\"id\": %d, \"expert_annotations\": [%s]}\n", i, strings.Join(objects, ", "))
	}
	put("nested.json", "]}}")
	judge := write("log.csv", log)
	want, agreement := "", ""
	for _, name := range []string{"wide.csv", "paren.csv", "first.csv", "semicolon.csv", "long.csv", "rows.csv", "tab.tsv", "lines.jsonl", "nested.json", "lists.jsonl",
		"codes.csv", "title.csv", "zeros.csv"} {
		path := write(name, layouts[name].String())
		row, printed, code := validated(t, judge, "--people", path)
		got := fmt.Sprint(row["criterion"], row["n"], row["alpha"], row["spearman"], row["mean_difference"])
		if want == "" {
			want = got
		}
		if code != exitDone || got != want || !strings.Contains(printed, "237 values of 2 people on 3 criteria of 40 items") {
			t.Errorf("validate %s: %s, want %s\n%s", name, got, want, printed)
		}
		if name == "first.csv" {
			continue // without a judge's criteria it is not known which part of anna_clear is the person
		}
		rows := agreed(t, "--units", path)
		got = ""
		for _, c := range criteria {
			for _, row := range rows {
				if row["criterion"] == c {
					got += fmt.Sprint(c, row["units"], row["raters"], row["alpha"], row["agreement"], " ")
				}
			}
		}
		if agreement == "" {
			agreement = got
		}
		if got != agreement || len(rows) != 3 {
			t.Errorf("agree %s: %s, want %s", name, got, agreement)
		}
	}
}

// TestValidateDemo: validate --demo writes, validates and explains the example.
func TestValidateDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	code, out, errs := compqa("validate", "--demo", "--out", dir)
	for _, want := range []string{"people: 360 values of 3 people on 2 criteria of 60 items", "60 of 60 items", "What to look at", "kappa (quadratic)", "alpha (interval)",
		"\ncareful can stand in for one person on polite (not known yet on correct); generous cannot stand in\n  for a person on correct and polite.\n"} {
		if code != exitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "demo-people.csv")); err != nil {
		t.Error(err)
	}
	if v, stderr := verdictOf(t, exportOf(t, dir)); v.Verdict != verify.Consistent || v.Rests == nil {
		t.Errorf("an exported validation is %s: %v, %s", v.Verdict, v.Rests, stderr)
	}
}
