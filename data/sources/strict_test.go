package sources

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"compqa/data"
)

// ownAnswersOf reads answers in this project's own format, which needs no questions.
func ownAnswersOf(t *testing.T, name, content string) ([]data.Answer, error) {
	t.Helper()
	answers, note, err := ReadAnswers(write(t, name, content), nil, Options{})
	if note != "" {
		t.Errorf("said of an own file: %s", note)
	}
	return answers, err
}

func anyAnswer(string) bool { return true }

func anyPair(id string) (data.Pair, bool) { return data.Pair{ID: id}, true }

// TestOwnAnswers checks answers in this project's own format: all fields, defaults, and the errors of wrong files.
func TestOwnAnswers(t *testing.T) {
	jsonl := `{"id": 1, "object1": "a", "object2": "b", "aspect": null, "text": "A is better.", "system": "s", "scenario": 3, "repeat": 2}
{"id": "x", "object1": "a", "object2": "b", "text": ""}
`
	answers, err := ownAnswersOf(t, "a.jsonl", jsonl)
	if err != nil {
		t.Fatal(err)
	}
	want := data.Answer{ID: "1", Question: "a | b", Object1: "a", Object2: "b", System: "s", Scenario: "3", Repeat: 2, Status: data.Valid, Text: "A is better."}
	if answers[0] != want {
		t.Errorf("got  %+v\nwant %+v", answers[0], want)
	}
	if a := answers[1]; a.Status != data.Valid || a.Text != "" || a.Scenario != data.NoScenario || a.Repeat != 1 {
		t.Errorf("an empty answer: %+v", a)
	}
	for content, want := range map[string]string{
		"id,object1,object2,text\n1,a,b,x\n1,a,c,y\n":       `a.csv:3: the answer "1" is also on line 2`,
		"id,object1,object2,text,repeat\n1,a,b,x,0\n":       "a.csv:2: repeat is 0",
		"id,object1,object2,txt\n1,a,b,x\n":                 `a.csv:1: unknown field "txt"; did you mean "text"?`,
		"id,object1,object2,text\n":                         "has no answers",
		"id,object1,object2\n1,a,b\n":                       "a.csv:1: there is no column \"text\"",
		"id,object1,object2,text\n1,a,b,\"open quote\n\n\n": "a.csv:",
	} {
		if _, err := ownAnswersOf(t, "a.csv", content); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

// TestOwnAnswersWithTables checks that an answer can have a table instead of a text.
func TestOwnAnswersWithTables(t *testing.T) {
	answers, err := ownAnswersOf(t, "a.jsonl", `{"id": "1", "object1": "a", "object2": "b", "table": {"rows": [{"attribute": "x", "kind": "contrast", "rank": 1, "object1": [], "object2": []}]}}`)
	if err != nil || answers[0].Table == nil || answers[0].Table.Rows[0].Attribute != "x" {
		t.Fatalf("%+v, %v", answers, err)
	}
	if _, err := ownAnswersOf(t, "a.jsonl", `{"id": "1", "object1": "a", "object2": "b", "table": {"row": []}}`); err == nil || !strings.Contains(err.Error(), "rows") {
		t.Error(err)
	}
	for table, want := range map[string]string{
		`{"rows": [{"attribute": " ", "kind": "contrast", "rank": 1, "object1": [], "object2": []}]}`:                                                                    "row 1: attribute is missing",
		`{"rows": [{"attribute": "x", "kind": "odd", "rank": 1, "object1": [], "object2": []}]}`:                                                                         `row 1: kind is "odd"`,
		`{"rows": [{"attribute": "x", "kind": "contrast", "rank": 2, "object1": [], "object2": []}]}`:                                                                    "rank is 2",
		`{"rows": [{"attribute": "x", "kind": "contrast", "rank": 1, "object1": [{"value": "", "evidence": []}], "object2": []}]}`:                                       "row 1, object1, value 1: value is missing",
		`{"rows": [{"attribute": "x", "kind": "contrast", "rank": 1, "object1": [], "object2": [{"value": "y", "evidence": [{"source": "1", "start": 4, "end": 2}]}]}]}`: "row 1, object2, value 1: evidence",
	} {
		if _, err := ownAnswersOf(t, "a.jsonl", "\n"+`{"id": "1", "object1": "a", "object2": "b", "table": `+table+`}`); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "a.jsonl:2: table: ") {
			t.Errorf("%s: %v, want %q", table, err, want)
		}
	}
}

// TestOwnVerdicts checks that verdicts are the same from a table and from JSON Lines, and the errors of wrong values.
func TestOwnVerdicts(t *testing.T) {
	ids := []string{"1", "2"}
	for name, content := range map[string]string{
		"v.csv":   "id,judge,status,c1,c2,total,reason\nx,human,valid,1,0.5,1.5,\ny,j,refused,,,,no\n",
		"v.jsonl": "{\"id\": \"x\", \"judge\": \"human\", \"status\": \"valid\", \"scores\": {\"1\": 1, \"2\": 0.5}, \"total\": 1.5}\n{\"id\": \"y\", \"judge\": \"j\", \"status\": \"refused\", \"scores\": {}, \"reason\": \"no\"}\n",
	} {
		verdicts, err := ReadVerdicts(write(t, name, content), ids, anyAnswer, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := verdicts.At(0); v.Scores["1"] != 1 || v.Scores["2"] != 0.5 || *v.Total != 1.5 || v.Status != data.Valid || v.Repeat != 1 {
			t.Errorf("%s: %+v", name, v)
		}
		if v := verdicts.At(1); v.Status != data.Refused || len(v.Scores) != 0 || v.Total != nil || v.Reason != "no" {
			t.Errorf("%s: %+v", name, v)
		}
	}
	for content, want := range map[string]string{
		"id,judge,c1,c2\nx,j,NaN,1\n":                       "v.csv:2: c1 is NaN; a number is needed",
		"id,judge,c1,c2\nx,j,1,one\n":                       "v.csv:2: c2 is one; a number is needed",
		"id,judge,c1,c3\nx,j,1,1\n":                         `v.csv:1: unknown field "c3"`,
		"id,judge,status,c1,c2\nx,j,vaild,1,1\n":            `v.csv:2: unknown status "vaild"`,
		"id,judge,c1,c2,total\nx,j,1,1,3\n":                 "v.csv:2: total is 3, but the scores add up to 2",
		"id,judge,c1,c2\nx,j,1,1\ny,j,1,1\nx,j,1,0\n":       "v.csv:4: duplicate verdict",
		"id,judge,scores,c1\nx,j,\"[]\",1\n":                "v.csv:2: scores is",
		"id,judge,scores\nx,j,\"{\"\"1\"\": \"\"a\"\"}\"\n": "v.csv:2: scores is",
	} {
		if _, err := ReadVerdicts(write(t, "v.csv", content), ids, anyAnswer, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func TestStatuses(t *testing.T) {
	for _, s := range append([]data.Status{""}, data.Statuses...) {
		verdicts, err := ReadVerdicts(write(t, "v.csv", "id,judge,status\nx,j,"+string(s)+"\n"), nil, anyAnswer, Options{})
		if want := cmp.Or(s, data.Valid); err != nil || verdicts.At(0).Status != want {
			t.Errorf("%q: %v, %v", s, verdicts, err)
		}
	}
}

// TestOwnPreferences checks that files of this project's own preferences have only known fields with values of the right kind. A status may
// replace the choice.
func TestOwnPreferences(t *testing.T) {
	for content, want := range map[string]string{
		"id,judge,choice\nx,j,maybe\n":               `p.csv:2: choice is "maybe"; it must be a, b or tie`,
		"id,judge,choice\nx,j,\n":                    "p.csv:2: choice is missing; it must be a, b or tie; if there is no choice, status says why",
		"id,judge,choice,status\nx,j,a,refused\n":    `p.csv:2: status is refused, but there is a choice, "a"`,
		"id,judge,choice,order\nx,j,a,abba\n":        `p.csv:2: order is "abba"; it must be ab or ba`,
		"id,judge,choice,vote\nx,j,a,b\n":            `p.csv:1: unknown field "vote"`,
		"id,judge,choice\n,j,a\n":                    "p.csv:2: id is missing",
		"id,judge,choice\nx,j,a\ny,j,a\nx,j,b\n":     `p.csv:4: a second choice of j on pair "x": the first is on line 2 (--repeats first or last`,
		"id,judge,choice,method\nx,j,a,m\nx,j,a,m\n": "p.csv:3: a second choice of j",
		"id,judge,choice\n":                          "has no preferences",
	} {
		_, _, _, err := ReadPreferences(write(t, "p.csv", content), anyPair, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
	const repeated = "id,judge,choice,order,method\nx,j,A,ba,m\nx,j,b,ba,m\nx,j,tie,ba,n\n"
	for rule, want := range map[string]string{RepeatsFirst: "a m, tie n", RepeatsLast: "b m, tie n"} {
		given, reading, note, err := ReadPreferences(write(t, "p.csv", repeated), anyPair, Options{Repeats: rule})
		got := strings.Join(data.Each(given, func(p data.Preference) string { return p.Choice + " " + p.Method }), ", ")
		if err != nil || reading != nil || note != "" || got != want {
			t.Errorf("%s: %s, want %s (%v, %s)", rule, got, want, err, note)
		}
	}
	find := func(id string) (data.Pair, bool) { return data.Pair{ID: "set-" + id}, id == "x" }
	if _, _, _, err := ReadPreferences(write(t, "p.csv", "id,judge,choice\ny,j,a\n"), find, Options{}); err == nil ||
		!strings.Contains(err.Error(), `p.csv:2: no pair has the id "y"`) {
		t.Error(err)
	}
}

// TestRepeatedOwnVerdicts checks which of several verdicts of a judge on an answer counts, or their mean, by the flag that the error names.
func TestRepeatedOwnVerdicts(t *testing.T) {
	const table = "id,judge,status,c1,c2,total\nx,j,valid,1,1,2\nx,j,refused,,,\nx,j,valid,3,,3\ny,j,valid,1,1,2\nx,j,valid,5,4,9\n"
	for rule, want := range map[string]string{
		"":           `v.csv:3: duplicate verdict of judge "j" on answer "x", repeat 1: it is also on line 2 (a column repeat tells them apart; --repeats`,
		RepeatsFirst: "x 1 1, y 1 1", RepeatsLast: "x 5 4, y 1 1", RepeatsMean: "x 3 2.5, y 1 1",
	} {
		verdicts, err := ReadVerdicts(write(t, "v.csv", table), []string{"1", "2"}, anyAnswer, Options{Repeats: rule})
		if rule == "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
			continue
		}
		var got []string
		for v := range verdicts.All() {
			got = append(got, fmt.Sprint(v.Answer, " ", v.Scores["1"], " ", v.Scores["2"]))
		}
		if err != nil || strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s (%v)", rule, got, want, err)
		}
	}
}

// TestOwnFilesReadBack checks that verdicts and preferences that this project writes, as JSON Lines and as tables, are read back unchanged.
func TestOwnFilesReadBack(t *testing.T) {
	total := 1.5
	verdicts := []data.Verdict{
		{Answer: "x", Judge: "human:ann", Status: data.Valid, Scores: data.Scores{"1": 1, "2": 0.5}, Total: &total, Reason: "so, \"well\"\nyes", Repeat: 1},
		{Answer: "x", Judge: "human:ann", Status: data.Partial, Scores: data.Scores{"2": 0.25}, Repeat: 2},
		{Answer: "=y", Judge: "gpt", Status: data.Unparsed, Scores: data.Scores{}, Raw: "no, points", Repeat: 1}}
	preferences := []data.Preference{
		{ID: "p", Judge: "human:ann", Method: "annotation", Order: "ba", Status: data.Valid, Choice: "a", Rationale: "so, \"well\"\nyes"},
		{ID: "p", Judge: "gpt", Method: "direct", Order: "ab", Status: data.Refused, Reason: "no"},
		{ID: "é", Judge: "gpt", Order: "ab", Status: data.Valid, Choice: "tie"}}
	number := func(x float64, given bool) string { return map[bool]string{true: fmt.Sprint(x)}[given] }
	rows := [][]string{{"id", "judge", "status", "c1", "c2", "total", "reason", "raw", "repeat"}}
	for _, v := range verdicts {
		one, has1 := v.Scores["1"]
		two, has2 := v.Scores["2"]
		sum := ""
		if v.Total != nil {
			sum = fmt.Sprint(*v.Total)
		}
		rows = append(rows, []string{data.GuardCell(v.Answer), v.Judge, string(v.Status), number(one, has1), number(two, has2), sum, v.Reason,
			v.Raw, fmt.Sprint(v.Repeat)})
	}
	for _, path := range []string{write(t, "v.jsonl", linesOf(t, verdicts)), write(t, "v.csv", tableOf(t, rows))} {
		list, err := ReadVerdicts(path, []string{"1", "2"}, anyAnswer, Options{})
		if err != nil || !reflect.DeepEqual(slices.Collect(list.All()), verdicts) {
			t.Errorf("%s: %v, %v", path, slices.Collect(list.All()), err)
		}
	}
	rows = [][]string{{"id", "judge", "method", "order", "status", "choice", "rationale", "reason"}}
	for _, p := range preferences {
		rows = append(rows, []string{p.ID, p.Judge, p.Method, p.Order, string(p.Status), p.Choice, p.Rationale, p.Reason})
	}
	for _, path := range []string{write(t, "p.jsonl", linesOf(t, preferences)), write(t, "p.csv", tableOf(t, rows))} {
		given, _, _, err := ReadPreferences(path, anyPair, Options{})
		if err != nil || !reflect.DeepEqual(given, preferences) {
			t.Errorf("%s: %+v, %v", path, given, err)
		}
	}
	want := data.Answer{ID: "=x", Question: "a | b", Object1: "a", Object2: "b", Aspect: " price", System: "s", Scenario: "3", Repeat: 2,
		Status: data.Valid, Text: " A, or\n\"b\" "}
	rows = [][]string{{"id", "object1", "object2", "aspect", "text", "system", "scenario", "repeat"},
		{data.GuardCell(want.ID), "a", "b", want.Aspect, want.Text, "s", "3", "2"}}
	if answers, err := ownAnswersOf(t, "a.csv", tableOf(t, rows)); err != nil || len(answers) != 1 || answers[0] != want {
		t.Errorf("%+v, %v", answers, err)
	}
}

// linesOf returns values as JSON Lines.
func linesOf[T any](t *testing.T, list []T) string {
	t.Helper()
	var text strings.Builder
	for _, value := range list {
		if err := json.NewEncoder(&text).Encode(value); err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// tableOf returns rows as CSV.
func tableOf(t *testing.T, rows [][]string) string {
	t.Helper()
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// FuzzOwnFiles passes each text to the readers of this project's own formats, as a table and as JSON Lines. No reader may panic, each error
// names the file, and what was read is complete and has finite numbers.
func FuzzOwnFiles(f *testing.F) {
	for _, seed := range []string{
		`{"id": "a", "object1": "x", "object2": "y", "text": "x is better", "system": "s", "repeat": 1}`,
		`{"id": "p", "judge": "j", "choice": "tie", "order": "ba", "repeat": 1e999}`, "id,judge,choice\np,j,a\n",
		`{"id": "x", "judge": "j", "scores": {"1": NaN, "2": -1e309}}`, `{"id": "x", "judge": "j", "scores": {"1": 1}}`,
		"id,judge,c1\nx,j,1\n", "id,object1,object2,text\na,x,y,\"t\"\n", "id\tjudge\n", "\xff\xfe", "[", "null", "",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"f.jsonl", "f.csv"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			verdicts, faultOfVerdicts := ReadVerdicts(path, []string{"1", "2"}, anyAnswer, Options{})
			for v := range verdicts.All() {
				for _, points := range v.Scores {
					if math.IsNaN(points) || math.IsInf(points, 0) {
						t.Errorf("points are no number: %+v", v)
					}
				}
				if v.Answer == "" || v.Judge == "" || v.Status == "" || v.Repeat < 1 {
					t.Errorf("incomplete: %+v", v)
				}
			}
			given, _, _, faultOfPreferences := ReadPreferences(path, anyPair, Options{})
			for _, p := range given {
				if p.Judge == "" || p.Order == "" || p.Status == data.Valid && p.Choice == "" {
					t.Errorf("incomplete: %+v", p)
				}
			}
			answers, _, faultOfAnswers := ReadAnswers(path, nil, Options{})
			for _, a := range answers {
				if a.ID == "" || a.Question == "" || a.Repeat < 1 {
					t.Errorf("incomplete: %+v", a)
				}
			}
			for _, err := range []error{faultOfVerdicts, faultOfPreferences, faultOfAnswers} {
				if err != nil && !strings.Contains(err.Error(), name) {
					t.Errorf("the error does not name the file: %v", err)
				}
			}
		}
	})
}
