package sources

import (
	"strings"
	"testing"

	"compqa/data"
	"compqa/data/sharedtest"
)

var twoQuestions = []data.Question{{ID: "refund", Object1: "refund", Object2: "none", Text: "I want my money back"},
	{ID: "7", Object1: "tea", Object2: "mate", Text: "Which is better: tea or mate?"}}

// TestAnswersInOtherWords reads answers in the formats of other programs, and checks the notes about them.
func TestAnswersInOtherWords(t *testing.T) {
	for _, c := range []struct{ name, content, ids, note string }{
		{"a.csv", "id,object1,object2,text\nx,tea,mate,T\n", "x tea ", ""},
		{"a.csv", "id,question_id,system,answer,note\nx,refund,bot,Hello\ny,7,rag,T\n", "", "1 row with fewer cells"},
		{"a.csv", "id,question_id,system,answer,note\nx,refund,bot,Hello,\ny,7,rag,T,n\n", "x refund bot, y tea rag", "left out: note"},
		{"a.csv", "Question ID;Model;Response\nrefund;bot;Hello\n7.0;bot;T\n", "bot/-/refund/1 refund bot, bot/-/7/1 tea bot", "2 answers"},
		{"a.jsonl", `{"question": "which is better: tea or mate?", "output": "T", "model": "m"}`, "m/-/7/1 tea m", "1 answer,"},
		{"a.csv", "id,answer\nrefund,Hello\n7,T\n", "/-/refund/1 refund , /-/7/1 tea ", ""},
		{"a.csv", "id,question_id,answer\nx,refund,A\ny,gone,B\nz,lost,C\n", "x refund ",
			`a.csv:3: no question of the set has the id or the text "gone"`},
	} {
		answers, note, err := ReadAnswers(written(t, map[string]string{c.name: c.content})+"/"+c.name, twoQuestions, Options{})
		got := strings.Join(data.Each(answers, func(a data.Answer) string { return a.ID + " " + a.Object1 + " " + a.System }), ", ")
		if c.note == "1 row with fewer cells" { // rows that are left out must be mentioned
			if err == nil && len(answers) < 2 && !strings.Contains(note, "left out") {
				t.Errorf("%s: rows were left out in silence: %s", c.content, note)
			}
			continue
		}
		if err != nil || got != c.ids || !strings.Contains(note, c.note) {
			t.Errorf("%s: %s, %s, %v", c.content, got, note, err)
		}
	}
	for content, want := range map[string]string{
		"id,question_id,answer\nx,gone,T\n":      `a.csv:2: no question of the set has the id or the text "gone"`,
		"id,name\nx,T\n":                         "a.csv:2: answers need a text and what it answers",
		"question_id,answer\n7,T\n7,U\n":         `a.csv:3: the answer "/-/7/1" is also on line 2`,
		"question_id,answer,repeat\n7,T,first\n": `a.csv:2: repeat is "first"; it must be 1, 2, 3`,
	} {
		_, _, err := ReadAnswers(written(t, map[string]string{"a.csv": content})+"/a.csv", twoQuestions, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// TestQuestionsOfAnswers checks that each question in a file of answers is returned once. Files without answers, or without texts of
// questions, give no questions.
func TestQuestionsOfAnswers(t *testing.T) {
	for content, want := range map[string]string{
		"id,question,answer,system\n1,A b?,x,s\n2,a  B?,y,t\n3,C?,z,s\n": "A b?: A b?, C?: C?",
		"question_id,question,answer\nq1,A?,x\nq1,A?,y\nq2,A?,z\n":       "q1: A?, q2: A?",
		"id,question\nq1,A?\n":                  "",
		"question_id,answer\nq1,x\n":            "",
		"id,object1,object2,text\n1,a,b,x\n":    "",
		"id,question,answer\n1,,x\n":            "a.csv:2: question is empty; the file's answers need their questions",
		"question_id,question,answer\n,A?,x\n":  "a.csv:2: question_id is empty",
		"qid,question,answer\nq,A?,x\nq,B?,x\n": `a.csv:3: the question "q" has another text in a row above: "A?"`,
	} {
		questions, err := QuestionsOfAnswers(written(t, map[string]string{"a.csv": content})+"/a.csv", Options{})
		got := strings.Join(data.Each(questions, func(q data.Question) string { return q.ID + ": " + q.Text }), ", ")
		if err != nil {
			_, got, _ = strings.Cut(err.Error(), "/a.csv")
			got = "a.csv" + got
		}
		if got != want {
			t.Errorf("%q: %s, want %s", content, got, want)
		}
	}
}

func TestAnswersOfCase(t *testing.T) {
	questions, err := data.ReadQuestions(sharedtest.Path(t, "cases", "people", "q2.csv"))
	if err != nil {
		t.Fatal(err)
	}
	answers, note, err := ReadAnswers(sharedtest.Path(t, "cases", "people", "answers.csv"), questions, Options{})
	systems := data.Among(data.Each(answers, func(a data.Answer) string { return a.System }))
	if err != nil || len(answers) != 40 || len(systems) != 2 || !systems["bot"] || answers[1].ID != "refund-rag" || answers[1].Object1 != "refund" {
		t.Errorf("%d answers of %v, %s, %v", len(answers), systems, note, err)
	}
}

// TestPreferencesInOtherWords reads preferences in the formats of other programs, which name a pair only by its id.
func TestPreferencesInOtherWords(t *testing.T) {
	find := func(id string) (data.Pair, bool) { return data.Pair{ID: "set-" + id}, id == "x0" || id == "x1" }
	for content, want := range map[string]string{
		"id,judge,choice\nx0,human:ann,a\n":                         "set-x0 human:ann a",
		"id,annotator,winner\nx0,ann,B\nx1,ann,tie\n":               "set-x0 human:ann b, set-x1 human:ann tie",
		"Pair ID;Rater;Preference\nx0;ann;Model A\nx1;ann;both bad": "set-x0 human:ann a, set-x1 human:ann tie",
		"id,winner\nx0,2\nx1,\n":                                    "set-x0 human b",
		"id,grader,verdict\nx0,gpt,B\n":                             "set-x0 gpt b",
	} {
		given, _, note, err := ReadPreferences(written(t, map[string]string{"p.csv": content})+"/p.csv", find, Options{})
		got := strings.Join(data.Each(given, func(p data.Preference) string { return p.ID + " " + p.Judge + " " + p.Choice }), ", ")
		if err != nil || got != want || strings.Contains(content, "x1,\n") != strings.Contains(note, "left out: 1 row without a choice") {
			t.Errorf("%s: %s, %s, %v", content, got, note, err)
		}
	}
	for content, want := range map[string]string{
		"id,annotator,winner\nx9,ann,B\n":           `p.csv:2: no pair has the id "x9"`,
		"id,annotator,winner\nx0,ann,maybe\n":       `p.csv:2: winner is "maybe"; it must be a word such as`,
		"id,annotator,winner\nx0,ann,A\nx0,ann,B\n": "p.csv:3: a second choice of human:ann on pair",
		"id,annotator\nx0,ann\n":                    "preferences need the id of a pair and a choice",
		"id,annotator,winner\nx0,ann,\n":            "p.csv has no preferences",
	} {
		_, _, _, err := ReadPreferences(written(t, map[string]string{"p.csv": content})+"/p.csv", find, Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", content, err, want)
		}
	}
}

// TestAnswersByMap checks that --map names the columns of answers, and that the error of an unknown column suggests the most similar one.
func TestAnswersByMap(t *testing.T) {
	path := written(t, map[string]string{"a.csv": "nr,bot,what it said\nrefund,x,Hello\n"}) + "/a.csv"
	answers, _, err := ReadAnswers(path, twoQuestions, Options{Map: map[string]string{"item": "nr", "text": "what it said", "system": "bot"}})
	if err != nil || len(answers) != 1 || answers[0].Text != "Hello" || answers[0].System != "x" || answers[0].Question != "refund" {
		t.Errorf("%+v, %v", answers, err)
	}
	_, _, err = ReadAnswers(path, twoQuestions, Options{Map: map[string]string{"item": "nnr"}})
	if err == nil || !strings.Contains(err.Error(), `did you mean "nr"?`) {
		t.Error(err)
	}
}

// TestReadingOfAnswers checks that a reading of answers can be shown, saved and given back. If two columns have a name for one role, the
// choice is assumed. The error of a new or missing column names it.
func TestReadingOfAnswers(t *testing.T) {
	const table = "nr,question_id,answer,response,bot\n1,refund,Hello,Bye,x\n2,7,T,U,y\n"
	path := write(t, "a.csv", table)
	reading, err := ReadingOfAnswers(path, Options{Map: map[string]string{"item": "nr"}})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(reading.Lines(12), "\n")
	for _, want := range []string{"a.csv (answers; a table)", "?  answer       text", "its name, before that of response", "nr           item", "response     left out"} {
		if !strings.Contains(lines, want) {
			t.Errorf("there is no %q in\n%s", want, lines)
		}
	}
	kept := keptReading(t, reading)
	for i, c := range kept.Readings[0].Columns { // edit the file as a user would
		switch c.Column {
		case "answer":
			kept.Readings[0].Columns[i].Role = RoleLeft
		case "response":
			kept.Readings[0].Columns[i].Role = RoleText
		}
	}
	answers, _, err := ReadAnswers(path, twoQuestions, Options{Given: kept})
	if err != nil || len(answers) != 2 || answers[0].Text != "Bye" || answers[0].ID != "1" || answers[1].System != "y" {
		t.Errorf("%+v, %v", answers, err)
	}
	again, err := ReadingOfAnswers(path, Options{Given: kept})
	if err != nil || len(again.Assumed()) > 0 {
		t.Errorf("%+v, %v", again, err)
	}
	for content, want := range map[string]string{
		strings.Replace(table, "bot", "model", 1):                                  `the column "model" is not in the reading`,
		strings.NewReplacer(",bot", "", ",x\n", "\n", ",y\n", "\n").Replace(table): `has no column "bot", which the reading has with role "system"`,
	} {
		if _, _, err := ReadAnswers(write(t, "a.csv", content), twoQuestions, Options{Given: kept}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	kept.Readings[0].Columns[0].Role = RoleValue
	if _, _, err := ReadAnswers(path, twoQuestions, Options{Given: kept}); err == nil || !strings.Contains(err.Error(), `the role "value"`) {
		t.Errorf("a role that answers do not have: %v", err)
	}
	if reading, err := ReadingOfAnswers(write(t, "a.csv", "id,object1,object2,text\nx,tea,mate,T\n"), Options{}); reading != nil || err != nil {
		t.Errorf("this project's own answers: %+v, %v", reading, err)
	}
}
