package data

import (
	"encoding/json"
	"fmt"
	"strings"
)

var questionFields = []string{"id", "object1", "object2", "aspect", "question", "arguments"}

// ReadQuestions reads questions from JSON Lines or CSV: id (optional), object1, object2,
// aspect, question, arguments. Arguments are a list of strings, or of objects {text,
// favours, aspect}; in CSV one cell contains that list as JSON. A question without a
// text gets the paper's default text. A duplicate object pair is an error.
func ReadQuestions(path string) ([]Question, error) {
	return readRecords(path, questionFields, "questions", questionAndKeys)
}

func questionAndKeys(r row) (Question, []string, error) {
	q, err := readQuestion(r)
	return q, []string{fmt.Sprintf("object pair %q (order and case do not count)", q.Pair()), fmt.Sprintf("id %q", q.ID)}, err
}

func readQuestion(r row) (Question, error) {
	var q Question
	var err error
	if q.Object1, err = r.need("object1"); err != nil {
		return q, err
	}
	if q.Object2, err = r.need("object2"); err != nil {
		return q, err
	}
	if q.ID, err = r.key("id"); err != nil {
		return q, err
	}
	if err := r.texts(map[string]*string{"aspect": &q.Aspect, "question": &q.Text}); err != nil {
		return q, err
	}
	q.Object1, q.Object2, q.Aspect = strings.TrimSpace(q.Object1), strings.TrimSpace(q.Object2), strings.TrimSpace(q.Aspect)
	if foldName(q.Object1) == foldName(q.Object2) {
		return q, r.errorf("object1 and object2 are both %q", q.Object1)
	}
	if q.ID == "" {
		q.ID = q.Pair()
	}
	if strings.TrimSpace(q.Text) == "" {
		q.Text = DefaultQuestion(q.Object1, q.Object2, q.Aspect)
	}
	q.Arguments, err = readArguments(r)
	return q, err
}

// DefaultQuestion is the text of a question without one (Nikishina et al., section 2.2).
func DefaultQuestion(object1, object2, aspect string) string {
	q := fmt.Sprintf("Which is better: %s or %s?", object1, object2)
	if aspect != "" {
		q += fmt.Sprintf(" Focus on %s.", aspect)
	}
	return q
}

func readArguments(r row) ([]Argument, error) {
	raw := r.raw("arguments")
	if len(raw) == 0 {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, r.errorf("arguments is %s; a JSON list of strings or of {text, favours, aspect} is needed", Clip(string(raw)))
	}
	arguments := make([]Argument, 0, len(items))
	for i, item := range items {
		a, err := readArgument(item)
		if err != nil {
			return nil, r.errorf("argument %d: %v", i+1, err)
		}
		arguments = append(arguments, a)
	}
	return arguments, nil
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
			return a, fmt.Errorf("%s is neither text nor {text, favours, aspect}", Clip(string(item)))
		}
	}
	if a.Text = strings.TrimSpace(a.Text); a.Text == "" {
		return a, fmt.Errorf("it has no text")
	}
	switch a.Favours {
	case "", Object1, Object2, Neither:
		return a, nil
	}
	return a, fmt.Errorf("favours is %q; one of %s, %s, %s", a.Favours, Object1, Object2, Neither)
}

// QuestionOf is the question that an answer says it answers, for answers to
// questions outside the set.
func QuestionOf(a Answer) Question {
	return Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect,
		Text: DefaultQuestion(a.Object1, a.Object2, a.Aspect)}
}
