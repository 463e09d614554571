package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func writeTemp(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestReadPairs checks pairs from JSON Lines and CSV: defaults, clusters, comparative questions and empty answers.
func TestReadPairs(t *testing.T) {
	jsonl := `{"id": 1, "question": "Q?", "a": "x", "b": "y", "label": "A", "cluster": "c", "domain": "d"}
{"id": "2", "question": "Tea or coffee?", "a": "x", "b": "y", "object1": "tea", "object2": "coffee", "system_a": "s", "system_b": "t"}
{"id": "3", "question": " tea  OR coffee?", "a": "x", "b": "y", "label": "tie"}
`
	pairs, err := ReadPairs(writeTemp(t, "pairs.jsonl", jsonl))
	if err != nil || len(pairs) != 3 {
		t.Fatalf("%v, %v", pairs, err)
	}
	if p := pairs[0]; p.ID != "1" || p.Label != ChoiceA || p.Cluster != "c" || p.Domain != "d" {
		t.Errorf("%+v", p)
	}
	if pairs[1].Label != NoChoice || pairs[1].Cluster != pairs[2].Cluster || pairs[1].Cluster == "" {
		t.Errorf("pairs with one question are not one cluster: %+v, %+v", pairs[1], pairs[2])
	}
	if q, ok := pairs[1].Comparative(); !ok || q.Object2 != "coffee" || q.Pair() != "coffee | tea" {
		t.Errorf("%+v, %v", q, ok)
	}
	if _, ok := pairs[0].Comparative(); ok {
		t.Error("a pair without objects compares some")
	}
	csv := "id,question,a,b,label\n1,Q?,x,\"y\nz\",b\n2,Q?,x,,a\n"
	if pairs, err := ReadPairs(writeTemp(t, "pairs.csv", csv)); err != nil || pairs[0].B != "y\nz" || pairs[0].Label != ChoiceB || pairs[1].B != "" {
		t.Errorf("CSV: %+v, %v", pairs, err)
	}
	if pairs, err := ReadPairs(writeTemp(t, "pairs.jsonl", `{"id": "1", "question": "Q?", "a": "", "b": "y"}`)); err != nil || pairs[0].A != "" {
		t.Errorf("an empty answer: %+v, %v", pairs, err)
	}
}

func TestReadPairsFaults(t *testing.T) {
	const fine = `{"id": "1", "question": "Q?", "a": "x", "b": "y"}`
	for text, want := range map[string]string{
		fine + "\n" + fine: "p.jsonl:2: duplicate id \"1\": it is also on line 1",
		fine + "\n" + `{"id": "2", "question": "Q?", "a": "x"}`:                                  "p.jsonl:2: b is missing",
		`{"id": "1", "question": " ", "a": "x", "b": "y"}`:                                       "p.jsonl:1: question is missing",
		`{"question": "Q?", "a": "x", "b": "y"}`:                                                 "p.jsonl:1: id is missing",
		strings.Replace(fine, `}`, `, "label": "c"}`, 1):                                         "p.jsonl:1: label is \"c\"; it must be a, b, tie or none",
		strings.Replace(fine, `}`, `, "object1": "x"}`, 1):                                       "object1 and object2 must both be set",
		strings.Replace(fine, `}`, `, "system_a": "s", "system_b": "s"}`, 1):                     "system_a and system_b must be two different systems",
		strings.Replace(fine, `"a"`, `"answer"`, 1):                                              "unknown field \"answer\"",
		strings.Replace(fine, `"label"`, `"lable"`, 1) + "\n" + `{"id": "2", "lable": "a"}` + "": "p.jsonl:2: unknown field \"lable\"; did you mean \"label\"?",
		"": "has no pairs",
	} {
		if _, err := ReadPairs(writeTemp(t, "p.jsonl", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n%v\nwant %s", text, err, want)
		}
	}
}

func TestChoiceSwapped(t *testing.T) {
	for c, want := range map[Choice]Choice{ChoiceA: ChoiceB, ChoiceB: ChoiceA, ChoiceTie: ChoiceTie, NoChoice: NoChoice, "": ""} {
		if got := c.Swapped(); got != want || got.Swapped() != c {
			t.Errorf("%q swapped is %q", c, got)
		}
	}
}

// TestContrasts checks that contrasts are read back as they were written, and that each kind of wrong line is an error with its line.
func TestContrasts(t *testing.T) {
	turn := func(role, content string) []ChatMessage { return []ChatMessage{{role, content}} }
	good := []Contrast{{turn("user", "Which <is> better?"), turn("assistant", "1"), turn("assistant", "2")},
		{append(turn("system", "You judge."), turn("user", "Q?")...), turn("assistant", "a\nb"), turn("assistant", "ü")}}
	var b strings.Builder
	if err := WriteContrasts(&b, good); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "<is>") {
		t.Errorf("escaped without need: %s", b.String())
	}
	got, err := ReadContrasts(writeTemp(t, "c.jsonl", b.String()))
	if err != nil || len(got) != 2 || got[1].Chosen[0].Content != "a\nb" || got[1].Prompt[0].Role != "system" {
		t.Errorf("%+v, %v", got, err)
	}
	fine := strings.Split(b.String(), "\n")[0]
	for change, want := range map[[2]string]string{
		{`"prompt"`, `"promt"`}:                                             `did you mean "prompt"`,
		{`"role":"user"`, `"role":"human"`}:                                 `the role of message 1 is "human"`,
		{`{"role":"user","content":"Which <is> better?"}`, ``}:              "prompt is empty",
		{`"content":"1"`, `"content":" "`}:                                  "chosen: message 1 is empty",
		{`"content":"2"`, `"content":"1"`}:                                  "chosen and rejected are equal",
		{`"role":"assistant","content":"1"`, `"role":"user","content":"1"`}: "chosen must be one message of the assistant",
		{`"role":"user"`, `"role":"assistant"`}:                             "prompt ends with a message of the assistant",
		{`"content":"2"`, `"content":"2","score":1`}:                        "a list of {role, content} is needed",
		{`,"rejected":[{"role":"assistant","content":"2"}]`, ``}:            "rejected is missing",
	} {
		changed := strings.Replace(fine, change[0], change[1], 1)
		if _, err := ReadContrasts(writeTemp(t, "c.jsonl", fine+"\n"+changed)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "c.jsonl:2:") {
			t.Errorf("%s\n%v\nwant %s", changed, err, want)
		}
	}
}

func TestReadGrades(t *testing.T) {
	header := "id,judge,method,order,grader,correctness,consistency\n"
	grades, err := ReadGrades(writeTemp(t, "g.csv", header+"p,j,con-j,ab,human:1,4,3\np,j,con-j,ba,human:1,5,1\n"))
	if err != nil || len(grades) != 2 || grades[1] != (HumanGrade{"p", "j", "con-j", "ba", "human:1", 5, 1}) {
		t.Fatalf("%+v, %v", grades, err)
	}
	for line, want := range map[string]string{
		"p,j,m,ab,human:1,6,3":                       "correctness is 6; it must be 1 to 5",
		"p,j,m,ab,human:1,4,0":                       "consistency is 0; it must be 1 to 3",
		"p,j,m,ab,human:1,4.5,1":                     "correctness is 4.5",
		"p,j,m,ab,human:1,,1":                        "correctness is missing",
		"p,j,m,up,human:1,4,1":                       `order is "up"`,
		"p,j,m,ab,gpt,4,1":                           `grader is "gpt"`,
		"p,j,m,ab,human:1,4,1\np,j,m,ab,human:1,5,1": "duplicate grade",
		"p,,m,ab,human:1,4,1":                        "judge is missing",
		"":                                           "has no grades",
	} {
		if _, err := ReadGrades(writeTemp(t, "g.csv", header+line+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
