package bench

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestCasePeopleWithGaps: three people's sheets on 40 answers have no points in 31 of 600 cells. A criterion uses every pair of values, a
// total only complete sheets. agreement.csv of the run and validate on the run agree. The counts are by hand from the file. The alphas are
// 1 - D_o/D_e over the pairs of values, computed by other code.
func TestCasePeopleWithGaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	people := filepath.Dir(sharedtest.Path(t, "cases", "people", "rubric.yaml"))
	for _, name := range []string{"q2.csv", "rubric.yaml", "bot.csv", "rag.csv", "scores_utf8.csv"} {
		content, err := os.ReadFile(filepath.Join(people, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(dir, "c.yaml")
	run := filepath.Join(dir, "run")
	out := filepath.Join(dir, "out")
	text := "dataset: q2.csv\nrubric: rubric.yaml\nscenarios: [1]\nmodels:\n  - {name: bot, provider: file, path: bot.csv}\n" +
		"  - {name: rag, provider: file, path: rag.csv}\njudges:\n  - {name: constant, provider: embedded}\n" +
		"  - {name: people, provider: file, path: scores_utf8.csv, people: true}\n"
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := compqa("run", "--config", config, "--out", run); code != exitDone {
		t.Fatalf("run: exit %d: %s%s", code, stdout, stderr)
	}
	figures := map[string]map[string]string{}
	for _, r := range csvTable(t, filepath.Join(run, "tables", "agreement.csv")) {
		figures[r["judge"]+" "+r["reference"]+" "+r["level"]+" "+r["item"]] = r
	}
	for key, want := range map[string][2]float64{ // n and alpha; 0 is not compared
		"human:Anna human:Ben M. criterion 1": {32, 0.6765913757700206}, "human:Anna human:Ben M. criterion 2": {40, 0},
		"human:Anna human:Ben M. criterion 3": {36, 0}, "human:Anna human:Ben M. criterion 4": {34, 0}, "human:Anna human:Ben M. criterion 5": {33, 0},
		"human:Anna human:Ben M. final -": {19, 0}, "human:Anna human:Chloé criterion 1": {33, 0.2777777777777778}, "human:Anna human:Chloé final -": {26, 0},
		"human:Ben M. human:Chloé criterion 1": {35, 0.5913705583756346}, "human:Ben M. human:Chloé final -": {23, 0}} {
		n, _ := strconv.ParseFloat(figures[key]["n"], 64)
		alpha, err := strconv.ParseFloat(figures[key]["alpha_interval"], 64)
		if n != want[0] || want[1] != 0 && (err != nil || math.Abs(alpha-want[1]) > 1e-12) {
			t.Errorf("%s: n %v, alpha %v; want %v", key, n, alpha, want)
		}
	}
	scores := filepath.Join(dir, "anna.csv") // Anna is the judge, and the run's people are the reference
	rows := "id,Polite\n"
	lines := strings.Split(strings.TrimSpace(strings.TrimPrefix(readFile(t, dir, "scores_utf8.csv"), "\ufeff")), "\n")
	for _, line := range lines[1:] {
		cells := strings.Split(line, ";")
		rows += cells[0] + "," + cells[3] + "\n"
	}
	if err := os.WriteFile(scores, []byte(rows), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, stdout, stderr := compqa("validate", scores, "--people", run, "--join", "id", "--out", out); code != exitDone {
		t.Fatalf("validate: exit %d: %s%s", code, stdout, stderr)
	}
	same := 0
	for _, r := range csvTable(t, filepath.Join(out, "tables", "validation.csv")) {
		own := figures["human:Anna human:"+r["reference"]+" criterion 1"]
		if own == nil {
			continue
		}
		same++
		if own["n"] != r["n"] || own["alpha_interval"][:12] != r["alpha"][:12] || own["agreement"] != r["agreement"] {
			t.Errorf("%s: the run says n %s, alpha %s, validate n %s, alpha %s", r["reference"], own["n"], own["alpha_interval"], r["n"], r["alpha"])
		}
	}
	if same != 2 {
		t.Errorf("%d people are in both", same)
	}
}

// TestCaseTenAnnotators: the same 60 pairs, labelled four times or twice, are the same evidence. The p-value of the difference between two
// judges is that of the clustered difference, and copies do not change it.
func TestCaseTenAnnotators(t *testing.T) {
	t.Parallel()
	ten := strings.SplitAfter(readFile(t, filepath.Dir(sharedtest.Path(t, "cases", "pairs", "qcr.jsonl")), "ten_annotators_per_pair.jsonl"), "\n")
	compared := func(copies int) map[string]string {
		dir := t.TempDir()
		pairs := ""
		for i, line := range ten {
			if i%10 < copies {
				pairs += line
			}
		}
		config := filepath.Join(dir, "c.yaml")
		for path, text := range map[string]string{config: "dataset: cqa50\npairs: [{name: x, path: pairs.jsonl}]\n", filepath.Join(dir, "pairs.jsonl"): pairs} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if code, stdout, stderr := compqa("run", "--only", "pairs", "--config", config, "--out", filepath.Join(dir, "run")); code != exitDone {
			t.Fatalf("exit %d: %s%s", code, stdout, stderr)
		}
		for _, r := range csvTable(t, filepath.Join(dir, "run", "tables", "pairwise_comparisons.csv")) {
			if r["judge_a"] == "surface-pair" && r["judge_b"] == "longer" {
				return r
			}
		}
		t.Fatal("the judges are not compared")
		return nil
	}
	values := compared(4)
	again := compared(2)
	if values["n_pairs"] != "240" || again["n_pairs"] != "120" || values["only_a_right"] != "12" {
		t.Errorf("%v\n%v", values, again)
	}
	for _, column := range []string{"p", "ci_low", "ci_high"} {
		x, err1 := strconv.ParseFloat(values[column], 64)
		y, err2 := strconv.ParseFloat(again[column], 64)
		if err1 != nil || err2 != nil || math.Abs(x-y) > 1e-9 || column == "p" && x < 0.5 {
			t.Errorf("%s of four labels a pair is %s, of two %s", column, values[column], again[column])
		}
	}
}
