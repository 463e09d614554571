package pairwise

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
)

// The scales of a rationale's grades (Ye et al. 2024, Table 9).
const (
	MostCorrect    = 5 // correctness: 1 not at all … 5 wholly
	MostConsistent = 3 // consistency: 1 another side than the choice, 2 unclear, 3 the same
)

// A Grade is a meta-judge's grade of a judgment: whether the choice is correct, and the
// quality of the rationale. The fields are set if Status is Valid.
type Grade struct {
	Status      data.Status
	Right       bool
	Correctness int // 1 to MostCorrect
	Consistency int // 1 to MostConsistent
	Reason      string
}

var gradeSchema = json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"preference_correct":{"type":"string","enum":["Correct","Incorrect"]},"rationale_correctness":{"type":"integer","enum":[1,2,3,4,%d]},"rationale_consistency":{"type":"integer","enum":[1,2,%d]}},"required":["preference_correct","rationale_correctness","rationale_consistency"],"additionalProperties":false}`,
	MostCorrect, MostConsistent))

// Grade asks a model to grade a judgment on a shown pair; the choice is as shown.
func (m Model) Grade(ctx context.Context, s Shown, c data.Choice, rationale string, ask Ask) Grade {
	judgment := judgmentText(rationale, c)
	messages := render("con-j/meta.tmpl", prompt{shownPair: s.pair(digits, judgment), Judgment: judgment})
	req := m.request(messages, evaluating)
	req.Schema, req.SchemaName = gradeSchema, "grades"
	reply, err := ask(ctx, RolePreference, 1, req)
	if err != nil {
		return Grade{Status: scoring.StatusOf(err), Reason: err.Error()}
	}
	return readGrade(reply.Text)
}

// readGrade reads grades from the last JSON object that contains any.
func readGrade(reply string) Grade {
	g := Grade{Status: data.Unparsed, Reason: "no grades in the reply, which ends: " + ending(reply)}
	for _, o := range llm.Objects(reply) {
		raw, ok := o["preference_correct"]
		if !ok {
			continue
		}
		g = Grade{Status: data.Valid}
		var right string
		json.Unmarshal(raw, &right) // what is no text is neither word
		switch strings.ToLower(strings.TrimSpace(right)) {
		case "correct":
			g.Right = true
		case "incorrect":
		default:
			g.Status, g.Reason = data.Unparsed, fmt.Sprintf("preference_correct is %s; it must be Correct or Incorrect", raw)
		}
		g.scale(o, "rationale_correctness", MostCorrect, &g.Correctness)
		g.scale(o, "rationale_consistency", MostConsistent, &g.Consistency)
	}
	return g
}

func (g *Grade) scale(o map[string]json.RawMessage, key string, most int, into *int) {
	raw, ok := o[key]
	switch {
	case g.Status != data.Valid:
	case !ok:
		g.Status, g.Reason = data.Incomplete, key+" is missing"
	case json.Unmarshal(raw, into) != nil || *into < 1 || *into > most:
		g.Status, g.Reason = data.OutOfRange, fmt.Sprintf("%s is %s; it must be 1 to %d", key, raw, most)
	}
}
