package judges

import (
	"context"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/rubric"
)

// constant gives every answer full marks. It is the baseline of every report on agreement. Where most answers are good it often agrees with
// people, and a judge that does not agree with people more often adds no information.
var constant = scoring.Embedded{
	Name: "constant", Kind: scoring.KindFloor, About: "full marks for every answer: a judge that does not beat it adds no information",
	Version: 1,
	New: func(r rubric.Rubric) (scoring.Judge, error) {
		return func(context.Context, data.Question, data.Answer, scoring.Ask) data.Verdict {
			return data.Verdict{Scores: r.Full()}
		}, nil
	},
}
