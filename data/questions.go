package data

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

var questionFields = []string{"id", "object1", "object2", "aspect", "question", "arguments"}

// ReadQuestions reads questions from JSON Lines or CSV: id (optional), object1, object2, aspect, question, arguments.
// Arguments are a list of strings, or of objects {text, favours, aspect, relevance}; in CSV one cell contains that list
// as JSON. A question without a text gets the paper's default text. A duplicate object pair is an error.
func ReadQuestions(path string) ([]Question, error) {
	return readRecords(path, questionFields, "questions", func(r *row) (Question, []string) {
		q := Question{Object1: strings.TrimSpace(r.need("object1")), Object2: strings.TrimSpace(r.need("object2")), ID: r.key("id"),
			Aspect: strings.TrimSpace(r.text("aspect")), Text: r.text("question")}
		if SameName(q.Object1, q.Object2) {
			r.fail("object1 and object2 are both %q", q.Object1)
		}
		q.ID = cmp.Or(q.ID, q.Pair())
		if strings.TrimSpace(q.Text) == "" {
			q.Text = DefaultQuestion(q.Object1, q.Object2, q.Aspect)
		}
		q.Arguments = readArguments(r)
		return q, []string{fmt.Sprintf("object pair %q (in any order and letter case)", q.Pair()), fmt.Sprintf("id %q", q.ID)}
	})
}

// DefaultQuestion is the text of a question without one (Nikishina et al., section 2.2).
func DefaultQuestion(object1, object2, aspect string) string {
	q := fmt.Sprintf("Which is better: %s or %s?", object1, object2)
	if aspect != "" {
		q += fmt.Sprintf(" Focus on %s.", aspect)
	}
	return q
}

func readArguments(r *row) []Argument {
	raw := r.raw("arguments")
	if len(raw) == 0 {
		return nil
	}
	if text := r.fields["arguments"].Str; r.Table != nil && !strings.HasPrefix(strings.TrimSpace(text), "[") { // one a line
		var arguments []Argument
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); line != "" {
				arguments = append(arguments, Argument{Text: line})
			}
		}
		return arguments
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		r.fail("arguments is %s; a JSON list of strings or of {text, favours, aspect, relevance} is needed", Clip(string(raw)))
	}
	arguments := make([]Argument, len(items))
	for i, item := range items {
		var err error
		if arguments[i], err = readArgument(item); err != nil {
			r.fail("argument %d: %v", i+1, err)
		}
	}
	return arguments
}

func readArgument(item json.RawMessage) (Argument, error) {
	var a Argument
	if item[0] == '"' {
		if err := json.Unmarshal(item, &a.Text); err != nil {
			return a, err
		}
	} else {
		dec := json.NewDecoder(strings.NewReader(string(item)))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&a); err != nil {
			return a, fmt.Errorf("%s must be a text or {text, favours, aspect, relevance}", Clip(string(item)))
		}
	}
	if a.Text = strings.TrimSpace(a.Text); a.Text == "" {
		return a, fmt.Errorf("it has no text")
	}
	if a.Relevance != nil && *a.Relevance < 0 {
		return a, fmt.Errorf("relevance is %v; it cannot be negative", *a.Relevance)
	}
	switch a.Favours {
	case "", Object1, Object2, Neither:
		return a, nil
	}
	return a, fmt.Errorf("favours is %q; it must be %s, %s or %s", a.Favours, Object1, Object2, Neither)
}

// QuestionOf is the question that an answer says it answers, for answers to questions outside the set.
func QuestionOf(a Answer) Question {
	return Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect,
		Text: DefaultQuestion(a.Object1, a.Object2, a.Aspect)}
}

// The built-in question set: the 50 object pairs of the CompQA paper with their aspects (facts from the authors'
// release; 20 pairs have one). A natural question, 8 to 14 arguments and one reference answer for each pair were
// written for this project. An argument is one true, checkable, self-contained sentence. The numbers of arguments for
// the two objects differ by at most two. A reference is written to get 18 or 19 points from a strict annotator. Object
// names are spelled as in the release.
var (
	//go:embed cqa50/questions.jsonl
	cqa50Questions []byte
	//go:embed cqa50/references.jsonl
	cqa50References []byte
)

// CQA50Name is the name of the built-in set in a configuration.
const CQA50Name = "cqa50"

// CQA50 is the built-in question set, 50 questions in the paper's order. A test makes the
// checks of user files, so that runs do not repeat them.
var CQA50 = sync.OnceValue(func() []Question {
	questions := decodeLines[Question](cqa50Questions)
	for i, q := range questions {
		questions[i].ID = q.Pair()
	}
	return questions
})

// References are the built-in reference answers by pair key.
var References = sync.OnceValue(func() map[string]string {
	references := map[string]string{}
	for _, r := range decodeLines[Answer](cqa50References) {
		references[r.Pair()] = r.Text
	}
	return references
})

// decodeLines decodes an embedded JSON Lines file.
func decodeLines[T any](lines []byte) (all []T) {
	for line := range bytes.Lines(lines) {
		all = append(all, Must(Decoded[T](line)))
	}
	return all
}
