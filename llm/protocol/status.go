package protocol

import (
	"cmp"
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

	"github.com/tidwall/gjson"

	"compqa/llm"
)

const (
	MaxBody    = 16 << 20  // most bytes read of a list, of a line of a batch, or of the stream of one reply
	MaxRaw     = 256 << 10 // most bytes kept of one reply
	RawSlack   = 4 << 10   // additional bytes that are searched for secrets
	MaxMessage = 400       // most bytes of a server's message in an error
)

// readBody reads a response's body, of at most most bytes. With an error it returns what was read.
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

// SizeInWords formats a number of bytes, for instance "82 MB" or "8.2 MB".
func SizeInWords(n uint64) string {
	x := float64(n)
	units := []string{"B", "kB", "MB", "GB", "TB"}
	for ; x >= 999.5 && len(units) > 1; units = units[1:] {
		x /= 1000
	}
	digits := 0
	if x < 9.95 && n > 9 {
		digits = 1
	}
	return strconv.FormatFloat(x, 'f', digits, 64) + " " + units[0]
}

// errorBody is what the body of an error response says.
type errorBody struct {
	Message string
	code    string // error.code, error.type and error.status, lower case
	param   string // the parameter that the error is about; "": not named
	status  int    // an HTTP status in the body; 0: none
}

// ParseErrorBody reads an error from a body. Servers use these forms:
//   - {"error": {"message", "code", "type"}} (OpenAI)
//   - {"error": "text"} (Ollama, llama.cpp, proxies)
//   - {"message"} (vLLM) and {"detail"} (FastAPI)
//   - one of these forms inside a list or a text (Gemini, gateways)
//   - an HTML page, or plain text
func ParseErrorBody(text string) errorBody {
	body := strings.TrimSpace(text)
	switch {
	case body == "":
		return errorBody{Message: "empty body"}
	case body[0] == '<':
		return errorBody{Message: clipped("an HTML page: " + pageTitle([]byte(body)))}
	case !json.Valid([]byte(body)):
		return errorBody{Message: clipped(body)}
	}
	e := gjson.Parse(body)
	for range deepestError {
		inner := e.Get("error")
		if e.IsArray() {
			inner = e.Get("0")
		} else if text := strings.TrimSpace(e.Get("message").Str); strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			inner = gjson.Parse(text)
		}
		if !inner.IsObject() {
			break
		}
		e = inner
	}
	p := errorBody{Message: clipped(FirstText(textOf(e.Get("error")), textOf(e.Get("message")), textOf(e.Get("detail")), e.Raw)),
		param: textOf(e.Get("param")),
		code:  strings.ToLower(textOf(e.Get("code")) + " " + textOf(e.Get("type")) + " " + textOf(e.Get("status")))}
	p.status, _ = strconv.Atoi(textOf(e.Get("code")))
	return p
}

// deepestError is the largest number of nested objects, lists or texts around a server's error.
const deepestError = 8

// textOf returns the text of a JSON string, "" for null, or the JSON of another value.
func textOf(value gjson.Result) string {
	if value.Type == gjson.String {
		return value.Str
	}
	if value.Type == gjson.Null {
		return ""
	}
	return value.Raw
}

// clipped shortens a server's text for a message.
func clipped(text string) string {
	if len(text) > MaxMessage {
		text = strings.ToValidUTF8(text[:MaxMessage], "") + "…"
	}
	return text
}

// statusError returns the error of a response outside 2xx.
func statusError(resp *http.Response, body string) *llm.Error {
	p := ParseErrorBody(body)
	e := llm.Errorf(llm.Failed, "%s", p.Message)
	e.HTTPStatus = resp.StatusCode
	e.Body = body
	e.Parameter = p.param
	e.RetryAfter = RetryAfter(resp.Header, time.Now())
	if e.RetryAfter == 0 && (resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable) {
		e.RetryAfter = pauseInMessage(p.Message)
	}
	Classify(e, resp.StatusCode, p)
	if e.RetryAfter > longestPause {
		e.Message = fmt.Sprintf("the server asks for a pause of %s: %s", e.RetryAfter.Round(time.Minute), e.Message)
	}
	if resp.StatusCode < 400 {
		e.Kind = llm.Misconfigured
		e.Message = fmt.Sprintf("redirected to %s: set base_url to the final address", clipped(resp.Header.Get("Location")))
	}
	return e
}

// A class is a kind of error that servers report: how it is recognised, and what follows from it.
type class struct {
	statuses []int          // the HTTP statuses; nil: any
	words    *regexp.Regexp // matches the code or the message in lower case; nil: any
	kind     llm.Kind       // "": Failed
	concerns llm.Scope
	retry    bool // another attempt may succeed
	overload bool
	means    string // written before the server's message
}

// classes lists the kinds of errors that are distinguished. The first class that matches an error applies. An error that matches none gets
// kind Failed, and is not retried. A test has an error of each class, with its source.
var classes = []class{
	{words: words("content_filter|content_policy_violation|responsibleaipolicyviolation|content management policy|" +
		"content filtering policy|input was flagged|prohibited_content"), kind: llm.Refused},
	{words: words("insufficient_quota|billing_error|insufficient_credits|credit balance is too low|insufficient credits|" +
		"requires more credits|more credits are required|have any credits|reached your specified api usage limits"), concerns: llm.AllModels,
		means: "the account has no credit left"},
	{statuses: []int{402}, concerns: llm.AllModels, means: "the account has no credit left"},
	{words: words("api key not valid|api_key_invalid|invalid_api_key|incorrect api key"), kind: llm.Misconfigured, concerns: llm.AllModels,
		means: "the server refuses the key"},
	{statuses: []int{401}, kind: llm.Misconfigured, concerns: llm.AllModels, means: "the server refuses the key"},
	{statuses: []int{400, 403}, words: words("deploymentnotfound|model_not_found|is not a valid model id"), kind: llm.Misconfigured,
		concerns: llm.OneModel, means: "no such model or address"},
	{statuses: []int{404, 405}, kind: llm.Misconfigured, concerns: llm.OneModel, means: "no such model or address"},
	{statuses: []int{403}, kind: llm.Misconfigured, means: "the server refuses the key"}, // it may be about one model
	{statuses: []int{413, 429}, words: words("request too large|request_too_large"),
		means: "one request needs more than the account's limit of tokens a minute"},
	{statuses: []int{500}, words: words("invalid json schema|invalid format")}, // Ollama's one status 500 that the request causes
	{statuses: []int{529}, words: nil, kind: llm.Unavailable, retry: true, overload: true},
	{statuses: []int{400}, words: words("throttl|too many requests|toomanyrequests"), retry: true, overload: true},
	{statuses: []int{429, 503}, retry: true, overload: true},
	// Time-outs, and statuses of gateways and content networks whose server is unreachable (520 to 524: Cloudflare).
	{statuses: []int{408, 409, 425, 500, 502, 504, 520, 521, 522, 523, 524}, retry: true},
}

func words(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

// Classify sets the fields of an error that follow from the HTTP status and the body; see classes.
func Classify(e *llm.Error, status int, p errorBody) {
	text := p.code + " " + strings.ToLower(p.Message)
	for _, c := range classes {
		if c.statuses != nil && !slices.Contains(c.statuses, status) || c.words != nil && !c.words.MatchString(text) {
			continue
		}
		e.Kind = cmp.Or(c.kind, llm.Failed)
		e.Concerns = c.concerns
		e.Retriable = c.retry
		e.Overload = c.overload
		if c.means != "" {
			e.Message = c.means + ": " + e.Message
		}
		return
	}
}

// longestPause is the longest pause that a server may ask for without the error mentioning it.
const longestPause = time.Hour

// RetryAfter returns the pause that a response asks for: Retry-After-Ms, or Retry-After in seconds (with fractions) or as a date of the
// server's clock. It returns 0 if there is none, if it is unreadable, or if it is in the past.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, ok := positive(h.Get("Retry-After-Ms")); ok {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, ok := positive(text); ok {
		return time.Duration(s * float64(time.Second))
	}
	when, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(0, when.Sub(llm.ServerTime(h, now)))
}

// askedPause matches the pause in a message, as in OpenAI's "Please try again in 2.5s", "… in 1m12s", "… in 350ms".
var askedPause = regexp.MustCompile(`(?i)\b(?:try again|retry) (?:in|after) ((?:[0-9]+(?:\.[0-9]+)?(?:ms|h|m|s))+|` +
	`[0-9]+(?:\.[0-9]+)? ?sec)`)

// pauseInMessage returns the pause that an error's text asks for, or 0 if there is none.
func pauseInMessage(message string) time.Duration {
	m := askedPause.FindStringSubmatch(message)
	if m == nil {
		return 0
	}
	pause, err := time.ParseDuration(strings.TrimSpace(strings.Replace(strings.ToLower(strings.ReplaceAll(m[1], " ", "")), "sec", "s", 1)))
	if err != nil {
		return 0
	}
	return max(0, pause)
}

// positive reads a number of seconds or milliseconds, limited so that it fits a time.Duration. It returns false for a negative number or
// other text.
func positive(text string) (float64, bool) {
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(x) || x < 0 {
		return 0, false
	}
	return min(x, 366*24*3600), true
}

// bodyError returns the error of a 2xx response whose body is not a JSON object, or nil if it is one.
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
		e.Message = "empty reply"
		e.Retriable = true
	case streamed.MatchString(body):
		e.Kind = llm.Misconfigured
		e.Concerns = llm.OneModel
		e.Message = "the server only streams its replies, which compqa does not read: use its address or option for whole replies"
	case strings.HasPrefix(strings.TrimSpace(body), "<"):
		e.Kind = llm.Misconfigured
		e.Message += " (check base_url; for most servers it ends in /v1)"
	case errors.As(err, &syntax) && syntax.Offset >= int64(len(body)):
		e.Message = "the reply is incomplete"
		e.Retriable = true
	}
	return e
}

// streamed matches the beginning of a stream of server-sent events (SSE).
var streamed = regexp.MustCompile(`^\s*(data|event|id|retry)?: ?\S`)

var titleTag = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

// pageTitle returns the title of an HTML page, or the page if it has none.
func pageTitle(page []byte) string {
	if m := titleTag.FindSubmatch(page); m != nil {
		return strings.Join(strings.Fields(html.UnescapeString(string(m[1]))), " ")
	}
	return string(page)
}

// isPresent reports whether a JSON value exists and is not null.
func isPresent(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// rawText returns textOf for a value that is not decoded yet.
func rawText(raw json.RawMessage) string { return textOf(gjson.ParseBytes(raw)) }

// FirstText returns the first text that is not blank.
func FirstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
