package protocol

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"compqa/llm"
)

func kindOf(err error) llm.Kind {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Kind
	}
	return llm.Valid
}

func TestUnreadableBatchLines(t *testing.T) {
	w := &Endpoint{maxReply: 1 << 20}
	openAI := &Chat{Endpoint: w, parse: parseCompletion}
	anthropic := &Chat{Endpoint: w, parse: parseMessage}
	for _, line := range []string{`{`, `{"custom_id":""}`, `[]`} {
		if _, _, err := openAI.result([]byte(line)); kindOf(err) != llm.Failed {
			t.Errorf("OpenAI, %s: %v", line, err)
		}
		if _, _, err := anthropic.result([]byte(line)); kindOf(err) != llm.Failed {
			t.Errorf("Anthropic, %s: %v", line, err)
		}
	}
	for line, want := range map[string]llm.Kind{
		`{"custom_id":"a"}`: llm.Failed,
		`{"custom_id":"a","response":{"status_code":200,"body":{"choices":[]}}}`:          llm.Failed,
		`{"custom_id":"a","response":{"status_code":200,"body":[1]}}`:                     llm.Failed,
		`{"custom_id":"a","response":{"status_code":401,"body":{"error":"no key"}}}`:      llm.Misconfigured,
		`{"custom_id":"a","response":null,"error":{"code":"server_error","message":"x"}}`: llm.Failed,
	} {
		if id, _, err := openAI.result([]byte(line)); id != "a" || kindOf(err) != want {
			t.Errorf("%s: %q, %v", line, id, err)
		}
	}
	for line, want := range map[string]llm.Kind{
		`{"custom_id":"a"}`: llm.Failed,
		`{"custom_id":"a","result":{"type":"succeeded"}}`:                                                            llm.Failed,
		`{"custom_id":"a","result":{"type":"succeeded","message":{"content":[]}}}`:                                   llm.Failed,
		`{"custom_id":"a","result":{"type":"errored","error":{"error":{"type":"x"}}}}`:                               llm.Failed,
		`{"custom_id":"a","result":{"type":"errored","error":{"error":{"type":"permission_error","message":"no"}}}}`: llm.Misconfigured,
		`{"custom_id":"a","result":{"type":"canceled"}}`:                                                             llm.Unavailable,
	} {
		if id, _, err := anthropic.result([]byte(line)); id != "a" || kindOf(err) != want {
			t.Errorf("%s: %q, %v", line, id, err)
		}
	}
}

// TestUnreadableState: the state of a batch must have an id and a status of the documented types.
func TestUnreadableState(t *testing.T) {
	for text, want := range map[string]llm.Kind{`{"id":"b","status":"failed"}`: llm.Valid, `{"id":"b"}`: llm.Failed,
		`{"status":"failed"}`: llm.Failed, `{"id":"b","status":1}`: llm.Failed, `{"id":"b","status":"failed"`: llm.Failed,
		`<html>`: llm.Misconfigured} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }))
		endpoint, err := NewEndpoint(llm.Provider{BaseURL: server.URL, Timeout: time.Minute}, "", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		openAI, err := newOpenAI(endpoint, llm.Provider{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openAI.(*Chat).BatchStatus(t.Context(), "b"); kindOf(err) != want {
			t.Errorf("%s: %v", text, err)
		}
		server.Close()
	}
}

// TestLongReplyInBatch: max_reply applies to batches, too.
func TestLongReplyInBatch(t *testing.T) {
	w := &Endpoint{maxReply: 100}
	line := `{"custom_id":"a","response":{"status_code":200,"body":{"choices":[{"finish_reason":"stop","message":{"content":"` + strings.Repeat("x", 100) + `"}}],"usage":{"prompt_tokens":7}}}}`
	id, reply, err := (&Chat{Endpoint: w, parse: parseCompletion}).result([]byte(line))
	if id != "a" || kindOf(err) != llm.Truncated || reply.Text != "" || len(reply.Raw) != 100 || *reply.Usage.Prompt != 7 {
		t.Errorf("%q, %+v, %v", id, reply, err)
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"512KiB": 512 << 10, "1MiB": 1 << 20, "2MB": 2e6, "1.5 MiB": 3 << 19, "1000": 1000, "1GiB": 1 << 30} {
		if got, err := parseSize(text); got != want || err != nil {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1MiB", "1 mile", "2GiB", "1e9", ".", "1MiB "} {
		if got, err := parseSize(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// TestMessagesAreShort: a server's texts are shortened in messages, because messages are shown in every table.
func TestMessagesAreShort(t *testing.T) {
	long := strings.Repeat("é", 1<<19)
	resp := &http.Response{StatusCode: 302, Header: http.Header{"Location": {long}}}
	for name, err := range map[string]error{
		"finish reason": verdict(&llm.Reply{Finish: long}, ""),
		"refusal":       verdict(&llm.Reply{}, long),
		"error":         errorWithin([]byte(`"` + long + `"`)),
		"redirect":      statusError(resp, ""),
		"status":        statusError(&http.Response{StatusCode: 500}, long),
	} {
		if n := len(err.Error()); n < 100 || n > 1000 {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
}
