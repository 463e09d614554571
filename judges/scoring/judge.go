package scoring

import (
	"context"

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
		v.Status, v.Reason = data.Status(fault.Kind), fault.Reason
		if v.Status == data.Incomplete && data.IsHuman(v.Judge) && len(v.Scores) > 0 && r.CheckGiven(v.Scores, v.Judge == data.Human) == nil {
			v.Status = data.Partial
		}
		return v
	}
	total := r.Total(v.Scores)
	v.Status, v.Reason, v.Total = data.Valid, "", &total
	return v
}
