package judges

import (
	"context"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/rubric"
)

// Constant gives every criterion of a rubric its maximum, whatever the answer:
// the floor of every agreement report. Where most answers are good it agrees
// with people quite often, and a judge that does not agree with them more often
// has shown nothing.
func Constant(r rubric.Rubric) data.Scores {
	return r.Full()
}

// NewConstant is the judge "constant".
func NewConstant(r rubric.Rubric) (scoring.Judge, error) {
	return func(context.Context, data.Question, data.Answer, scoring.Ask) data.Verdict {
		return data.Verdict{Scores: Constant(r)}
	}, nil
}
