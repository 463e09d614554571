package data

import (
	"fmt"
	"strconv"
)

var answerFields = []string{"id", "object1", "object2", "aspect", "text", "system", "scenario", "repeat"}

// ReadAnswers reads answers from JSON Lines or CSV: id, object1, object2, aspect, text,
// and optionally system, scenario, repeat. An answer without a scenario gets NoScenario.
// A text may be empty: that is an answer too. A duplicate id, or no text, is an error.
func ReadAnswers(path string) ([]Answer, error) {
	return readRecords(path, answerFields, "answers", func(r *row) (Answer, []string) {
		a := Answer{Status: Valid, ID: r.need("id"), Object1: r.need("object1"), Object2: r.need("object2"), Scenario: r.key("scenario"),
			Aspect: r.text("aspect"), System: r.text("system"), Text: r.content("text"), Repeat: r.repeat()}
		switch a.Scenario {
		case "":
			a.Scenario = NoScenario
		case "all":
			r.fail(`the scenario name "all" is reserved for tables; use another name`)
		}
		a.Question = a.Pair()
		return a, []string{fmt.Sprintf("id %q", a.ID)}
	})
}

// AnswerID is the id of an answer without an id of its own.
func AnswerID(system, scenario, question string, repeat int) string {
	return system + "/" + scenario + "/" + question + "/" + strconv.Itoa(repeat)
}
