// Package scoring defines what a judge is. All packages of judges import it, and it imports none of them.
package scoring

import (
	"context"
	"fmt"

	"compqa/data"
	"compqa/llm"
	"compqa/rubric"
)

// A Judge scores one answer to a question. The caller fills in the verdict's Answer, Judge and Repeat.
type Judge func(ctx context.Context, q data.Question, a data.Answer, ask Ask) data.Verdict

// Ask sends a request to the judge's model. The caller records the request and the reply. A judge without a model does not call it.
type Ask func(context.Context, llm.Request) (llm.Reply, error)

// StatusOf returns the status of a verdict, or of another result, whose call failed with err.
func StatusOf(err error) data.Status { return data.Status(llm.StatusOf(err)) }

// Settle sets the status of a verdict, and its total or the reason why it is not valid. A status other than valid is kept. The rubric
// decides whether the scores are valid. The total is always the sum of the scores, even if the judge or a file gives another one. An
// incomplete sheet of a person is partial, if the scores that it has are in range.
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

// An Embedded is a judge that is part of the program and needs no model.
type Embedded struct {
	Name, Kind string
	About      string // one line for reports
	// TrainedOn names the human scores that the judge was trained or tuned on. HeldOut says that each answer is scored by a model that was
	// not trained on its question.
	TrainedOn string
	HeldOut   bool
	// LeftOut returns the judge's bias on each system of TrainedOn, from a fit without the system. It is nil if the biases are not known.
	LeftOut func() []data.SystemBias
	// Arguments says that the judge compares an answer with the arguments of its question.
	Arguments bool
	// English says that the judge's word lists are English, and that it skips answers in other languages.
	English bool
	// Version is raised when the judge scores an answer differently. Verdicts of an older version are then made again.
	Version int
	New     func(rubric.Rubric) (Judge, error)
	// Explain returns the reason for each score, in the rubric's order. It is nil if the scores need no explanation.
	Explain func(data.Question, data.Answer) []Finding
}

// Identity returns the part of a verdict's fingerprint that identifies the judge and its version.
func (e Embedded) Identity() string { return fmt.Sprintf("embedded %s %d", e.Name, e.Version) }

// A Finding explains the score of one criterion: the points given, and the measured facts in words.
type Finding struct {
	Criterion string
	Points    float64
	Facts     string
}
