package report_test

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sources"
	"compqa/results/dataset"
	"compqa/results/judgequality"
	"compqa/results/recordtest"
	"compqa/results/report"
	"compqa/results/store"
	"compqa/results/table"
	"compqa/results/validation"
	"compqa/rubric"
)

// A signedColumn is a column whose sign says which side is larger. Its cells are in the rows that have the values of where. If the first
// operand is raised by a constant, the cells must be positive, and negative if it is lowered.
type signedColumn struct {
	column string
	where  map[string]string
	always bool // the fixture makes the first operand larger, so the cells are always positive
}

var ofJudge = map[string]string{"judge": "shifted"}

// signed has, by file, the signed columns of the tables of a record or of a validation of two raters.
var signed = map[string][]signedColumn{
	"comparisons.csv":  {{column: "difference", where: map[string]string{"judge": "gpt-flat", "system_a": "gpt", "scenario": "1"}}},
	"agreement.csv":    {{column: "mean_difference", where: map[string]string{"judge": "shifted", "level": "final"}}},
	"leniency.csv":     {{column: "mean_difference", where: ofJudge}},
	"human_points.csv": {{column: "bias", where: ofJudge}},
	"judges.csv": {{column: "bias", where: ofJudge}, {column: "leniency", where: ofJudge},
		{column: "family_preference_people", where: map[string]string{"judge": "gpt-flat"}},
		{column: "length_bias", where: map[string]string{"judge": "gpt-flat"}}},
	"wordings.csv": {{column: "difference", where: ofJudge}},
	"shots.csv":    {{column: "mean_difference", where: ofJudge}},
	"floors.csv": {{column: "alpha_interval_difference", where: map[string]string{"judge": "gpt-flat", "level": "final"}, always: true},
		{column: "spearman_difference", where: map[string]string{"judge": "gpt-flat", "level": "final", "floor": "shuffled:gpt-flat"}, always: true},
		{column: "pearson_difference", where: map[string]string{"judge": "gpt-flat", "level": "final", "floor": "shuffled:gpt-flat"}, always: true}},
	"halo.csv":       {{column: "halo", where: map[string]string{"judge": "gpt-flat"}, always: true}},
	"datasheets.csv": {{column: "change"}},
	"validation.csv": {{column: "mean_difference", where: ofJudge}, {column: "length_bias", where: map[string]string{"judge": "gpt-flat"}},
		{column: "family_bias", where: map[string]string{"judge": "gpt-flat"}}},
	"systems.csv":     {{column: "bias", where: ofJudge}},
	"differences.csv": {{column: "difference", where: map[string]string{"judge": "shifted", "system_a": "llama", "system_b": "yi"}, always: true}},
	"slices.csv":      {{column: "mean_difference", where: ofJudge}},
	"drift.csv":       {{column: "of_judge", where: ofJudge}, {column: "change", where: ofJudge}, {column: "of_answers", where: map[string]string{"judge": "gpt-flat"}, always: true}},
}

// signedElsewhere names the test that checks the sign of each other signed column.
var signedElsewhere = map[string]string{
	"pairwise_comparisons.csv difference": "TestPairwiseComparisons of results/preferences",
	"pairwise_injection.csv lost":         "pairwise.txtar of bench: an accuracy of 0.5 that falls to 0",
	"any_time.csv figure":                 "TestLooks of results/validation",
	"severity.csv severity":               "TestSeverities of results/trust",
	"moved.csv judge_change":              "TestLooks of results/validation",
	"moved.csv anchors_change":            "TestLooks of results/validation",
	"human_study.csv gain":                "study_test.go of web/annotate",
	"validation.csv difference":           "TestSignOfDifference of results/trust",
	"trained.csv difference":              "TestCompareSign of results/train",
	"table2.csv … table5.csv difference":  "TestReproduceCellsOfAPartialRelease of results/paper",
	"cocotrip.csv rouge1_gap":             "TestSoakCoCoTrip of bench: gold rows are nearer to their own hotel",
	"surface_systems.csv bias":            "TestSoakLeftOutSystems of bench",
	"scenarios.csv difference":            "TestScenarioSection of results/report",
	"aspects.csv difference":              "TestAspects of results/report",
	"aspects.csv beyond_people":           "TestAspects of results/report",
}

// TestSigns checks that the signed columns are positive if their first operand is larger.
func TestSigns(t *testing.T) {
	up := signedTables(t, 1)
	down := signedTables(t, -1)
	for file, columns := range signed {
		for _, c := range columns {
			for shift, tables := range map[float64]string{1: up, -1: down} {
				values := cells(t, filepath.Join(tables, file), c)
				if len(values) == 0 {
					t.Errorf("%s has no %s where %v", file, c.column, c.where)
				}
				for _, v := range values {
					if c.always && v <= 0 || !c.always && v*shift <= 0 {
						t.Errorf("%s: %s is %v where %v and the first operand is shifted by %v", file, c.column, v, c.where, shift)
					}
				}
			}
		}
	}
}

// difference matches the description of a column that has a sign.
var difference = regexp.MustCompile(`^[^(]* (minus|less that) |^(change|mean change) |difference of (rho|r|the two) |accuracy lost|how much more`)

// TestSignedColumns checks that each column that columns.md describes as a difference is in signed or in signedElsewhere.
func TestSignedColumns(t *testing.T) {
	for _, d := range report.Tables() {
		for _, m := range d.Columns {
			tested := slices.ContainsFunc(signed[d.File], func(c signedColumn) bool { return c.column == m.Column })
			if difference.MatchString(m.Means) && !tested && signedElsewhere[d.File+" "+m.Column] == "" {
				t.Errorf("no test looks at the sign of %s of %s: %s", m.Column, d.File, m.Means)
			}
		}
	}
}

// cells returns the numbers of a column, in the rows that c selects.
func cells(t *testing.T, path string, c signedColumn) (values []float64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows[1:] {
		in := true
		for column, value := range c.where {
			in = in && row[slices.Index(rows[0], column)] == value
		}
		if text := row[slices.Index(rows[0], c.column)]; in && text != "" {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
		}
	}
	return values
}

// signedTables writes the tables of a record and of a validation. The judge "shifted" shifts all of people's values. "gpt-flat" does so
// only for the system gpt, whose answers are longer.
func signedTables(t *testing.T, shift float64) (tables string) {
	t.Helper()
	x := signedRecord(t, shift)
	of, err := report.Compute(x)
	if err != nil {
		t.Fatal(err)
	}
	tables = t.TempDir()
	if err := of.Write(t.TempDir(), tables); err != nil {
		t.Fatal(err)
	}
	files := map[string]func(io.Writer) error{}
	o := validation.Options{Columns: []string{"topic"}, Scales: map[string]string{"score": "0..6"}}
	now := signedLog(t, shift, 1)
	people := signedLog(t, 0, 0)
	study, err := validation.NewStudy(now.Clone(), people, o) // a study takes the values of its logs
	if err != nil {
		t.Fatal(err)
	}
	result, err := study.Compute(now, signedLog(t, 0, 2))
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(files, result.Catalogue().Files())
	var attacked []store.AttackedAnswer
	for i := range 12 {
		more := float64(1 + i%2)
		attacked = append(attacked, store.AttackedAnswer{Judge: "j", Attack: "a", Pair: fmt.Sprint(i), Before: 3, After: 3 + shift*more})
	}
	attacks, err := judgequality.AttackRows(attacked, 19)
	if err != nil {
		t.Fatal(err)
	}
	files["datasheets.csv"] = table.CSV(attacks)
	if err := table.WriteFiles(tables, files); err != nil {
		t.Fatal(err)
	}
	return tables
}

var signedSystems = []string{"gpt", "llama", "mixtral", "yi"}

const signedQuestions = 27

// points returns what people give on a criterion: 2 or 3 on a scale from 0 to 6. The criteria are independent of each other.
func points(question, criterion int) float64 {
	return float64(2 + question/[]int{1, 3, 9}[criterion]%3%2)
}

// signedRecord has the judges shifted and theirs (asked in the authors' words), and gpt-flat, which follows people's totals but gives the
// system gpt more or less.
func signedRecord(t *testing.T, shift float64) *dataset.Dataset {
	t.Helper()
	r := rubric.Rubric{Name: "r", Measurement: "interval", Step: 0.5}
	for _, id := range []string{"a", "b", "c"} {
		r.Criteria = append(r.Criteria, rubric.Criterion{ID: id, Group: id, Name: id, Text: id,
			Levels: []rubric.Level{{Points: 0}, {Points: 6}}})
	}
	f := recordtest.Fixture{Rubric: r, Seed: 1, Sizes: map[string]store.Size{}, Config: `{"judges": [
		{"name": "shifted", "provider": "p", "model": "m", "examples": 2}, {"name": "gpt-flat", "provider": "p", "model": "n", "family": "gpt"},
		{"name": "shots", "provider": "p", "model": "m", "examples": 0},
		{"name": "theirs", "provider": "p", "model": "m", "template": "release"}]}`}
	for _, judge := range []string{"shifted", "gpt-flat", "theirs", "shots", "constant", "human"} {
		kind := cmp.Or(map[string]string{"human": dataset.KindHuman, "constant": dataset.KindFloor}[judge], "model")
		f.Judges = append(f.Judges, store.Participant{Name: judge, Kind: kind, Family: map[string]string{"gpt-flat": "gpt"}[judge]})
	}
	for _, system := range signedSystems {
		f.Systems = append(f.Systems, store.Participant{Name: system, Kind: "model", Family: system})
		for i := range signedQuestions {
			q := fmt.Sprintf("o%02d", i)
			a := data.Answer{ID: data.AnswerID(system, "1", q, 1), Question: q, Object1: q, Object2: "z", System: system, Scenario: "1",
				Repeat: 1, Status: data.Valid, Text: system + q}
			f.Answers = append(f.Answers, a)
			f.Sizes[a.ID] = store.Size{Words: (20 + i%3) * (1 + int(dataset.Indicator(system == "gpt"))), Sentences: 2}
			total := points(i, 0) + points(i, 1) + points(i, 2)
			for _, judge := range f.Judges {
				scores := data.Scores{}
				for c, criterion := range r.Criteria {
					v := points(i, c)
					switch judge.Name {
					case "shifted":
						v += shift * (0.5 + 0.5*float64(i%2))
					case "shots":
						v += shift / 2
					case "constant":
						v = 6
					case "gpt-flat":
						if v = math.Round(total*2/3) / 2; system == "gpt" {
							v += shift * (1 + 0.5*float64(i%2))
						}
					}
					scores[criterion.ID] = v
				}
				f.Verdicts = append(f.Verdicts, data.Verdict{Answer: a.ID, Judge: judge.Name, Repeat: 1, Scores: scores})
			}
		}
	}
	return f.Dataset(t)
}

// signedLog returns the values of people (of = 0), of the judges now (1), or of the judges in an older log (2), where one of three items
// has another, worse text. The system yi is worse than the others.
func signedLog(t *testing.T, shift float64, of int) *sources.Log {
	t.Helper()
	log := &sources.Log{Path: "log"}
	shifted := data.Series{Rater: &data.Rater{Name: "shifted", Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
	flat := data.Series{Rater: &data.Rater{Name: "gpt-flat", Kind: data.KindJudge}, Measured: &data.Measured{ID: "score"}}
	person := data.Series{Rater: &data.Rater{Name: "anna", Kind: data.KindPerson}, Measured: &data.Measured{ID: "score"}}
	for _, system := range signedSystems {
		for i := range signedQuestions {
			long := map[bool]int{true: 2, false: 1}[system == "gpt"]
			text := strings.Repeat(fmt.Sprintf("%s answers %d times. ", system, i), long*(2+i%3))
			value := float64(2 + i%3)
			if system == "yi" {
				value -= 0.5 + 0.5*float64(i%2)
			}
			if of == 2 && i%3 == 0 {
				text = "Before: " + text
				value--
			}
			n := int32(len(log.Items))
			log.Items = append(log.Items, sources.Item{ID: fmt.Sprint(system, i), Question: fmt.Sprint("Which, ", i, "?"), Text: text}.With(
				sources.About{System: system, Columns: []string{[]string{"cars", "phones"}[i%2]}}))
			add := func(series data.Series, v float64) {
				log.Values.Add(data.Rating{Series: series, Item: n, Value: fmt.Sprint(v)})
			}
			if of == 0 {
				add(person, value)
				continue
			}
			add(shifted, value+shift*(0.5+0.5*float64(i%2)))
			if system == "gpt" {
				value += shift * (0.5 + 0.5*float64(i%2))
			}
			add(flat, value)
		}
	}
	return log
}
