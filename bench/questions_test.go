package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"compqa/data/sharedtest"
)

// TestSoakSupportTeam: questions without objects, the answers of two systems and the user's own rubric are run, validated, labelled by
// people, shown, exported and verified. No step asks for a pair of objects or invents one.
func TestSoakSupportTeam(t *testing.T) {
	sharedtest.Soak(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	for _, c := range []struct{ args, want string }{
		{"run --config ../examples/support/compqa.yaml --out " + dir, "40 of 40 answers and 199 of 200 verdicts are valid"},
		{"validate " + dir + " --out " + dir + "/v", "Joined by id: 40 of 40 items that people scored"},
		{"annotate init " + dir + " --sample 10", "10 items"},
		{"show " + dir + " dog-agent", "dog-agent\nIs there a basket for a dog?; system agent"},
		{"show " + dir + " --disagree", "trailer-agent"},
		{"serve " + dir + " --write " + dir + "/site", ""},
		{"export " + dir + " --out " + dir + ".gz", "the record"},
		{"verify " + dir + ".gz", "consistent"},
		{"estimate --config ../examples/support/compqa.yaml", ""},
		{"doctor --config ../examples/support/compqa.yaml", "20 questions, 4 scenarios, rubric support"},
	} {
		if code, stdout, stderr := compqa(strings.Fields(c.args)...); code != exitDone || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("compqa %s: %d, want %q in\n%s%s", c.args, code, c.want, stdout, stderr)
		}
	}
	report, err := os.ReadFile(dir + "/report.md")
	if err != nil || !strings.Contains(string(report), "2 systems answer 20 questions;") {
		t.Errorf("%v; the report:\n%.400s", err, report)
	}
	list, err := os.ReadFile(dir + "/site/questions.html")
	if err != nil || !strings.Contains(string(list), "Is there a basket for a dog?") || strings.Contains(string(list), " or </") {
		t.Errorf("%v; the list of questions:\n%s", err, list)
	}
}

// TestQuestionsWithoutObjects: a model gets only the text of the question, and a judge's prompt has no line of objects. What needs a pair
// of objects is refused before the first call.
func TestQuestionsWithoutObjects(t *testing.T) {
	t.Parallel()
	support, err := filepath.Abs("../examples/support")
	if err != nil {
		t.Fatal(err)
	}
	server := newScriptedServer(t, func(prompt string, _ int) (int, string) {
		if strings.Contains(prompt, "Criterion 1") {
			return 200, completion(`{"1": 2, "2": 1, "3": 1, "4": 0, "5": 2}`, "stop")
		}
		return 200, completion("Hello! Yes, at the desk.", "stop")
	})
	config := func(rubric, scenarios, model, judge string) string {
		path := filepath.Join(t.TempDir(), "c.yaml")
		text := fmt.Sprintf("dataset: %s/questions.csv\nrubric: %s\nscenarios: %s\nproviders:\n  m: {type: openai, base_url: %s/v1}\n"+
			"models:\n  - %s\njudges:\n  - %s\n", support, rubric, scenarios, server.URL, model, judge)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	name := support + "/rubric.yaml"
	live := "{name: bot, provider: m, model: m}"
	judge := "{name: j, provider: m, model: m, repeats: 1}"
	template := filepath.Join(t.TempDir(), "mine.tmpl")
	text := `{{define "user"}}Customer: {{.Question}}{{if .Object1}} About {{.Object1}} and {{.Object2}}.{{end}}{{end}}`
	if err := os.WriteFile(template, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ rubric, scenarios, model, judge, want string }{
		"scenario": {name, "[1]", live, judge, `scenario "1": its prompt names two objects`},
		"default":  {name, "[question, 4]", live, judge, `scenario "4": its prompt names two objects`},
		"offline":  {name, "[question]", "{name: template, provider: baseline}", judge, `c.yaml:7: model "template": it compares two objects`},
		"strum":    {name, "[question]", "{name: s, provider: m, model: m, method: strum}", judge, `model "s": it compares two objects`},
		"rubric":   {"cqa", "[question]", live, judge, "the rubric cqa is about answers that compare two objects"},
		"rules":    {"cqa", "[question]", live, "{name: rules, provider: embedded}", `judge "rules": it scores answers that compare two objects`},
	} {
		code, _, stderr := compqa("run", "--config", config(c.rubric, c.scenarios, c.model, c.judge), "--out", filepath.Join(t.TempDir(), "r"))
		if code != exitUsage || !strings.Contains(stderr, c.want) || !strings.Contains(stderr, "20 of the 20 questions in questions.csv") {
			t.Errorf("%s: %d, want %q in %s", name, code, c.want, stderr)
		}
	}
	if n := server.asked(); n > 0 {
		t.Errorf("%d calls before the first run", n)
	}
	dir := filepath.Join(t.TempDir(), "run")
	path := config(name, "[question, {id: mine, template: "+template+"}]", live, judge)
	if code, stdout, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone {
		t.Fatalf("%d, %s%s", code, stdout, stderr)
	}
	asked := map[string]int{}
	for _, body := range server.bodies {
		messages, _ := json.Marshal(body["messages"])
		switch prompt := string(messages); {
		case strings.Contains(prompt, "Criterion 1"):
			asked["judge"]++
			for _, word := range []string{"omparative", "Objects", "Aspect asked", " and \\n"} {
				if strings.Contains(prompt, word) {
					t.Errorf("the judge's prompt has %q:\n%s", word, prompt)
				}
			}
		case strings.Contains(prompt, `"Customer: Do you take cards?"`):
			asked["mine"]++
		case prompt == `[{"content":"Do you take cards?","role":"user"}]`:
			asked["question"]++
		}
	}
	if asked["judge"] != 20 || asked["mine"] != 1 || asked["question"] != 1 {
		t.Errorf("calls: %v", asked)
	}
	file := dir + ".gz"
	if code, stdout, stderr := compqa("export", dir, "--out", file); code != exitDone {
		t.Fatal(code, stdout, stderr)
	}
	if code, stdout, stderr := compqa("verify", file); code != exitDone || strings.Contains(stdout, "not verified") {
		t.Errorf("verify: %d\n%s%s", code, stdout, stderr)
	}
}

// TestAspectsOfAPair: a pair of objects with two aspects is two questions. Each answer belongs to the question with its aspect, answers are
// paired within one question, and intervals are clustered by the pair of objects.
func TestAspectsOfAPair(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("q.jsonl", `{"object1": "Python", "object2": "MATLAB", "aspect": "deep learning", "arguments": ["Python has PyTorch, while MATLAB has a toolbox."]}
{"object1": "MATLAB", "object2": "python", "aspect": "Speed", "arguments": ["MATLAB is faster at loops than Python."]}
{"object1": "tram", "object2": "bus", "arguments": ["A tram is quieter than a bus."]}
`)
	write("a.jsonl", `{"id": "a", "object1": "Python", "object2": "MATLAB", "aspect": "speed", "text": "MATLAB is faster."}
{"id": "b", "object1": "Python", "object2": "MATLAB", "aspect": "deep learning", "text": "Python is better."}
{"id": "c", "object1": "bus", "object2": "tram", "aspect": "noise", "text": "The tram."}
`)
	path := write("c.yaml", `dataset: q.jsonl
scenarios: [4]
models:
  - {name: extractive, provider: baseline}
  - {name: strum, provider: baseline}
  - {name: mine, provider: file, path: a.jsonl}
judges: [{name: rules, provider: embedded}]
pairs: [{name: run}]
pairwise: [{name: length, provider: embedded, method: longer}]
`)
	dir := filepath.Join(folder, "run")
	if code, stdout, stderr := compqa("run", "--config", path, "--out", dir); code != exitDone {
		t.Fatalf("%d, %s%s", code, stdout, stderr)
	}
	questions := map[string]string{}
	for _, row := range csvTable(t, dir+"/tables/answers.csv") {
		questions[row["id"]] = row["question"]
	}
	for id, want := range map[string]string{"a": "matlab | python (speed)", "b": "matlab | python (deep learning)", "c": "bus | tram",
		"extractive/4/bus | tram/1":                      "bus | tram",
		"extractive/4/matlab | python (speed)/1":         "matlab | python (speed)",
		"extractive/4/matlab | python (deep learning)/1": "matlab | python (deep learning)"} {
		if questions[id] != want {
			t.Errorf("the answer %q is to %q, want %q", id, questions[id], want)
		}
	}
	code, stdout, stderr := compqa("show", dir, "a")
	if code != exitDone || !strings.Contains(stdout, "Python or MATLAB, with regard to speed") {
		t.Errorf("%d, %s%s", code, stdout, stderr)
	}
	code, stdout, stderr = compqa("compare", dir, dir, "--system", "extractive", "--with", "strum") // by question; two pairs are too few
	for _, want := range []string{"matlab | python (speed)", "matlab | python (deep learning)", "extractive minus strum is not known (2 questions; at least 5 are needed)", "rules  extractive  strum      3/3     3/3          2     6.67     8.00            –"} {
		if code != exitDone || !strings.Contains(stdout, want) {
			t.Errorf("compare: %d, no %q in %s%s", code, want, stdout, stderr)
		}
	}
	if code, stdout, stderr := compqa("serve", dir, "--write", dir+"/site"); code != exitDone {
		t.Fatal(code, stdout, stderr)
	}
	list, err := os.ReadFile(dir + "/site/questions.html")
	if err != nil || !strings.Contains(string(list), "2 object pairs") {
		t.Errorf("%v, %s", err, list)
	}
	if code, stdout, stderr := compqa("export", dir, "--out", dir+".gz"); code != exitDone {
		t.Fatal(code, stdout, stderr)
	}
	if code, stdout, stderr := compqa("verify", dir+".gz"); code != exitDone {
		t.Errorf("verify: %d\n%s%s", code, stdout, stderr)
	}
}

// TestCasesOfQuestions: the shared cases of questions, and the message about more than two objects.
func TestCasesOfQuestions(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"dup.jsonl": "2 questions",
		"q3.jsonl": "q3.jsonl:1: a question compares exactly two objects, and this one has 3 (Postgres, MySQL, SQLite): ask one question about " +
			"each pair of them (Postgres and MySQL; Postgres and SQLite; MySQL and SQLite), or leave out the objects",
	} {
		path := filepath.Join(t.TempDir(), "c.yaml")
		text := "dataset: " + sharedtest.Path(t, "cases", "strum", file) + "\nmodels: [{name: extractive, provider: baseline}]\n" +
			"judges: [{name: rules, provider: embedded}]\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := compqa("doctor", "--config", path)
		if (code == exitDone) != (file == "dup.jsonl") || !strings.Contains(stdout+stderr, want) {
			t.Errorf("%s: %d, %s%s", file, code, stdout, stderr)
		}
	}
}
