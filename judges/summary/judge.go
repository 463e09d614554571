package summary

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/judges/scoring"
)

// A Judge gives the labels of one kind to the table of a question.
type Judge func(ctx context.Context, q data.Question, t data.ContrastTable, kind string, ask scoring.Ask) Labelled

// Labelled are labels of one kind. A status other than valid has a reason and no labels. Raw is
// the reply of a model.
type Labelled struct {
	Status data.Status
	Labels data.Labels
	Reason string
	Raw    string
}

// RulesName is the judge without a model.
const RulesName = "rules"

// rulesVersion is raised when the rules label a table differently.
const rulesVersion = 2

// Rules are the judge without a model, and its identity.
func Rules() (Judge, string) {
	return func(_ context.Context, q data.Question, t data.ContrastTable, kind string, _ scoring.Ask) Labelled {
		l := labelByRules(q, t, kind)
		status, reason := l.Check(kind, t)
		if status != data.Valid {
			l = data.Labels{}
		}
		return Labelled{Status: status, Labels: l, Reason: reason}
	}, fmt.Sprintf("summary %s %d", RulesName, rulesVersion)
}
