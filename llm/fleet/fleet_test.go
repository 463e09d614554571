package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"compqa/data/sharedtest"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
	"compqa/llm/pgtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	pgtest.StopShared()
	os.Exit(code)
}

// A model is an OpenAI-compatible server that counts its calls.
type model struct {
	*httptest.Server
	calls, now, most atomic.Int64
	latency          time.Duration
	answer           func(n int64, w http.ResponseWriter) bool // false: the usual reply follows
}

func newModel(t *testing.T, latency time.Duration) *model {
	m := &model{latency: latency}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"data": []}`)
		return
	}
	if r.Header.Get("Authorization") == "Bearer wrong" {
		w.WriteHeader(401)
		io.WriteString(w, `{"error": {"message": "no such key"}}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	var asked struct{ Messages []struct{ Content string } }
	json.Unmarshal(body, &asked)
	n := m.calls.Add(1)
	now := m.now.Add(1)
	defer m.now.Add(-1)
	for most := m.most.Load(); now > most && !m.most.CompareAndSwap(most, now); most = m.most.Load() {
	}
	time.Sleep(m.latency)
	if m.answer != nil && m.answer(n, w) {
		return
	}
	text, _ := json.Marshal("answer to " + asked.Messages[0].Content)
	fmt.Fprintf(w, `{"id": "c", "object": "chat.completion", "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": %s}}], "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}}`, text)
}

func (m *model) provider(concurrency int) llm.Provider {
	return llm.Provider{Name: "lab", Type: llm.TypeOpenAI, BaseURL: m.URL + "/v1", APIKeyEnv: "LAB_KEY", Concurrency: concurrency, Retries: -1, Backoff: time.Millisecond}
}

// notes collects the texts that the user sees.
type notes struct {
	mu   sync.Mutex
	text strings.Builder
}

func (n *notes) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.text.WriteString(text + "\n")
}

func (n *notes) String() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.text.String()
}

// fleetKey is the key that the runs and workers of these tests share.
const fleetKey = "a key of at least thirty-two characters"

// startWorker runs a worker until stop is called.
func startWorker(t *testing.T, url string, p llm.Provider, key string, said *notes, change func(*Options)) (w *Worker, stop func()) {
	t.Helper()
	o := Options{URL: url, Key: fleetKey, Version: "1", Providers: map[string]llm.Provider{p.Name: p}, Notice: said.add, Getenv: func(name string) string {
		if name == "LAB_KEY" {
			return key
		}
		return ""
	}}
	if change != nil {
		change(&o)
	}
	w, err := NewWorker(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	kill, giveUp := context.WithTimeout(context.Background(), time.Minute)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx, kill) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("the worker: %v", err)
			}
			giveUp()
		})
	}
	t.Cleanup(stop)
	return w, stop
}

// startRun connects a run to the queue.
func startRun(t *testing.T, url, run string, p llm.Provider, hooks client.Hooks, said *notes) (*Queue, client.Client) {
	t.Helper()
	q, err := Open(t.Context(), url, fleetKey, "1", false, said.add)
	if err != nil {
		t.Fatal(err)
	}
	c, err := q.Client(t.Context(), p, hooks)
	if err != nil {
		t.Fatal(err)
	}
	q.Begin(run)
	return q, c
}

// callAll makes the calls first to last at once, and checks their replies.
func callAll(t *testing.T, q *Queue, c client.Client, first, last int) (failed int64) {
	t.Helper()
	var bad atomic.Int64
	var all sync.WaitGroup
	for i := first; i <= last; i++ {
		all.Go(func() {
			key := fmt.Sprintf("key%d", i)
			reply, err := c.Chat(WithKey(t.Context(), key), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: fmt.Sprint("question ", i)}}, Options: map[string]any{"temperature": 0.5}})
			if err != nil {
				bad.Add(1)
				t.Log(err)
				return
			}
			if want := fmt.Sprint("answer to question ", i); reply.Text != want || len(reply.Attempts) == 0 {
				t.Errorf("%q, want %q", reply.Text, want)
			}
			q.MarkRecorded(key)
		})
	}
	all.Wait()
	return bad.Load()
}

// TestFleet: two workers make the calls of two runs, each call once, within each run's concurrency. The costs come from the workers.
// Afterwards the tables are empty.
func TestFleet(t *testing.T) {
	url := pgtest.Database(t)
	m := newModel(t, 5*time.Millisecond)
	said := &notes{}
	budget := limits.NewBudget("the budget", 1000, 0)
	hooks := client.Hooks{Budgets: []*limits.Budget{budget}, Price: func(string) (llm.Price, bool) { return cheap, true }}
	q1, c1 := startRun(t, url, "run1", m.provider(8), hooks, said)
	q2, c2 := startRun(t, url, "run2", m.provider(8), client.Hooks{}, said)
	startWorker(t, url, m.provider(16), "right", said, nil)
	_, stop := startWorker(t, url, m.provider(16), "right", said, nil)
	var both sync.WaitGroup
	both.Go(func() { callAll(t, q1, c1, 1, 60) })
	both.Go(func() { callAll(t, q2, c2, 1, 60) })
	both.Wait()
	if n := m.calls.Load(); n != 120 {
		t.Errorf("%d calls, want 120", n)
	}
	if most := m.most.Load(); most > 16 {
		t.Errorf("%d calls at once, want 16 at most", most)
	}
	if spent := budget.Spent(); spent < 60*15*100/1e6-1e-9 || spent > 60*15*100/1e6+1e-9 {
		t.Errorf("$%v are spent", spent)
	}
	time.Sleep(heartbeat + 200*time.Millisecond)
	status, err := ReadStatus(t.Context(), url)
	if err != nil || len(status.Workers) != 2 || len(status.Runs) != 2 || len(status.Providers) != 1 || status.Workers[0].Done+status.Workers[1].Done == 0 {
		t.Errorf("%+v, %v", status, err)
	}
	stop()
	q1.Close()
	q2.Close()
	status, err = ReadStatus(t.Context(), url)
	if err != nil || status.Replies != 0 || status.Providers[0].Waiting+status.Providers[0].Running != 0 || len(status.Runs) != 0 || len(status.Workers) != 1 {
		t.Errorf("afterwards: %+v, %v", status, err)
	}
	var jobs int
	if q, err := connectExisting(t.Context(), url); err == nil {
		q.QueryRow(t.Context(), `SELECT count(*) FROM river_job`).Scan(&jobs)
		q.Close()
	}
	if jobs != 0 {
		t.Errorf("%d jobs are left", jobs)
	}
}

// TestSoakRunIsKilled: workers finish the calls of a run that died. The next run with the same record finds the replies.
func TestSoakRunIsKilled(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 50*time.Millisecond)
	said := &notes{}
	q, c := startRun(t, url, "run", m.provider(8), client.Hooks{}, said)
	startWorker(t, url, m.provider(16), "right", said, nil)
	ctx, kill := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := 1; i <= 8; i++ {
		all.Go(func() {
			c.Chat(WithKey(ctx, fmt.Sprintf("key%d", i)), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: fmt.Sprint("question ", i)}}, Options: map[string]any{"temperature": 0.5}})
		})
	}
	for m.now.Load() < 8 && m.calls.Load() < 8 {
		time.Sleep(time.Millisecond)
	}
	kill()
	all.Wait()
	q.stop() // without Close
	q.ended.Wait()
	q, c = startRun(t, url, "run", m.provider(8), client.Hooks{}, said)
	defer q.Close()
	if failed := callAll(t, q, c, 1, 12); failed > 0 || m.calls.Load() != 12 {
		t.Errorf("%d failed; %d calls, want 12", failed, m.calls.Load())
	}
}

// TestRecordedBeforeItIsPut: a call is not put into the queue if its reply from an earlier run was fetched, recorded and deleted after the
// call was submitted. Otherwise it would be paid for twice.
func TestRecordedBeforeItIsPut(t *testing.T) {
	url := pgtest.Database(t)
	m := newModel(t, 0)
	q, err := Open(t.Context(), url, fleetKey, "1", false, (&notes{}).add)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	c, err := q.Client(t.Context(), m.provider(8), client.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	call := func(key string) *waiting {
		return &waiting{args: jobArgs{Run: q.run, Key: key, Sealed: []byte("sealed")}, member: c.(*member), reply: make(chan wireReply, 1)}
	}
	answered := call("answered")
	waits := call("waits")
	late := call("late")
	q.waits["waits"] = waits
	q.waits["late"] = late
	jobs := func() (keys []string) {
		rows, _ := q.pool.Query(t.Context(), `SELECT args->>'key' FROM river_job ORDER BY 1`)
		keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	if err := q.enqueue(t.Context(), []*waiting{answered, waits}); err != nil || !slices.Equal(jobs(), []string{"waits"}) {
		t.Errorf("%v: %q, want the call that waits", err, jobs())
	}
	tx, err := q.pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	inserted, err := q.river.InsertManyTx(t.Context(), tx, []river.InsertManyParams{{Args: late.args}})
	if err != nil {
		t.Fatal(err)
	}
	delete(q.waits, "late") // its reply was fetched while the job was inserted
	if err := errors.Join(q.takeBack(t.Context(), tx, []*waiting{late}, inserted), tx.Commit(t.Context())); err != nil || len(jobs()) != 1 {
		t.Errorf("%v: %q", err, jobs())
	}
}

// TestSoakDeadWorker: the calls of a dead worker go to another worker, and the costs include both attempts.
func TestSoakDeadWorker(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 20*time.Millisecond)
	said := &notes{}
	hooks := client.Hooks{Price: func(string) (llm.Price, bool) { return cheap, true }}
	q, c := startRun(t, url, "run", m.provider(4), hooks, said)
	defer q.Close()
	pool, err := connect(t.Context(), url, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var all sync.WaitGroup
	var reply llm.Reply
	all.Go(func() {
		reply, err = c.Chat(WithKey(t.Context(), "key"), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "question"}}, Options: map[string]any{"max_tokens": 100}})
	})
	// The other worker took the job and died.
	for taken := int64(0); taken == 0; time.Sleep(10 * time.Millisecond) {
		tag, err := pool.Exec(t.Context(), `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = now(), attempted_by = '{gone}' WHERE kind = $1 AND state = 'available'`, kind)
		if err != nil {
			t.Fatal(err)
		}
		taken = tag.RowsAffected()
	}
	startWorker(t, url, m.provider(16), "right", said, nil)
	all.Wait()
	if err != nil || reply.Text != "answer to question" || len(reply.Attempts) != 2 || m.calls.Load() != 1 {
		t.Fatalf("%v: %+v", err, reply)
	}
	if lost := reply.Attempts[0]; !strings.Contains(lost.Reason, "the worker ended before") || lost.Cost == nil || *lost.Cost < 100*100/1e6 || !lost.Estimated {
		t.Errorf("the lost attempt: %+v", lost)
	}
}

// TestSoakSleepingWorker: a worker sent no heartbeat for a while, so another worker has its call. The first neither repeats the call nor
// writes its reply, so each attempt is accounted for once.
func TestSoakSleepingWorker(t *testing.T) {
	sharedtest.Soak(t)
	for name, status := range map[string]int{"before the next attempt": 500, "before it writes the reply": 200} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.Database(t)
			pool, err := connect(t.Context(), url, 2, false)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			m := newModel(t, 0)
			said := &notes{}
			p := m.provider(4)
			p.Retries = 3
			q, c := startRun(t, url, "run", p, client.Hooks{}, said)
			defer q.Close()
			w, _ := startWorker(t, url, p, "right", said, nil)
			m.answer = func(n int64, out http.ResponseWriter) bool {
				if n > 1 {
					return false
				}
				for _, text := range []string{`INSERT INTO fleet_workers (id, host, pid, version, queues, providers, refused, in_flight, done, failed, per_minute, seen)
						VALUES ('other', 'h', 1, '1', '{}', '', '', 0, 0, 0, 0, now() + interval '1 hour')`,
					`UPDATE river_job SET attempt = attempt + 1, attempted_by = attempted_by || '{other}'`} {
					if _, err := pool.Exec(context.Background(), text); err != nil {
						t.Error(err)
					}
				}
				w.mu.Lock()
				w.awake = onTheWall() // as after a late heartbeat
				w.mu.Unlock()
				if status == 200 {
					return false
				}
				out.WriteHeader(status)
				return true
			}
			var reply llm.Reply
			var all sync.WaitGroup
			all.Go(func() {
				reply, err = c.Chat(WithKey(t.Context(), "key"), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "question"}}})
			})
			for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(said.String(), "are made by others") && time.Now().Before(deadline); {
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(2 * heartbeat)
			if n := m.calls.Load(); n != 1 {
				t.Errorf("%d calls while another worker has the job, want 1", n)
			}
			if _, err := pool.Exec(t.Context(), `DELETE FROM fleet_workers WHERE id = 'other'`); err != nil { // the other worker dies, too
				t.Fatal(err)
			}
			all.Wait()
			if err != nil || reply.Text != "answer to question" || m.calls.Load() != 2 || len(reply.Attempts) < 2 {
				t.Errorf("%v: %d calls, %+v", err, m.calls.Load(), reply)
			}
		})
	}
}

// TestSoakRefusedWorkers: a worker takes no calls with a wrong key, without a key, with another version, or for other providers. The status
// and the run say so.
func TestSoakRefusedWorkers(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 0)
	run := &notes{}
	q, c := startRun(t, url, "run", m.provider(4), client.Hooks{}, run)
	defer q.Close()
	said := map[string]*notes{}
	for name, o := range map[string]func(*Options){
		"no key":        func(o *Options) { o.Getenv = func(string) string { return "" } },
		"wrong key":     func(o *Options) { o.Getenv = func(string) string { return "wrong" } },
		"other version": func(o *Options) { o.Version = "2" },
		"other":         func(o *Options) { o.Providers = map[string]llm.Provider{"other": o.Providers["lab"]} },
	} {
		said[name] = &notes{}
		startWorker(t, url, m.provider(16), "right", said[name], o)
	}
	done := make(chan int64)
	go func() { done <- callAll(t, q, c, 1, 20) }()
	wait := func(what string, is func() bool) {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s:\nrun: %s\nworkers: %v", what, run, said)
			}
		}
	}
	wait("no key", func() bool { return strings.Contains(said["no key"].String(), "API key missing: set LAB_KEY") })
	wait("wrong key", func() bool { return strings.Contains(said["wrong key"].String(), "its key is refused") })
	wait("other version", func() bool {
		return strings.Contains(said["other version"].String(), `the run uses compqa "1", but this worker is compqa "2"`)
	})
	wait("other", func() bool {
		return strings.Contains(said["other"].String(), `"lab": this worker's configuration has no provider of this name`)
	})
	wait("no worker", func() bool { return strings.Contains(c.State().Note, "no worker takes its calls") })
	status, err := ReadStatus(t.Context(), url)
	if err != nil || len(status.Workers) != 4 {
		t.Errorf("%+v, %v", status, err)
	}
	startWorker(t, url, m.provider(16), "right", &notes{}, nil)
	if failed := <-done; failed > 0 || m.calls.Load() != 20 {
		t.Errorf("%d failed, %d calls", failed, m.calls.Load())
	}
}

// TestSoakDatabaseRestarts: no call fails when the database stops and starts again.
func TestSoakDatabaseRestarts(t *testing.T) {
	sharedtest.Soak(t)
	pg := pgtest.Start(t)
	m := newModel(t, 100*time.Millisecond)
	said := &notes{}
	worker := &notes{}
	q, c := startRun(t, pg.URL, "run", m.provider(8), client.Hooks{}, said)
	defer q.Close()
	startWorker(t, pg.URL, m.provider(16), "right", worker, nil)
	done := make(chan int64)
	go func() { done <- callAll(t, q, c, 1, 100) }()
	for m.calls.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	pg.Stop()
	time.Sleep(2 * time.Second)
	pg.Go()
	if failed := <-done; failed > 0 {
		t.Errorf("%d calls failed", failed)
	}
	if n := m.calls.Load(); n > 100+16 {
		t.Errorf("%d calls for 100", n)
	}
	if text := said.String(); !strings.Contains(text, "does not answer") || !strings.Contains(text, "answers again") {
		t.Errorf("the run says: %s", text)
	}
}

// TestSoakFleetRate: the limit of requests per minute holds over all workers.
func TestSoakFleetRate(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 0)
	p := m.provider(50)
	p.RPM = 1800 // 30 at once, then 29.5 per second
	said := &notes{}
	q, c := startRun(t, url, "run", p, client.Hooks{}, said)
	defer q.Close()
	for range 3 {
		startWorker(t, url, p, "right", said, nil)
	}
	callAll(t, q, c, 1, 1) // all workers are connected afterwards
	begin := time.Now()
	callAll(t, q, c, 2, 90)
	if took := time.Since(begin); took < 1800*time.Millisecond || took > 2*time.Minute {
		t.Errorf("89 requests took %s, want 2 s at least", took)
	}
}

// TestSoakDrain: drained workers finish their calls and end.
func TestSoakDrain(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 300*time.Millisecond)
	said := &notes{}
	q, c := startRun(t, url, "run", m.provider(8), client.Hooks{}, said)
	defer q.Close()
	w, stop := startWorker(t, url, m.provider(16), "right", said, nil)
	done := make(chan int64)
	go func() { done <- callAll(t, q, c, 1, 8) }()
	for m.now.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if n, err := Drain(t.Context(), url, []string{w.id[:4]}); err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	go startWorkerLater(t, url, m.provider(8))
	if failed := <-done; failed > 0 || m.calls.Load() != 8 {
		t.Errorf("%d failed, %d calls", failed, m.calls.Load())
	}
	for deadline := time.Now().Add(2 * time.Minute); !strings.Contains(said.String(), "drained"); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it says: %s", said)
		}
	}
	stop()
	time.Sleep(3 * flushEvery)
	if calls, replies, err := Purge(t.Context(), url); err != nil || calls != 0 || replies != 0 {
		t.Errorf("%d, %d, %v", calls, replies, err)
	}
}

// startWorkerLater starts a worker that takes the calls which a drained worker leaves.
func startWorkerLater(t *testing.T, url string, p llm.Provider) {
	time.Sleep(2 * time.Second)
	w, err := NewWorker(context.Background(), Options{URL: url, Key: fleetKey, Version: "1", Providers: map[string]llm.Provider{p.Name: p}, Getenv: func(string) string { return "right" }, Notice: func(string) {}})
	if err != nil {
		return
	}
	w.Run(t.Context(), t.Context()) // until the test ends
}

// TestWireRequest: the queue does not change a request, not even the last digit of a number.
func TestWireRequest(t *testing.T) {
	seed := int64(1) << 60
	req := llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "b", Shared: "a"}}, Options: map[string]any{"temperature": 0.1, "seed": 9007199254740993, "stop": []string{"x"}},
		Extra: map[string]any{"top_k": 5}, Preferred: []string{"temperature"}, Schema: json.RawMessage(`{"b":1,"a":2}`), SchemaName: "s", Seed: &seed}
	text, err := json.Marshal(wireRequest{Request: req})
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeRequest(text)
	if err != nil {
		t.Fatal(err)
	}
	a, keyA, errA := req.Canonical(1)
	b, keyB, errB := back.Request.Canonical(1)
	if errA != nil || errB != nil || keyA != keyB || fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%s\n%s", a, b)
	}
}

var hundred = 100.0

// cheap is $100 for a million tokens.
var cheap = llm.Price{Input: &hundred, Output: &hundred}

// TestSoakRoles: the database rights that the manual names are sufficient once the tables exist. With these rights, runs cannot see or
// change each other's data.
func TestSoakRoles(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 0)
	said := &notes{}
	q, err := Open(t.Context(), url, fleetKey, "1", false, said.add)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	q.Begin("other run")
	manual, err := os.ReadFile("../../docs/fleet.md")
	if err != nil {
		t.Fatal(err)
	}
	_, grants, _ := strings.Cut(string(manual), "      GRANT USAGE ON SCHEMA")
	grants, _, found := strings.Cut("GRANT USAGE ON SCHEMA"+grants, "\n\n")
	if !found {
		t.Fatal("the manual has no rights")
	}
	unique := fmt.Sprint(time.Now().UnixNano())
	ada := "ada" + unique
	eve := "eve" + unique
	worker := "worker" + unique
	named := strings.NewReplacer("compqa_run", "runs"+unique, "compqa_worker", "workers"+unique).Replace
	for _, sql := range []string{
		"REVOKE CREATE ON SCHEMA public FROM PUBLIC", named("CREATE ROLE compqa_run; CREATE ROLE compqa_worker"), named(grants),
		named("CREATE ROLE " + ada + " LOGIN IN ROLE compqa_run; CREATE ROLE " + eve + " LOGIN IN ROLE compqa_run; CREATE ROLE " + worker + " LOGIN IN ROLE compqa_worker"),
	} {
		if _, err := q.pool.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	as := func(role string) string { return strings.Replace(url, "compqa@", role+"@", 1) }
	mine, c := startRun(t, as(ada), "run", m.provider(4), client.Hooks{}, said)
	defer mine.Close()
	asked, stop := context.WithCancel(t.Context())
	var gaveUp sync.WaitGroup
	gaveUp.Go(func() {
		c.Chat(WithKey(asked, "key0"), llm.Request{Model: "m", Messages: []llm.Message{{Role: "user", Content: "question 0"}}})
	})
	for jobs := 0; jobs == 0; time.Sleep(10 * time.Millisecond) {
		if err := q.pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job`).Scan(&jobs); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	gaveUp.Wait()
	hers, err := connect(t.Context(), as(eve), 1, false)
	if err != nil {
		t.Fatal(err)
	}
	defer hers.Close()
	for _, sql := range []string{`UPDATE river_job SET args = '{}'`, `DELETE FROM river_job`, `DELETE FROM fleet_runs`, `DELETE FROM fleet_results`} {
		if tag, err := hers.Exec(t.Context(), sql); err != nil || tag.RowsAffected() > 0 {
			t.Errorf("another run's role: %s changes %d rows (%v)", sql, tag.RowsAffected(), err)
		}
	}
	var seen int
	if err := hers.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM river_job) + (SELECT count(*) FROM fleet_results) + (SELECT count(*) FROM fleet_runs)`).Scan(&seen); err != nil || seen > 0 {
		t.Errorf("another run's role sees %d rows (%v)", seen, err)
	}
	if _, err := hers.Exec(t.Context(), `INSERT INTO fleet_results VALUES ($1, 'key1', 1, 'x')`, mine.run); err == nil {
		t.Error("another run's role can insert a reply")
	}
	startWorker(t, as(worker), m.provider(16), "right", said, nil)
	if failed := callAll(t, mine, c, 1, 10); failed > 0 {
		t.Errorf("%d failed: %s", failed, said)
	}

	// Replies that cannot be written, as on a full disk, are kept until they can.
	revoked := make(chan error)
	go func() {
		_, err := q.pool.Exec(t.Context(), "REVOKE INSERT ON fleet_results FROM "+named("compqa_worker"))
		revoked <- err
		time.Sleep(2 * time.Second)
		_, err = q.pool.Exec(t.Context(), "GRANT INSERT ON fleet_results TO "+named("compqa_worker"))
		revoked <- err
	}()
	if err := <-revoked; err != nil {
		t.Fatal(err)
	}
	if failed := callAll(t, mine, c, 11, 30); failed > 0 || m.calls.Load() > 31 {
		t.Errorf("%d failed, %d calls, want 31 at most", failed, m.calls.Load())
	}
	if err := <-revoked; err != nil || !strings.Contains(said.String(), "replies cannot be written now and are kept") {
		t.Errorf("%v: %s", err, said)
	}
}

// TestSoakFairness: a run with few calls does not wait for all calls of an earlier run.
func TestSoakFairness(t *testing.T) {
	sharedtest.Soak(t)
	url := pgtest.Database(t)
	m := newModel(t, 20*time.Millisecond)
	said := &notes{}
	large, c1 := startRun(t, url, "large", m.provider(8), client.Hooks{}, said)
	defer large.Close()
	startWorker(t, url, m.provider(16), "right", said, nil)
	done := make(chan int64)
	go func() { done <- callAll(t, large, c1, 1, 800) }()
	for m.calls.Load() < 20 {
		time.Sleep(time.Millisecond)
	}
	small, c2 := startRun(t, url, "small", m.provider(8), client.Hooks{}, said)
	defer small.Close()
	before := m.calls.Load()
	if failed := callAll(t, small, c2, 1, 20); failed > 0 {
		t.Error(said)
	}
	if between := m.calls.Load() - before; between > 200 {
		t.Errorf("20 calls ended after %d", between)
	}
	if failed := <-done; failed > 0 || m.calls.Load() != 820 {
		t.Errorf("%d failed, %d calls", failed, m.calls.Load())
	}
}
