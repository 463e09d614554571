package judges

import (
	"compqa/data"
	"compqa/rubric"
)

// Constant gives every criterion of a rubric its maximum, whatever the answer:
// the floor of every agreement report. Where most answers are good it agrees
// with people quite often, and a judge that does not agree with them more often
// has shown nothing.
func Constant(r rubric.Rubric) data.Scores {
	return r.Full()
}
