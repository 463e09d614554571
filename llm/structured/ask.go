package structured

import (
	"context"
	"strings"

	"compqa/llm"
)

// Ask sends a request to a model. The caller records requests and replies.
type Ask = func(context.Context, llm.Request) (llm.Reply, error)

// A Query asks a model for a value of type T in a known form. S is the caller's type of statuses.
type Query[T any, S ~string] struct {
	Request llm.Request
	Repairs int // how often an invalid reply is shown to the model again
	// Read reads a reply. A reply is invalid if reason is not "", whatever the status.
	Read func(reply string) (value T, status S, reason string)
	// RepairMessage returns the message that asks for a better reply, given the reason why the last one was invalid.
	RepairMessage func(reason string) string
}

// A Result is what a Query read last.
type Result[T any, S ~string] struct {
	Value  T // as Read returned it; zero if the last reply was not read
	Status S
	Reason string
	Raw    string    // the text of the last reply, or the partial one of a failed call
	Reply  llm.Reply // the last reply
	Err    error     // the error of the last call
}

// Do asks a model. While repairs are left, it shows the model an invalid reply with the reason, and asks again. A call that was refused,
// truncated or failed is not repaired: its status is the result's status. If that call returned no text, Raw has the invalid reply before
// it.
func (q Query[T, S]) Do(ctx context.Context, ask Ask) (r Result[T, S]) {
	req := q.Request
	for repairs := q.Repairs; ; repairs-- {
		before := r.Reason
		r.Reply, r.Err = ask(ctx, req)
		if r.Err != nil {
			r.Status, r.Reason = S(llm.StatusOf(r.Err)), r.Err.Error()
			if before != "" {
				r.Reason += " (asked again after an invalid reply: " + before + ")"
			}
			if text := r.Reply.Text; text != "" && text != r.Raw {
				var none T
				r.Value = none
				r.Raw = text
			}
			return r
		}
		r.Raw = r.Reply.Text
		r.Value, r.Status, r.Reason = q.Read(r.Raw)
		if r.Reason == "" || repairs <= 0 {
			return r
		}
		req.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)],
			llm.Message{Role: "assistant", Content: repairTurn(r.Raw)}, llm.Message{Role: "user", Content: q.RepairMessage(r.Reason)})
	}
}

// mostShown is the most bytes of an invalid reply that the model sees again. It is enough for a score sheet of any rubric and some prose.
const mostShown = 8 << 10

// repairTurn returns an invalid reply as a turn of the conversation. No server accepts an empty turn, so an empty reply becomes
// "(nothing)".
func repairTurn(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(nothing)"
	}
	if len(text) > mostShown {
		return strings.ToValidUTF8(text[:mostShown], "") + " […]"
	}
	return text
}
