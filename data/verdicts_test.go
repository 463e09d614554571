package data

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadAnswers(t *testing.T) {
	jsonl := `{"id": 1, "object1": "a", "object2": "b", "aspect": null, "text": "A is better.", "system": "s", "scenario": 3, "repeat": 2}
{"id": "x", "object1": "a", "object2": "b", "text": ""}
`
	answers, err := ReadAnswers(write(t, "a.jsonl", jsonl))
	if err != nil {
		t.Fatal(err)
	}
	want := Answer{ID: "1", Question: "a | b", Object1: "a", Object2: "b", System: "s", Scenario: "3", Repeat: 2, Status: Valid, Text: "A is better."}
	if answers[0] != want {
		t.Errorf("got  %+v\nwant %+v", answers[0], want)
	}
	if a := answers[1]; a.Status != Valid || a.Text != "" || a.Scenario != NoScenario || a.Repeat != 1 {
		t.Errorf("an empty answer: %+v", a)
	}
	for content, want := range map[string]string{
		"id,object1,object2,text\n1,a,b,x\n1,a,c,y\n":       `a.csv:3: duplicate id "1": it is also on line 2`,
		"id,object1,object2,text,repeat\n1,a,b,x,0\n":       "a.csv:2: repeat is 0",
		"id,object1,object2,txt\n1,a,b,x\n":                 `a.csv:1: unknown field "txt"; did you mean "text"?`,
		"id,object1,object2,text\n":                         "has no answers",
		"id,object1,object2\n1,a,b\n":                       "a.csv:1: there is no column \"text\"",
		"id,object1,object2,text\n1,a,b,\"open quote\n\n\n": "a.csv:",
	} {
		if _, err := ReadAnswers(write(t, "a.csv", content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func anyAnswer(string) bool { return true }

func TestReadVerdicts(t *testing.T) {
	ids := []string{"1", "2"}
	for name, content := range map[string]string{
		"v.csv":   "id,judge,status,c1,c2,total,reason\nx,human,valid,1,0.5,1.5,\ny,j,refused,,,,no\n",
		"v.jsonl": "{\"id\": \"x\", \"judge\": \"human\", \"status\": \"valid\", \"scores\": {\"1\": 1, \"2\": 0.5}, \"total\": 1.5}\n{\"id\": \"y\", \"judge\": \"j\", \"status\": \"refused\", \"scores\": {}, \"reason\": \"no\"}\n",
	} {
		verdicts, err := ReadVerdicts(write(t, name, content), ids, anyAnswer)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v := verdicts.At(0); v.Scores["1"] != 1 || v.Scores["2"] != 0.5 || *v.Total != 1.5 || v.Status != Valid || v.Repeat != 1 {
			t.Errorf("%s: %+v", name, v)
		}
		if v := verdicts.At(1); v.Status != Refused || len(v.Scores) != 0 || v.Total != nil || v.Reason != "no" {
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
		if _, err := ReadVerdicts(write(t, "v.csv", content), ids, anyAnswer); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

func FuzzReadVerdicts(f *testing.F) {
	f.Add([]byte(`{"id": "x", "judge": "j", "scores": {"1": 1}}`))
	f.Add([]byte("id,judge,c1\nx,j,1\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"v.jsonl", "v.csv"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			verdicts, _ := ReadVerdicts(path, []string{"1"}, anyAnswer)
			for v := range verdicts.All() {
				if v.Answer == "" || v.Judge == "" || v.Status == "" || v.Repeat < 1 {
					t.Errorf("incomplete: %+v", v)
				}
			}
		}
	})
}

func TestStatuses(t *testing.T) {
	for _, s := range append([]Status{""}, Statuses...) {
		verdicts, err := ReadVerdicts(write(t, "v.csv", "id,judge,status\nx,j,"+string(s)+"\n"), nil, anyAnswer)
		if want := Status(cmp.Or(string(s), string(Valid))); err != nil || verdicts.At(0).Status != want {
			t.Errorf("%q: %v, %v", s, verdicts, err)
		}
	}
}

func TestPairKey(t *testing.T) {
	if a, b := PairKey("Honda  CR-V", "toyota RAV4 "), PairKey("Toyota RAV4", "honda cr-v"); a != b {
		t.Errorf("%q and %q are one pair", a, b)
	}
	if a, b := PairKey("a b", "c"), PairKey("a", "b c"); a == b {
		t.Errorf("two pairs share the key %q", a)
	}
}

func TestNearest(t *testing.T) {
	names := []string{"dataset", "models", "judges"}
	for typed, want := range map[string]string{"datset": "dataset", "model": "models", "JUDGES": "judges", "xyz": "", "": ""} {
		if got := Nearest(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}

// A list of verdicts gives back what was added: without scores, with none, with gaps, with a criterion that came later.
func TestVerdictList(t *testing.T) {
	total := 1.5
	all := []Verdict{{Answer: "a", Judge: "j", Status: Valid, Scores: Scores{"1": 1}, Total: &total, Reason: "why", Repeat: 1},
		{Answer: "a", Judge: "human", Scores: Scores{}}, {Answer: "b", Judge: "j", Raw: "text", Status: Unparsed},
		{Answer: "b", Judge: "human:2", Scores: Scores{"2": 0, "1": -1.25}, Repeat: 2}, {Answer: "c", Judge: "j", Scores: Scores{"2": 3}}}
	list := Verdicts(all...)
	for i, v := range all {
		if !reflect.DeepEqual(list.At(i), v) {
			t.Errorf("%d: %+v, want %+v", i, list.At(i), v)
		}
	}
	list.Rename(func(judge string) string { return strings.TrimSuffix(judge, ":2") })
	if got := list.Judges(); !slices.Equal(got, []string{"j", "human"}) || list.At(3).Judge != "human" {
		t.Errorf("judges %v, of the fourth verdict %s", got, list.At(3).Judge)
	}
	if !list.Scored("2") || list.Scored("3") || new(VerdictList).Len() != 0 || list.Key(3) != (VerdictKey{"human", "b", 2}) || (*VerdictList)(nil).Judges() != nil {
		t.Error("criteria, or an empty list")
	}
}

// With more different points than a byte holds, those before keep theirs; a long text among short ones stays whole.
func TestVerdictListOfManyValues(t *testing.T) {
	list, many := &VerdictList{}, 600
	verdict := func(i int) Verdict {
		v := Verdict{Answer: "a", Judge: "j", Scores: Scores{"1": float64(i) / 8}, Reason: strings.Repeat("why ", i*i%7*5000), Raw: "r"}
		if i%3 == 0 {
			v.Scores["2"] = float64(i)
		}
		return v
	}
	for i := range many {
		list.Add(verdict(i))
	}
	for i := range many {
		if !reflect.DeepEqual(list.At(i), verdict(i)) {
			t.Fatalf("%d: %v, want %v", i, list.At(i).Scores, verdict(i).Scores)
		}
	}
}

// The points of Scores are those of encoding/json.
// TestScoresRead: scores are read as encoding/json reads them, also into some that are there.
func TestScoresRead(t *testing.T) {
	for _, text := range []string{`{"1":1,"2":0.5}`, `{}`, `null`, `{"1":null,"2":3}`, `{"1":"x"}`, `{"1":1,"1":2}`, `{"a\u0062":1}`, "{\"\xff\":1}",
		`{"1":1e999}`, `{"1":-0.0, "2" : 12345678901234567890}`, `[1]`, `{"1":{"2":3}}`, `{"1":true}`, `{"1":1`, ` {"1":1} `} {
		for _, before := range []Scores{nil, {"9": 9}} {
			got, want := maps.Clone(before), maps.Clone(map[string]float64(before))
			err, wanted := json.Unmarshal([]byte(text), &got), json.Unmarshal([]byte(text), &want)
			if (err == nil) != (wanted == nil) || err == nil && (!maps.Equal(got, want) || (got == nil) != (want == nil)) {
				t.Errorf("%s over %v: %v (%v), not %v (%v)", text, before, got, err, want, wanted)
			}
		}
	}
}

func TestScoresJSON(t *testing.T) {
	for _, x := range []float64{0, math.Copysign(0, -1), 1, -3, 0.5, 1e9, 1e21, 1e-7, 123456789012, -2.25} {
		got, err := json.Marshal(Scores{"10": x, "9": 1, "<é\n": x})
		number, _ := json.Marshal(x)
		if want := fmt.Sprintf(`{"9":1,"10":%s,"\u003cé\n":%s}`, number, number); err != nil || string(got) != want {
			t.Errorf("%v: %s, %v; want %s", x, got, err, want)
		}
	}
}
