package protocol

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"compqa/llm"
)

// TestNestedBody: the depth of nested JSON is limited. Otherwise it could exhaust the stack, which ends the process.
func TestNestedBody(t *testing.T) {
	for _, body := range []string{strings.Repeat("[", 1<<20), strings.Repeat(`{"error":`, 1<<16), strings.Repeat(`{"error":`, 1<<16) + "1" + strings.Repeat("}", 1<<16)} {
		if p := ParseErrorBody(body); len(p.Message) > 2*MaxMessage {
			t.Errorf("a message of %d bytes", len(p.Message))
		}
	}
}

func TestSizeInWords(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 9: "9 B", 999: "999 B", 999_499: "999 kB", 999_500: "1.0 MB", 8_200_000: "8.2 MB",
		9_950_000: "10 MB", 82_854_982: "83 MB", 5e15: "5000 TB"} {
		if got := SizeInWords(n); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// TestPauseInMessage: the pause that a message asks for is used if no header has one.
func TestPauseInMessage(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"Rate limit reached for m. Please try again in 2.5s. Visit …": 2500 * time.Millisecond,
		"Please try again in 1m12s.":                                  72 * time.Second,
		"Please try again in 350ms.":                                  350 * time.Millisecond,
		"Retry after 3 seconds":                                       3 * time.Second,
		"try again later":                                             0,
		"try again in 5 days":                                         0,
	} {
		if got := pauseInMessage(message); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
		resp := &http.Response{StatusCode: 429, Header: http.Header{}}
		if e := statusError(resp, `{"error": {"message": "`+message+`"}}`); e.RetryAfter != want {
			t.Errorf("%q: the error asks for %s, want %s", message, e.RetryAfter, want)
		}
	}
	resp := &http.Response{StatusCode: 429, Header: http.Header{"Retry-After": {"7"}}}
	if e := statusError(resp, `{"error": {"message": "try again in 2.5s"}}`); e.RetryAfter != 7*time.Second {
		t.Errorf("beside a header of 7 s: %s", e.RetryAfter)
	}
}

// TestUsageOfUnreadable: the server's token counts are kept if the rest of a reply cannot be read. A login page has no counts.
func TestUsageOfUnreadable(t *testing.T) {
	reply := llm.Reply{Raw: `{"choices": "none", "usage": {"prompt_tokens": 12, "completion_tokens": 3}}`}
	if err := parseCompletion(&reply); err == nil || reply.Usage.Prompt == nil || *reply.Usage.Prompt != 12 || *reply.Usage.Completion != 3 {
		t.Errorf("%v, %+v", err, reply.Usage)
	}
	reply = llm.Reply{Raw: "<html>Please log in</html>"}
	if err := parseCompletion(&reply); err == nil || reply.Usage != (llm.Usage{}) || reply.Billed != nil {
		t.Errorf("a login page: %v, %+v", err, reply.Usage)
	}
}

// TestLinesAfterByteMark: a byte order mark before the results is not part of the first line.
func TestLinesAfterByteMark(t *testing.T) {
	var got []string
	if err := lines(strings.NewReader("\ufeff{\"custom_id\": \"a\"}\n\n{\"custom_id\": \"b\"}\n"), func(line []byte) error {
		got = append(got, string(line))
		return nil
	}); err != nil || len(got) != 2 || got[0] != `{"custom_id": "a"}` {
		t.Errorf("%q, %v", got, err)
	}
}
