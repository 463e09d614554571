package data

import (
	"fmt"
	"strconv"
)

var answerFields = []string{"id", "object1", "object2", "aspect", "text", "system", "scenario", "repeat"}

// ReadAnswers reads answers from JSON Lines or CSV: id, object1, object2,
// aspect, text, and optionally system, scenario, repeat. An answer without a
// scenario has NoScenario. An answer whose text is empty is Skipped: there is
// nothing to judge. Two rows with one id are an error.
func ReadAnswers(path string) ([]Answer, error) {
	var answers []Answer
	lines := map[string]int{}
	err := readRows(path, answerFields, func(r row) error {
		a, err := readAnswer(r)
		if err != nil {
			return err
		}
		if first, ok := lines[a.ID]; ok {
			return r.errorf("the id %q is that of line %d", a.ID, first)
		}
		lines[a.ID] = r.line
		answers = append(answers, a)
		return nil
	})
	if err == nil && len(answers) == 0 {
		err = fmt.Errorf("%s holds no answer", path)
	}
	return answers, err
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
		return a, r.errorf(`scenario is "all", which tables say for all of them; give it another name`)
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

// AnswerID is the id of an answer that came without one of its own: the fields
// that say which it is.
func AnswerID(system, scenario, question string, repeat int) string {
	return system + "/" + scenario + "/" + question + "/" + strconv.Itoa(repeat)
}
