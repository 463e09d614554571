package data

import (
	"compqa/data/sharedtest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestCQA50 checks the built-in set: it is valid as a user's file, and has 50 pairs, of which 20 have an aspect, and about 500 arguments.
func TestCQA50(t *testing.T) {
	questions := CQA50()
	checked, err := ReadQuestions(write(t, "questions.jsonl", string(cqa50Questions)))
	if err != nil || !reflect.DeepEqual(questions, checked) {
		t.Fatalf("a user's file of the same content: %v, or other questions", err)
	}
	if len(questions) != 50 {
		t.Fatalf("%d questions, want 50", len(questions))
	}
	pairs := map[string]bool{}
	texts := map[string]bool{}
	withAspect := 0
	total := 0
	for _, q := range questions {
		if pairs[q.Pair()] {
			t.Errorf("%s stands twice", q.Pair())
		}
		pairs[q.Pair()] = true
		if q.Aspect != "" {
			withAspect++
		}
		if !strings.HasSuffix(q.Text, "?") {
			t.Errorf("%s: %q is no question", q.ID, q.Text)
		}
		total += len(q.Arguments)
		checkArguments(t, q, texts)
	}
	if withAspect != 20 {
		t.Errorf("%d questions have an aspect, want 20 (Nikishina et al., Table 1)", withAspect)
	}
	if total < 450 || total > 550 {
		t.Errorf("%d arguments in all, want about 500", total)
	}
}

// checkArguments checks the arguments of a question: their number, length, uniqueness, aspects, and the balance between the objects.
func checkArguments(t *testing.T, q Question, texts map[string]bool) {
	t.Helper()
	if n := len(q.Arguments); n < 8 || n > 14 {
		t.Errorf("%s has %d arguments, want 8 to 14", q.ID, n)
	}
	favours := map[Favours]int{}
	aspects := map[string]bool{}
	for _, a := range q.Arguments {
		if key := strings.Join(Words(a.Text), " "); texts[key] {
			t.Errorf("%s: %q stands twice", q.ID, a.Text)
		} else {
			texts[key] = true
		}
		if n := len(strings.Fields(a.Text)); n < 8 || n > 40 || !strings.HasSuffix(a.Text, ".") {
			t.Errorf("%s: %q is not one sentence of 8 to 40 words", q.ID, a.Text)
		}
		if a.Aspect == "" || a.Favours == "" {
			t.Errorf("%s: %q has no aspect or does not say whom it favours", q.ID, a.Text)
		}
		favours[a.Favours]++
		aspects[a.Aspect] = true
	}
	if d := favours[Object1] - favours[Object2]; d < -2 || d > 2 {
		t.Errorf("%s: %d arguments for %s, %d for %s: not balanced", q.ID, favours[Object1], q.Object1, favours[Object2], q.Object2)
	}
	if len(aspects) < 4 {
		t.Errorf("%s has arguments on %d aspects, want 4 or more", q.ID, len(aspects))
	}
}

// TestReferences checks that each built-in question has its own reference of 250 to 450 words that names both objects.
func TestReferences(t *testing.T) {
	references := References()
	if len(references) != 50 {
		t.Fatalf("%d references, want 50", len(references))
	}
	seen := map[string]bool{}
	for _, q := range CQA50() {
		text := references[q.Pair()]
		if seen[text] {
			t.Errorf("%s: the reference stands twice", q.ID)
		}
		seen[text] = true
		if n := len(strings.Fields(text)); n < 250 || n > 450 {
			t.Errorf("%s: the reference has %d words, want 250 to 450", q.ID, n)
		}
		for _, object := range []string{q.Object1, q.Object2} {
			if !strings.Contains(strings.ToLower(text), strings.ToLower(object)) {
				t.Errorf("%s: the reference does not name %s", q.ID, object)
			}
		}
	}
}

// TestWrittenByUs checks that no sentence of the built-in set occurs in the data that other people collected.
func TestWrittenByUs(t *testing.T) {
	shared := sharedtest.Path(t)
	ours := map[string]string{}
	add := func(text string) {
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '.' }) {
			if words := Words(s); len(words) >= 6 {
				ours[strings.Join(words, " ")] = s
			}
		}
	}
	for _, q := range CQA50() {
		for _, a := range q.Arguments {
			add(a.Text)
		}
		add(References()[q.Pair()])
	}
	files := 0
	err := filepath.WalkDir(filepath.Join(shared, "data"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if files++; files%4 != 1 && !sharedtest.Soaking(t) {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := strings.NewReplacer(`\n`, ". ", `\"`, " ", `\u2019`, "'").Replace(string(content))
		for _, s := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '.' || r == '"' || r == '?' || r == '!' }) {
			if found, ok := ours[strings.Join(Words(s), " ")]; ok {
				t.Errorf("%s has our sentence %q", filepath.Base(path), found)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("read %d files: %v", files, err)
	}
}

// TestSoakWrittenByUs runs TestWrittenByUs with all cases.
func TestSoakWrittenByUs(t *testing.T) {
	sharedtest.Soak(t)
	TestWrittenByUs(t)
}

func TestReadQuestions(t *testing.T) {
	jsonl := `{"object1": "tram", "object2": "bus", "aspect": "noise", "arguments": ["Trams run on rails.", {"text": "Buses turn anywhere.", "favours": "object2", "aspect": "routes"}]}

{"id": "k", "object1": "kite", "object2": "drone", "question": "Kite or drone?"}
`
	csv := "\ufeffobject1,object2,aspect,question,arguments,id\r\ntram,bus,noise,,\"[\"\"Trams run on rails.\"\", {\"\"text\"\": \"\"Buses turn anywhere.\"\", \"\"favours\"\": \"\"object2\"\", \"\"aspect\"\": \"\"routes\"\"}]\",\r\nkite,drone,,Kite or drone?,,k\r\n"
	for name, content := range map[string]string{"q.jsonl": jsonl, "q.csv": csv} {
		questions, err := ReadQuestions(write(t, name, content))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(questions) != 2 {
			t.Fatalf("%s: %d questions", name, len(questions))
		}
		q := questions[0]
		if q.ID != "bus | tram" || q.Text != "Which is better: tram or bus? Focus on noise." || len(q.Arguments) != 2 || q.Arguments[1].Favours != Object2 {
			t.Errorf("%s: %+v", name, q)
		}
		if questions[1].ID != "k" || questions[1].Text != "Kite or drone?" || questions[1].Arguments != nil {
			t.Errorf("%s: %+v", name, questions[1])
		}
	}
}

// TestArgumentsInCells checks that a cell can have one argument on each line.
func TestArgumentsInCells(t *testing.T) {
	questions, err := ReadQuestions(write(t, "q.csv", "object1,object2,arguments\na,b,\"First.\n\nSecond.\"\n"))
	if err != nil || len(questions[0].Arguments) != 2 || questions[0].Arguments[1].Text != "Second." {
		t.Errorf("%+v, %v", questions, err)
	}
}

func TestReadQuestionsFaults(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"b\"}\n{\"object1\": \"B\", \"object2\": \"A \"}\n", "a.jsonl:2: duplicate object pair"},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"b\", \"aspect\": \"X\"}\n{\"object1\": \"B\", \"object2\": \"A \", \"aspect\": \"x \"}\n",
			`a.jsonl:2: duplicate object pair "a | b" (in any order and letter case) with the aspect "x": it is also on line 1`},
		{"a.jsonl", "{\"id\": \"a | b\", \"question\": \"c?\"}\n{\"object1\": \"a\", \"object2\": \"b\"}\n", `the id "a | b" of a question is also the default id`},
		{"a.jsonl", "{\"id\": \"1\"}\n", "a.jsonl:1: a question needs object1 and object2, or"},
		{"a.csv", "id,question\n1,Why?\n1,How?\n", `a.csv:3: duplicate id "1"`},
		{"a.csv", "object1,object2,object3,object4\na,b,c,\n", "a.csv:2: a question compares exactly two objects, and this one has 3 (a, b, c): ask one question about each pair of them (a and b; a and c; b and c)"},
		{"a.jsonl", "{\"objects\": [\"a\", \"b\", \"c\", \"d\", \"e\"]}\n", "has 5 (a, b, c, d, e): ask one question about each pair of them (a and b; a and c; a and d; a and e; b and c; b and d; …), or leave out"},
		{"a.jsonl", "{\"objects\": [\"a\", \"b\"]}\n", `a.jsonl:1: write the two objects as object1 ("a") and object2 ("b")`},
		{"a.jsonl", "{\"objects\": \"a, b, c\"}\n", "a.jsonl:1: objects is"},
		{"a.jsonl", "{\"object1\": \"a\"}\n", "a.jsonl:1: object2 is missing"},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"A\"}\n", "a.jsonl:1: object1 and object2 are both"},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"b\", \"aspct\": \"c\"}\n", `a.jsonl:1: unknown field "aspct"; did you mean "aspect"?`},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": 3, \"aspect\": 1}\n", "a.jsonl:1: aspect is 1; a string is needed"},
		{"a.jsonl", "\n\n{\"object1\": \n", "a.jsonl:3: not JSON"},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"b\", \"arguments\": [{\"text\": \"x\", \"favours\": \"a\"}]}\n", `a.jsonl:1: argument 1: favours is "a"`},
		{"a.jsonl", "{\"object1\": \"a\", \"object2\": \"b\", \"arguments\": [{\"text\": \"x\", \"relevance\": -1}]}\n", "a.jsonl:1: argument 1: relevance is -1"},
		{"a.jsonl", "\n", "a.jsonl has no questions"},
		{"a.csv", "object1,object2\na,b\nc\n", "a.csv:3: 1 cells, but the header has 2 columns"},
		{"a.csv", "object1,object1\na,b\n", `a.csv:1: duplicate column "object1"`},
		{"a.csv", "object1,object2,arguments\na,b,\"x\ny\"\nc,d,[\n", "a.csv:4: arguments is ["},
		{"a.csv", "", "a.csv is empty"},
	} {
		_, err := ReadQuestions(write(t, c.name, c.content))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.content, err, c.want)
		}
	}
	if _, err := ReadQuestions(filepath.Join(t.TempDir(), "none.jsonl")); err == nil || !strings.Contains(err.Error(), "cannot read") {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestIdentity checks ids and clusters of questions. Several aspects of a pair make several questions in one cluster, whose default ids
// contain the aspect. A question without objects is identified by its id, or else its text.
func TestIdentity(t *testing.T) {
	path := write(t, "q.jsonl", `{"object1": "Kano", "object2": "Lagos", "aspect": "Safety at night"}
{"object1": "LAGOS", "object2": "kano", "aspect": "Kosten"}
{"object1": "kano", "object2": "Lagos"}
{"object1": "A", "object2": "B", "aspect": "price"}
{"id": 7, "question": "Wo bleibt mein Paket?"}
{"question": "我的包裹在哪里？"}
`)
	questions, err := ReadQuestions(path)
	if err != nil {
		t.Fatal(err)
	}
	ids := Each(questions, func(q Question) string { return q.ID })
	if want := []string{"kano | lagos (safety at night)", "kano | lagos (kosten)", "kano | lagos", "a | b", "7", "我的包裹在哪里？"}; !reflect.DeepEqual(ids, want) {
		t.Errorf("ids %q, want %q", ids, want)
	}
	clusters := Each(questions, Question.Pair)
	if want := []string{"kano | lagos", "kano | lagos", "kano | lagos", "a | b", "7", "我的包裹在哪里？"}; !reflect.DeepEqual(clusters, want) {
		t.Errorf("clusters %q, want %q", clusters, want)
	}
	set := NewQuestionSet(questions)
	for _, c := range []struct {
		answer Answer
		want   string // id of the question; "" if none of the set is answered
	}{
		{Answer{Object1: "lagos", Object2: "KANO", Aspect: "kosten"}, "kano | lagos (kosten)"},
		{Answer{Object1: "Lagos", Object2: "Kano"}, "kano | lagos"},
		{Answer{Object1: "a", Object2: "b", Aspect: "another"}, "a | b"}, // answers may name another aspect for the same pair
		{Answer{Object1: "Lagos", Object2: "Kano", Aspect: "another"}, ""},
		{Answer{Question: "7"}, "7"},
		{Answer{Question: "a | b"}, ""},
		{Answer{Object1: "x", Object2: "y"}, ""},
	} {
		if q, found := set.Of(c.answer); found != (c.want != "") || q.ID != c.want {
			t.Errorf("%+v answers %q, want %q", c.answer, q.ID, c.want)
		}
	}
}

// FuzzReadQuestions checks that no text makes the reader panic, and that all questions that were read are complete.
func FuzzReadQuestions(f *testing.F) {
	f.Add([]byte(`{"object1": "a", "object2": "b", "arguments": ["c"]}`))
	f.Add([]byte("object1,object2\na,b\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, name := range []string{"q.jsonl", "q.csv"} {
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, content, 0o644); err != nil {
				t.Fatal(err)
			}
			questions, err := ReadQuestions(path)
			if err == nil && len(questions) == 0 {
				t.Error("no questions and no error")
			}
			for _, q := range questions {
				if (q.Object1 == "") != (q.Object2 == "") || q.ID == "" || q.Text == "" {
					t.Errorf("incomplete: %+v", q)
				}
			}
		}
	})
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
