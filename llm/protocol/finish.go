package protocol

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"compqa/llm"
)

// Finish reasons of OpenAI, Anthropic and Ollama, and of other servers (Gemini, Mistral) whose reasons compatible servers forward.
var (
	finishLength  = []string{"length", "max_tokens", "max_output_tokens", "model_length", "max_length", "model_context_window_exceeded"}
	finishRefusal = []string{"content_filter", "refusal", "safety", "prohibited_content", "recitation", "blocklist", "spii"}
	finishDone    = []string{"stop", "eos", "eos_token", "end_turn", "stop_sequence"}
)

// IsDone reports whether a finish reason says that a reply is complete.
func IsDone(finish string) bool { return slices.Contains(finishDone, strings.ToLower(finish)) }

// verdict returns the error of a complete response, or nil if the reply is valid. refusal says why the model declined, if the response has
// a field for that. A reply must have a finish reason: if Ollama gives up, it ends the reply with finish_reason null and status 200.
func verdict(r *llm.Reply, refusal string) error {
	finish := strings.ToLower(r.Finish)
	among := func(list []string) bool { // a gateway may write "content_filter: PROHIBITED_CONTENT"
		return slices.ContainsFunc(strings.FieldsFunc(finish, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) }),
			func(word string) bool { return slices.Contains(list, word) })
	}
	// A reply without an answer is paid for, so it is retried only once.
	empty := func(format string) error {
		e := ReplyError(llm.Failed, "%s", format)
		e.Retriable = true
		e.OneRetry = true
		return e
	}
	switch {
	case refusal != "":
		return ReplyError(llm.Refused, "the model refuses: %s", clipped(refusal))
	case among(finishRefusal):
		return ReplyError(llm.Refused, "finish reason %s", r.Finish)
	case AtLimit(finish):
		return ReplyError(llm.Truncated, "the reply was truncated at the limit of tokens (finish reason %s)", r.Finish)
	case finish == "error":
		e := ReplyError(llm.Failed, "finish reason error")
		e.Retriable = true
		return e
	case !among(finishDone):
		return ReplyError(llm.Failed, "the reply is not finished (finish reason %q)", clipped(r.Finish))
	case strings.TrimSpace(r.Text) == "" && r.Reasoning != "":
		return empty("the reply has reasoning but no answer")
	case strings.TrimSpace(r.Text) == "":
		return empty("the answer is empty")
	}
	return nil
}

// AtLimit reports whether a finish reason says that the reply reached a limit of tokens.
func AtLimit(finish string) bool { return slices.Contains(finishLength, strings.ToLower(finish)) }

// errorWithin returns the error inside a reply with status 200. Gateways send such a reply when the server behind them fails (OpenRouter),
// and Ollama when its runner dies. Without a status inside, the error is retriable.
func errorWithin(raw json.RawMessage) *llm.Error {
	p := ParseErrorBody(`{"error":` + string(raw) + `}`)
	e := ReplyError(llm.Failed, "an error within the reply: %s", p.Message)
	e.Unbilled = true
	Classify(e, cmp.Or(p.status, http.StatusInternalServerError), p)
	return e
}

// ReplyError returns an error in a reply with HTTP status 200.
func ReplyError(kind llm.Kind, format string, args ...any) *llm.Error {
	e := llm.Errorf(kind, format, args...)
	e.HTTPStatus = http.StatusOK
	return e
}
