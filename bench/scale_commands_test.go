package bench

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"compqa/rubric"
)

// BenchmarkScaleCommands measures the commands that read or write many values, in processor seconds and peak memory: at up to
// three sizes, of which COMPQA_SCALE is the largest (500,000). Beside them is what the same work takes in Python, where python3
// (or what COMPQA_PYTHON names) has pandas, krippendorff and scipy.
func BenchmarkScaleCommands(b *testing.B) {
	most := 500_000
	if n, err := strconv.Atoi(os.Getenv("COMPQA_SCALE")); err == nil {
		most = n
	}
	var sizes []int
	for _, n := range []int{most / 50, most / 5, most} {
		if n >= perQuestion {
			sizes = append(sizes, n)
		}
	}
	for b.Loop() {
		lines := map[string][]usage{}
		for _, n := range sizes {
			measureCommands(b, n, func(name string, used usage) { lines[name] = append(lines[name], used) })
		}
		fmt.Printf("\n%d … %d verdicts; a fifth as many items in validate; twice as many ratings in agree; a tenth as many pairs, each "+
			"judged in both orders by the embedded judges; a fiftieth as many sheets of five people (load %s)\n\n", sizes[0], sizes[len(sizes)-1], load())
		fmt.Printf("| command | processor seconds at %v | exponent | peak memory | Python |\n|---|---|---|---|---|\n", sizes)
		for _, name := range scaleCommands {
			fmt.Println(scaleLine(name, lines[name], lines["python "+name], sizes))
		}
	}
}

// scaleCommands are the lines of the table.
var scaleCommands = []string{"import", "report", "export", "export --format csv", "export --format inspect",
	"export --format hf", "show --disagree", "compare", "validate", "agree",
	"export of a run", "verify", "run --only pairs", "pairwise report", "pairwise import", "annotate status", "annotate export"}

// scaleLine is a line of the table. The exponent is that of processor time between the two largest sizes.
func scaleLine(name string, used, python []usage, sizes []int) string {
	seconds, exponent, beside := "", "", "–"
	for i, u := range used {
		seconds += fmt.Sprintf("%.1f ", u.cpu.Seconds())
		if i > 0 {
			exponent = fmt.Sprintf("%.2f", math.Log(u.cpu.Seconds()/used[i-1].cpu.Seconds())/math.Log(float64(sizes[i])/float64(sizes[i-1])))
		}
	}
	if n := len(python); n > 0 {
		beside = fmt.Sprintf("%.1f s, %d MB", python[n-1].cpu.Seconds(), python[n-1].memory>>20)
	}
	return fmt.Sprintf("| %s | %s| %s | %d MB | %s |", name, seconds, exponent, used[len(used)-1].memory>>20, beside)
}

// measureCommands measures every command on files with so many verdicts.
func measureCommands(b *testing.B, n int, add func(string, usage)) {
	dir := b.TempDir()
	defer os.RemoveAll(dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	answers, verdicts, people := importFiles(b, dir, rubric.CQA(), n)
	run := in("run")
	add("import", measured(b, "import", "--out", run, "--config", scaleConfig(b, "http://127.0.0.1:1", n/perQuestion),
		"--answers", answers, "--verdicts", verdicts, "--people", people))
	add("report", measured(b, "report", run))
	add("export", measured(b, "export", run, "--out", in("run.compqa.gz")))
	for _, format := range []string{"csv", "inspect", "hf"} {
		add("export --format "+format, measured(b, "export", run, "--format", format, "--out", in(format)))
		os.RemoveAll(in(format))
	}
	add("show --disagree", measured(b, "show", run, "--disagree"))
	add("compare", measured(b, "compare", run, run, "--system", "model-1", "--with", "model-2"))
	judged, scored := validateFiles(b, dir, n/5, 5, 3)
	add("validate", measured(b, "validate", judged, "--people", scored, "--out", in("validation")))
	ratings := ratingsFile(b, in("ratings.csv"), 2*n)
	add("agree", measured(b, "agree", "--units", ratings, "--out", in("agree.csv")))
	measureRecorded(b, dir, n, add)
	python := os.Getenv("COMPQA_PYTHON")
	if python == "" {
		python = "python3"
	}
	if exec.Command(python, "-c", "import pandas, krippendorff, scipy").Run() == nil {
		add("python validate", took(b, exec.Command(python, "-c", pythonValidate, judged, scored)))
		add("python agree", took(b, exec.Command(python, "-c", pythonAgree, ratings)))
	}
}

// measureRecorded measures what needs a run or a study of its own: verify, whose judges' calls are on record, preferences and sheets.
func measureRecorded(b *testing.B, dir string, n int, add func(string, usage)) {
	in := func(name string) string { return filepath.Join(dir, name) }
	makeRecord(b, scaleConfig(b, "http://127.0.0.1:1", n/perQuestion), in("asked"))
	add("export of a run", measured(b, "export", in("asked"), "--out", in("asked.compqa.gz")))
	add("verify", measured(b, "verify", in("asked.compqa.gz")))
	pairs := pairsFile(b, in("pairs.csv"), n/10)
	config := scaleFile(b, in("pairs.yaml"), func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "pairs: [{name: pairs, path: %q}]\n", pairs)
		return err
	})
	add("run --only pairs", measured(b, "run", "--only", "pairs", "--config", config, "--out", in("pairs")))
	add("pairwise report", measured(b, "pairwise", "report", in("pairs")))
	add("pairwise import", measured(b, "pairwise", "import", "--format", "table", "--in", pairs, "--out", in("imported")))
	annotationFile(b, in("study"), n/50)
	add("annotate status", measured(b, "annotate", "status", in("study")))
	add("annotate export", measured(b, "annotate", "export", in("study"), "--out", in("sheets")))
}

// What a notebook does with the same files: agreement and correlation with people's mean and with each person, without
// intervals, and alpha of all ratings.
const (
	pythonValidate = `
import sys, pandas as pd, krippendorff
from scipy import stats
judge, people = pd.read_csv(sys.argv[1]).set_index("id"), pd.read_csv(sys.argv[2])
for c in [c for c in judge.columns if c.startswith("criterion")]:
    wide = people.pivot(index="id", columns="annotator", values=c)
    both = wide.join(judge[c])
    mean = both[list(wide.columns)].mean(axis=1)
    print(c, krippendorff.alpha([mean, both[c]], level_of_measurement="interval"), stats.spearmanr(mean, both[c])[0],
        stats.kendalltau(mean, both[c])[0], krippendorff.alpha(wide.T.to_numpy(), level_of_measurement="interval"))
    for person in wide.columns:
        print((both[person] == both[c]).mean(), krippendorff.alpha(both[[person, c]].T.to_numpy(), level_of_measurement="interval"))
`
	pythonAgree = `
import sys, pandas as pd, krippendorff
table = pd.read_csv(sys.argv[1]).pivot(index="annotator", columns="unit", values="value")
print(krippendorff.alpha(table.to_numpy(), level_of_measurement="interval"))
`
)
