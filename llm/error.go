package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Kind says how an attempt or a call ended.
type Kind string

// The kinds. The first four are also statuses of an answer or a verdict.
const (
	Valid         Kind = "valid"         // complete reply
	Refused       Kind = "refused"       // refused by the model or by a content filter
	Truncated     Kind = "truncated"     // the reply reached the limit of tokens
	Failed        Kind = "failed"        // any other failure of the server
	Cancelled     Kind = "cancelled"     // the caller's context has ended
	Misconfigured Kind = "misconfigured" // wrong key, address, model or option: another attempt would fail too
	Unavailable   Kind = "unavailable"   // the server does not reply now; the call is to be made later, and mostly was not sent
	Unaffordable  Kind = "unaffordable"  // not sent: the budget does not cover the request
)

// A Scope says which other calls would fail with the same error.
type Scope string

// The scopes. An error of OneModel or AllModels does not depend on the content of the request.
const (
	OneCall   Scope = ""
	OneModel  Scope = "model"    // every call of the model: the server does not know the model
	AllModels Scope = "provider" // every call: the key is wrong, or the account has no credit
)

// Error explains why a call has no reply. An Error of kind Cancelled wraps context.Canceled or context.DeadlineExceeded.
type Error struct {
	Kind       Kind
	Retriable  bool          // another attempt may succeed
	HTTPStatus int           // of the last response; 0: no response
	RetryAfter time.Duration // pause that the server asked for; 0: none
	Provider   string
	Model      string // empty if the error concerns no model
	Attempts   int    // requests sent
	Message    string // readable text without secrets

	// OtherForm marks a request whose form the server rejects. The client sends it again in another form, which does not count as a retry.
	OtherForm bool
	// Parameter is the parameter that the error is about, if the server names one. In the error of a call, it is a user's option that the
	// model does not accept: every call with this option would fail.
	Parameter string
	Concerns  Scope // which other calls would fail in the same way
	Overload  bool  // the server is overloaded, or limits the rate of requests
	OneRetry  bool  // only one more attempt is made: the reply was paid for but is empty
	Unbilled  bool  // no request arrived, or the server reports its own failure
	// TokenLimit says that a batch has more tokens than the account may have in batches at once.
	TokenLimit bool
	TimedOut   bool   // no complete reply came within the provider's timeout
	Body       string // of the response, for the record
	Cause      error
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

// Status returns the status of the answer or verdict: refused, truncated, failed, or pending. It is pending if the call did not end, or
// cannot succeed before the user corrects the configuration.
func (e *Error) Status() string {
	if e.Parameter != "" || e.Concerns != OneCall {
		return "pending"
	}
	switch e.Kind {
	case Refused, Truncated:
		return string(e.Kind)
	case Cancelled, Unavailable, Unaffordable:
		return "pending"
	}
	return string(Failed)
}

// StatusOf returns the status of an item whose call ended with an error.
func StatusOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Status()
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "pending"
	}
	return string(Failed)
}

// Brief returns a short text for a progress line.
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

const maxBrief = 140 // longest text, chosen to fit our message about a timeout

// Errorf returns an error of a kind. The caller sets its other fields.
func Errorf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// AsError returns a copy of the *Error in err, or an Error of kind Failed with its text.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		known := *e
		return &known
	}
	return Errorf(Failed, "%s", err)
}

// ContextError returns the error of a context that has ended.
func ContextError(ctx context.Context) *Error {
	return &Error{Kind: Cancelled, Message: context.Cause(ctx).Error(), Cause: ctx.Err()}
}

// ServerProblem reports whether the error means that the server is overloaded, and whether it means that the server fails whatever the
// request is. A time-out means both, because requests that wait in the server's own queue time out.
func (e *Error) ServerProblem() (overloaded, failing bool) {
	if e == nil || !e.Retriable {
		return false, false
	}
	overloaded = e.Overload || e.TimedOut
	return overloaded, e.HTTPStatus == 0 || e.HTTPStatus >= 500 && e.HTTPStatus != 529
}
