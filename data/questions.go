package data

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// objectFields are the fields for objects. Fields after the second, and the field objects, lead to an error that says what to do instead.
var objectFields = []string{"object1", "object2", "object3", "object4", "object5", "object6", "object7", "object8", "object9"}

var questionFields = append([]string{"id", "aspect", "question", "arguments", "objects"}, objectFields...)

// ReadQuestions reads questions from JSON Lines or CSV: id (optional), object1, object2, aspect, question, arguments. Arguments are a list
// of strings or of objects {text, favours, aspect, relevance}; in CSV, a cell contains the list as JSON or one argument a line. A question
// without text gets the default text of the paper; a question without objects must have a text. Two questions with the same id, or with the
// same objects and aspect, are an error.
func ReadQuestions(path string) ([]Question, error) {
	questions, err := readRecords(path, questionFields, "questions", func(r *row) (Question, []string) {
		q := Question{ID: r.key("id"), Aspect: strings.TrimSpace(r.text("aspect")), Text: r.text("question")}
		q.Object1, q.Object2 = twoObjects(r)
		if q.Object1 != "" && SameName(q.Object1, q.Object2) {
			r.fail("object1 and object2 are both %q", q.Object1)
		}
		q.Arguments = readArguments(r)
		var keys []string
		if q.HasObjects() {
			keys = []string{fmt.Sprintf("object pair %q (in any order and letter case)", q.Pair())}
			if q.Aspect != "" {
				keys[0] += fmt.Sprintf(" with the aspect %q", foldName(q.Aspect))
			}
			if strings.TrimSpace(q.Text) == "" {
				q.Text = DefaultQuestion(q.Object1, q.Object2, q.Aspect)
			}
		} else if q.ID = cmp.Or(q.ID, strings.TrimSpace(q.Text)); q.ID == "" || strings.TrimSpace(q.Text) == "" {
			r.fail("a question needs object1 and object2, or, if it is not about two objects, a text in the field question")
		}
		if q.ID != "" {
			keys = append(keys, fmt.Sprintf("id %q", Clip(q.ID)))
		}
		return q, keys
	})
	if err != nil {
		return nil, err
	}
	return questions, nameQuestions(path, questions)
}

// twoObjects returns the two objects of a question, or "" for both if it has none. More than two objects are an error.
func twoObjects(r *row) (object1, object2 string) {
	names := []string{}
	for _, field := range objectFields {
		if name := strings.TrimSpace(r.key(field)); name != "" {
			names = append(names, name)
		}
	}
	if r.hasField("objects") {
		listed := []string{}
		if moreThan(r.raw("objects"), MostItems) {
			r.fail("objects has more than %d names; a question compares two", MostItems)
		} else if r.decode("objects", &listed, "a list of names is needed") && len(listed) == 2 {
			r.fail("write the two objects as object1 (%q) and object2 (%q)", listed[0], listed[1])
		}
		names = listed
	}
	if len(names) > 2 {
		shown := strings.Join(names[:min(len(names), 9)], ", ")
		if len(names) > 9 {
			shown += ", …"
		}
		r.fail("a question compares exactly two objects, and this one has %d (%s): ask one question about each pair of them (%s), or leave "+
			"out the objects, and the text in the field question is asked as it is", len(names), shown,
			strings.Join(pairsOf(names), "; "))
	}
	if len(names) == 0 {
		return "", ""
	}
	return strings.TrimSpace(r.need("object1")), strings.TrimSpace(r.need("object2"))
}

// pairsOf returns the pairs of several names for a message, at most six.
func pairsOf(names []string) (pairs []string) {
	for i, a := range names {
		for _, b := range names[i+1:] {
			if len(pairs) == 6 {
				return append(pairs, "…")
			}
			pairs = append(pairs, a+" and "+b)
		}
	}
	return pairs
}

// nameQuestions gives each question without an id its pair key as id, followed by the aspect if the set has several questions about the
// pair.
func nameQuestions(path string, questions []Question) error {
	numbers := map[string]int{}
	taken := map[string]bool{}
	for _, q := range questions {
		numbers[q.Pair()]++
		taken[q.ID] = true
	}
	for i := range questions {
		q := &questions[i]
		if q.ID != "" {
			continue
		}
		q.ID = q.Pair()
		if numbers[q.ID] > 1 && q.Aspect != "" {
			q.ID += " (" + foldName(q.Aspect) + ")"
		}
		if taken[q.ID] {
			return fmt.Errorf("%s: the id %q of a question is also the default id of another one, which has no id; give it one", path, q.ID)
		}
	}
	return nil
}

// DefaultQuestion returns the text of a question without one (Nikishina et al., section 2.2).
func DefaultQuestion(object1, object2, aspect string) string {
	q := fmt.Sprintf("Which is better: %s or %s?", object1, object2)
	if aspect != "" {
		q += fmt.Sprintf(" Focus on %s.", aspect)
	}
	return q
}

// readArguments returns the arguments of a question, from a JSON list or, in a table, from a cell with one argument a line.
func readArguments(r *row) []Argument {
	raw := r.raw("arguments")
	if len(raw) == 0 {
		return nil
	}
	if text := r.fields["arguments"].Str; r.Table != nil && !strings.HasPrefix(strings.TrimSpace(text), "[") { // one argument on each line
		var arguments []Argument
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if line != "" {
				arguments = append(arguments, Argument{Text: line})
			}
			if len(arguments) > MostItems {
				r.fail("arguments has more than %d lines; at most these are read of a question", MostItems)
				return nil
			}
		}
		return arguments
	}
	if moreThan(raw, MostItems) {
		r.fail("arguments has more than %d items; at most these are read of a question", MostItems)
		return nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		r.fail("arguments is %s; a JSON list of strings or of {text, favours, aspect, relevance} is needed", Clip(string(raw)))
	}
	arguments := make([]Argument, len(items))
	for i, item := range items {
		var err error
		arguments[i], err = readArgument(item)
		if err != nil {
			r.fail("argument %d: %v", i+1, err)
		}
	}
	return arguments
}

// moreThan reports whether a JSON list has more than most items.
func moreThan(list json.RawMessage, most int) bool {
	n := 0
	items := gjson.ParseBytes(list)
	if !items.IsArray() {
		return false
	}
	items.ForEach(func(_, _ gjson.Result) bool {
		n++
		return n <= most
	})
	return n > most
}

// readArgument decodes one argument, a text or an object, and checks its fields.
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
	a.Text = strings.TrimSpace(a.Text)
	if a.Text == "" {
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

// A QuestionSet finds the question that an answer answers.
type QuestionSet struct {
	byID   map[string]Question
	byPair map[string][]Question
}

// NewQuestionSet returns a set of questions.
func NewQuestionSet(questions []Question) QuestionSet {
	s := QuestionSet{By(questions, func(q Question) string { return q.ID }), map[string][]Question{}}
	for _, q := range questions {
		s.byPair[q.Pair()] = append(s.byPair[q.Pair()], q)
	}
	return s
}

// Of returns the question that an answer answers. If the answer has objects, it is the question about them; of several, the one with the
// answer's aspect, or else with its question id. Without objects, the question id decides.
func (s QuestionSet) Of(a Answer) (q Question, found bool) {
	if a.Object1 == "" {
		q, found = s.byID[a.Question]
		if q.HasObjects() {
			return Question{}, false
		}
		return q, found
	}
	about := s.byPair[a.Pair()]
	if len(about) == 1 {
		return about[0], true
	}
	q, found = First(about, func(q Question) bool { return SameName(q.Aspect, a.Aspect) })
	if found {
		return q, true
	}
	return First(about, func(q Question) bool { return q.ID == a.Question })
}

// QuestionOf builds the question of an answer from the answer's own fields, for answers to questions outside the set.
func QuestionOf(a Answer) Question {
	return Question{ID: a.Question, Object1: a.Object1, Object2: a.Object2, Aspect: a.Aspect,
		Text: DefaultQuestion(a.Object1, a.Object2, a.Aspect)}
}

// The built-in question set: the 50 object pairs of the CompQA paper and their aspects, from the authors' release (20 pairs have an
// aspect). For each pair, this project adds a natural question, 8 to 14 arguments, and one reference answer. An argument is one true,
// checkable, self-contained sentence; the numbers of arguments for the two objects differ by at most two. A reference should get 18 or 19
// points from a strict annotator. Names of objects are spelled as in the release.
var (
	//go:embed cqa50/questions.jsonl
	cqa50Questions []byte
	//go:embed cqa50/references.jsonl
	cqa50References []byte
)

// CQA50Name is the name of the built-in set in a configuration.
const CQA50Name = "cqa50"

// CQA50 returns the built-in question set, 50 questions in the order of the paper. A test checks them as user files are checked, so that
// runs need not.
var CQA50 = sync.OnceValue(func() []Question {
	questions := decodeLines[Question](cqa50Questions)
	for i, q := range questions {
		questions[i].ID = q.Pair()
	}
	return questions
})

// References returns the built-in reference answers, by pair key.
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
