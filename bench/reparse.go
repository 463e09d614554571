package bench

import (
	"slices"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges"
	"compqa/judges/scoring"
	"compqa/results/archive"
	"compqa/results/store"
	"compqa/rubric"
)

// reread reads a model's verdict anew from its raw reply: the last one, where a
// faulty one was repaired. Of a verdict that rests on no reply (embedded judges,
// people, files and releases) it only adds up the scores; what was not read from a
// whole reply stays as it is.
func reread(r rubric.Rubric, judge store.Participant, v data.Verdict) (now data.Verdict, read bool) {
	switch {
	case readable(judge, v):
		v.Scores, v.Status, v.Reason = judges.Parse(v.Raw, r)
		return scoring.Settle(r, v), true
	case v.Status == data.Valid && judge.Kind != config.KindModel:
		return scoring.Settle(r, v), false
	}
	return v, false
}

// readable reports whether a verdict was read from a reply that is on record.
func readable(judge store.Participant, v data.Verdict) bool {
	return judge.Kind == config.KindModel && v.Raw != "" && slices.Contains(archive.FromReply, v.Status)
}
