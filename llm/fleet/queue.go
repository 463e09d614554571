package fleet

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"

	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
)

//go:embed schema.sql
var schema string

// DeadAfter is the time without a sign of life after which a worker's calls go to others. It is
// the same for all programs of a fleet.
var DeadAfter = 15 * time.Second

const (
	pollEvery    = 5 * time.Millisecond   // for replies
	flushEvery   = 100 * time.Millisecond // of recorded replies
	lookEvery    = 2 * time.Second        // for workers
	mostInserted = 500                    // jobs in one statement
	lostAfter    = 5 * time.Second        // after which a call is looked for on the queue
)

// A Queue puts the calls of one run on the queue, and fetches their replies.
type Queue struct {
	run, version string
	pool         *pgxpool.Pool
	river        *river.Client[pgx.Tx]
	notice       func(string)
	retain       bool
	running      context.Context // until Close
	stop         context.CancelFunc
	ended        sync.WaitGroup

	submit chan *waiting

	mu       sync.Mutex
	waits    map[string]*waiting // by call key
	taken    map[string]int64    // replies that were fetched and are still in the database: their jobs
	recorded []int64             // jobs whose replies may be deleted
	heir     bool                // a run before has left calls
	members  []*member
	early    map[string]wireReply // replies that were fetched, and that no call has asked for yet
	workers  map[string]int       // that take calls, by queue
	sharing  map[string]int       // runs that have calls there, by queue
	without  map[string]time.Time // since when a queue has no worker
	broken   string               // why the database does not answer, "" if it does
}

// A waiting is a call that waits for its reply.
type waiting struct {
	args  jobArgs
	queue string
	reply chan wireReply
	since time.Time
	job   int64 // 0: not on the queue yet

	giveUp time.Duration // without a worker; negative: never
}

// connect opens the database. The URL's password may come from PGPASSWORD or a password file.
//
// What is lost when the database crashes can be done again, so that commits do not wait for the
// disk, except those of replies (durable).
func connect(ctx context.Context, url string, connections int32, durable bool) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("%w (postgres://user@host/database)", ErrAddress)
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = connections
	}
	config.ConnConfig.RuntimeParams["application_name"] = "compqa"
	if !durable {
		config.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("the queue %s: %s", Address(url), brief(err))
	}
	if err := pool.Ping(ctx); err != nil {
		pool.Close()
		return nil, fmt.Errorf("the queue %s cannot be reached: %s", Address(url), brief(err))
	}
	return pool, nil
}

// ErrAddress is the error of a URL that is none of PostgreSQL.
var ErrAddress = errors.New("the address of the queue must be a PostgreSQL URL")

// Address is a database's address without its password.
func Address(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "in PostgreSQL"
	}
	return u.Redacted()
}

// brief is an error of the database in one line; pgx never puts a password into it.
func brief(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// silent is River's log: what matters is noticed here.
var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// Migrate makes the tables of the queue, if they are not there.
func Migrate(ctx context.Context, pool *pgxpool.Pool) error {
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Logger: silent})
	if err != nil {
		return err
	}
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	latest := slices.Max(slices.Collect(versions(migrator.AllVersions())))
	var made bool
	err = conn.QueryRow(ctx, `SELECT to_regclass('fleet_slots') IS NOT NULL AND to_regclass('river_migration') IS NOT NULL`).Scan(&made)
	if err == nil && made {
		err = conn.QueryRow(ctx, `SELECT coalesce(max(version), 0) >= $1 FROM river_migration`, latest).Scan(&made)
	}
	if err != nil || made { // who may not make tables can still use them
		return err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext('compqa fleet'))`); err != nil { // one at a time
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtext('compqa fleet'))`)
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, schema)
	return err
}

func versions(list []rivermigrate.Migration) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, m := range list {
			if !yield(m.Version) {
				return
			}
		}
	}
}

// Open connects to the queue at a PostgreSQL URL, for a run of this version of the program.
// Begin has to be called before the first call. notice gets sentences about the database; retain keeps replies in it.
func Open(ctx context.Context, url, version string, retain bool, notice func(string)) (*Queue, error) {
	pool, err := connect(ctx, url, 4, false)
	if err != nil {
		return nil, err
	}
	if err := Migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("creating the tables of the queue: %s", brief(err))
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: silent, FetchCooldown: fetchPause}) // it also limits how often workers are notified
	if err != nil {
		pool.Close()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	q := &Queue{version: version, pool: pool, river: client, notice: notice, retain: retain, stop: stop, submit: make(chan *waiting),
		waits: map[string]*waiting{}, early: map[string]wireReply{}, taken: map[string]int64{}, workers: map[string]int{}, sharing: map[string]int{}, without: map[string]time.Time{}}
	q.running = ctx
	return q, nil
}

// Begin begins to exchange calls and replies. run identifies the record: the same one, on any
// machine, gets the replies that a killed run has asked for.
func (q *Queue) Begin(run string) {
	q.run = run
	if err := q.pool.QueryRow(q.running, `SELECT EXISTS (SELECT FROM fleet_runs WHERE run = $1) OR EXISTS (SELECT FROM fleet_results WHERE run = $1)`, run).Scan(&q.heir); err != nil {
		q.heir = true
	}
	q.ended.Go(func() { q.every(q.running, pollEvery, q.fetch) })
	q.ended.Go(func() { q.every(q.running, lookEvery, q.look) })
	q.ended.Go(func() { q.every(q.running, flushEvery, q.flush) })
	q.ended.Go(func() { q.insert(q.running) })
}

// Close removes what is recorded, and the calls that no worker has begun.
func (q *Queue) Close() {
	q.stop()
	q.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	q.flush(ctx)
	q.pool.Exec(ctx, `DELETE FROM river_job WHERE kind = $1 AND args->>'run' = $2 AND state IN ('available', 'retryable', 'scheduled')`, kind, q.run)
	q.pool.Exec(ctx, `DELETE FROM fleet_runs WHERE run = $1`, q.run)
	q.pool.Close()
}

// every calls do again and again. When the database does not answer, it waits longer, and says
// so once.
func (q *Queue) every(ctx context.Context, pause time.Duration, do func(context.Context) error) {
	failures := 0
	for {
		err := do(ctx)
		wait := pause
		if err != nil && ctx.Err() == nil {
			failures++
			wait = min(pause+50*time.Millisecond<<min(failures, 6), 2*time.Second)
		} else {
			failures = 0
		}
		q.answers(ctx, err, failures)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}

// answers notes whether the database answers.
func (q *Queue) answers(ctx context.Context, err error, failures int) {
	q.mu.Lock()
	was := q.broken
	if failures > 2 {
		q.broken = brief(err)
	} else if err == nil {
		q.broken = ""
	}
	now := q.broken
	q.mu.Unlock()
	switch {
	case ctx.Err() != nil:
	case now != "" && was == "":
		q.notice("the queue's database does not answer: " + now + "; waiting until it does")
	case now == "" && was != "":
		q.notice("the queue's database answers again")
	}
}

// insert puts calls on the queue, many in one statement.
func (q *Queue) insert(ctx context.Context) {
	for {
		var some []*waiting
		select {
		case w := <-q.submit:
			some = append(some, w)
		case <-ctx.Done():
			return
		}
		for soon := time.After(2 * time.Millisecond); soon != nil && len(some) < mostInserted; {
			select {
			case w := <-q.submit:
				some = append(some, w)
			case <-soon:
				soon = nil
			}
		}
		for failures := 1; ; failures++ {
			err := q.put(ctx, some)
			if err == nil || ctx.Err() != nil {
				break
			}
			q.answers(ctx, err, failures)
			select {
			case <-time.After(min(50*time.Millisecond<<min(failures, 6), 2*time.Second)):
			case <-ctx.Done():
			}
		}
	}
}

// put puts calls on the queue, except those that are there. What a run before has left may be
// answered while this one asks for it: then the reply is there once the old job is gone, and the
// new job, which no worker has seen yet, is taken back.
func (q *Queue) put(ctx context.Context, some []*waiting) error {
	if len(some) == 0 {
		return nil
	}
	params, keys := make([]river.InsertManyParams, len(some)), make([]string, len(some))
	for i, w := range some {
		params[i] = river.InsertManyParams{Args: w.args, InsertOpts: &river.InsertOpts{Queue: w.queue, MaxAttempts: 1000, UniqueOpts: river.UniqueOpts{ByArgs: true}}}
		keys[i] = w.args.Key
	}
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	inserted, err := q.river.InsertManyTx(ctx, tx, params)
	if err == nil && q.heir {
		_, err = tx.Exec(ctx, `DELETE FROM river_job WHERE kind = $1 AND state = 'available' AND id = ANY ($2) AND args->>'key' IN (SELECT key FROM fleet_results WHERE run = $3 AND key = ANY ($4))`, kind, fresh(inserted), q.run, keys)
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, w := range some {
		w.job = inserted[i].Job.ID
	}
	return nil
}

// fresh are the ids of jobs that were not there before.
func fresh(inserted []*rivertype.JobInsertResult) (ids []int64) {
	for _, r := range inserted {
		if !r.UniqueSkippedAsDuplicate {
			ids = append(ids, r.Job.ID)
		}
	}
	return ids
}

// replace puts calls on the queue again that are no longer there: the database has crashed, or
// was purged.
func (q *Queue) replace(ctx context.Context) error {
	q.mu.Lock()
	var ids []int64
	var some []*waiting
	for _, w := range q.waits {
		if w.job != 0 && time.Since(w.since) > lostAfter {
			ids, some = append(ids, w.job), append(some, w)
		}
	}
	q.mu.Unlock()
	if ids == nil {
		return nil
	}
	rows, err := q.pool.Query(ctx, `SELECT id FROM river_job WHERE id = ANY ($1) UNION ALL SELECT job FROM fleet_results WHERE run = $2`, ids, q.run)
	if err != nil {
		return err
	}
	there, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	known := map[int64]bool{}
	for _, id := range there {
		known[id] = true
	}
	q.mu.Lock()
	some = slices.DeleteFunc(some, func(w *waiting) bool { return known[w.job] || q.waits[w.args.Key] != w })
	q.mu.Unlock()
	return q.put(ctx, some)
}

// fetch takes the replies that have come.
func (q *Queue) fetch(ctx context.Context) error {
	q.mu.Lock()
	idle := len(q.waits) == 0
	known := slices.AppendSeq(make([]int64, 0, len(q.taken)), maps.Values(q.taken))
	q.mu.Unlock()
	if idle {
		return nil
	}
	rows, err := q.pool.Query(ctx, `SELECT key, job, reply FROM fleet_results WHERE run = $1 AND job <> ALL ($2) LIMIT 1000`, q.run, known)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key string
		var job int64
		var text []byte
		if err := rows.Scan(&key, &job, &text); err != nil {
			return err
		}
		reply, err := decodeReply(text)
		if err != nil {
			reply.Error = llm.Errorf(llm.Failed, "the reply in the queue cannot be read: %s", err)
		}
		q.mu.Lock()
		w := q.waits[key]
		q.taken[key] = job
		if w != nil {
			delete(q.waits, key)
		} else {
			q.early[key] = reply
		}
		q.mu.Unlock()
		if w != nil {
			w.reply <- reply
		}
	}
	return rows.Err()
}

// Recorded marks the reply to a call as recorded, so that the queue can delete it.
func (q *Queue) Recorded(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if job, taken := q.taken[key]; taken {
		q.recorded = append(q.recorded, job)
	}
}

// flush deletes replies that are recorded, with their jobs.
func (q *Queue) flush(ctx context.Context) error {
	q.mu.Lock()
	jobs := slices.Clone(q.recorded)
	q.mu.Unlock()
	if len(jobs) == 0 || q.retain {
		return nil
	}
	if _, err := q.pool.Exec(ctx, `DELETE FROM fleet_results WHERE run = $1 AND job = ANY ($2)`, q.run, jobs); err != nil {
		return err
	}
	gone := map[int64]bool{}
	for _, job := range jobs {
		gone[job] = true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.taken, func(_ string, job int64) bool { return gone[job] })
	q.recorded = slices.Clone(q.recorded[len(jobs):])
	return nil
}

// look counts the workers, and gives the calls of dead ones to others.
func (q *Queue) look(ctx context.Context) error {
	host, _ := os.Hostname()
	if _, err := q.pool.Exec(ctx, `INSERT INTO fleet_runs (run, host, version) VALUES ($1, $2, $3) ON CONFLICT (run) DO UPDATE SET seen = now(), host = $2, version = $3`, q.run, host, q.version); err != nil {
		return err
	}
	if err := errors.Join(rescue(ctx, q.pool), q.replace(ctx)); err != nil {
		return err
	}
	rows, err := q.pool.Query(ctx, `SELECT providers FROM fleet_workers WHERE seen > now() - $1::interval`, interval(DeadAfter))
	if err != nil {
		return err
	}
	defer rows.Close()
	workers := map[string]int{}
	for rows.Next() {
		var queues []string
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		json.Unmarshal([]byte(text), &queues)
		for _, queue := range queues {
			workers[queue]++
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	sharing := map[string]int{}
	rows, err = q.pool.Query(ctx, `SELECT queue, count(DISTINCT args->>'run') FROM river_job WHERE kind = $1 AND state IN ('available', 'running') GROUP BY queue`, kind)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var queue string
		var runs int
		if err := rows.Scan(&queue, &runs); err != nil {
			return err
		}
		sharing[queue] = runs
	}
	if err := rows.Err(); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers, q.sharing = workers, sharing
	for _, m := range q.members {
		m.fewer.Broadcast()
	}
	for key, w := range q.waits {
		switch since, none := q.without[w.queue]; {
		case workers[w.queue] > 0:
			delete(q.without, w.queue)
		case !none:
			q.without[w.queue] = time.Now()
		case w.giveUp > 0 && time.Since(since) > w.giveUp:
			delete(q.waits, key)
			w.reply <- wireReply{Error: llm.Errorf(llm.Unavailable, "no worker has taken calls of the provider for %s", w.giveUp)}
		}
	}
	return nil
}

// rescue gives the calls of workers that do not respond to other workers. Their rows stay for
// some time: a worker that was only slow keeps its row, with its orders.
func rescue(ctx context.Context, pool *pgxpool.Pool) error {
	_, err := pool.Exec(ctx, `WITH gone AS (DELETE FROM fleet_workers WHERE seen < now() - 10 * $1::interval RETURNING id),
		slots AS (DELETE FROM fleet_slots WHERE worker IN (SELECT id FROM gone))
		UPDATE river_job SET state = 'available', scheduled_at = now() WHERE kind = $2 AND state = 'running'
			AND attempted_by[array_upper(attempted_by, 1)] NOT IN (SELECT id FROM fleet_workers WHERE seen >= now() - $1::interval)`, interval(DeadAfter), kind)
	return err
}

func interval(d time.Duration) string { return fmt.Sprintf("%d milliseconds", d.Milliseconds()) }

// A member is the client of a provider whose calls the fleet makes.
type member struct {
	*Queue
	p     llm.Provider
	queue string
	hooks client.Hooks
	costs *limits.Costs

	mu       sync.Mutex
	inFlight map[*waiting]time.Time
	known    []llm.Adaptation
	queued   int        // calls on the queue
	fewer    *sync.Cond // signals that there may be room for another
}

// surplus is how many more calls than can be in flight a run puts on the queue, so that workers
// do not wait for it.
const surplus = 1.25

// turn waits until the run may put another call on the queue. Calls are made in their order, so
// that runs share the workers fairly if each has only its part of the concurrency there.
func (m *member) turn(ctx context.Context) error {
	defer context.AfterFunc(ctx, m.fewer.Broadcast)()
	m.mu.Lock()
	defer m.mu.Unlock()
	for ctx.Err() == nil {
		m.Queue.mu.Lock()
		runs := max(1, m.sharing[m.queue])
		m.Queue.mu.Unlock()
		if m.queued < int(surplus*float64(m.p.Concurrency*len(m.p.Servers())))/runs+2 {
			m.queued++
			return nil
		}
		m.fewer.Wait()
	}
	return llm.ContextError(ctx)
}

// leave ends what turn began.
func (m *member) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queued--
	m.fewer.Signal()
}

// Client is the client of a provider. Its key is not needed here. Of the hooks, Price, Budgets,
// Known and Learned are used.
func (q *Queue) Client(ctx context.Context, p llm.Provider, hooks client.Hooks) (client.Client, error) {
	config, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	m := &member{Queue: q, p: p.WithDefaults(), queue: queueOf(config, q.version), hooks: hooks, costs: limits.NewCosts(hooks.Price, hooks.Budgets),
		inFlight: map[*waiting]time.Time{}, known: slices.Clone(hooks.Known)}
	m.fewer = sync.NewCond(&m.mu)
	q.mu.Lock()
	q.members = append(q.members, m)
	q.mu.Unlock()
	_, err = q.pool.Exec(ctx, `INSERT INTO fleet_providers (queue, name, config, version) VALUES ($1, $2, $3, $4) ON CONFLICT (queue) DO UPDATE SET used = now()`, m.queue, p.Name, config, q.version)
	if err != nil {
		return nil, fmt.Errorf("the queue's database: %s", brief(err))
	}
	return m, nil
}

// Models implements client.Client: only the workers reach the server.
func (m *member) Models(context.Context) ([]string, error) { return nil, nil }

// Chat implements client.Client.
func (m *member) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := req.Check(); err != nil {
		return llm.Reply{}, err
	}
	note := func() func() { return func() {} }
	ended, err := m.costs.AwaitFirst(ctx, req, note)
	if err != nil {
		return llm.Reply{}, m.named(err, req)
	}
	defer ended(true)
	reserved := m.costs.MaxCost(req)
	if err := m.costs.Budgets.Reserve(ctx, reserved, note); err != nil {
		return llm.Reply{}, m.named(err, req)
	}
	w, err := m.ask(ctx, req)
	cost := 0.0
	for _, a := range w.Reply.Attempts {
		cost += llm.ValueOr(a.Cost, 0)
		if a.Usage.Completion != nil {
			m.costs.Observe(req.Model, *a.Usage.Completion)
		}
	}
	m.costs.Budgets.Settle(reserved, cost)
	if err == nil && w.Error != nil {
		err = w.Error
	}
	if err != nil {
		err = m.named(err, req)
	}
	for _, a := range w.Learned {
		m.learn(a)
	}
	return w.Reply, err
}

// learn passes on what a worker has learnt about a model, once.
func (m *member) learn(a llm.Adaptation) {
	m.mu.Lock()
	fresh := !slices.Contains(m.known, a)
	if fresh {
		m.known = append(m.known, a)
	}
	m.mu.Unlock()
	if fresh && m.hooks.Learned != nil {
		m.hooks.Learned(a)
	}
}

// named completes an error.
func (m *member) named(err error, req llm.Request) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = llm.Errorf(llm.Failed, "%s", err)
	}
	done := *e
	done.Provider, done.Model = m.p.Label(), req.Model
	return &done
}

// ask puts a call on the queue and waits for its reply.
func (m *member) ask(ctx context.Context, req llm.Request) (wireReply, error) {
	key, _ := ctx.Value(keyOf{}).(string)
	if key == "" {
		return wireReply{}, llm.Errorf(llm.Misconfigured, "a call of the fleet needs a key")
	}
	wire := wireRequest{Request: req}
	if price, known := m.costs.Price(req.Model); known {
		wire.Price = &price
	}
	m.mu.Lock()
	for _, a := range m.known {
		if a.Model == req.Model {
			wire.Known = append(wire.Known, a)
		}
	}
	m.mu.Unlock()
	text, err := encodeRequest(wire)
	if err != nil {
		return wireReply{}, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	w := &waiting{args: jobArgs{Run: m.run, Key: key, Request: text}, queue: m.queue, reply: make(chan wireReply, 1), since: time.Now(), giveUp: m.p.GiveUp}
	if err := m.turn(ctx); err != nil {
		return wireReply{}, err
	}
	defer m.leave()
	due := m.note(w, true)
	defer m.note(w, false)
	if due {
		select {
		case m.submit <- w:
		case <-ctx.Done():
			return wireReply{}, llm.ContextError(ctx)
		}
	}
	select {
	case reply := <-w.reply:
		return reply, nil
	case <-ctx.Done(): // the reply stays in the database for the next run
		return wireReply{}, llm.ContextError(ctx)
	}
}

// note counts a call that begins or ends, and registers it for its reply. It reports whether the
// call has to be put on the queue.
func (m *member) note(w *waiting, begins bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Queue.mu.Lock()
	defer m.Queue.mu.Unlock()
	if begins {
		m.inFlight[w] = time.Now()
		if reply, here := m.early[w.args.Key]; here {
			delete(m.early, w.args.Key)
			w.reply <- reply
			return false
		}
		m.waits[w.args.Key] = w
		return true
	}
	delete(m.inFlight, w)
	if m.waits[w.args.Key] == w {
		delete(m.waits, w.args.Key)
	}
	return false
}

// State implements client.Client.
func (m *member) State() llm.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Queue.mu.Lock()
	defer m.Queue.mu.Unlock()
	s := llm.State{InFlight: len(m.inFlight), Concurrency: m.p.Concurrency, MaxConcurrency: m.p.Concurrency}
	for _, since := range m.inFlight {
		s.Oldest = max(s.Oldest, time.Since(since))
	}
	switch workers := m.workers[m.queue]; {
	case len(m.inFlight) == 0:
	case m.broken != "":
		s.Note = "the queue's database does not answer"
	case workers == 0:
		s.Note = "no worker takes its calls: start `compqa worker --queue URL`"
	case workers == 1:
		s.Note = "1 worker"
	default:
		s.Note = fmt.Sprintf("%d workers", workers)
	}
	return s
}
