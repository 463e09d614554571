package summary

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/judges/text/lexical"
	"compqa/llm/structured"
)

// A Judge labels the contrastive table of a question. kind is the kind of labels, such as data.LabelSupport.
type Judge func(ctx context.Context, q data.Question, t data.ContrastTable, kind string, ask scoring.Ask) Labelled

// Labelled is the labels of one kind. If the status is not valid, it has a reason and no labels.
type Labelled = structured.Result[data.Labels, data.Status]

// RulesName is the name of the judge without a model.
const RulesName = "rules"

// rulesVersion is raised when the rules label some table differently.
const rulesVersion = 3

// Rules returns the judge without a model, and its identity for fingerprints. It skips tables that are not in English.
func Rules() (Judge, string) {
	return func(_ context.Context, q data.Question, t data.ContrastTable, kind string, _ scoring.Ask) Labelled {
		if reason := lexical.SignsOf(strings.Join(texts(t), "\n")).Foreign(); reason != "" {
			return Labelled{Status: data.Skipped, Reason: reason}
		}
		l := labelByRules(q, t, kind)
		status, reason := l.Check(kind, t)
		if status != data.Valid {
			l = data.Labels{}
		}
		return Labelled{Status: status, Value: l, Reason: reason}
	}, fmt.Sprintf("summary %s %d", RulesName, rulesVersion)
}

// texts returns the values of a table. They are phrases, which can lack function words, so only signs of other languages are tested.
func texts(t data.ContrastTable) (values []string) {
	for _, row := range t.Rows {
		for _, v := range slices.Concat(row.Object1, row.Object2) {
			values = append(values, v.Value)
		}
	}
	return values
}
