package data

import (
	"fmt"
	"strconv"
)

var answerFields = []string{"id", "object1", "object2", "aspect", "text", "system", "scenario", "repeat"}

// ReadAnswers reads answers from JSON Lines or CSV: id, object1, object2, aspect, text,
// and optionally system, scenario, repeat. An answer without a scenario gets NoScenario.
// An answer with an empty text is Skipped. A duplicate id is an error.
func ReadAnswers(path string) ([]Answer, error) {
	return readRecords(path, answerFields, "answers", func(r row) (Answer, []string, error) {
		a, err := readAnswer(r)
		return a, []string{fmt.Sprintf("id %q", a.ID)}, err
	})
}

func readAnswer(r row) (Answer, error) {
	a := Answer{Status: Valid}
	var err error
	if a.ID, err = r.need("id"); err != nil {
		return a, err
	}
	if a.Object1, err = r.need("object1"); err != nil {
		return a, err
	}
	if a.Object2, err = r.need("object2"); err != nil {
		return a, err
	}
	if a.Scenario, err = r.key("scenario"); err != nil {
		return a, err
	}
	if err := r.texts(map[string]*string{"aspect": &a.Aspect, "text": &a.Text, "system": &a.System}); err != nil {
		return a, err
	}
	if a.Repeat, err = r.repeat(); err != nil {
		return a, err
	}
	switch a.Scenario {
	case "":
		a.Scenario = NoScenario
	case "all":
		return a, r.errorf(`the scenario name "all" is reserved for tables; use another name`)
	}
	if _, ok := r.fields["text"]; !ok && r.json {
		return a, r.errorf("text is missing")
	}
	if a.Text == "" {
		a.Status, a.Reason = Skipped, "the answer is empty"
	}
	a.Question = a.Pair()
	return a, nil
}

// AnswerID is the id of an answer without an id of its own.
func AnswerID(system, scenario, question string, repeat int) string {
	return system + "/" + scenario + "/" + question + "/" + strconv.Itoa(repeat)
}
