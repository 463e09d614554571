package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"compqa/llm"
	"compqa/llm/batchtest"
	"compqa/llm/limits"
)

// batchClient returns a client of a server with batches.
func batchClient(t *testing.T, s *batchtest.Server, purses ...*limits.Budget) *client {
	t.Helper()
	return batchClientAt(t, s, "/v1", purses...)
}

func batchClientAt(t *testing.T, s *batchtest.Server, path string, purses ...*limits.Budget) *client {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	c, err := New(llm.Provider{Name: "test", Type: llm.TypeOpenAI, BaseURL: server.URL + path, APIKeyEnv: "TEST_KEY", Backoff: time.Millisecond}, testEnv,
		Hooks{Budgets: purses, Price: func(string) (llm.Price, bool) { return llm.PerMillion(1e6, 1e6, 1e6), true }})
	if err != nil {
		t.Fatal(err)
	}
	return c.(*client)
}

func questions(n int) []BatchAsk {
	var asks []BatchAsk
	for i := range n {
		req := ask(fmt.Sprintf("Question %d?", i))
		req.Options = map[string]any{"temperature": 0, "max_tokens": 50}
		asks = append(asks, BatchAsk{ID: fmt.Sprintf("key-%d", i), Request: req})
	}
	return asks
}

// untilOver looks at a batch until it is over, and returns the states that it had.
func untilOver(t *testing.T, c Batcher, b Batch) (Batch, []string) {
	t.Helper()
	states := []string{b.Status}
	for range 10 {
		if b.HasEnded() {
			return b, states
		}
		var err error
		if b, err = c.BatchStatus(t.Context(), b.ID); err != nil {
			t.Fatal(err)
		}
		states = append(states, b.Status)
	}
	t.Fatalf("the batch never ends: %v", states)
	return b, nil
}

// asked returns the same request for every ID.
func asked(string) (llm.Request, error) { return ask("Go?"), nil }

// collect returns the result of each request in a batch, in words.
func collect(t *testing.T, c Batcher, b Batch) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := c.Collect(t.Context(), b, testModel, asked, func(id string, reply llm.Reply, err error) error {
		a := reply.Attempts[0]
		got[id] = fmt.Sprintf("%s %q $%v %s", kindOf(err), reply.Text, *a.Cost, a.Batch)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestBatch: each request of a batch ends as it would have ended alone, at half the price. The batch has a reply, a refusal, a reply that
// was cut off, and errors of the request and of the server.
func TestBatch(t *testing.T) {
	s := &batchtest.Server{Answer: func(body map[string]any) (int, string) {
		text := body["messages"].([]any)[0].(map[string]any)["content"].(string)
		switch {
		case body["temperature"] != 0.0 || body["max_tokens"] != 50.0:
			return 400, `{"error":{"message":"options got lost"}}`
		case strings.Contains(text, "1"):
			return 400, `{"error":{"message":"too long, ` + testKey + `"}}`
		case strings.Contains(text, "2"):
			return 500, `{"error":{"message":"crash"}}`
		case strings.Contains(text, "3"):
			return 200, openAIAnswer("Go com", "length")
		case strings.Contains(text, "4"):
			return 200, openAIAnswer("I won't", "content_filter")
		}
		return 200, openAIAnswer(goAnswer, "stop")
	}}
	c := batchClient(t, s)
	b, err := c.Submit(t.Context(), "label-1", questions(6))
	if err != nil {
		t.Fatal(err)
	}
	b, states := untilOver(t, c, b)
	if want := []string{"validating", "validating", "in_progress", "finalizing", "completed"}; !slices.Equal(states, want) || b.Total != 6 || b.Done != 4 || b.Failed != 2 {
		t.Errorf("states %v, batch %+v", states, b)
	}
	want := map[string]string{ // 18 tokens at half a dollar each
		"key-0": `valid "Go compiles faster." $9 batch_1`,
		"key-1": `failed "" $0 batch_1`,
		"key-2": `failed "" $0 batch_1`,
		"key-3": `truncated "Go com" $9 batch_1`,
		"key-4": `refused "I won't" $9 batch_1`,
		"key-5": `valid "Go compiles faster." $9 batch_1`,
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
	err = c.Collect(t.Context(), b, testModel, asked, func(_ string, reply llm.Reply, err error) error {
		if strings.Contains(reply.Attempts[0].Reason+reply.Raw, testKey) || err != nil && strings.Contains(err.Error(), testKey) {
			t.Error("the key came back")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestBatchExpires: requests that an expired batch did not process are distinguished from failed ones.
func TestBatchExpires(t *testing.T) {
	s := &batchtest.Server{
		Answer: func(map[string]any) (int, string) { return 200, openAIAnswer(goAnswer, "stop") },
		Expire: func(batch int) int { return 2 - batch }, // one request of the first batch, none of the second
	}
	c := batchClient(t, s)
	for n, want := range []string{`valid "Go compiles faster." $9 batch_1`, `unavailable "" $0 batch_2`} {
		b, err := c.Submit(t.Context(), "label", questions(3))
		if err != nil {
			t.Fatal(err)
		}
		b, _ = untilOver(t, c, b)
		got := collect(t, c, b)
		if b.Status != "expired" || len(got) != 3 || got["key-0"] != want || got["key-2"] != fmt.Sprintf(`unavailable "" $0 batch_%d`, n+1) {
			t.Errorf("%s: %v", b.Status, got)
		}
	}
}

func TestBatchFaults(t *testing.T) {
	answer := func(map[string]any) (int, string) { return 200, openAIAnswer(goAnswer, "stop") }
	t.Run("rejected", func(t *testing.T) {
		c := batchClient(t, &batchtest.Server{Answer: answer, Reject: "the model has no batches"})
		b, err := c.Submit(t.Context(), "label", questions(2))
		if err != nil {
			t.Fatal(err)
		}
		if b, _ = untilOver(t, c, b); b.Status != "failed" || b.Reason != "the model has no batches" {
			t.Errorf("%+v", b)
		}
		if got := collect(t, c, b); len(got) > 0 {
			t.Errorf("collected %v", got)
		}
	})
	t.Run("no batch interface", func(t *testing.T) {
		c := batchClient(t, &batchtest.Server{Fault: func(w http.ResponseWriter, _ *http.Request) bool { status(w, 404, ""); return true }})
		if _, err := c.Submit(t.Context(), "label", questions(2)); kindOf(err) != llm.Misconfigured || !strings.Contains(err.Error(), "batch: true") {
			t.Errorf("%v", err)
		}
	})
	t.Run("the reply to the submission is lost", func(t *testing.T) {
		lost := false
		s := &batchtest.Server{Answer: answer}
		s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || r.URL.Path != "/v1/batches" || lost {
				return false
			}
			lost = true
			s.ServeHTTP(httptest.NewRecorder(), r) // the batch is created
			status(w, 502, "")
			return true
		}
		c := batchClient(t, s)
		if b, err := c.Submit(t.Context(), "label", questions(2)); err != nil || b.ID != "batch_1" || s.Batches() != 1 {
			t.Errorf("batch %q of %d, %v", b.ID, s.Batches(), err)
		}
		if b, err := c.Find(t.Context(), Submission{Label: "another"}); err != nil || b.ID != "" {
			t.Errorf("found %+v, %v", b, err)
		}
	})
	t.Run("overloaded", func(t *testing.T) {
		tries := 0
		s := &batchtest.Server{Answer: answer, Fault: func(w http.ResponseWriter, r *http.Request) bool {
			if tries++; tries > 3 {
				return false
			}
			status(w, 503, "")
			return true
		}}
		if b, err := batchClient(t, s).Submit(t.Context(), "label", questions(2)); err != nil || b.ID == "" || s.Batches() != 1 {
			t.Errorf("%+v, %v", b, err)
		}
	})
	t.Run("ollama", func(t *testing.T) {
		c, err := New(llm.Provider{Type: llm.TypeOllama}, testEnv, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.(Batcher).Submit(t.Context(), "label", questions(1)); kindOf(err) != llm.Misconfigured {
			t.Error(err)
		}
	})
}

// TestBatchMoney: the sum that is reserved for a batch stays reserved across runs of the program.
func TestBatchMoney(t *testing.T) {
	purse := limits.NewBudget("the budget", 1000, 100)
	c := batchClient(t, &batchtest.Server{}, purse)
	worth := c.ExpectedCost(questions(1)[0].Request)
	if worth != (11/3+16+50)/2.0 {
		t.Errorf("one request is worth %v", worth)
	}
	c.Budgets().ForceReserve(800)
	if c.Budgets().Remaining() != 100 {
		t.Errorf("room for %v", c.Budgets().Remaining())
	}
	c.Budgets().Settle(800, 300)
	if c.Budgets().Remaining() != 600 || purse.Spent() != 400 {
		t.Errorf("room for %v, %v spent", c.Budgets().Remaining(), purse.Spent())
	}
}

// TestBatchFoundBehindAQuery: the query of base_url (Azure's api-version) is sent together with a request's own query. Without the
// request's limit=100, a server lists only its newest 20 batches, and a batch whose submission was lost would be paid for again.
func TestBatchFoundBehindAQuery(t *testing.T) {
	s := &batchtest.Server{Answer: func(map[string]any) (int, string) { return 200, openAIAnswer(goAnswer, "stop") }}
	s.Fault = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("api-version") != "preview" {
			status(w, 404, "no api-version")
			return true
		}
		return false
	}
	c := batchClientAt(t, s, "/v1?api-version=preview")
	for i := range 30 {
		if _, err := c.Submit(t.Context(), fmt.Sprintf("label-%d", i), questions(1)); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := c.Find(t.Context(), Submission{Label: "label-0"}); err != nil || b.ID != "batch_1" {
		t.Errorf("found %+v, %v", b, err)
	}
}
