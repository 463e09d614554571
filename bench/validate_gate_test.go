package bench

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// rightAlpha is the right alpha, by krippendorff, of the files in ../shared/cases5/tables on which a gate may exit with 0 or 4 without
// further flags (see README.md there). On any other pair of files a gate must be refused.
var rightAlpha = map[string]float64{
	"promptfoo_human.json promptfoo_people.csv": .50, "promptfoo_human.json promptfoo_human.json": .51, "argilla1_judge.csv argilla1.jsonl": .75,
	"spelling_judge.csv spelling_people.csv": .50, "disjoint_judge.csv disjoint_people.csv": 1, "pairs_judge.csv pairs_people_model.csv": .79,
	"pairs_judge.csv pairs_people_left.csv": .79, "flip_judge.csv flip_people.csv": .85, "flip_judge.csv flip_people_with_consensus.csv": .85,
	"q_judge.csv consensus_wide.csv": .78, "q_judge.csv consensus_long.csv": .78, "reliability_llm.csv reliability_people.csv": .55,
	"criteria_judge.csv criteria_people.csv": .79, "q_judge.csv two_header_rows.csv": .79, "email_judge.csv email_long.csv": .79,
	"zeros_judge.csv zeros_people.csv": .75, "systems_judge.csv systems_people.csv": .77, "likert_judge.csv likert_en.csv": .81,
	"percent_judge.csv percent_people.csv": .75, "twelve_judge.csv twelve_people.csv": .98, "phoenix_annotations.csv phoenix_annotations.csv": .47,
	"fh_j.jsonl fh_h.jsonl": .19, "l2.tsv h2.tsv": .90, "llm.qrels human.qrels": .84, "vertex.csv vertex.csv": .94,
	"vertex_pair.csv vertex_pair.csv": -.10, "os_judge.json os_people.json": .07, "two_judges.csv two_judges.csv": .75,
	"argilla1.jsonl argilla1.jsonl": .75, "quepid.csv quepid.csv": .06, "judgekeeper-coding-results.csv judgekeeper-coding-labels.csv": .97,
}

// belowOne matches the first figure of a gate that failed. For fh_j this is local-b's, because local-a has an alpha of 1.
var belowOne = regexp.MustCompile(` is ([-−]?[0-9.]+)(?: \[[^]]*\])?, below 1`)

// TestSoakGateOnFiles: a gate without further flags on a file of cases5/tables, with the other side's file or the file itself as people's,
// exits with 2 or uses the right figure.
func TestSoakGateOnFiles(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	folder := sharedtest.Path(t, "cases5", "tables")
	for pair, want := range rightAlpha {
		log, people, _ := strings.Cut(pair, " ")
		code, _, errs := compqa("validate", filepath.Join(folder, log), "--people", filepath.Join(folder, people), "--out",
			filepath.Join(t.TempDir(), "out"), "--fail-below", "alpha=1") // the message has all figures below 1
		if code == exitUsage || code == exitDone && want == 1 {
			continue
		}
		got := math.NaN()
		if m := belowOne.FindStringSubmatch(errs); m != nil {
			got, _ = strconv.ParseFloat(strings.Replace(m[1], "−", "-", 1), 64)
		}
		if code != exitGate || !(math.Abs(got-want) <= .0051) {
			t.Errorf("%s: exit %d, alpha %v, want %v: %s", pair, code, got, want, errs)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files { // each file with itself
		if _, known := rightAlpha[file.Name()+" "+file.Name()]; known {
			continue
		}
		path := filepath.Join(folder, file.Name())
		code, out, _ := compqa("validate", path, "--people", path, "--out", filepath.Join(t.TempDir(), "out"), "--fail-below", "alpha=-1")
		if code == exitDone {
			t.Errorf("%s with itself: the gate passes: %s", file.Name(), out)
		}
	}
}

// TestGateOnAllCriteria: --require yes fails if people lack a criterion of the judge, unless the flag names the other criteria. Rows of
// several criteria are not several records.
func TestGateOnAllCriteria(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	judge := "item,rater,criterion,value\n"
	people := "item,rater,criterion,value\n"
	for i := range 60 {
		judge += fmt.Sprintf("q%d,bot,clear,%d\nq%d,bot,tone,%d\n", i, i%5+1, i, i%4+1)
		people += fmt.Sprintf("q%d,Kim,clear,%d\nq%d,Lou,clear,%d\n", i, (i+i%7/6)%5+1, i, (i+i%8/7)%5+1)
	}
	log := filepath.Join(dir, "j.csv")
	labels := filepath.Join(dir, "p.csv")
	for path, text := range map[string]string{log: judge, labels: people} {
		err := os.WriteFile(path, []byte(text), 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"validate", log, "--people", labels, "--out", filepath.Join(dir, "out"), "--require"}
	code, out, errs := compqa(append(args, "yes", "--format", "junit")...)
	if code != exitGate || !strings.Contains(out, "tone is not compared") || !strings.Contains(errs, `--require "yes=clear"`) {
		t.Errorf("%d: %s%s", code, out, errs)
	}
	code, out, errs = compqa(append(args, "yes=clear")...)
	if code != exitDone || strings.Contains(out, "several records") || !strings.Contains(out, "60 of 60 records") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}
