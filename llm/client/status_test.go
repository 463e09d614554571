package client

import (
	"bytes"
	"compqa/data/sharedtest"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// TestRetryAfter: seconds and dates are defined in RFC 9110, section 10.2.3; retry-after-ms is OpenAI's.
func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	date := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	tests := []struct {
		after, ms, date string
		want            time.Duration
	}{
		{"", "", "", 0},
		{"17", "", "", 17 * time.Second},
		{" 0.25 ", "", "", 250 * time.Millisecond},
		{"-3", "", "", 0},
		{"NaN", "", "", 0},
		{"soon", "", "", 0},
		{"1e300", "", "", 366 * 24 * time.Hour},
		{"17", "1500", "", 1500 * time.Millisecond},
		{date(time.Minute), "", "", time.Minute},
		{date(-time.Minute), "", "", 0},
		{date(time.Hour), "", date(59 * time.Minute), time.Minute},
	}
	for _, test := range tests {
		h := http.Header{}
		h.Set("Retry-After", test.after)
		h.Set("Retry-After-Ms", test.ms)
		h.Set("Date", test.date)
		if got := protocol.RetryAfter(h, now); got != test.want {
			t.Errorf("%+v: %s, want %s", test, got, test.want)
		}
	}
}

// TestRetriableStatuses: the complete list of HTTP statuses that are retried, for each provider type.
func TestRetriableStatuses(t *testing.T) {
	again := " 408 409 425 429 500 502 503 504 520 521 522 523 524 529 "
	for _, v := range voices {
		for code := 300; code < 600; code++ {
			if code == http.StatusNotModified {
				continue // such a response has no body in HTTP
			}
			if !sharedtest.Soaking(t) && code%10 > 1 && !strings.Contains(again, " "+strconv.Itoa(code)+" ") {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				_, reply, err := chatOnce(t, llm.Provider{Type: v.kind, Retries: 1}, refuses(code, ""), ask("Go?"))
				e, ok := errors.AsType[*llm.Error](err)
				status := "failed"
				if slices.Contains([]int{401, 402, 404, 405, 529}, code) {
					status = "pending" // the error concerns every call, or lasts until the server has room
				}
				if !ok || e.HTTPStatus != code || e.Status() != status {
					t.Fatalf("%s %d: %v", v.kind, code, err)
				}
				want := strings.Contains(again, " "+strconv.Itoa(code)+" ")
				if e.Retriable != want || (len(reply.Attempts) == 2) != want {
					t.Errorf("%s %d: retriable %t after %d attempts", v.kind, code, e.Retriable, len(reply.Attempts))
				}
			})
		}
	}
}

// TestSoakRetriableStatuses runs TestRetriableStatuses with all cases.
func TestSoakRetriableStatuses(t *testing.T) {
	sharedtest.Soak(t)
	TestRetriableStatuses(t)
}

func TestErrorStatus(t *testing.T) {
	for kind, want := range map[llm.Kind]string{llm.Refused: "refused", llm.Truncated: "truncated", llm.Failed: "failed", llm.Misconfigured: "failed", llm.Cancelled: "pending"} {
		if got := (&llm.Error{Kind: kind}).Status(); got != want {
			t.Errorf("%s has status %s, want %s", kind, got, want)
		}
	}
	e := &llm.Error{Kind: llm.Failed, HTTPStatus: 429, Provider: "openai", Model: "gpt-4o", Attempts: 5, Message: "slow down"}
	if got := e.Error(); got != "openai, model gpt-4o: failed: HTTP 429: slow down (attempt 5)" {
		t.Errorf("error reads %q", got)
	}
}

// FuzzReply: no response is taken for an answer that it does not contain, and nothing panics.
func FuzzReply(f *testing.F) {
	f.Add([]byte(openAIAnswer(goAnswer, "stop")))
	f.Add([]byte(ollamaAnswer(goAnswer, "stop")))
	f.Add([]byte(`{"error":{"message":"x","code":429}}`))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"type":"text"}]}}]}`))
	f.Add([]byte(`{"done":true}{"done":false}`))
	f.Add([]byte("<html>"))
	f.Add([]byte("null"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, v := range voices {
			p := llm.Provider{Type: v.kind, Name: "fuzz", BaseURL: "http://server.test", Retries: -1}
			c, err := New(p, testEnv, Hooks{Transport: canned(body)})
			if err != nil {
				t.Fatal(err)
			}
			reply, err := c.Chat(t.Context(), ask("Go?"))
			if err == nil && strings.TrimSpace(reply.Text) == "" {
				t.Errorf("%s: an empty answer from %q", v.kind, body)
			}
			if len(reply.Attempts) != 1 {
				t.Errorf("%s: %d attempts", v.kind, len(reply.Attempts))
			}
		}
	})
}

// canned is a transport that responds to every request with one body, without a network.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := []byte(c)
	if strings.HasSuffix(r.URL.Path, "/api/show") {
		body = []byte("{}")
	}
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
