package bench

import (
	"slices"

	"compqa/data"
	"compqa/judges"
	"compqa/results"
	"compqa/rubric"
)

// reread reads a model's verdict anew from its raw reply. One that was not read
// from a whole reply stays as it is.
func reread(r rubric.Rubric, judge results.Party, v data.Verdict) data.Verdict {
	if readable(judge, v) {
		v.Scores, v.Status, v.Reason = judges.Parse(v.Raw, r)
		v = judges.Settle(r, v)
	}
	return v
}

// readable reports whether a verdict was read from a reply that is on record.
func readable(judge results.Party, v data.Verdict) bool {
	read := []data.Status{data.Valid, data.Unparsed, data.Incomplete, data.OutOfRange, data.UnknownCriterion}
	return judge.Kind == kindModel && v.Raw != "" && slices.Contains(read, v.Status)
}
