package fleet

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
)

// Options are those of a worker.
type Options struct {
	URL         string   // of the database
	Providers   []string // that it takes calls of; nil: all whose keys it has
	Concurrency int      // calls in flight for each provider; 0: as the provider's configuration says
	Version     string   // of the program
	Getenv      func(string) string
	Notice      func(string) // called with sentences for the user, possibly concurrently
}

const (
	heartbeat    = time.Second
	fetchPause   = 5 * time.Millisecond // between two fetches of jobs; River's default of 100 ms limits a worker to ten rounds a second
	fetchPoll    = 250 * time.Millisecond
	writePause   = 2 * time.Millisecond // in which replies are collected for one transaction
	mostWritten  = 200                  // replies in one transaction
	stuckAfter   = 10 * time.Minute     // a running job is renewed each tenth of it
	mostInFlight = 10_000               // River's limit
)

// A Worker makes the calls of a queue.
type Worker struct {
	o       Options
	id      string
	pool    *pgxpool.Pool
	durable *pgxpool.Pool // for replies
	river   *river.Client[pgx.Tx]

	done, failed atomic.Int64
	latency      atomic.Int64 // sum, in milliseconds
	write        chan *finished

	mu       sync.Mutex
	members  map[string]*served // by queue
	refused  map[string]string  // why it takes no calls of a queue
	inFlight map[int64]time.Time
	recent   []time.Time // ends of calls, of the last minute
}

// A served provider has its client and its share of the fleet's limits.
type served struct {
	name, queue string
	client      client.Client
	limit       *share

	mu      sync.Mutex
	prices  map[string]llm.Price
	learned []llm.Adaptation
}

// finished is a call whose reply is to be written.
type finished struct {
	job   *river.Job[jobArgs]
	reply []byte
	done  chan error
}

// NewWorker connects a worker to its queue.
func NewWorker(ctx context.Context, o Options) (*Worker, error) {
	pool, err := connect(ctx, o.URL, 6, false)
	if err != nil {
		return nil, err
	}
	durable, err := connect(ctx, o.URL, 2, true)
	if err != nil {
		pool.Close()
		return nil, err
	}
	host, _ := os.Hostname()
	w := &Worker{o: o, id: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:6]), pool: pool, durable: durable, write: make(chan *finished),
		members: map[string]*served{}, refused: map[string]string{}, inFlight: map[int64]time.Time{}}
	workers := river.NewWorkers()
	river.AddWorker(workers, &jobWorker{w: w})
	w.river, err = river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID: w.id, Logger: silent, Workers: workers, Queues: map[string]river.QueueConfig{"compqa_none": {MaxWorkers: 1}},
		FetchCooldown: fetchPause, FetchPollInterval: fetchPoll, JobTimeout: -1, RescueStuckJobsAfter: stuckAfter,
		CompletedJobRetentionPeriod: 24 * time.Hour,
	})
	if err != nil {
		pool.Close()
		durable.Close()
		return nil, err
	}
	return w, nil
}

// Run works until ctx ends, or the worker is drained. Then no call begins any more, and those
// in flight are finished; kill ends these too.
func (w *Worker) Run(ctx, kill context.Context) error {
	defer w.durable.Close()
	defer w.pool.Close()
	if err := w.await(ctx); err != nil {
		return err
	}
	if err := w.beat(ctx); err != nil {
		return fmt.Errorf("the queue's database: %s", brief(err))
	}
	if err := w.river.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("the queue: %s", brief(err))
	}
	writing, written := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { w.writer(writing) })
	ended.Go(func() { w.beats(writing, ctx) })
	w.o.Notice(fmt.Sprintf("worker %s of compqa %s waits for calls at %s", w.id, w.o.Version, Address(w.o.URL)))
	drained := w.serve(ctx)
	if drained {
		w.o.Notice("drained: waiting for calls in flight")
	} else {
		w.o.Notice("stopping: waiting for calls in flight (press Ctrl-C again to stop immediately)")
	}
	err := w.river.Stop(kill)
	if err != nil {
		now, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		w.river.StopAndCancel(now)
	}
	written()
	ended.Wait()
	last, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	w.pool.Exec(last, `DELETE FROM fleet_slots WHERE worker = $1`, w.id)
	w.pool.Exec(last, `DELETE FROM fleet_workers WHERE id = $1`, w.id)
	w.pool.Exec(last, `UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = $1 AND state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $2`, kind, w.id)
	return err
}

// await waits until a run has made the queue's tables.
func (w *Worker) await(ctx context.Context) error {
	for told := false; ; told = true {
		var there bool
		err := w.pool.QueryRow(ctx, `SELECT to_regclass('fleet_workers') IS NOT NULL AND to_regclass('river_job') IS NOT NULL`).Scan(&there)
		if err != nil {
			return fmt.Errorf("the queue's database: %s", brief(err))
		}
		if there {
			return nil
		}
		if !told {
			w.o.Notice("the queue has no tables yet: waiting for the first `compqa run --queue URL`")
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// serve takes up the providers that runs ask for, until ctx ends or the worker is drained.
func (w *Worker) serve(ctx context.Context) (drained bool) {
	for {
		if err := w.discover(ctx); err != nil && ctx.Err() == nil {
			w.note("queue", "the queue's database does not answer: "+brief(err))
		}
		select {
		case <-time.After(heartbeat):
		case <-ctx.Done():
			return false
		}
		var drain bool
		if w.pool.QueryRow(ctx, `SELECT drain FROM fleet_workers WHERE id = $1`, w.id).Scan(&drain) == nil && drain {
			return true
		}
	}
}

// discover takes up new providers.
func (w *Worker) discover(ctx context.Context) error {
	rows, err := w.pool.Query(ctx, `SELECT queue, name, config, version FROM fleet_providers ORDER BY used DESC, queue`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var queue, name, version string
		var config []byte
		if err := rows.Scan(&queue, &name, &config, &version); err != nil {
			return err
		}
		w.mu.Lock()
		_, known := w.members[queue]
		_, refused := w.refused[queue]
		w.mu.Unlock()
		if !known && !refused {
			w.takeUp(queue, name, version, config)
		}
	}
	return rows.Err()
}

// takeUp begins to take the calls of a provider, or notes why it does not.
func (w *Worker) takeUp(queue, name, version string, config []byte) {
	if w.o.Providers != nil && !slices.Contains(w.o.Providers, name) {
		w.refuse(queue, "", "")
		return
	}
	if version != w.o.Version {
		w.refuse(queue, name, fmt.Sprintf("the run uses compqa %s, but this worker is compqa %s: use the same version", version, w.o.Version))
		return
	}
	var p llm.Provider
	if err := json.Unmarshal(config, &p); err != nil {
		w.refuse(queue, name, "its configuration cannot be read: "+brief(err))
		return
	}
	p.Name = name
	p = p.WithDefaults()
	limits := p
	p.RPM, p.TPM = 0, 0 // those are the fleet's
	if w.o.Concurrency > 0 {
		p.Concurrency = w.o.Concurrency
	}
	s := &served{name: name, queue: queue, prices: map[string]llm.Price{}, limit: newShare(w.pool, w.id, limits, w.o.Getenv)}
	c, err := client.New(p, w.o.Getenv, client.Hooks{Price: s.price, Learned: s.learn, Notice: func(text string) { w.o.Notice("provider " + name + " " + text) }})
	if err != nil {
		w.refuse(queue, name, brief(err))
		return
	}
	s.client = c
	w.mu.Lock()
	w.members[queue] = s
	w.mu.Unlock()
	if err := w.river.Queues().Add(queue, river.QueueConfig{MaxWorkers: min(p.Concurrency*len(p.Servers()), mostInFlight), FetchCooldown: fetchPause, FetchPollInterval: fetchPoll}); err != nil {
		w.refuse(queue, name, brief(err))
		return
	}
	w.o.Notice("takes calls of provider " + name)
}

// refuse notes why the worker takes no calls of a queue, and stops taking them.
func (w *Worker) refuse(queue, name, why string) {
	w.mu.Lock()
	_, before := w.refused[queue]
	w.refused[queue] = strings.TrimSpace(name + ": " + why)
	_, member := w.members[queue]
	delete(w.members, queue)
	w.mu.Unlock()
	if why != "" && !before {
		w.o.Notice("takes no calls of provider " + name + ": " + why)
	}
	if member {
		go w.river.Queues().Remove(context.Background(), queue)
	}
}

// note reports a text once, until it changes.
func (w *Worker) note(about, text string) {
	w.mu.Lock()
	said := w.refused[about] == text
	w.refused[about] = text
	w.mu.Unlock()
	if !said {
		w.o.Notice(text)
	}
}

// price is a model's price according to a run.
func (s *served) price(model string) (llm.Price, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	price, known := s.prices[model]
	return price, known
}

func (s *served) learn(a llm.Adaptation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learned = append(s.learned, a)
}

// about has what the worker has learnt about a model.
func (s *served) about(model string) (list []llm.Adaptation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.learned {
		if a.Model == model {
			list = append(list, a)
		}
	}
	return list
}

// A jobWorker is what River calls.
type jobWorker struct {
	river.WorkerDefaults[jobArgs]
	w *Worker
}

// Work makes a call, writes its reply and completes its job.
func (j *jobWorker) Work(ctx context.Context, job *river.Job[jobArgs]) error {
	w := j.w
	w.mu.Lock()
	s := w.members[job.Queue]
	w.inFlight[job.ID] = time.Now()
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.inFlight, job.ID)
	}()
	if s == nil {
		return river.JobSnooze(0)
	}
	wire, err := decodeRequest(job.Args.Request)
	var reply llm.Reply
	if err != nil {
		err = llm.Errorf(llm.Misconfigured, "the call in the queue cannot be read: %s", err)
	} else {
		s.mu.Lock()
		if wire.Price != nil {
			s.prices[wire.Request.Model] = *wire.Price
		}
		s.mu.Unlock()
		if k, ok := s.client.(interface{ Know([]llm.Adaptation) }); ok {
			k.Know(wire.Known)
		}
		begin := time.Now()
		reply, err = s.make(ctx, wire.Request)
		w.latency.Add(time.Since(begin).Milliseconds())
	}
	e, _ := errors.AsType[*llm.Error](err)
	switch {
	case ctx.Err() != nil: // killed: others make the call
		return ctx.Err()
	case e != nil && e.ForAll && (e.HTTPStatus == http.StatusUnauthorized || e.HTTPStatus == http.StatusForbidden):
		w.refuse(job.Queue, s.name, "its key is refused: "+e.Brief())
		return river.JobSnooze(0)
	}
	if lost := job.Attempt - 1; lost > 0 {
		reply.Attempts = append(lostAttempts(lost, wire), reply.Attempts...)
	}
	w.done.Add(1)
	if err != nil {
		w.failed.Add(1)
	}
	text, err := encodeReply(reply, err, s.about(wire.Request.Model))
	if err != nil {
		return err
	}
	f := &finished{job: job, reply: text, done: make(chan error, 1)}
	w.write <- f
	return <-f.done
}

// make makes a call within the limits of the fleet.
func (s *served) make(ctx context.Context, req llm.Request) (llm.Reply, error) {
	release, err := s.limit.acquire(ctx, limits.EstimateTokens(req))
	if err != nil {
		return llm.Reply{}, llm.ContextError(ctx)
	}
	defer release()
	return s.client.Chat(ctx, req)
}

// lostAttempts are those of workers that died: what they cost is the most that they can have.
func lostAttempts(n int, wire wireRequest) (list []llm.Attempt) {
	var cost *float64
	if wire.Price != nil {
		most := limits.NewCosts(func(string) (llm.Price, bool) { return *wire.Price, true }, nil).MaxCost(wire.Request)
		cost = &most
	}
	for range min(n, 20) {
		list = append(list, llm.Attempt{Started: time.Now(), Outcome: llm.Failed, Reason: "the worker ended before it wrote the reply", Cost: cost, Estimated: cost != nil})
	}
	return list
}

// writer writes replies, many in one transaction. It keeps them while the database does not
// answer: they are paid for.
func (w *Worker) writer(ctx context.Context) {
	for {
		var some []*finished
		select {
		case f := <-w.write:
			some = append(some, f)
		case <-ctx.Done():
			return
		}
		for soon := time.After(writePause); soon != nil && len(some) < mostWritten; {
			select {
			case f := <-w.write:
				some = append(some, f)
			case <-soon:
				soon = nil
			}
		}
		for failures := 0; len(some) > 0; failures++ {
			err := w.commit(ctx, some)
			if err == nil || ctx.Err() != nil {
				for _, f := range some {
					f.done <- err
				}
				break
			}
			w.note("database", "replies cannot be written now and are kept: "+brief(err))
			if failures >= 3 { // one of them may be at fault
				some = slices.DeleteFunc(some, func(f *finished) bool {
					if w.commit(ctx, []*finished{f}) != nil {
						return false
					}
					f.done <- nil
					return true
				})
			}
			time.Sleep(min(50*time.Millisecond<<min(failures, 6), 2*time.Second))
		}
	}
}

// commit writes some replies and takes their jobs off the queue, in one transaction: a reply is
// there exactly when its job is done. That is River's JobCompleteTx for many jobs at once, except
// that the jobs are deleted: keeping them would double what is written for a call. A job that
// was given to another worker meanwhile has the first reply.
func (w *Worker) commit(ctx context.Context, some []*finished) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tx, err := w.durable.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	var jobs []int64
	batch := &pgx.Batch{}
	for _, f := range some {
		jobs = append(jobs, f.job.ID)
		batch.Queue(`INSERT INTO fleet_results (run, key, job, reply) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`, f.job.Args.Run, f.job.Args.Key, f.job.ID, f.reply)
	}
	batch.Queue(`DELETE FROM river_job WHERE id = ANY ($1)`, jobs)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for range some {
		w.recent = append(w.recent, now)
	}
	return nil
}

// beats renews the worker's row until ctx ends; begin ends before it, when no call begins any more.
func (w *Worker) beats(ctx, begin context.Context) {
	for {
		select {
		case <-time.After(heartbeat):
		case <-ctx.Done():
			return
		}
		if err := w.beat(ctx); err != nil && ctx.Err() == nil {
			w.note("database", "the queue's database does not answer: "+brief(err))
		}
	}
}

// beat shows that the worker is alive, renews its long calls, and rescues those of dead workers.
func (w *Worker) beat(ctx context.Context) error {
	host, _ := os.Hostname()
	w.mu.Lock()
	queues := []string{}
	var refused []string
	for queue := range w.members {
		queues = append(queues, queue)
	}
	for _, why := range w.refused {
		if why != "" && why != ":" {
			refused = append(refused, why)
		}
	}
	now := time.Now()
	w.recent = slices.DeleteFunc(w.recent, func(at time.Time) bool { return now.Sub(at) > time.Minute })
	perMinute, inFlight := len(w.recent), len(w.inFlight)
	var long []int64
	for id, since := range w.inFlight {
		if now.Sub(since) > stuckAfter/10 {
			long = append(long, id)
			w.inFlight[id] = now
		}
	}
	w.mu.Unlock()
	slices.Sort(queues)
	slices.Sort(refused)
	providers, _ := json.Marshal(queues)
	_, err := w.pool.Exec(ctx, `INSERT INTO fleet_workers (id, host, pid, version, providers, refused, in_flight, done, failed, per_minute) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (id) DO UPDATE SET seen = now(), providers = $5, refused = $6, in_flight = $7, done = $8, failed = $9, per_minute = $10`,
		w.id, host, os.Getpid(), w.o.Version, string(providers), strings.Join(refused, "; "), inFlight, w.done.Load(), w.failed.Load(), perMinute)
	if err == nil && long != nil {
		_, err = w.pool.Exec(ctx, `UPDATE river_job SET attempted_at = now() WHERE id = ANY ($1) AND state = 'running'`, long)
	}
	if err == nil {
		err = rescue(ctx, w.pool)
	}
	return err
}

// Metrics writes the worker's counters in the text format of Prometheus.
func (w *Worker) Metrics(out http.ResponseWriter, _ *http.Request) {
	w.mu.Lock()
	inFlight := len(w.inFlight)
	w.mu.Unlock()
	out.Header().Set("Content-Type", "text/plain; version=0.0.4")
	for _, m := range []struct {
		name, kind, help string
		value            any
	}{
		{"compqa_worker_calls_total", "counter", "Finished calls.", w.done.Load()},
		{"compqa_worker_calls_failed_total", "counter", "Finished calls without a valid reply.", w.failed.Load()},
		{"compqa_worker_calls_in_flight", "gauge", "Calls in flight.", inFlight},
		{"compqa_worker_call_seconds_total", "counter", "Time of all calls, in seconds.", float64(w.latency.Load()) / 1000},
	} {
		fmt.Fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %v\n", m.name, m.help, m.name, m.kind, m.name, m.value)
	}
}
