package scoring

import (
	"context"
	"strings"

	"compqa/data"
	"compqa/llm"
)

// An Outcome is the last reply of a model. Read: Raw is the reply that was read last, and not
// the partial reply of a failed call.
type Outcome struct {
	Status      data.Status
	Reason, Raw string
	Read        bool
}

// AskRepaired asks a model and, while repairs are left, shows it an invalid reply with a complaint.
// A reply is invalid if read returns a reason, with any status. A call without a complete reply
// (refused, truncated, failed) is not repaired: its status is the outcome. If this call returned no
// text, the raw text is the invalid reply before it.
func AskRepaired(ctx context.Context, ask Ask, req llm.Request, repairs int, read func(reply string) (data.Status, string), complaint func(reason string) (llm.Message, error)) (o Outcome) {
	failed := func(err error) Outcome {
		before := o.Reason
		o.Status, o.Reason = StatusOf(err), err.Error()
		if before != "" {
			o.Reason += " (asked again after an invalid reply: " + before + ")"
		}
		return o
	}
	for ; ; repairs-- {
		reply, err := ask(ctx, req)
		if err != nil {
			for _, text := range []string{reply.Text, reply.Refusal} {
				if text != "" && text != o.Raw {
					o.Raw, o.Read = text, false
					break
				}
			}
			return failed(err)
		}
		o.Raw, o.Read = reply.Text, true
		if o.Status, o.Reason = read(reply.Text); o.Reason == "" || repairs <= 0 {
			return o
		}
		again, err := complaint(o.Reason)
		if err != nil {
			return failed(err)
		}
		req.Messages = append(req.Messages, llm.Message{Role: "assistant", Content: shown(reply.Text)}, again)
	}
}

// mostShown is how much of a faulty reply is shown to the judge again, in bytes: enough for a
// sheet of any rubric and some prose.
const mostShown = 8 << 10

// shown is a faulty reply as a turn of the conversation, which no server accepts empty.
func shown(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + " […]"
	}
	return text
}
