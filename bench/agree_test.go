package bench

import (
	"compqa/data/sharedtest"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// agreed runs compqa agree and returns the rows of its CSV file, each as column to value.
func agreed(t *testing.T, args ...string) []map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "agreement.csv")
	if code, _, errs := compqa(append([]string{"agree", "--out", file}, args...)...); code != exitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, record := range records[1:] {
		row := map[string]string{}
		for i, name := range records[0] {
			row[name] = record[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func textFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAgreeJudgeBench checks ordinal alphas of two files of JUDGE-BENCH, with 3 and with 15 to 88 raters per unit. Independent code
// computed the expected values (SOURCES.md beside the data).
func TestAgreeJudgeBench(t *testing.T) {
	t.Parallel()
	folder := sharedtest.Path(t, "data", "judge-bench")
	for _, file := range []struct {
		name    string
		ratings string
		want    []struct {
			criterion string
			alpha     float64
		}
	}{
		{"newsroom/newsroom.json", "1260", []struct {
			criterion string
			alpha     float64
		}{
			{"Informativeness", 0.2848732349364207}, {"Relevance", 0.11512128779864284},
			{"Fluency", -0.015808123685552733}, {"Coherence", 0.06497202567878013},
		}},
		{"recipe_crowd_sourcing_data/meta_evaluation_recipes.json", "1056", []struct {
			criterion string
			alpha     float64
		}{
			{"grammar", 0.41512699786609375}, {"fluency", 0.43239839448968664}, {"verbosity", 0.3991422935197101},
			{"structure", 0.3985577014111057}, {"success", 0.3627155704454662}, {"overall", 0.4351007794425691},
		}},
	} {
		rows := agreed(t, "--units", filepath.Join(folder, file.name), "--format", "judge-bench")
		if len(rows) != len(file.want) {
			t.Fatalf("%s: %d rows, want %d", file.name, len(rows), len(file.want))
		}
		for i, want := range file.want {
			row := rows[i]
			alpha, err := strconv.ParseFloat(row["alpha"], 64)
			if err != nil || !(math.Abs(alpha-want.alpha) <= 1e-12) || row["criterion"] != want.criterion || row["level"] != "ordinal" || row["ratings"] != file.ratings {
				t.Errorf("%s: %v, want %s with alpha %v", file.name, row, want.criterion, want.alpha)
			}
		}
	}
}

// TestAgreeLong reads the table of Krippendorff (2011), section C, in long form, with additional columns. The paper's nominal and interval
// alphas are .743 and .849.
func TestAgreeLong(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("id,unit,rater,value,question\n")
	for rater, row := range []string{"1 2 3 3 2 1 4 1 2 - - -", "1 2 3 3 2 2 4 1 2 5 - 3", "- 3 3 3 2 3 4 2 2 5 1 -", "1 2 3 3 2 4 4 1 2 5 1 -"} {
		for unit, v := range strings.Fields(row) {
			b.WriteString("x," + strconv.Itoa(unit) + ",r" + strconv.Itoa(rater) + "," + strings.Trim(v, "-") + ",q" + strconv.Itoa(unit/2) + "\n")
		}
	}
	file := textFile(t, "units.csv", b.String())
	for level, want := range map[string]string{"nominal": "0.743", "ordinal": "0.815", "interval": "0.849", "ratio": "0.797"} {
		row := agreed(t, "--units", file, "--level", level)[0]
		if !strings.HasPrefix(row["alpha"], want) || row["criterion"] != "-" || row["clusters"] != "" || row["missing"] != "7" {
			t.Errorf("%s: %v, want alpha %s", level, row, want)
		}
	}
	if row := agreed(t, "--units", file, "--cluster", "question")[0]; row["clusters"] != "6" {
		t.Errorf("%v, want 6 clusters", row)
	}
	one := agreed(t, "--units", file)
	two := agreed(t, "--units", file)
	other := agreed(t, "--units", file, "--seed", "2")
	if one[0]["alpha_low"] != two[0]["alpha_low"] || one[0]["alpha_low"] != other[0]["alpha_low"] { // 11 units are too few for resampling
		t.Errorf("alpha_low is %s and %s with one seed, %s with another", one[0]["alpha_low"], two[0]["alpha_low"], other[0]["alpha_low"])
	}
}

func TestAgreeOutput(t *testing.T) {
	t.Parallel()
	file := textFile(t, "units.jsonl", `{"unit": 1, "rater": "a", "value": 3}
{"unit": 1, "rater": "b", "value": 3}
`)
	code, out, errs := compqa("agree", "--units", file, "--out", "-")
	want := `criterion,level,units,units_pairable,clusters,raters,ratings,missing,values,largest_share,agreement,alpha,alpha_low,alpha_high,p_below_0667,p_below_0800,degenerate,jackknife_low,jackknife_high,gwet_ac1,gwet_ac2,kappa,spearman,rater_pairs,note
-,interval,1,1,,2,2,0,1,1,1,,,,,,,,,,,,,,agreement beyond chance: the ratings do not vary
`
	if out != want || code != exitDone {
		t.Errorf("exit code %d\n%s\nwant\n%s", code, out, want)
	}
	if !strings.Contains(errs, "agreement beyond chance: the ratings do not vary") {
		t.Errorf("the table is not where the CSV is not:\n%s", errs)
	}
}

func TestAgreeRefuses(t *testing.T) {
	t.Parallel()
	good := textFile(t, "units.csv", "unit,rater,value\n1,a,3\n1,b,2\n")
	bad := textFile(t, "bad.csv", "unit,rater,value\n1,a,3\n1,b,good\n")
	bench := textFile(t, "bench.json", "{\n\"annotations\": [{\"metric\": \"m\", \"category\": \"graded\"}],\n\"instances\": [{\"id\": 1, \"annotations\": {}}]}")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--out", "-"}, "needs --units"},
		{[]string{"--units", good + "x", "--out", "-"}, "cannot read"},
		{[]string{"--units", bad, "--out", "-"}, "bad.csv:3: the value is good; at interval level a number is needed"},
		{[]string{"--units", good, "--out", "-", "--scale", "1,2"}, "units.csv:2: the value is 3; it must be one of 1, 2"},
		{[]string{"--units", good, "--out", "-", "--scale", "1,x"}, `the scale has "x"`},
		{[]string{"--units", good, "--out", "-", "--scale", "1"}, "agreement needs two or more"},
		{[]string{"--units", good, "--out", "-", "--level", "ordnal"}, `--level: level "ordnal": want nominal, ordinal, interval or ratio`},
		{[]string{"--units", good, "--out", "-", "--cluster", "question"}, `units.csv has no column "question"`},
		{[]string{"--units", good, "--out", "-", "--seed", "x"}, "a whole number is needed"},
		{[]string{"--units", good, "--out", "-", "--format", "wide"}, `--format is "wide"; it is long or judge-bench`},
		{[]string{"--units", good, "--out", "-", "--format", "judge-bench"}, "not a JUDGE-BENCH file"},
		{[]string{"--units", bench, "--out", "-", "--format", "judge-bench", "--cluster", "question"}, "--cluster needs a table"},
		{[]string{"--units", bench, "--out", "-"}, "bench.json has no ratings"},
		{[]string{"--units", good, "--out", good}, "which would be overwritten"},
		{[]string{"--units", good, "--out", filepath.Join(t.TempDir(), "none", "x.csv")}, "cannot write"},
	} {
		code, out, errs := compqa(append([]string{"agree"}, c.args...)...)
		if code != exitUsage || !strings.Contains(errs, c.says) || out != "" {
			t.Errorf("%v: exit code %d, %q, %q; want 2 and …%s…", c.args, code, out, errs, c.says)
		}
	}
}
