package data

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

var answerFields = []string{"id", "object1", "object2", "aspect", "text", "system", "scenario", "repeat", "table"}

// ReadAnswers reads answers from JSON Lines or CSV: id, object1, object2, aspect, text, and optionally system,
// scenario, repeat, and table, a contrastive table. An answer without a scenario gets NoScenario. A text may be empty:
// that is an answer too. A duplicate id is an error, and so is no text, unless there is a table.
func ReadAnswers(path string) ([]Answer, error) {
	return readRecords(path, answerFields, "answers", func(r *row) (Answer, []string) {
		a := Answer{Status: Valid, ID: r.need("id"), Object1: r.need("object1"), Object2: r.need("object2"), Scenario: r.key("scenario"),
			Aspect: strings.Clone(r.text("aspect")), System: r.key("system"), Table: r.table("table"), Repeat: r.count("repeat", 1)}
		if a.Text = r.text("text"); a.Table == nil {
			r.content("text") // which must be there
		}
		a.Scenario = cmp.Or(a.Scenario, NoScenario)
		if a.Scenario == "all" {
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
