package fleet

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"compqa/data/sharedtest"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
	"compqa/llm/pgtest"
)

// TestSoakEnvironmentIsTheWorkers: someone who can write to the database cannot name an address or a variable of the worker's environment,
// nor have a call made.
func TestSoakEnvironmentIsTheWorkers(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 0)
	var stolen sync.Map
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		stolen.Store(r.Header.Get("Authorization"), r.URL.Path)
	}))
	defer thief.Close()
	said := &notes{}
	q, c := startRun(t, url, "run", m.provider(4), client.Hooks{}, said)
	defer q.Close()
	for _, sql := range []string{
		`ALTER TABLE fleet_providers ADD COLUMN config json`,
		`UPDATE fleet_providers SET config = '{"Type": "openai", "BaseURL": "` + thief.URL + `", "APIKeyEnv": "PGPASSWORD"}'`,
		`INSERT INTO fleet_providers VALUES ('compqa_evil', 'evil', '1', now(), '{"Type": "openai", "BaseURL": "` + thief.URL + `", "APIKeyEnv": "AWS_SECRET_ACCESS_KEY"}')`,
	} {
		if _, err := q.pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	startWorker(t, url, m.provider(4), "right", said, func(o *Options) {
		own := o.Getenv
		o.Getenv = func(name string) string {
			if name == "PGPASSWORD" || name == "AWS_SECRET_ACCESS_KEY" {
				return "secret of the worker"
			}
			return own(name)
		}
	})
	if failed := callAll(t, q, c, 1, 5); failed > 0 {
		t.Errorf("%d failed: %s", failed, said)
	}
	stolen.Range(func(header, path any) bool {
		t.Errorf("the address in the database was called at %s with %q", path, header)
		return true
	})
	refused := func() bool { return strings.Contains(said.String(), `takes no calls of provider "evil"`) }
	for end := time.Now().Add(time.Minute); !refused() && time.Now().Before(end); { // the worker may take the other provider's calls first
		time.Sleep(10 * time.Millisecond)
	}
	if !refused() {
		t.Errorf("the unknown provider is not reported: %s", said)
	}
}

// TestSoakForgedJobsAndReplies: a database role with all rights on the tables can read no prompt and no reply. A job or reply that it
// writes or moves is refused.
func TestSoakForgedJobsAndReplies(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 0)
	said := &notes{}
	q, c := startRun(t, url, "run", m.provider(4), client.Hooks{}, said)
	defer q.Close()
	pool, err := connect(t.Context(), url, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	type outcome struct {
		reply llm.Reply
		err   error
	}
	asked := make(chan outcome)
	ask := func(key string) {
		reply, err := c.Chat(WithKey(t.Context(), key), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "the secret question"}}})
		asked <- outcome{reply, err}
	}
	go ask("key1")
	var job int64
	var args string
	for job == 0 {
		err := pool.QueryRow(t.Context(), `SELECT id, args::text FROM river_job`).Scan(&job, &args)
		if err != nil && err != pgx.ErrNoRows {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if strings.Contains(args, "secret question") {
		t.Errorf("the prompt is in the database: %s", args)
	}
	other, err := newSealer("another key, which is also long enough")
	if err != nil {
		t.Fatal(err)
	}
	forged := []byte(`{"Reply": {"Text": "forged", "Attempts": [{"Outcome": "valid", "Cost": -1000}]}}`)
	for _, reply := range [][]byte{forged, other.seal(sealedReply, q.run, "key1", "1", forged), q.sealer.seal(sealedReply, q.run, "key2", "1", forged)} {
		if _, err := pool.Exec(t.Context(), `INSERT INTO fleet_results (run, key, job, reply) VALUES ($1, 'key1', $2, $3)
			ON CONFLICT (run, job) DO UPDATE SET reply = $3`, q.run, job, reply); err != nil {
			t.Fatal(err)
		}
		if _, err := pool.Exec(t.Context(), `SELECT pg_notify($1, '')`, channelOf(q.run)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	// One job has the call of another key, and one has a text of the forger.
	for key, sealed := range map[string]string{"key3": `args->>'sealed'`, "key4": `'Zm9yZ2Vk'`} {
		if _, err := pool.Exec(t.Context(), `INSERT INTO river_job (state, kind, queue, max_attempts, args)
			SELECT 'available', kind, queue, 9, jsonb_build_object('run', args->>'run', 'key', $1::text, 'sealed', `+sealed+`) FROM river_job WHERE id = $2`, key, job); err != nil {
			t.Fatal(err)
		}
	}
	startWorker(t, url, m.provider(4), "right", said, nil)
	if got := <-asked; got.err != nil || got.reply.Text != "answer to the secret question" {
		t.Errorf("%+v", got)
	}
	for deadline := time.Now().Add(2 * time.Minute); strings.Count(said.String(), "refused") < 2 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
	}
	if n := m.calls.Load(); n != 1 {
		t.Errorf("%d calls were made, want 1: %s", n, said)
	}
	if text := said.String(); !strings.Contains(text, "replies that were not written with this fleet's key") || !strings.Contains(text, "a call is refused") {
		t.Errorf("not reported: %s", text)
	}
}

// TestImpossibleUsage: the token counts and costs that a worker reports have bounds, even with the right key.
func TestImpossibleUsage(t *testing.T) {
	req := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "question"}}, Options: map[string]any{"max_tokens": 100}}
	n := func(i int) *int { return &i }
	x := func(f float64) *float64 { return &f }
	for _, a := range []llm.Attempt{
		{Usage: llm.Usage{Prompt: n(-1)}}, {Usage: llm.Usage{Completion: n(1<<63 - 1)}}, {Usage: llm.Usage{Reasoning: n(1 << 40)}}, {Cost: x(-1000)}, {Cost: x(1e12)},
	} {
		w := wireReply{Reply: llm.Reply{Text: "x", Attempts: []llm.Attempt{a}}}
		if err := w.check(req); err == nil || w.Reply.Attempts != nil {
			t.Errorf("%+v is accepted", a)
		}
	}
	fine := wireReply{Reply: llm.Reply{Attempts: []llm.Attempt{{Usage: llm.Usage{Prompt: n(20), Completion: n(100)}, Cost: x(0.01)}}}}
	if err := fine.check(req); err != nil {
		t.Error(err)
	}
	budget := limits.NewBudget("the budget", 10, 0)
	costs := limits.NewCosts(func(string) (llm.Price, bool) { return cheap, true }, []*limits.Budget{budget})
	a := llm.Attempt{HTTPStatus: 200, Usage: llm.Usage{Prompt: n(5), Completion: n(1<<63 - 1)}}
	costs.Record(&a, req, &llm.Reply{Text: "an answer of some length"}, nil, 0)
	if !a.Estimated || a.Cost == nil || *a.Cost > 0.01 || budget.Spent() > 0.01 {
		t.Errorf("usage of 2⁶³−1 tokens is booked as %+v, $%v spent", a, budget.Spent())
	}
}

// TestFleetKey: without a common key, neither a run nor a worker starts.
func TestFleetKey(t *testing.T) {
	for _, key := range []string{"", "short"} {
		if _, err := Open(t.Context(), "postgres://u@127.0.0.1:9/x", key, "1", false, nil); err != ErrKey {
			t.Errorf("a run with the key %q: %v", key, err)
		}
		if _, err := NewWorker(t.Context(), Options{URL: "postgres://u@127.0.0.1:9/x", Key: key}); err != ErrKey {
			t.Errorf("a worker with the key %q: %v", key, err)
		}
	}
}

// TestSoakNoPolling: a run that waits for a slow reply queries the database about once a second, and gets the reply when it is written.
func TestSoakNoPolling(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 3*time.Second)
	said := &notes{}
	q, c := startRun(t, url, "run", m.provider(4), client.Hooks{}, said)
	defer q.Close()
	startWorker(t, url, m.provider(4), "right", said, nil)
	scans := func() (n int64) {
		if _, err := q.pool.Exec(t.Context(), `SELECT pg_stat_force_next_flush()`); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1200 * time.Millisecond)
		if err := q.pool.QueryRow(t.Context(), `SELECT coalesce(seq_scan, 0) + coalesce(idx_scan, 0) FROM pg_stat_user_tables WHERE relname = 'fleet_results'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := scans()
	if failed := callAll(t, q, c, 1, 4); failed > 0 {
		t.Error(said)
	}
	if n := scans() - before; n > 60 {
		t.Errorf("%d looks for replies in about 5 s", n)
	}
}
