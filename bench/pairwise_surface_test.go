package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
	"compqa/judges/pairwise"
	"compqa/results/store"
)

// ratedPairs writes pairs of texts on the same subject whose mean ratings differ by at least half a point.
func ratedPairs(t *testing.T, subjects map[string][]string, texts map[string]string, means map[string]float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pairs.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for subject, ids := range subjects {
		for i, a := range ids {
			for _, b := range ids[i+1:] {
				d := means[a] - means[b]
				if d < 0.5 && d > -0.5 {
					continue
				}
				label := "a"
				if d < 0 {
					label = "b"
				}
				json.NewEncoder(f).Encode(map[string]string{"id": a + " ~ " + b, "question": "Summarise: " + subject, "a": texts[a], "b": texts[b], "label": label})
			}
		}
	}
	return path
}

// opinionSummaries reads the summaries of SummEval-OP, with the mean of people's seven ratings.
func opinionSummaries(t *testing.T, folder string) (subjects map[string][]string, texts map[string]string, means map[string]float64) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "data", "summeval-op", "summeval-op.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	subjects = map[string][]string{}
	texts = map[string]string{}
	means = map[string]float64{}
	n := 0
	for line := range strings.Lines(string(content)) {
		var product struct {
			Reviews   map[string]string
			Summaries map[string]struct {
				Summary    string
				Dimensions map[string]float64
			}
		}
		if err := json.Unmarshal([]byte(line), &product); err != nil {
			t.Fatal(err)
		}
		n++
		var reviews []string
		for i := range len(product.Reviews) {
			reviews = append(reviews, product.Reviews[fmt.Sprint("rev", i+1)])
		}
		subject := strings.Join(reviews, "\n")
		for system, s := range product.Summaries {
			id := fmt.Sprintf("%d %s", n, system)
			subjects[subject] = append(subjects[subject], id)
			texts[id] = s.Summary
			for _, v := range s.Dimensions {
				means[id] += v / float64(len(s.Dimensions))
			}
		}
	}
	return subjects, texts, means
}

// TestSoakSurfacePairFigures: docs/pairwise.md has the right accuracies of surface-pair and longer on five sets, with ties counted as wrong
// and as half right. Pairs of PandaLM and of the release are judged by models that were not fitted to their questions. The other sets were
// not used for the fit or for the choice of measures.
func TestSoakSurfacePairFigures(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	shared := sharedtest.Path(t)
	empty := emptyConfig(t)
	subjects, texts, means := opinionSummaries(t, shared)
	accuracy := func(dir, set string) (got []string) {
		for _, row := range csvTable(t, filepath.Join(dir, "tables", "preference_agreement.csv")) {
			if row["dataset"] != set || row["domain"] != "all" || row["reference"] != "gold" || row["order"] != "both" ||
				row["judge"] != "surface-pair" && row["judge"] != "longer" {
				continue
			}
			got = append(got, fmt.Sprintf("%.3f [%.3f, %.3f], %.3f", number(t, row["accuracy"]), number(t, row["accuracy_low"]),
				number(t, row["accuracy_high"]), number(t, row["accuracy_half"])))
		}
		return got
	}
	panda := t.TempDir()
	release := t.TempDir()
	bar := t.TempDir()
	summeval := t.TempDir()
	for _, args := range [][]string{
		{"pairwise", "import", "--config", empty, "--format", "pandalm", "--in", filepath.Join(shared, "data", "pandalm"), "--gold", "majority", "--out", panda},
		{"run", "--config", empty, "--release", filepath.Join(shared, "data", "cqa-release"), "--out", release},
		{"run", "--only", "pairs", "--config", empty, "--out", release},
		{"pairwise", "report", "--llmbar", filepath.Join(shared, "data", "llmbar"), "--out", bar},
		{"run", "--only", "pairs", "--config", empty, "--pairs", ratedPairs(t, subjects, texts, means), "--out", summeval},
	} {
		if code, _, stderr := compqa(args...); code != exitDone {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
	}
	readme, err := os.ReadFile(filepath.Join(sharedtest.ModuleRoot(t), "docs", "pairwise.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct{ dir, set string }{{panda, "pandalm"}, {release, "run"}, {bar, "Natural"}, {bar, "all"}, {summeval, "pairs"}} {
		var row string
		for line := range strings.Lines(string(readme)) {
			if strings.HasPrefix(line, "| "+of.set+" ") {
				row = line
			}
		}
		for _, figure := range accuracy(of.dir, of.set) {
			if !strings.Contains(row, "| "+figure+" |") {
				t.Errorf("%s: %s; docs/pairwise.md has %q", of.set, figure, row)
			}
		}
	}
	// The built-in calibration is the one that calibrate fits to PandaLM.
	db, err := store.Open(panda)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	pairs, err := db.LabelledPairs()
	if err != nil {
		t.Fatal(err)
	}
	builtin := pairwise.BuiltinCalibration()
	again, err := pairwise.FitCalibration(pairs, builtin.Penalty, true)
	if err != nil || again.Pairs != builtin.Pairs {
		t.Fatalf("%v: %d pairs, built in %d", err, again.Pairs, builtin.Pairs)
	}
	for f, m := range again.Models {
		for j, w := range m.Weights {
			if d := w[0] - builtin.Models[f].Weights[j][0]; d > 1e-5 || d < -1e-5 {
				t.Errorf("model %d, %s: %v, built in %v", f, again.Measures[j], w, builtin.Models[f].Weights[j])
			}
		}
	}
}

// TestSoakPairwiseCalibrate: a calibration is fitted to labelled pairs and used as a judge. It is in the record, so that verify decides
// again without the file of the calibration. It is refused where it does not fit.
func TestSoakPairwiseCalibrate(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var lines string // short answers are better in these pairs
	for i := range 60 {
		a := "Yes."
		b := strings.Repeat("Well, it depends on many things. ", 3)
		label := "a"
		if i%2 == 1 {
			a, b, label = b, a, "b"
		}
		lines += fmt.Sprintf("{\"id\": \"%d\", \"question\": \"Question %d?\", \"a\": %q, \"b\": %q, \"label\": %q}\n", i, i, a, b, label)
	}
	pairs := write("pairs.jsonl", lines)
	run := filepath.Join(dir, "run")
	out := filepath.Join(dir, "cal.json")
	if code, _, stderr := compqa("run", "--only", "pairs", "--config", emptyConfig(t), "--pairs", pairs, "--out", run); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	code, stdout, stderr := compqa("pairwise", "calibrate", run, "--penalty", "1", "--out", out)
	if code != exitDone || !strings.Contains(stdout, "fitted, held out") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	cfg := write("compqa.yaml", "models: [{name: template, provider: baseline}]\njudges: [{name: rules, provider: embedded}]\npairwise: [{name: brief, method: surface-pair, path: cal.json}]\n")
	if code, _, stderr := compqa("run", "--only", "pairs", "--config", cfg, "--pairs", pairs, "--out", run); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	accuracy := map[string]string{}
	for _, row := range csvTable(t, filepath.Join(run, "tables", "pairwise.csv")) {
		accuracy[row["judge"]+" "+row["order"]] = row["accuracy"]
	}
	if accuracy["brief both"] != "1" || accuracy["surface-pair both"] == "1" || accuracy["longer both"] != "0" {
		t.Errorf("%v", accuracy)
	}
	file := filepath.Join(dir, "run.gz")
	if code, _, stderr := compqa("export", run, "--out", file); code != exitDone {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	os.Remove(out)
	if code, stdout, stderr := compqa("verify", "--verbose", file); code != exitDone || !strings.Contains(stdout, "240 preferences have a task") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	write("cal.json", "{}")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"run", "--only", "pairs", "--config", cfg, "--pairs", pairs, "--out", run}, "is not a calibration of surface-pair"},
		{[]string{"pairwise", "calibrate", run, "--penalty", "0", "--out", out}, "--penalty is 0"},
		{[]string{"pairwise", "calibrate", run}, "needs --out"},
	} {
		if code, _, stderr := compqa(c.args...); code != exitUsage || !strings.Contains(stderr, c.want) {
			t.Errorf("%v: exit %d: %s", c.args, code, stderr)
		}
	}
}
