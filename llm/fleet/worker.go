package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
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

// Options are the settings of a worker.
type Options struct {
	URL         string                  // address of the database
	Key         string                  // the fleet's key, see KeyEnv
	Providers   map[string]llm.Provider // providers whose calls it takes, with the addresses and variables of its own configuration
	Concurrency int                     // calls in flight per provider; 0: as the provider's configuration says
	Version     string                  // version of the program
	Getenv      func(string) string
	Notice      func(string) // called with sentences for the user, possibly concurrently
}

const (
	heartbeat    = time.Second
	fetchPause   = 5 * time.Millisecond // between two fetches of jobs; River's default of 100 ms limits a worker to ten a second
	stuckAfter   = 10 * time.Minute     // River rescues a job after this time; the worker renews a running job after a tenth of it
	mostInFlight = 10_000               // River's limit
)

// A Worker makes the calls in a queue.
type Worker struct {
	o       Options
	sealer  sealer
	id      string
	pool    *pgxpool.Pool
	durable *pgxpool.Pool // a pool whose commits wait for the disk, for replies
	river   *river.Client[pgx.Tx]

	done, failed atomic.Int64
	latency      atomic.Int64 // sum over calls, in milliseconds
	write        chan *finished

	mu       sync.Mutex
	members  map[string]*served // by queue
	refused  map[string]string  // why it takes no calls of a queue, by queue
	notes    map[string]string  // the latest text that was reported, by subject
	inFlight map[int64]time.Time
	leases   map[int64]time.Time // when each job was last known to belong to this worker
	recent   []time.Time         // when calls of the last minute ended
	lastBeat time.Time           // wall-clock time of the last heartbeat; this clock continues while a machine sleeps
	awake    time.Time           // since when no heartbeat was late

	removals sync.WaitGroup // removals of queues in progress
}

// A served is a provider whose calls the worker takes, with its client and its share of the fleet's limits.
type served struct {
	name, queue string
	client      client.Client
	limit       *share

	mu          sync.Mutex
	prices      map[string]llm.Price
	adaptations []llm.Adaptation
}

// A finished is a call whose reply is to be written.
type finished struct {
	job     *river.Job[jobArgs]
	reply   []byte
	done    chan error
	jobLost bool // another worker has the job
}

// NewWorker connects a worker to its queue.
func NewWorker(ctx context.Context, o Options) (*Worker, error) {
	sealer, err := newSealer(o.Key)
	if err != nil {
		return nil, err
	}
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
	w := &Worker{o: o, sealer: sealer, id: fmt.Sprintf("%s-%d-%s", host, os.Getpid(), rand.Text()[:6]), pool: pool, durable: durable,
		write:   make(chan *finished),
		members: map[string]*served{}, refused: map[string]string{}, notes: map[string]string{}, inFlight: map[int64]time.Time{},
		leases: map[int64]time.Time{}}
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(w.work))
	w.river, err = river.NewClient(riverpgxv5.New(pool), &river.Config{
		ID: w.id, Logger: silent, Workers: workers, Queues: map[string]river.QueueConfig{"compqa_none": {MaxWorkers: 1}},
		FetchCooldown: fetchPause, JobTimeout: -1, RescueStuckJobsAfter: stuckAfter,
		CompletedJobRetentionPeriod: 24 * time.Hour,
	})
	if err != nil {
		pool.Close()
		durable.Close()
		return nil, err
	}
	return w, nil
}

// Run works until ctx ends or the worker is drained. Then it begins no call, and finishes the calls in flight; when kill ends, it stops
// immediately. The steps are:
//   - wait until the queue has its tables;
//   - take calls of each provider, and send heartbeats, until the end;
//   - remove the worker's row, and return its unfinished jobs to the queue.
func (w *Worker) Run(ctx, kill context.Context) error {
	defer w.durable.Close()
	defer w.pool.Close()
	for there := false; !there; { // a run creates the queue's tables
		var err error
		there, err = hasTables(ctx, w.pool)
		if err != nil {
			return fault(err)
		}
		if !there {
			w.note("queue", "the queue has no tables yet: waiting for the first `compqa run --queue URL`")
			if limits.Sleep(ctx, time.Second) != nil {
				return ctx.Err()
			}
		}
	}
	if _, err := w.beat(ctx); err != nil {
		return fault(err)
	}
	if err := w.river.Start(context.WithoutCancel(ctx)); err != nil {
		return fault(err)
	}
	for name, p := range w.o.Providers {
		w.takeUp(name, p)
	}
	writing, written := context.WithCancel(context.Background())
	drained := make(chan struct{})
	var ended sync.WaitGroup
	ended.Go(func() { w.writer(writing) })
	ended.Go(func() { w.beats(writing, drained) })
	w.o.Notice(fmt.Sprintf("worker %s of compqa %s waits for calls at %s", w.id, w.o.Version, Address(w.o.URL)))
	select {
	case <-drained:
		w.o.Notice("drained: waiting for calls in flight")
	case <-ctx.Done():
		w.o.Notice("stopping: waiting for calls in flight (press Ctrl-C again to stop immediately)")
	}
	err := w.river.Stop(kill)
	if err != nil {
		now, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		w.river.StopAndCancel(now)
	}
	w.removals.Wait()
	written()
	ended.Wait()
	last, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	w.pool.Exec(last, `DELETE FROM fleet_workers WHERE id = $1`, w.id)
	w.pool.Exec(last, `UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = $1 AND state = 'running'
		AND attempted_by[array_upper(attempted_by, 1)] = $2`, kind, w.id)
	return err
}

// takeUp begins to take the calls of a provider. If it cannot, it notes why.
func (w *Worker) takeUp(name string, p llm.Provider) {
	queue := queueOf(name, w.o.Version)
	p.Name = name
	p = p.WithDefaults()
	s := &served{name: name, queue: queue, prices: map[string]llm.Price{}, limit: newShare(w.pool, w.sealer, p, w.o.Getenv)}
	p.RPM = 0
	p.TPM = 0 // the share has the limits, over all workers
	if w.o.Concurrency > 0 {
		p.Concurrency = w.o.Concurrency
	}
	var err error
	s.client, err = client.New(p, w.o.Getenv, client.Hooks{Price: s.price, OnAdaptation: s.learn, BeforeRequest: w.checkJobHeld,
		Notice: func(text string) { w.o.Notice("provider " + name + " " + text) }})
	if err != nil {
		w.refuse(queue, name, brief(err))
		return
	}
	w.mu.Lock()
	w.members[queue] = s
	w.mu.Unlock()
	if err := w.river.Queues().Add(queue, river.QueueConfig{MaxWorkers: min(p.Concurrency*len(p.Servers()), mostInFlight),
		FetchCooldown: fetchPause}); err != nil {
		w.refuse(queue, name, brief(err))
		return
	}
	w.o.Notice("takes calls of provider " + name)
}

// refuse notes why the worker takes no calls of a queue, and stops taking them.
func (w *Worker) refuse(queue, name, why string) {
	w.mu.Lock()
	_, before := w.refused[queue]
	w.refused[queue] = name + ": " + why
	_, member := w.members[queue]
	delete(w.members, queue)
	w.mu.Unlock()
	if !before {
		w.o.Notice("takes no calls of provider " + name + ": " + why)
	}
	if member {
		w.removals.Go(func() { w.river.Queues().Remove(context.Background(), queue) })
	}
}

// note reports a text about a subject, unless it was the latest text about it.
func (w *Worker) note(about, text string) {
	w.mu.Lock()
	again := w.notes[about] == text
	w.notes[about] = text
	w.mu.Unlock()
	if !again {
		w.o.Notice(text)
	}
}

// price returns the price of a model that a run has sent with a call.
func (s *served) price(model string) (llm.Price, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	price, known := s.prices[model]
	return price, known
}

// learn remembers what the client has learnt about a model.
func (s *served) learn(a llm.Adaptation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.adaptations = append(s.adaptations, a)
}

// adaptationsOf returns what the worker has learnt about a model.
func (s *served) adaptationsOf(model string) []llm.Adaptation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ofModel(s.adaptations, model)
}

// work makes the call of a job. The steps are:
//   - decrypt the call, and refuse a forged one;
//   - wait for the fleet's limits, and make the call;
//   - give the call back if the worker was stopped, another worker has it, or the key is refused;
//   - write the encrypted reply, which also removes the job.
func (w *Worker) work(ctx context.Context, job *river.Job[jobArgs]) error {
	w.mu.Lock()
	s := w.members[job.Queue]
	w.inFlight[job.ID], w.leases[job.ID] = time.Now(), onTheWall()
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.inFlight, job.ID)
		delete(w.leases, job.ID)
	}()
	if s == nil {
		return river.JobSnooze(0)
	}
	text, err := w.sealer.decrypt(sealedCall, job.Args.Run, job.Args.Key, job.Queue, job.Args.Sealed)
	if err != nil { // the call was forged: nothing is sent
		w.note("forged", "a call is refused: "+err.Error())
		return river.JobCancel(err)
	}
	wire, err := decodeRequest(text)
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
		if err = s.limit.wait(ctx, limits.EstimateTokens(wire.Request)); err == nil {
			reply, err = s.client.Chat(context.WithValue(ctx, jobKey{}, job.ID), wire.Request)
		}
		w.latency.Add(time.Since(begin).Milliseconds())
	}
	e, _ := errors.AsType[*llm.Error](err)
	switch {
	case ctx.Err() != nil: // killed: other workers make the call
		return ctx.Err()
	case errors.Is(err, errLost):
		return w.untilOver(ctx, job.ID)
	case e != nil && e.Concerns == llm.AllModels && (e.HTTPStatus == http.StatusUnauthorized || e.HTTPStatus == http.StatusForbidden):
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
	text, err = encodeReply(reply, err, s.adaptationsOf(wire.Request.Model))
	if err != nil {
		return err
	}
	sealed := w.sealer.seal(sealedReply, job.Args.Run, job.Args.Key, strconv.FormatInt(job.ID, 10), text)
	f := &finished{job: job, reply: sealed, done: make(chan error, 1)}
	w.write <- f
	if err := <-f.done; !errors.Is(err, errLost) {
		return err
	}
	return w.untilOver(ctx, job.ID)
}

// errLost says that another worker makes a call, because this worker sent no heartbeat for DeadAfter: it was stopped, or its machine slept.
var errLost = errors.New("another worker makes the call")

// jobKey is the context key of a call's job.
type jobKey struct{}

// onTheWall returns the time without Go's monotonic clock, which may stop while a machine sleeps.
func onTheWall() time.Time { return time.Now().Round(0) }

// checkJobHeld returns errLost if a call's job has passed to another worker. It is called before each attempt, because an attempt of a lost
// job would be paid for and not accounted for. It asks the database only if a heartbeat was late since the job was last known to be held.
func (w *Worker) checkJobHeld(ctx context.Context, _ client.PossibleCost) error {
	id, is := ctx.Value(jobKey{}).(int64)
	if !is {
		return nil
	}
	now := onTheWall()
	w.mu.Lock()
	certain := now.Sub(w.lastBeat) < DeadAfter/2 && !w.leases[id].Before(w.awake)
	w.mu.Unlock()
	if certain {
		return nil
	}
	var held bool
	for {
		err := w.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM river_job WHERE id = $1 AND state = 'running'
			AND attempted_by[array_upper(attempted_by, 1)] = $2)`, id, w.id).Scan(&held)
		if err == nil {
			break
		}
		if limits.Sleep(ctx, heartbeat) != nil {
			return ctx.Err()
		}
	}
	if !held {
		return &llm.Error{Kind: llm.Cancelled, Message: errLost.Error(), Cause: errLost}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.leases[id] = now
	return nil
}

// untilOver waits until the worker that has a job is done with it. Otherwise River would end the job here.
func (w *Worker) untilOver(ctx context.Context, id int64) error {
	w.note("lost", "calls that took longer than this worker was seen are made by others")
	for there := true; there; {
		if err := limits.Sleep(ctx, heartbeat); err != nil {
			return err
		}
		if err := w.pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM river_job WHERE id = $1)`, id).Scan(&there); err != nil {
			there = true
		}
	}
	return nil
}

// mostLost is the most attempts of lost workers that are counted. The database has their number, which is not authenticated.
const mostLost = 3

// lostAttempts returns the attempts of workers that died. Each counts with the most that it can have cost.
func lostAttempts(n int, wire wireRequest) (list []llm.Attempt) {
	var cost *float64
	if wire.Price != nil {
		most := limits.NewCosts(func(string) (llm.Price, bool) { return *wire.Price, true }, nil).MaxCost(wire.Request)
		cost = &most
	}
	for range min(n, mostLost) {
		list = append(list, llm.Attempt{Started: time.Now(), Outcome: llm.Failed, Reason: "the worker ended before it wrote the reply",
			Cost: cost, Estimated: cost != nil})
	}
	return list
}

// writer writes replies, many in one transaction. While the database does not answer, it keeps them, because they are paid for.
func (w *Worker) writer(ctx context.Context) {
	for some := gather(ctx, w.write); some != nil; some = gather(ctx, w.write) {
		for failures := 0; ; failures++ {
			err := w.commit(ctx, some)
			if err == nil || ctx.Err() != nil {
				for _, f := range some {
					if f.jobLost && err == nil {
						f.done <- errLost
					} else {
						f.done <- err
					}
				}
				break
			}
			w.note("database", "replies cannot be written now and are kept: "+brief(err))
			limits.Sleep(ctx, backoff(failures))
		}
	}
}

// commit writes replies and deletes their jobs in one transaction, so that a reply exists exactly when its job is done. It does for many
// jobs what River's JobCompleteTx does for one, but deletes the jobs: keeping them would double what is written for a call. If another
// worker has a job now, the reply is dropped (errLost). That worker's reply includes this attempt as a lost one, so each attempt is
// accounted for once.
func (w *Worker) commit(ctx context.Context, some []*finished) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	tx, err := w.durable.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	var jobs []int64
	for _, f := range some {
		jobs = append(jobs, f.job.ID)
	}
	rows, err := tx.Query(ctx, `DELETE FROM river_job WHERE id = ANY ($1) AND (state <> 'running'
		OR attempted_by[array_upper(attempted_by, 1)] = $2) RETURNING id`, jobs, w.id)
	if err != nil {
		return err
	}
	held, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	runs := map[string]bool{}
	batch := &pgx.Batch{}
	for _, f := range some {
		f.jobLost = !slices.Contains(held, f.job.ID)
		if f.jobLost {
			continue
		}
		runs[f.job.Args.Run] = true
		batch.Queue(`INSERT INTO fleet_results (run, key, job, reply) VALUES ($1, $2, $3, $4)
			ON CONFLICT (run, job) DO UPDATE SET key = $2, reply = $4`, f.job.Args.Run, f.job.Args.Key, f.job.ID, f.reply)
	}
	for run := range runs {
		batch.Queue(`SELECT pg_notify($1, '')`, channelOf(run))
	}
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

// beats sends heartbeats until ctx ends. It closes drained when the worker's row says so.
func (w *Worker) beats(ctx context.Context, drained chan<- struct{}) {
	for told := false; ctx.Err() == nil; limits.Sleep(ctx, heartbeat) {
		drain, err := w.beat(ctx)
		if err == nil {
			err = w.compare(ctx)
		}
		if err != nil && ctx.Err() == nil {
			w.note("database", "the queue's database does not answer: "+brief(err))
		}
		if drain && !told {
			told = true
			close(drained)
		}
	}
}

// compare reports providers that runs use and this worker does not serve: unknown providers, and those of another program version.
func (w *Worker) compare(ctx context.Context) error {
	rows, err := w.pool.Query(ctx, `SELECT queue, name, version FROM fleet_providers ORDER BY used DESC, queue LIMIT 100`)
	if err != nil {
		return err
	}
	var queue, name, version string
	_, err = pgx.ForEachRow(rows, []any{&queue, &name, &version}, func() error {
		w.mu.Lock()
		_, served := w.members[queue]
		_, refused := w.refused[queue]
		w.mu.Unlock()
		_, known := w.o.Providers[name]
		switch {
		case served || refused:
		case !known:
			w.refuse(queue, strconv.Quote(name), "this worker's configuration has no provider of this name")
		case version != w.o.Version:
			w.refuse(queue, name, fmt.Sprintf("the run uses compqa %q, but this worker is compqa %q: use the same version", version, w.o.Version))
		}
		return nil
	})
	return err
}

// beat sends one heartbeat. It renews the worker's long calls, and makes the calls of dead workers available again. drain reports whether
// the worker is to end.
func (w *Worker) beat(ctx context.Context) (drain bool, err error) {
	host, _ := os.Hostname()
	w.mu.Lock()
	queues := []string{}
	names := []string{}
	refused := []string{}
	for queue, s := range w.members {
		queues = append(queues, queue)
		names = append(names, s.name)
	}
	for _, why := range w.refused {
		refused = append(refused, why)
	}
	now := time.Now()
	w.recent = slices.DeleteFunc(w.recent, func(when time.Time) bool { return now.Sub(when) > time.Minute })
	perMinute := len(w.recent)
	inFlight := len(w.inFlight)
	var long []int64
	for id, since := range w.inFlight {
		if now.Sub(since) > stuckAfter/10 {
			long = append(long, id)
			w.inFlight[id] = now
		}
	}
	w.mu.Unlock()
	slices.Sort(names)
	slices.Sort(refused)
	err = w.pool.QueryRow(ctx, `INSERT INTO fleet_workers (id, host, pid, version, queues, providers, refused,
		in_flight, done, failed, per_minute)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
		ON CONFLICT (id) DO UPDATE SET seen = now(), queues = $5, providers = $6, refused = $7,
		in_flight = $8, done = $9, failed = $10, per_minute = $11
		RETURNING drain`, w.id, host, os.Getpid(), w.o.Version, queues, strings.Join(names, ", "), strings.Join(refused, "; "),
		inFlight, w.done.Load(), w.failed.Load(), perMinute).Scan(&drain)
	if err == nil {
		w.noteHeartbeat(onTheWall())
	}
	if err == nil && long != nil {
		_, err = w.pool.Exec(ctx, `UPDATE river_job SET attempted_at = now() WHERE id = ANY ($1) AND state = 'running'`, long)
	}
	if err != nil {
		return drain, err
	}
	// The calls of workers that send no heartbeat go to other workers. The rows of these workers stay for some time, so that a worker that
	// was only slow keeps its row and its order to drain.
	_, err = w.pool.Exec(ctx, `WITH gone AS (DELETE FROM fleet_workers WHERE seen < now() - 10 * $1::interval)
		UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = $2 AND state = 'running'
			AND attempted_by[array_upper(attempted_by, 1)] NOT IN (SELECT id FROM fleet_workers
				WHERE seen >= now() - $1::interval)`, DeadAfter, kind)
	return drain, err
}

// noteHeartbeat notes a heartbeat. If it is late, other workers may have taken this worker's jobs.
func (w *Worker) noteHeartbeat(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now.Sub(w.lastBeat) >= DeadAfter/2 {
		w.awake = now
	}
	w.lastBeat = now
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
