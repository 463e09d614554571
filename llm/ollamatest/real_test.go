package ollamatest_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/ollamatest"
)

// providers returns the two providers that reach the same server.
func providers(s *ollamatest.Server) map[string]llm.Provider {
	return map[string]llm.Provider{
		"ollama": {Name: "ollama", Type: llm.TypeOllama, BaseURL: s.URL},
		"openai": {Name: "openai", Type: llm.TypeOpenAI, BaseURL: s.URL + "/v1"},
	}
}

func newClient(t *testing.T, p llm.Provider) client.Client {
	t.Helper()
	p.Backoff = 50 * time.Millisecond
	c, err := client.New(p, func(string) string { return "" }, client.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func request(seed int64, prompt string) llm.Request {
	return llm.Request{
		Model:    ollamatest.Model,
		Messages: []llm.Message{{Role: "system", Content: "Compare two objects."}, {Role: "user", Content: prompt}},
		Options:  map[string]any{"temperature": 1},
		Seed:     &seed,
	}
}

func kind(err error) llm.Kind {
	if e, ok := errors.AsType[*llm.Error](err); ok {
		return e.Kind
	}
	return llm.Valid
}

const question = "Which compiles faster, Go or Rust?"

func TestRealServer(t *testing.T) {
	s := ollamatest.Start(t)
	for name, p := range providers(s) {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, p)
			t.Run("answers", func(t *testing.T) { answers(t, c) })
			t.Run("schema", func(t *testing.T) { scores(t, c) })
			t.Run("faults", func(t *testing.T) { faults(t, c) })
			t.Run("cancel", func(t *testing.T) { cancel(t, c) })
			t.Run("check", func(t *testing.T) { check(t, p) })
		})
	}
	t.Run("context", func(t *testing.T) { contexts(t, newClient(t, providers(s)["ollama"])) })
}

// answers checks that most seeds give a complete answer, and that a seed always gives the same answer.
func answers(t *testing.T, c client.Client) {
	whole := 0
	for seed := range int64(10) {
		reply, err := c.Chat(t.Context(), request(seed, question))
		if err != nil {
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		whole++
		u := reply.Usage
		if reply.Text == "" || u.Prompt == nil || *u.Prompt < len(question) || u.Completion == nil || *u.Completion == 0 || reply.Finish != "stop" {
			t.Errorf("seed %d: reply %+v", seed, reply)
		}
		again, err := c.Chat(t.Context(), request(seed, question))
		if err != nil || again.Text != reply.Text {
			t.Errorf("seed %d: %q, then %q, error %v", seed, reply.Text, again.Text, err)
		}
	}
	if whole < 5 {
		t.Errorf("%d of 10 answers are whole", whole)
	}
}

// rubricSchema returns the schema of 15 integers from 0 to 2, in their order.
func rubricSchema() json.RawMessage {
	var properties, required []string
	for i := 1; i <= 15; i++ {
		properties = append(properties, fmt.Sprintf(`"%d":{"type":"integer","enum":[0,1,2]}`, i))
		required = append(required, fmt.Sprintf(`"%d"`, i))
	}
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{%s},"required":[%s],"additionalProperties":false}`,
		strings.Join(properties, ","), strings.Join(required, ",")))
}

func scores(t *testing.T, c client.Client) {
	for seed := range int64(10) {
		req := request(seed, "Score this answer.")
		req.Schema = rubricSchema()
		req.SchemaName = "scores"
		reply, err := c.Chat(t.Context(), req)
		if err != nil || reply.Format != "json_schema" {
			t.Errorf("seed %d: format %q, error %v", seed, reply.Format, err)
			continue
		}
		keys, err := keysOf(reply.Text)
		if want := "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"; err != nil || strings.Join(keys, " ") != want {
			t.Errorf("seed %d: keys %v of %s, error %v", seed, keys, reply.Text, err)
		}
	}
}

// keysOf returns the keys of an object of integers from 0 to 2, in their order.
func keysOf(text string) ([]string, error) {
	var values map[string]int
	if err := json.Unmarshal([]byte(text), &values); err != nil {
		return nil, err
	}
	var keys []string
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if err != nil {
			return keys, nil
		}
		if key, ok := token.(string); ok {
			if values[key] < 0 || values[key] > 2 {
				return nil, fmt.Errorf("%s is %d", key, values[key])
			}
			keys = append(keys, key)
		}
	}
}

func faults(t *testing.T, c client.Client) {
	tests := []struct {
		name    string
		change  func(*llm.Request)
		kind    llm.Kind
		message string
	}{
		{"truncated", func(r *llm.Request) { r.Options["max_tokens"] = 3 }, llm.Truncated, "limit of 3 tokens"},
		{"truncated JSON", func(r *llm.Request) { r.Schema = rubricSchema(); r.Options["max_tokens"] = 12 }, llm.Truncated, "limit of 12 tokens"},
		{"unknown model", func(r *llm.Request) { r.Model = "nobody" }, llm.Misconfigured, "not found"},
		{"bad schema", func(r *llm.Request) { r.Schema = json.RawMessage(`{"type":"nonsense"}`) }, llm.Failed, "invalid JSON schema"},
		// The schema requires one letter 60 times. After 31 equal tokens in a row, this server stops the reply without saying so.
		{"given up", func(r *llm.Request) { r.Schema = json.RawMessage(`{"type":"string","pattern":"^a{60}$"}`) }, llm.Failed, "reply"},
	}
	for _, test := range tests {
		req := request(1, question)
		test.change(&req)
		reply, err := c.Chat(t.Context(), req)
		if kind(err) != test.kind || !strings.Contains(fmt.Sprint(err), test.message) {
			t.Errorf("%s: %v, want %s: %s", test.name, err, test.kind, test.message)
		}
		if test.kind == llm.Truncated && reply.Text == "" {
			t.Errorf("%s: the text is lost", test.name)
		}
		t.Logf("%s: %d attempts, %v", test.name, len(reply.Attempts), err)
	}
}

func cancel(t *testing.T, c client.Client) {
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(2*time.Millisecond, stop)
	var err error
	for seed := int64(0); err == nil || kind(err) != llm.Cancelled; seed++ {
		if seed == 10000 {
			t.Fatal("10000 calls go on after the context has ended")
		}
		_, err = c.Chat(ctx, request(seed, question))
	}
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func check(t *testing.T, p llm.Provider) {
	f := client.Check(t.Context(), p, llm.Request{Model: ollamatest.Model}, func(string) string { return "" }, client.Hooks{})
	if f.Reachable != nil || f.Listing != nil || !f.ModelListed || f.Answer != nil || !f.Schema || f.Format != "json_schema" || !f.KeySet {
		t.Errorf("facts %+v", f)
	}
	if f = client.Check(t.Context(), p, llm.Request{Model: "nobody"}, func(string) string { return "" }, client.Hooks{}); f.ModelListed || kind(f.Answer) != llm.Misconfigured {
		t.Errorf("unknown model: facts %+v", f)
	}
}

// contexts checks that a prompt longer than the model's own num_ctx of 4096 is read completely, because num_ctx grows with it. A set
// num_ctx that cuts the prompt is an error.
func contexts(t *testing.T, c client.Client) {
	long := strings.Repeat("Go compiles faster. ", 300)
	seen := 0
	for seed := int64(0); seen == 0 && seed < 5; seed++ { // one of five seeds gives a complete answer
		reply, err := c.Chat(t.Context(), request(seed, long))
		if err == nil {
			seen = *reply.Usage.Prompt
		}
	}
	if seen < len(long) {
		t.Errorf("%d tokens of a prompt of %d bytes were read", seen, len(long))
	}
	req := request(1, long)
	req.Options["num_ctx"] = 2048
	if _, err := c.Chat(t.Context(), req); kind(err) != llm.Failed || !strings.Contains(fmt.Sprint(err), "num_ctx 2048") {
		t.Errorf("a prompt that is cut: %v", err)
	}
}

// TestRealServerOverloaded: a server with room for one waiting request refuses a burst while it loads the model. In the end every call is
// answered.
func TestRealServerOverloaded(t *testing.T) {
	s := ollamatest.Start(t, "OLLAMA_MAX_QUEUE=1", "OLLAMA_NUM_PARALLEL=1")
	for name, p := range providers(s) {
		p.Concurrency = 16
		p.Retries = 20
		c := newClient(t, p)
		var all sync.WaitGroup
		var mu sync.Mutex
		refused := 0
		for seed := range int64(16) {
			all.Go(func() {
				req := request(seed, question)
				req.Schema = rubricSchema()
				reply, err := c.Chat(t.Context(), req)
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				mu.Lock()
				defer mu.Unlock()
				for _, a := range reply.Attempts {
					if a.HTTPStatus == 503 {
						refused++
					}
				}
			})
		}
		all.Wait()
		t.Logf("%s: 503 came %d times", name, refused)
		s.Stop() // so that the model is loaded again
		s.Resume()
	}
}

// TestRealServerRestarts: calls that a restart of the server interrupts are made again.
func TestRealServerRestarts(t *testing.T) {
	s := ollamatest.Start(t)
	for name, p := range providers(s) {
		p.Retries = 20
		c := newClient(t, p)
		var all sync.WaitGroup
		var mu sync.Mutex
		again := 0
		done := make(chan struct{})
		for worker := range int64(4) {
			all.Go(func() {
				for call := int64(0); ; call++ {
					req := request(worker*1000+call, question)
					req.Schema = rubricSchema()
					reply, err := c.Chat(t.Context(), req)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					mu.Lock()
					again += len(reply.Attempts) - 1
					mu.Unlock()
					select {
					case <-done:
						return
					default:
					}
				}
			})
		}
		s.Stop()
		s.Resume()
		close(done)
		all.Wait()
		if again == 0 {
			t.Errorf("%s: no call noticed the restart", name)
		}
		t.Logf("%s: %d calls were made again", name, again)
	}
}

func TestWriteModel(t *testing.T) {
	written := func(seed uint64) []byte {
		file, err := os.Create(filepath.Join(t.TempDir(), "tiny.gguf"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		err = ollamatest.WriteModel(file, seed)
		text, fault := os.ReadFile(file.Name())
		if err := errors.Join(err, fault); err != nil {
			t.Fatal(err)
		}
		return text
	}
	head := written(1)
	if !bytes.Equal(head, written(1)) || bytes.Equal(head, written(2)) {
		t.Error("a model isn't made by its seed")
	}
	// The header has: magic, version, number of tensors (an embedding, nine in each of two blocks, norm and output), key-value pairs.
	if string(head[:4]) != "GGUF" || binary.LittleEndian.Uint32(head[4:]) != 3 || binary.LittleEndian.Uint64(head[8:]) != 21 {
		t.Errorf("header % x", head[:24])
	}
	if n := len(head); n%32 != 0 || n > 1<<20 {
		t.Errorf("%d bytes", n)
	}
}
