package client

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/llm"
	"compqa/llm/batchtest"
)

func geminiClient(t *testing.T, g *batchtest.Gemini) *client {
	t.Helper()
	g.Key = testKey
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	c, err := New(llm.Provider{Name: "google", Type: llm.TypeOpenAI, BaseURL: server.URL + "/v1beta/openai", APIKeyEnv: "TEST_KEY",
		Backoff: time.Millisecond, Retries: 2}, testEnv, Hooks{Price: func(string) (llm.Price, bool) { return llm.PerMillion(1e6, 1e6, 1e6), true }})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*client)
}

func wellGemini(map[string]any) (int, string) { return 200, openAIAnswer(goAnswer, "stop") }

// TestGeminiBatch: the requests go to Google in OpenAI's form through the Files API. Each ends as it would have ended alone, at half the
// price. An error line has OpenAI's status or a code of Google.
func TestGeminiBatch(t *testing.T) {
	g := &batchtest.Gemini{}
	g.Answer = func(body map[string]any) (int, string) {
		text := body["messages"].([]any)[0].(map[string]any)["content"].(string)
		switch {
		case strings.Contains(text, "1"):
			return 400, `[{"error": {"code": 400, "message": "too long, ` + testKey + `", "status": "INVALID_ARGUMENT"}}]`
		case strings.Contains(text, "2"):
			return 200, openAIAnswer("Go com", "length")
		}
		return wellGemini(body)
	}
	c := geminiClient(t, g)
	b, err := c.Submit(t.Context(), strings.Repeat("0123456789abcdef", 2), questions(4))
	if err != nil {
		t.Fatal(err)
	}
	b, states := untilOver(t, c, b)
	if b.ID != "batches/g1" || !slices.Equal(states, []string{"validating", "validating", "in_progress", "finalizing", "completed"}) || b.Total != 4 ||
		b.Done != 3 || b.Failed != 1 {
		t.Errorf("states %v, batch %+v", states, b)
	}
	want := map[string]string{ // 18 tokens at half a dollar each
		"key-0": `valid "Go compiles faster." $9 batches/g1`, "key-1": `failed "" $0 batches/g1`, "key-2": `truncated "Go com" $9 batches/g1`,
		"key-3": `valid "Go compiles faster." $9 batches/g1`,
	}
	for id, got := range collect(t, c, b) {
		if got != want[id] {
			t.Errorf("%s: %s, want %s", id, got, want[id])
		}
		delete(want, id)
	}
	if len(want) > 0 {
		t.Errorf("nothing came of %v", want)
	}
	g.Forget() // the output is deleted: the Files API responds with 403, which is read as 404
	err = c.Collect(t.Context(), b, testModel, asked, func(string, llm.Reply, error) error { return nil })
	var e *llm.Error
	if !errors.As(err, &e) || e.HTTPStatus != http.StatusNotFound {
		t.Errorf("after the output was deleted: %v", err)
	}
}

// TestGeminiErrorLines: an error line with a code of Google is an error with the HTTP status of that code.
func TestGeminiErrorLines(t *testing.T) {
	lines := map[string]string{
		`{"custom_id": "key-0", "error": {"code": 3, "message": "bad option"}}`:            `failed "" $0 b`,
		`{"custom_id": "key-0", "error": {"code": 14, "message": "overloaded"}}`:           `failed "" $0 b`,
		`{"custom_id": "key-0", "error": {"code": "batch_expired", "message": "later"}}`:   `unavailable "" $0 b`,
		`{"custom_id": "key-0", "response": {"status_code": 200, "body": {"no": "good"}}}`: `failed "" $0 b`,
	}
	for line, want := range lines {
		g := &batchtest.Gemini{}
		g.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/download/") {
				fmt.Fprint(w, `{"id": "b", "status": "completed", "output_file_id": "files/out"}`)
				return true
			}
			fmt.Fprintln(w, "\ufeff"+line)
			return true
		}
		c := geminiClient(t, g)
		b, err := c.BatchStatus(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		if got := collect(t, c, b)["key-0"]; got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// TestGeminiBatchStates: a batch that expired, or failed as a whole, is over and has the reason. Its results are not requested.
func TestGeminiBatchStates(t *testing.T) {
	for state, want := range map[string]string{
		`{"id": "batches/x", "status": "expired", "output_file_id": null}`:                                         "expired ",
		`{"id": "batches/x", "status": "failed", "errors": {"data": [{"message": "no such model"}]}}`:              "failed no such model",
		`{"id": "batches/x", "status": "cancelled", "request_counts": {"total": 3}}`:                               "cancelled ",
		`{"name": "batches/x", "state": "BATCH_STATE_EXPIRED", "batchStats": {"requestCount": "3"}, "done": true}`: "expired ",
	} {
		g := &batchtest.Gemini{}
		g.Fault = func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, state); return true }
		c := geminiClient(t, g)
		b, err := c.BatchStatus(t.Context(), "batches/x")
		if err != nil || !b.HasEnded() || b.Status+" "+b.Reason != want {
			t.Errorf("%s: %+v, %v", state, b, err)
		}
		if err := c.Collect(t.Context(), b, testModel, asked, func(string, llm.Reply, error) error { return nil }); err != nil {
			t.Errorf("%s: %v", state, err)
		}
	}
}

// TestGeminiSubmissionLost: a batch whose submission was interrupted is found by the name of its file. If the list has no names, it is
// found by its number of requests and its time. A file that was uploaded before the connection broke is not uploaded again.
func TestGeminiSubmissionLost(t *testing.T) {
	for _, nameless := range []bool{false, true} {
		g := &batchtest.Gemini{NoFiles: nameless}
		g.Answer = wellGemini
		c := geminiClient(t, g)
		for i, n := range []int{2, 3} {
			if _, err := c.Submit(t.Context(), fmt.Sprintf("label-%d", i), questions(n)); err != nil {
				t.Fatal(err)
			}
		}
		for label, want := range map[string]string{"label-0": "batches/g1", "label-1": "batches/g2"} {
			s := Submission{Label: label, Requests: map[string]int{"label-0": 2, "label-1": 3}[label], SubmittedAt: time.Date(2026, 11, 2, 9, 59, 0, 0, time.UTC)}
			if b, err := c.Find(t.Context(), s); err != nil || b.ID != want {
				t.Errorf("nameless %v, %s: %+v, %v", nameless, label, b, err)
			}
		}
		if b, err := c.Find(t.Context(), Submission{Label: "another", Requests: 9, SubmittedAt: time.Now()}); err != nil || b.ID != "" {
			t.Errorf("found %+v, %v", b, err)
		}
	}
	g := &batchtest.Gemini{}
	g.Answer = wellGemini
	broken := false
	g.Fault = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/v1beta/openai/batches" && !broken {
			broken = true
			panic(http.ErrAbortHandler)
		}
		return false
	}
	c := geminiClient(t, g)
	if b, err := c.Submit(t.Context(), "label", questions(2)); err != nil || b.ID != "batches/g1" || g.Batches() != 1 {
		t.Errorf("%+v, %v, %d batches", b, err, g.Batches())
	}
}

// TestGeminiBatchRefused: if the quota refuses a new batch, the error is a limit of tokens and not retriable. A server without these
// addresses has no batches.
func TestGeminiBatchRefused(t *testing.T) {
	g := &batchtest.Gemini{Enqueued: func(n int) bool { return n > 2 }}
	g.Answer = wellGemini
	c := geminiClient(t, g)
	var e *llm.Error
	if _, err := c.Submit(t.Context(), "three", questions(3)); !errors.As(err, &e) || !e.TokenLimit || e.HTTPStatus != 429 {
		t.Errorf("three requests: %v", err)
	}
	if _, err := c.Submit(t.Context(), "two", questions(2)); err != nil {
		t.Errorf("two requests: %v", err)
	}
	for what, fault := range map[string]func(http.ResponseWriter){
		"no batch interface":     func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
		"no address for it":      func(http.ResponseWriter) {},
		"the server refuses the": func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) },
	} {
		g.Fault = func(w http.ResponseWriter, _ *http.Request) bool { fault(w); return true }
		if _, err := c.Submit(t.Context(), "none", questions(1)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
