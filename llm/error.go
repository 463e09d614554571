package llm

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Kind says how an attempt or a call ended.
type Kind string

// The kinds. The first four are also statuses of an answer or a verdict.
const (
	Valid         Kind = "valid"         // a complete answer
	Refused       Kind = "refused"       // by the model or by a content filter
	Truncated     Kind = "truncated"     // the limit of tokens cut the answer off
	Failed        Kind = "failed"        // everything else that a server does wrong
	Cancelled     Kind = "cancelled"     // the caller's context ended
	Misconfigured Kind = "misconfigured" // key, address, model or option is wrong: asking again is useless
	Unavailable   Kind = "unavailable"   // the server has been given up for now, and wasn't asked
	Unaffordable  Kind = "unaffordable"  // the budget doesn't cover the request, and it wasn't sent
)

// Error is why a call has no answer. errors.Is finds context.Canceled and
// context.DeadlineExceeded behind a Cancelled one.
type Error struct {
	Kind       Kind
	Retriable  bool          // another try might succeed
	HTTPStatus int           // of the last response; 0: none came
	RetryAfter time.Duration // what the server asked for; 0: nothing
	Provider   string
	Model      string // empty where the error concerns no model
	Attempts   int    // requests made
	Message    string // for people; free of secrets

	// again marks a request that was wrong for this server and has been put
	// right for the next one, which is not a retry.
	Again    bool
	ForAll   bool   // whatever is asked: the key is wrong, or the account is empty
	Unbilled bool   // nothing was asked, or the server says that it has failed
	Body     string // of the response, for the record
	Cause    error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Provider)
	if e.Model != "" {
		fmt.Fprintf(&b, ", model %s", e.Model)
	}
	fmt.Fprintf(&b, ": %s: ", e.Kind)
	if e.HTTPStatus >= 300 {
		fmt.Fprintf(&b, "HTTP %d: ", e.HTTPStatus)
	}
	b.WriteString(e.Message)
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (attempt %d)", e.Attempts)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }

// Status is the status that an answer or a verdict gets by this error: refused,
// truncated, failed, or pending when the call was not brought to its end.
func (e *Error) Status() string {
	switch e.Kind {
	case Refused, Truncated:
		return string(e.Kind)
	case Cancelled, Unavailable, Unaffordable:
		return "pending"
	}
	return string(Failed)
}

// brief is the error in a few words, for a screen.
func (e *Error) Brief() string {
	text := strings.Join(strings.Fields(e.Message), " ")
	if e.HTTPStatus >= 300 {
		text = fmt.Sprintf("HTTP %d, %s", e.HTTPStatus, text)
	}
	if len(text) > maxBrief {
		text = strings.ToValidUTF8(text[:maxBrief], "") + "…"
	}
	return text
}

const maxBrief = 100

// fault is an error of a kind with its message; fields are set by the caller.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// cancelled is the error of a context that ended.
func ContextError(ctx context.Context) *Error {
	return &Error{Kind: Cancelled, Message: context.Cause(ctx).Error(), Cause: ctx.Err()}
}

// signs says what an error tells about the server: that it has too much to do,
// and that it fails whatever it is asked.
func (e *Error) ServerProblem() (busy, ill bool) {
	if e == nil || !e.Retriable {
		return false, false
	}
	busy = e.HTTPStatus == 429 || e.HTTPStatus == 503 || e.HTTPStatus == 529
	return busy, e.HTTPStatus == 0 || e.HTTPStatus >= 500 && e.HTTPStatus != 529
}
