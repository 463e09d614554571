package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"compqa/llm"
)

const (
	MaxBody    = 16 << 20  // bytes read of a list, of a line of a batch, or of the stream of one reply
	MaxRaw     = 256 << 10 // bytes kept of one reply
	RawSlack   = 4 << 10   // more bytes that are searched for secrets
	MaxMessage = 400       // bytes of a server's message in an error
)

// retriable are the statuses after which a retry may succeed: overload, time-outs, and those of gateways and content
// networks whose server is unreachable (520 to 524 Cloudflare, 529 overloaded).
var retriable = []int{408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}

// readBody reads a response's body, at most a number of bytes. With an error it returns what it has read.
func readBody(resp *http.Response, most int64) (string, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	if err == nil && int64(len(body)) > most {
		err = tooLong(most)
	}
	return string(body), err
}

func tooLong(most int64) *llm.Error {
	return ReplyError(llm.Truncated, "the reply was cut off after %d bytes (max_reply of the provider)", most)
}

var size = regexp.MustCompile(`^([0-9.]+) ?(B|kB|MB|GB|KiB|MiB|GiB)?$`)

// parseSize reads a number of bytes such as 512KiB, 1MiB or 2MB.
func parseSize(text string) (int64, error) {
	units := map[string]float64{"": 1, "B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	if m := size.FindStringSubmatch(text); m != nil {
		if n, err := strconv.ParseFloat(m[1], 64); err == nil && n*units[m[2]] >= 1 && n*units[m[2]] <= 1<<30 {
			return int64(n * units[m[2]]), nil
		}
	}
	return 0, llm.Errorf(llm.Misconfigured, "max_reply is %q; it must be a size such as 512KiB, 1MiB or 2MB, at most 1GiB", text)
}

// SizeInWords is a number of bytes such as 82 MB or 8.2 MB.
func SizeInWords(n uint64) string {
	x, units := float64(n), []string{"B", "kB", "MB", "GB", "TB"}
	for ; x >= 999.5 && len(units) > 1; units = units[1:] {
		x /= 1000
	}
	digits := 0
	if x < 9.95 && n > 9 {
		digits = 1
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " " + units[0]
}

// errorBody is the content of an error response.
type errorBody struct {
	Message string
	code    string // error.code and error.type, lower case
	param   string // the parameter that it is about; "": not named
	status  int    // an HTTP status inside the body; 0: none
}

// ParseErrorBody reads an error from a body in any of the forms that servers use: {"error":
// {"message", "code", "type"}} (OpenAI), {"error": "text"} (Ollama, llama.cpp, proxies), {"message"}
// (vLLM), {"detail"} (FastAPI), an HTML page, or plain text.
func ParseErrorBody(text string) errorBody {
	var p errorBody
	body := []byte(strings.TrimSpace(text))
	var top struct {
		Error   json.RawMessage
		Message json.RawMessage
		Detail  json.RawMessage
		Code    json.RawMessage
		Type    json.RawMessage
		Param   json.RawMessage
	}
	switch {
	case len(body) == 0:
		p.Message = "empty body"
	case body[0] == '<':
		p.Message = "an HTML page: " + pageTitle(body)
	case json.Unmarshal(body, &top) != nil:
		p.Message = string(body)
	case present(top.Error) && top.Error[0] == '{':
		inner := ParseErrorBody(string(top.Error))
		inner.Message = FirstText(inner.Message, string(top.Error))
		return inner
	default:
		for _, raw := range []json.RawMessage{top.Error, top.Message, top.Detail} {
			if p.Message = plain(raw); p.Message != "" {
				break
			}
		}
		p.Message = FirstText(p.Message, string(body))
		p.code = strings.ToLower(plain(top.Code) + " " + plain(top.Type))
		p.param = plain(top.Param)
		p.status, _ = strconv.Atoi(plain(top.Code))
	}
	p.Message = clipped(p.Message)
	return p
}

// clipped is a server's text, shortened for a message.
func clipped(text string) string {
	if len(text) > MaxMessage {
		text = strings.ToValidUTF8(text[:MaxMessage], "") + "…"
	}
	return text
}

// statusError is the error of a response outside 2xx.
func statusError(resp *http.Response, body string) *llm.Error {
	p := ParseErrorBody(body)
	e := llm.Errorf(llm.Failed, "%s", p.Message)
	e.HTTPStatus, e.Body, e.Parameter = resp.StatusCode, body, p.param
	e.RetryAfter = RetryAfter(resp.Header, time.Now())
	Classify(e, resp.StatusCode, p)
	if resp.StatusCode < 400 {
		e.Kind = llm.Misconfigured
		e.Message = fmt.Sprintf("redirected to %s: set base_url to the final address", clipped(resp.Header.Get("Location")))
	}
	return e
}

// Classify sets Kind and Retriable from the HTTP status and the body.
func Classify(e *llm.Error, status int, p errorBody) {
	switch {
	case p.filtered():
		e.Kind = llm.Refused
	case containsAny(p.code, "insufficient_quota", "billing_error") || strings.Contains(p.Message, "credit balance is too low"):
		e.ForAll = true
		e.Message = "the account has no credit left: " + e.Message
	case slices.Contains(retriable, status):
		e.Retriable = !p.wrongSchema()
	case status == 401 || status == 403:
		e.Kind = llm.Misconfigured
		e.ForAll = status == 401 // 403 may be about one model
		e.Message = "the server refuses the key: " + e.Message
	case status == 404 || status == 405:
		e.Kind = llm.Misconfigured
		e.Message = "no such model or address: " + e.Message
	}
}

// filtered reports whether a content filter rejected the prompt. Azure and OpenAI answer 400 then, OpenRouter 403.
func (p errorBody) filtered() bool {
	text := p.code + " " + strings.ToLower(p.Message)
	return containsAny(text, "content_filter", "content_policy_violation", "responsibleaipolicyviolation",
		"content management policy", "content filtering policy", "input was flagged")
}

// wrongSchema recognises the one status 500 of Ollama that the request causes.
func (p errorBody) wrongSchema() bool {
	return containsAny(strings.ToLower(p.Message), "invalid json schema", "invalid format")
}

// RetryAfter is the pause that a response asks for: Retry-After-Ms, or Retry-After in seconds (with fractions) or as a
// date, which is compared with the server's clock. 0: none, unreadable, or in the past.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := positive(h.Get("Retry-After-Ms")); ok {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := positive(text); ok {
		return time.Duration(s * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(llm.ServerTime(h, now)))
}

// positive reads a number of seconds or milliseconds, limited so that it fits a time.Duration.
func positive(text string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		return 0, false
	}
	return min(x, 366*24*3600), true
}

// bodyError is the error of a 2xx response whose body is not a JSON object; nil if it is.
func bodyError(body string) *llm.Error {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(body), &object)
	if err == nil && object != nil {
		return nil
	}
	e := ReplyError(llm.Failed, "the reply is not a JSON object: %s", ParseErrorBody(body).Message)
	e.Body = body
	var syntax *json.SyntaxError
	switch {
	case strings.TrimSpace(body) == "":
		e.Message, e.Retriable = "empty reply", true
	case strings.HasPrefix(strings.TrimSpace(body), "<"):
		e.Kind = llm.Misconfigured
		e.Message += " (check base_url; for most servers it ends in /v1)"
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		e.Message, e.Retriable = "the reply is incomplete", true
	}
	return e
}

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle is the title of an HTML page, or its beginning.
func pageTitle(page []byte) string {
	if m := titleTag.FindSubmatch(page); m != nil {
		return strings.Join(strings.Fields(html.UnescapeString(string(m[1]))), " ")
	}
	return string(page)
}

// present reports whether a JSON value exists and is not null.
func present(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// plain is the text of a JSON string, or the JSON of another value; "" for none.
func plain(raw json.RawMessage) string {
	var s string
	if !present(raw) {
		return ""
	}
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// FirstText is the first text that is not blank.
func FirstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}
