package judges

import (
	"context"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/rubric"
)

// constant gives every answer the maximum of every criterion. It is the floor of every agreement report: where most answers
// are good it often agrees with people, and a judge that does not agree with them more often adds no information.
var constant = scoring.Embedded{
	Name: "constant", Kind: scoring.KindFloor, About: "full marks for every answer: a judge that does not beat it adds no information",
	Version: 1,
	New: func(r rubric.Rubric) (scoring.Judge, error) {
		return func(context.Context, data.Question, data.Answer, scoring.Ask) data.Verdict {
			return data.Verdict{Scores: r.Full()}
		}, nil
	},
}
