package parties

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"compqa/bench/config"
	"compqa/data"
	"compqa/data/sharedtest"
	"compqa/data/sources"
	"compqa/rubric"
)

// TestReadVerdictsForms: different layouts of people's scores are read to the same verdicts.
func TestReadVerdictsForms(t *testing.T) {
	levels := []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "partly"}, {Points: 2, Text: "yes"}}
	r := rubric.Rubric{Name: "brief", Step: 1, Measurement: "interval", Criteria: []rubric.Criterion{
		{ID: "1", Group: "all", Name: "correct", Text: "It is correct.", Levels: levels},
		{ID: "2", Group: "all", Name: "clear", Text: "It is clear.", Levels: levels[:2]}}}
	read := func(text string) (*data.VerdictList, error) {
		path := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		verdicts, _, err := ReadVerdicts(path, r, true, func(id string) bool { return id != "gone" }, sources.Options{})
		return verdicts, err
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
		for v := range verdicts.All() {
			got = append(got, fmt.Sprint(v.Answer, " ", v.Judge, " ", v.Scores["1"], " ", v.Scores["2"]))
		}
		slices.Sort(got)
		if want := "a human:ann 2 0; a human:ben 1 1"; err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: %s, %v; want %s", name, strings.Join(got, "; "), err, want)
		}
	}
	for text, want := range map[string]string{
		"id,correct_ann,correct_ben,cleer_ann,cleer_ben\na,1,1,1,0\nb,1,0,1,0\n": `"cleer", which is no criterion of the rubric "brief"; did you mean "clear"?`,
		"id,correct_ann,clear_ann\ngone,1,1\n":                                   `no answer has the id "gone"`,
		"id,annotator,correct\na,ann,well\n":                                     `correct is "well"; a number of points is needed, or one of no, partly, yes`,
		"id,annotator,style\na,ann,1\nb,ann,2\n":                                 "has no scores on the criteria",
		"id,annotator,correct\na,ann,1\na,ann,2\n":                               `correct: a second value of ann on "a", 2 after 1`,
		"name,annotator,correct\nx,ann,1\ny,ann,2\n":                             "",
		"id,judge,c1,c2\na,ann,2,\nb,ann,x,1\n":                                  "c1 is x; a number is needed",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}

// TestFaultsOfRows: rows of a people's file with the same fault give one line, with their number, the first place and its value.
func TestFaultsOfRows(t *testing.T) {
	r := rubric.Rubric{Name: "r", Criteria: []rubric.Criterion{{ID: "a", Name: "correct", Levels: []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "yes"}}}}}
	table := "id,annotator,correct\n"
	for i := range 40 {
		table += fmt.Sprintf("x%d,ann,%s\n", i, []string{"well", "badly"}[i%2])
	}
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := ReadVerdicts(path, r, true, func(string) bool { return true }, sources.Options{})
	const want = `p.csv:2: correct is "well"; a number of points is needed, or one of no, yes (39 more rows have this fault, the last on line 41)`
	if err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestJudgesNames: verdicts of a file cannot have the name of a built-in judge, or a name that looks like one.
func TestJudgesNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "v.jsonl")
	for name, wrong := range map[string]string{"rules": "is, or looks like", "Surface": "is, or looks like", "surfасe": "is, or looks like",
		"sur\u200bface": "invisible character U+200B", strings.Repeat("x", 5000): "5000 characters", "mine": "", "human:ann": ""} {
		if err := os.WriteFile(path, fmt.Appendf(nil, "{\"id\": \"a\", \"judge\": %q, \"status\": \"refused\", \"scores\": {}}\n", name), 0o644); err != nil {
			t.Fatal(err)
		}
		_, _, err := ReadVerdicts(path, rubric.CQA(), false, func(string) bool { return true }, sources.Options{})
		if (err != nil) != (wrong != "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.20q: %v, want %q", name, err, wrong)
		}
	}
}

// TestCasesOfPeople: the cases of shared/cases/people are read as README.md there says.
func TestCasesOfPeople(t *testing.T) {
	levels := []rubric.Level{{Points: 0, Text: "no"}, {Points: 1, Text: "partly"}, {Points: 2, Text: "yes"}}
	made := func(names ...string) rubric.Rubric {
		r := rubric.Rubric{Name: "support", Step: 1, Measurement: "interval"}
		for i, name := range names {
			r.Criteria = append(r.Criteria, rubric.Criterion{ID: fmt.Sprint(i + 1), Name: name, Text: name, Levels: levels})
		}
		return r
	}
	support := made("Polite", "Solves it", "Correct policy", "Concise", "Next step")
	correct := made("correct")
	for _, c := range []struct {
		file           string
		rubric         rubric.Rubric
		sheets, values int
		want           string // part of the error, or of the printed sentences
	}{
		{"s_part.csv", support, 0, 0, `"Next steps", which is no criterion of the rubric "support"; did you mean "Next step"?`},
		{"foo.csv", support, 0, 0, "has no scores on the criteria of the rubric"},
		{"scores_utf8.csv", support, 120, 569, "3 people"},
		{"scores.xlsx", support, 120, 569, "3 people"},
		{"zero_paren.csv", support, 120, 600, "3 people"},
		{"paren.csv", correct, 60, 60, "2 people"},
		{"names.csv", correct, 90, 90, "3 people"},
		{"annafirst.csv", correct, 60, 60, "2 people"},
	} {
		verdicts, read, err := ReadVerdicts(sharedtest.Path(t, "cases", "people", c.file), c.rubric, true, func(string) bool { return true }, sources.Options{})
		values := 0
		for v := range verdicts.All() {
			values += len(v.Scores)
		}
		said := strings.Join(read.Lines, "\n")
		if err != nil {
			said = err.Error()
		}
		if (err == nil) != (c.sheets > 0) || verdicts.Len() != c.sheets || values != c.values || !strings.Contains(said, c.want) {
			t.Errorf("%s: %d sheets, %d values; %s", c.file, verdicts.Len(), values, said)
		}
	}
}

// TestReadVerdictsWithFlags: the flags for reading work with a rubric: codes of missing values, columns, and which of several values
// counts. A code that does not occur in the file is reported.
func TestReadVerdictsWithFlags(t *testing.T) {
	r := rubric.Rubric{Name: "one", Criteria: []rubric.Criterion{{ID: "1", Name: "Clear", Levels: []rubric.Level{{Points: 0}, {Points: 5}}}}}
	path := filepath.Join(t.TempDir(), "p.csv")
	content := "nr,rater,Clear\na,ann,1\nb,ann,-1\na,ann,4\nc,ann,2\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	for repeats, want := range map[string]float64{sources.RepeatsFirst: 1, sources.RepeatsMean: 2.5} {
		verdicts, read, err := ReadVerdicts(path, r, true, func(string) bool { return true }, sources.Options{Missing: []string{"-1", "77"},
			Map: map[string]string{"people.item": "nr"}, Repeats: repeats})
		if err != nil {
			t.Fatal(err)
		}
		if verdicts.Len() != 2 || verdicts.At(0).Scores["1"] != want || !strings.Contains(strings.Join(read.Lines, "\n"), "--missing 77: no score has this value") {
			t.Errorf("%s: %+v, %q", repeats, verdicts, read.Lines)
		}
	}
}

// TestReadingKeys: the keys of an entry mean the same as the flags of commands. Messages then name the keys.
func TestReadingKeys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("rubric.yaml", "name: help\ncriteria:\n- {name: Helpful, levels: [{points: 0, text: not}, {points: 2, text: half}, {points: 5, text: whole}]}\n")
	write("p.csv", "Nr,Wer,Helpful\na,ann,bad\nb,ann,XX\na,ann,good\nc,ann,fine\nb,ben,bad\n")
	write("n.csv", "lfd_nr,Wer,Helpful\na,ann,1\nb,ann,3\n")
	read := func(keys string) ([]Judge, error) {
		c, err := config.Load(write("compqa.yaml", "rubric: rubric.yaml\njudges:\n- {name: p, provider: file, people: true, "+keys+"}\n"))
		if err != nil {
			return nil, err
		}
		r, err := c.LoadRubric()
		if err != nil {
			t.Fatal(err)
		}
		return BuildJudge(c, c.Judges[0], r)
	}
	for keys, want := range map[string]string{
		`path: p.csv, missing: XX, map: {item: Nr, rater: Wer}, scale: [bad, fine, good], repeats: mean`:          "human:ann a 2.5 c 2; human:ben b 0",
		`path: p.csv, missing: [XX], map: "item=Nr,rater=Wer", scale: {Helpful: "bad,fine,good"}, repeats: first`: "human:ann a 0 c 2; human:ben b 0",
		`path: n.csv, map: {item: lfd_nr, people.rater: Wer, Helpful: Helpful}, scale: 1..3, repeats: first`:      "human:ann a 0 b 5",
		`path: p.csv, map: {item: Nr, rater: Wer}, scale: [bad, fine, good], repeats: first`:                      `Helpful is "XX"; scale: has bad, fine, good`,
		`path: p.csv, missing: XX, map: {item: Nr, rater: Wer}, scale: [bad, fine, good]`:                         `Helpful: a second value of ann on "a"`,
		`path: n.csv, map: {item: Number}`:     `has no "Number"`,
		`path: n.csv, map: {itme: lfd_nr}`:     `map: has "itme"; the names are item`,
		`path: n.csv, scale: 1..5`:             "scale: Helpful=1..5: the rubric gives the points 0, 2, 5",
		`path: n.csv, scale: {Helpfull: 1..3}`: `there is no criterion "Helpfull"; did you mean "Helpful"?`,
		`path: n.csv, repeats: 3`:              "repeats is 3; of a file it is first, last or mean",
		`path: n.csv, repeats: middle`:         `repeats is "middle"; it must be first, last or mean`,
		`path: n.csv, map: [item]`:             "map is a mapping of names to columns",
	} {
		judges, err := read(keys)
		var all []string
		for _, j := range judges {
			text := j.Name
			for _, v := range j.Existing {
				text += fmt.Sprint(" ", v.Answer, " ", v.Scores["1"])
			}
			all = append(all, text)
		}
		got := strings.Join(all, "; ")
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s; want %s", keys, got, want)
		}
	}
	judges, err := read("path: n.csv, scale: 1..3, missing: 77")
	if err != nil {
		t.Fatal(err)
	}
	said := strings.Join(judges[0].Read, "\n")
	for _, want := range []string{`the column "lfd_nr" is read as the item's id (map: item=COLUMN)`, "missing: 77: no score has this value"} {
		if !strings.Contains(said, want) {
			t.Errorf("%s: want %s", said, want)
		}
	}
	if _, err := config.Load(write("compqa.yaml", "judges:\n- {name: rules, provider: embedded, missing: 3}\n")); err == nil ||
		!strings.Contains(err.Error(), "say how a file is read; they need provider: file") {
		t.Error(err)
	}
}
