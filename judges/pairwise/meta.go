package pairwise

import (
	"context"
	"fmt"
	"math"
	"strings"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm/structured"
)

// The scales of a rationale's grades (Ye et al. 2024, Table 9).
const (
	MostCorrect    = 5 // 1 not at all … 5 completely correct
	MostConsistent = 3 // 1 the rationale supports another choice, 2 unclear, 3 it supports the choice
)

// A Grade is a meta-judge's grade of a judgment: whether the choice is right, and the quality of the rationale. The other fields are set if
// Status is Valid.
type Grade struct {
	Status      data.Status
	Right       bool
	Correctness int // 1 to MostCorrect
	Consistency int // 1 to MostConsistent
	Reason      string
}

// grades is the JSON form of a reply.
type grades struct {
	Right       structured.Enum `json:"preference_correct"`
	Correctness structured.Enum `json:"rationale_correctness"`
	Consistency structured.Enum `json:"rationale_consistency"`
}

var gradeSchema = structured.Schema(grades{structured.Enum{"Correct", "Incorrect"},
	structured.Enum{1, 2, 3, 4, MostCorrect}, structured.Enum{1, 2, MostConsistent}})

// Grade asks a model to grade a judgment on a shown pair: choice c, as shown, and its rationale.
func (m Model) Grade(ctx context.Context, s OrderedPair, c data.Choice, rationale string, ask Ask) Grade {
	judgment := JudgmentText(rationale, c)
	messages := render("con-j/meta.tmpl", prompt{shownPair: s.pair(digits, judgment), Judgment: judgment})
	req := m.request(messages, evaluating)
	req.Schema = gradeSchema
	req.SchemaName = "grades"
	reply, err := ask(ctx, RolePreference, 1, req)
	if err != nil {
		return Grade{Status: scoring.StatusOf(err), Reason: err.Error()}
	}
	return readGrade(reply.Text, s.material(judgment))
}

// readGrade reads the grade from a reply. Its Status says if a value is missing or out of range.
func readGrade(reply string, m structured.Material) Grade {
	v, err := structured.Object(reply, structured.HasKey("preference_correct"), m)
	if err != nil {
		return Grade{Status: data.Unparsed, Reason: fmt.Sprintf("of grades: %v; the reply ends: %s", err, ending(reply))}
	}
	g := Grade{Status: data.Valid}
	right, _ := v.Get("preference_correct")
	switch strings.ToLower(strings.TrimSpace(right.Text)) {
	case "correct":
		g.Right = true
	case "incorrect":
	default:
		g.Status, g.Reason = data.Unparsed, fmt.Sprintf("preference_correct is %q; it must be Correct or Incorrect", right.Text)
	}
	g.scale(v, "rationale_correctness", MostCorrect, &g.Correctness)
	g.scale(v, "rationale_consistency", MostConsistent, &g.Consistency)
	return g
}

// scale reads the value of a scale from 1 to most into one field of the grade, or sets the status.
func (g *Grade) scale(v structured.Value, key string, most int, into *int) {
	grade, ok := v.Get(key)
	x, number := grade.Number()
	switch {
	case g.Status != data.Valid:
	case !ok:
		g.Status = data.Incomplete
		g.Reason = key + " is missing"
	case !number || !grade.Unquoted || x != math.Trunc(x) || x < 1 || x > float64(most):
		g.Status, g.Reason = data.OutOfRange, fmt.Sprintf("%s is %q; it must be 1 to %d", key, grade.Text, most)
	default:
		*into = int(x)
	}
}
