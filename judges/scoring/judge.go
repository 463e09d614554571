// Package scoring defines what a judge is. All packages of judges import it, and it imports none of them.
package scoring

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/llm"
	"compqa/rubric"
)

// A Judge scores one answer to a question. Answer, Judge and Repeat of the verdict are the caller's to fill in.
type Judge func(ctx context.Context, q data.Question, a data.Answer, ask Ask) data.Verdict

// Ask puts a request to the judge's model. The caller records what was asked
// and what came back; a judge without a model has no use for it.
type Ask func(context.Context, llm.Request) (llm.Reply, error)

// StatusOf returns the status of a verdict, or of another item, whose call ended in an error.
func StatusOf(err error) data.Status { return data.Status(llm.StatusOf(err)) }

// Settle decides with the rubric whether a verdict is valid: it sets the status, the total and, if the verdict is not valid,
// the reason. If the verdict already has a status that is not valid, it keeps it. The total is always the sum of the scores,
// even if the judge or the file gives another total. A person's sheet may have gaps: it is partial, if what it has is in range.
func Settle(r rubric.Rubric, v data.Verdict) data.Verdict {
	v.Total = nil
	if v.Status != "" && v.Status != data.Valid {
		return v
	}
	if fault := r.Check(v.Scores, v.Judge == data.Human); fault != nil {
		v.Status = data.Status(fault.Kind)
		v.Reason = fault.Reason
		if v.Status == data.Incomplete && data.IsHuman(v.Judge) && len(v.Scores) > 0 && r.CheckGiven(v.Scores, v.Judge == data.Human) == nil {
			v.Status = data.Partial
		}
		return v
	}
	total := r.Total(v.Scores)
	v.Status = data.Valid
	v.Reason = ""
	v.Total = &total
	return v
}

// Kinds of embedded judges.
const (
	KindEmbedded = "embedded"
	KindFloor    = "floor" // it does not read the answer
)

// An Embedded judge is part of the program and needs no model.
type Embedded struct {
	Name, Kind string
	About      string // one line for reports
	// TrainedOn names the human scores that the judge was trained or tuned on. HeldOut: no
	// answer is scored by a model that was trained on its question.
	TrainedOn string
	HeldOut   bool
	// LeftOut is the judge's bias on each system of TrainedOn, fitted without the system. Nil if not known.
	LeftOut func() []data.SystemBias
	// Arguments: the judge compares an answer with the arguments of its question.
	Arguments bool
	// English: its word lists are English, and it skips answers in other languages.
	English bool
	// Version is raised when the judge scores an answer differently: verdicts of an older version are then made again.
	Version int
	New     func(rubric.Rubric) (Judge, error)
	// Explain gives the reason for each score, in the rubric's order. Nil if the scores need no explanation.
	Explain func(data.Question, data.Answer) []Finding
}

// Identity enters the fingerprint of the judge's verdicts.
func (e Embedded) Identity() string { return fmt.Sprintf("embedded %s %d", e.Name, e.Version) }

// A Finding explains the score of one criterion: the points given and the facts measured, in words.
type Finding struct {
	Criterion string
	Points    float64
	Facts     string
}
