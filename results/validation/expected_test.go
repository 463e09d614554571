package validation

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/stats"
)

// An expected has the structure of ../shared/data/harness-logs/expected.json, whose figures come from independent code (krippendorff,
// scipy, scikit-learn).
type expected struct {
	Coverage []struct {
		Judge, People, Join string
		Items               int      `json:"people_items"`
		Joined              int      `json:"people_items_joined"`
		Unmatched           []string `json:"people_items_unmatched"`
		Records             int      `json:"judge_records"`
		RecordsJoined       int      `json:"judge_records_joined"`
		Several             int      `json:"people_items_with_several_judge_records"`
	}
	People map[string]struct {
		Values int      `json:"values_read"`
		Same   int      `json:"repeated_same_value"`
		Other  int      `json:"repeated_other_value_first_kept"`
		Items  int      `json:"items"`
		Names  []string `json:"annotators"`
	} `json:"people_files"`
	Results []struct {
		Judge, People, Kind, Join string
		JudgeCriterion            string `json:"judge_criterion"`
		PeopleCriterion           string `json:"people_criterion"`
		JudgeValue                string `json:"judge_value"`
		Each                      map[string]map[string]*float64
		Mean                      map[string]*float64 `json:"mean_of_people"`
		Majority                  map[string]*float64 `json:"binary_vs_majority"`
		All                       *float64            `json:"alpha_interval_judge_and_all_people"`
		Among                     *float64            `json:"alpha_interval_people_only"`
		Confusion                 map[string]int      `json:"confusion_people_x_judge_pooled"`
	}
	Pairwise []struct {
		File      string
		Anna, Ben map[string]*float64
	}
}

func rowsOf(p *Pairing) []Row {
	p.compute()
	return p.Rows
}

// judgeFiles has the files of each judge in expected.json, as patterns.
var judgeFiles = map[string]string{
	"inspect_ai .eval epoch 1": "inspect_ai/*.eval", "inspect_ai .eval both epochs": "inspect_ai/*.eval",
	"promptfoo results.json": "promptfoo/results.json", "promptfoo results18.json": "promptfoo/results18.json",
	"lm_eval samples": "lm_eval/*/samples_*.jsonl", "deepeval test_run": "deepeval/test_run*.json", "ragas results.csv": "ragas/results.csv",
	"mlflow traces.json LLM_JUDGE": "mlflow/traces.json",
}

var peopleFiles = map[string]string{
	"wide.csv by id": "people/wide.csv", "wide.csv by text": "people/wide.csv", "long.csv": "people/long.csv", "excel.csv": "people/excel.csv",
	"labelstudio export.json (rating-1; cancelled left out)": "labelstudio/export.json",
	"argilla records_flat.json (submitted only)":             "argilla/records_flat.json",
	"mlflow traces.json HUMAN":                               "mlflow/traces.json",
}

// excelNames has the column of excel.csv for each criterion.
var excelNames = map[string]string{"correct": "Richtig (0-2)", "complete": "Vollständig (0-2)", "polite": "Höflich", "concise": "Knapp", "overall": "Gesamt", "score": "Punkte (0-1)"}

// readBefore caches logs that were read, by file and side.
var readBefore = map[string]*sources.Log{}

func readOnce(t *testing.T, file string, o sources.Options) *sources.Log {
	t.Helper()
	key := fmt.Sprint(file, o.People)
	if readBefore[key] == nil {
		log, err := sources.Read(file, o)
		if err != nil {
			t.Fatal(err)
		}
		readBefore[key] = log
	}
	copied := *readBefore[key]
	copied.Items, copied.Values = slices.Clone(copied.Items), copied.Values.CloneColumns()
	return &copied
}

func readAll(t *testing.T, folder, judge, people string) (logs []*sources.Log, scores *sources.Log) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, judgeFiles[judge]))
	if len(files) == 0 {
		t.Fatalf("no files of %s", judge)
	}
	for _, file := range files {
		log := readOnce(t, file, sources.Options{})
		if strings.HasSuffix(judge, "epoch 1") { // as the counts of expected.json
			log = firstEpoch(log)
		}
		logs = append(logs, log)
	}
	return logs, readOnce(t, filepath.Join(folder, peopleFiles[people]), sources.Options{People: true, Names: []string{"correct", "polite"}})
}

func firstEpoch(log *sources.Log) *sources.Log {
	first := *log
	first.Items = nil
	first.Values = data.Judgements{}
	at := map[int32]int32{}
	for i, item := range log.Items {
		if item.About().Repeat <= 1 {
			at[int32(i)] = int32(len(first.Items))
			first.Items = append(first.Items, item)
		}
	}
	for _, s := range log.Values.All() {
		if to, ok := at[s.Item]; ok {
			s.Item = to
			first.Values.Add(s)
		}
	}
	return &first
}

func readExpected(t *testing.T) (folder string, e expected) {
	folder = sharedtest.Path(t, "data", "harness-logs")
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder, e
}

// checked counts the figures that were compared.
var checked int

func equal(t *testing.T, what string, got stats.Figure, of *float64) {
	t.Helper()
	checked++
	if of == nil { // undefined
		if got.Known {
			t.Errorf("%s is %s, want none", what, got.Text(7))
		}
		return
	}
	want := *of
	if !got.Known || math.Abs(got.Value-want) > 5.01e-7 {
		t.Errorf("%s is %s, want %v", what, got.Text(7), want)
	}
}

// TestExpectedFigures compares every figure of expected.json, for each file of a tool and each file of people.
func TestExpectedFigures(t *testing.T) {
	folder, e := readExpected(t)
	checked = 0
	defer func() {
		if t.Logf("%d figures of %d comparisons", checked, len(e.Results)); checked < leastChecked {
			t.Errorf("%d figures were compared, want %d", checked, leastChecked)
		}
	}()
	for _, r := range e.Results {
		logs, people := readAll(t, folder, r.Judge, r.People)
		o := Options{Join: r.Join, Pairs: map[string]string{}, Scales: map[string]string{}, Thresholds: map[string]float64{}, EpochsMean: r.JudgeValue != "as is"}
		name, threshold, cut := strings.Cut(r.PeopleCriterion, ">=")
		if r.People == "excel.csv" {
			name = excelNames[name]
		}
		o.Pairs[r.JudgeCriterion] = name
		if cut {
			o.Thresholds[name], _ = strconv.ParseFloat(threshold, 64)
		}
		if strings.HasPrefix(r.People, "labelstudio") && strings.Contains("correct", name) { // ratings 1 to 3 stand for 0 to 2
			for i, s := range people.Values.All() {
				if s.ID == "correct" {
					n, _ := strconv.Atoi(s.Value)
					s.Value = strconv.Itoa(n - 1)
					people.Values.Set(i, s)
				}
			}
		}
		switch {
		case r.JudgeCriterion == "model_graded_qa" || r.JudgeCriterion == "quality_0_10":
			o.MapLinear = true
		case strings.HasPrefix(r.JudgeCriterion, "Correctness [GEval].score"):
			o.Scales["judge."+r.JudgeCriterion] = "0..2" // expected.json compares the numbers as they are
			o.Scales["people."+name] = "0..2"
		}
		what := fmt.Sprintf("%s %s on %s %s", r.Judge, r.JudgeCriterion, r.People, name)
		s, err := studyOf(sources.Together(logs...), people, o)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		pairings, _, err := s.Pairings()
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, p := range pairings {
			if p.Criterion != r.JudgeCriterion {
				continue
			}
			for _, row := range rowsOf(p) {
				of := what + " " + row.Reference
				switch want := r.Each[row.Reference]; {
				case want != nil:
					checkFigures(t, of, row, want)
				case row.Reference == Mean:
					checkFigures(t, of, row, r.Mean)
				case row.Reference == Majority && r.Majority != nil:
					checkFigures(t, of, row, r.Majority)
					if float64(p.ties) != *r.Majority["ties_left_out"] {
						t.Errorf("%s: %d ties left out, want %v", of, p.ties, r.Majority["ties_left_out"])
					}
				case row.Reference == All && r.All != nil:
					equal(t, of+" alpha", row.Alpha.Point(), r.All)
				case row.Reference == Among && r.Among != nil:
					equal(t, of+" alpha", row.Alpha.Point(), r.Among)
				}
			}
			if r.Confusion != nil {
				got := map[string]int{}
				for _, c := range p.confusion() {
					got[c.People+","+c.Judged] = c.Count
				}
				if len(got) != len(r.Confusion) || fmt.Sprint(got) != fmt.Sprint(r.Confusion) {
					t.Errorf("%s: confusion %v, want %v", what, got, r.Confusion)
				}
			}
		}
	}
}

// checkFigures compares the figures of a row with the wanted ones, by their names in expected.json.
func checkFigures(t *testing.T, what string, row Row, want map[string]*float64) {
	t.Helper()
	for name, v := range want {
		switch name {
		case "n":
			equal(t, what+" n", stats.Count(row.N), v)
		case "exact_agreement", "agreement":
			equal(t, what+" agreement", row.Agreement.Point(), v)
		case "cohen_kappa":
			equal(t, what+" kappa", row.Kappa.Point(), v)
		case "cohen_kappa_quadratic":
			equal(t, what+" quadratic kappa", row.Weighted.Point(), v)
		case "alpha_interval":
			equal(t, what+" alpha", row.Alpha.Point(), v)
		case "spearman":
			equal(t, what+" spearman", row.Spearman.Point(), v)
		case "tpr":
			equal(t, what+" tpr", row.TPR.Point(), v)
		case "tnr":
			equal(t, what+" tnr", row.TNR.Point(), v)
		case "precision":
			equal(t, what+" precision", row.Precision.Point(), v)
		}
	}
}

// leastChecked is the number of figures of expected.json that TestExpectedFigures compares.
const leastChecked = 2214

// TestExpectedJoins compares how many items and records are matched, unmatched and repeated.
func TestExpectedJoins(t *testing.T) {
	folder, e := readExpected(t)
	for _, c := range e.Coverage {
		logs, people := readAll(t, folder, c.Judge, c.People)
		s, err := studyOf(sources.Together(logs...), people, Options{Join: c.Join})
		if err != nil {
			t.Errorf("%s on %s: %v", c.Judge, c.People, err)
			continue
		}
		j := s.Join
		if j.Items != c.Items || j.Joined != c.Joined || j.Records != c.Records || j.Matched != c.RecordsJoined || j.Several != c.Several {
			t.Errorf("%s on %s: %+v, want %+v", c.Judge, c.People, j, c)
		}
		of := e.People[c.People]
		values := j.Same + j.Other
		names := map[string]bool{}
		for _, p := range s.People {
			if p.ID != "flags" {
				values += len(valuesIn(false, false, p))
			}
			names[p.Rater.Name] = true
		}
		if values != of.Values || j.Same != of.Same || j.Other != of.Other || len(names) != len(of.Names) {
			t.Errorf("%s: %d values, %d and %d repeated, %v; want %+v", c.People, values, j.Same, j.Other, names, of)
		}
		for _, name := range of.Names {
			if !names[name] {
				t.Errorf("%s: no annotator %q in %v", c.People, name, names)
			}
		}
	}
}

// TestExpectedPreferences compares a judge of pairs with people's choices.
func TestExpectedPreferences(t *testing.T) {
	folder, e := readExpected(t)
	for _, want := range e.Pairwise {
		log, err := sources.Read(filepath.Join(folder, want.File), sources.Options{})
		if err != nil {
			t.Fatal(err)
		}
		people, err := sources.Read(filepath.Join(folder, "people", "pairs.csv"), sources.Options{People: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := studyOf(log, people, Options{})
		if err != nil {
			t.Fatal(err)
		}
		pairings, _, err := s.Pairings()
		if err != nil || len(pairings) != 1 {
			t.Fatalf("%d pairings, %v", len(pairings), err)
		}
		rows := rowsOf(pairings[0])
		for i, of := range []map[string]*float64{want.Anna, want.Ben} {
			checkFigures(t, want.File+" "+rows[i].Reference, rows[i], of)
		}
	}
}

// TestEveryFile reads every file of a tool. The file has scores, or the error says what to use instead. Files of the same evaluation have
// the same scores.
func TestEveryFile(t *testing.T) {
	folder := sharedtest.Path(t, "data", "harness-logs")
	refused := map[string]string{"promptfoo/results.csv": "write JSON", "promptfoo/results18.csv": "write JSON", "mlflow/eval_result_df.csv": "write the traces"}
	equals := map[string]string{"promptfoo/results.jsonl": "promptfoo/results.json", "promptfoo/results18.jsonl": "promptfoo/results18.json",
		"ragas/results.jsonl": "ragas/results.csv", "labelstudio/export.min.json": "labelstudio/export.json",
		"labelstudio/export.csv": "labelstudio/export.json", "deepeval/evaluate_result.json": "deepeval/test_run_*.json"}
	files := 0
	read := 0
	summary := func(file string) string {
		for i, people := range []bool{false, true} {
			log, err := sources.Read(file, sources.Options{People: people})
			if err != nil {
				return err.Error()
			}
			if log.Values.Len() == 0 {
				continue
			}
			count := map[string]int{}
			for _, s := range log.Values.All() {
				if !s.Extra {
					count[s.ID+" "+strings.TrimSuffix(s.Value, ".0")]++
				}
			}
			return fmt.Sprint(i, " ", log.Values.Len(), " ", count)
		}
		return "no scores"
	}
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		name, _ := filepath.Rel(folder, path)
		top, _, inFolder := strings.Cut(name, "/")
		if err != nil || d.IsDir() || !inFolder || top == "config" || strings.HasSuffix(name, "settings.json") || slices.Contains([]string{"leaderboard.csv", "metrics.json"}, d.Name()) ||
			strings.Contains(d.Name(), "results_20") || strings.Contains(d.Name(), "_outputs_") {
			return err
		}
		files++
		got := summary(path)
		switch {
		case refused[name] != "":
			if !strings.Contains(got, refused[name]) {
				t.Errorf("%s: %s", name, got)
			}
		case equals[name] != "":
			names, _ := filepath.Glob(filepath.Join(folder, equals[name]))
			if want := summary(names[0]); got != want {
				t.Errorf("%s:\n%s\nand %s:\n%s", name, got, equals[name], want)
			}
			read++
		case !strings.HasPrefix(got, "0 ") && !strings.HasPrefix(got, "1 "):
			t.Errorf("%s: %s", name, got)
		default:
			read++
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatal(files, err)
	}
	t.Logf("%d files, %d with scores, %d refused", files, read, len(refused))
}
