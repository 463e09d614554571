package parties

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/data"
	"compqa/rubric"
)

// TestReadVerdictsForms: the forms in which people's scores come are read alike.
func TestReadVerdictsForms(t *testing.T) {
	levels := []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "partly"}, {Points: 2, Text: "yes"}}
	r := rubric.Rubric{Name: "brief", Step: 1, Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "1", Group: "all", Name: "correct", Text: "It is correct.", Levels: levels},
		{ID: "2", Group: "all", Name: "clear", Text: "It is clear.", Levels: levels[:2]}}}
	read := func(text string) ([]data.Verdict, error) {
		path := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return ReadVerdicts(path, r, true, func(id string) bool { return id != "gone" })
	}
	for name, text := range map[string]string{
		"own":          "id,judge,c1,c2\na,ann,2,0\na,human:ben,1,1\n",
		"wide":         "id;correct_ann;correct_ben;clear_ann;clear_ben\na;2;1;0;1\n",
		"words, NA":    "id,annotator,correct,clear,note\na,ann,yes,no,x\na,ben,partly,partly,\na,cat,NA,n/a,\n",
		"long":         "id,annotator,criterion,value\na,ann,correct,2\na,ann,clear,0\na,ben,correct,1\na,ben,2,1\n",
		"judge, names": "id,judge,correct,clear\na,ann,2,0\na,ben,1,1\n",
	} {
		verdicts, err := read(text)
		var got []string
		for _, v := range verdicts {
			got = append(got, fmt.Sprint(v.Answer, " ", v.Judge, " ", v.Scores["1"], " ", v.Scores["2"]))
		}
		slices.Sort(got)
		if want := "a human:ann 2 0; a human:ben 1 1"; err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: %s, %v; want %s", name, strings.Join(got, "; "), err, want)
		}
	}
	for text, want := range map[string]string{
		"id,correct_ann,clear_ann\ngone,1,1\n":       `no answer has the id "gone"`,
		"id,annotator,correct\na,ann,well\n":         `correct is "well"; a number of points is needed, or one of no, partly, yes`,
		"id,annotator,style\na,ann,1\nb,ann,2\n":     "has no scores on the criteria",
		"id,annotator,correct\na,ann,1\na,ann,2\n":   `ann has scored "a" on correct before, with 1`,
		"name,annotator,correct\nx,ann,1\ny,ann,2\n": "",
		"id,judge,c1,c2\na,ann,2,\nb,ann,x,1\n":      "c1 is x; a number is needed",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// TestJudgesNames: verdicts of a file cannot come under the name of a built-in judge, or one that looks like it.
func TestJudgesNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.jsonl")
	for name, wrong := range map[string]string{"rules": "is, or looks like", "Surface": "is, or looks like", "surfасe": "is, or looks like",
		"sur\u200bface": "invisible character U+200B", strings.Repeat("x", 5000): "5000 characters", "mine": "", "human:ann": ""} {
		if err := os.WriteFile(path, fmt.Appendf(nil, "{\"id\": \"a\", \"judge\": %q, \"status\": \"refused\", \"scores\": {}}\n", name), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := ReadVerdicts(path, rubric.CQA(), false, func(string) bool { return true })
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.20q: %v, want %q", name, err, wrong)
		}
	}
}
