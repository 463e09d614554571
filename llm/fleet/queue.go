// Package fleet makes calls on other machines. A run puts its calls on a queue in PostgreSQL
// (River), workers make them with package client, and the replies come back to the run, which
// records them as its own. Keys stay in the environments of the workers.
//
// Guarantees:
//   - A call is a job, unique by run and call key. A worker writes its reply and completes the
//     job in one transaction, so a reply exists exactly when its job is done.
//   - A reply stays in the database until the run has recorded it. A run that was killed finds
//     it when it asks for the same call again, on any machine with a copy of the record.
//   - A worker is alive as long as it renews its row in fleet_workers. If it does not do so for
//     DeadAfter, other workers get its jobs: at most the calls in flight are made twice.
//   - rpm and tpm of a provider hold over all workers with the same address and key; concurrency is each worker's.
package fleet

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
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
	"compqa/llm/limits"
)

//go:embed schema.sql
var schema string

// DeadAfter is the time without a heartbeat after which a worker's calls go to other workers. All programs of a fleet must use the same
// value.
var DeadAfter = 15 * time.Second

const (
	listenFor    = time.Second            // replies are fetched this often without a notification
	flushEvery   = 100 * time.Millisecond // recorded replies are deleted this often
	lookEvery    = 2 * time.Second        // workers are counted this often
	gatherFor    = 2 * time.Millisecond   // time for which calls or replies are collected for one transaction
	mostGathered = 500                    // most calls or replies in one transaction
	lostAfter    = 5 * time.Second        // time after which a call is looked for in the queue
)

// A Queue puts the calls of one run on the queue, and fetches their replies.
type Queue struct {
	run, version string
	sealer       sealer
	pool         *pgxpool.Pool
	river        *river.Client[pgx.Tx]
	notice       func(string)
	retain       bool
	running      context.Context // ends with Close
	stop         context.CancelFunc
	ended        sync.WaitGroup

	submit chan *waiting

	mu            sync.Mutex
	waits         map[string]*waiting  // by call key
	fetchedJobs   map[string]int64     // jobs of replies that were fetched and are still in the database, by call key
	recordedJobs  []int64              // jobs whose recorded replies may be deleted
	workers       map[string]int       // number of workers that take calls, by queue
	noWorkerSince map[string]time.Time // since when a queue has no worker, by queue
	broken        string               // why the database does not answer; "": it does
	forged        bool                 // a refused reply was reported
}

// A waiting is a call that waits for its reply.
type waiting struct {
	args   jobArgs
	member *member
	reply  chan wireReply
	since  time.Time
	job    int64 // 0: not in the queue yet
}

// connect opens the database. The URL's password may come from PGPASSWORD or a password file.
//
// Commits wait for the disk only with durable, which replies need. What a crash of the database loses otherwise can be done again.
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

// ErrAddress is the error of an address that is not a PostgreSQL URL.
var ErrAddress = errors.New("the address of the queue must be a PostgreSQL URL")

// Address returns a database's address without its password.
func Address(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "in PostgreSQL"
	}
	return u.Redacted()
}

// brief returns a database error on one line. pgx never puts a password into an error.
func brief(err error) string {
	return strings.Join(strings.Fields(err.Error()), " ")
}

// silent discards River's log, because this package reports what matters.
var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

// Migrate creates the tables of the queue if they are missing.
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
	all := migrator.AllVersions()
	latest := all[len(all)-1].Version
	made, err := hasTables(ctx, conn)
	if err == nil && made {
		err = conn.QueryRow(ctx, `SELECT coalesce(max(version), 0) >= $1 FROM river_migration`, latest).Scan(&made)
	}
	if err != nil || made { // a role that may not create tables can still use them
		return err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(hashtext('compqa fleet'))`); err != nil { // one program at a time
		return err
	}
	defer conn.Exec(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(hashtext('compqa fleet'))`)
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return err
	}
	_, err = conn.Exec(ctx, schema)
	return err
}

// Open connects to the queue at a PostgreSQL URL, for a run of this version of the program. key is the fleet's key. notice receives
// sentences about the database. With retain, replies stay in the database. Call Begin before the first call.
func Open(ctx context.Context, url, key, version string, retain bool, notice func(string)) (*Queue, error) {
	sealer, err := newSealer(key)
	if err != nil {
		return nil, err
	}
	pool, err := connect(ctx, url, 5, false)
	if err != nil {
		return nil, err
	}
	if err := Migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, fmt.Errorf("creating the tables of the queue: %s", brief(err))
	}
	client, err := river.NewClient(riverpgxv5.New(pool), &river.Config{Logger: silent,
		FetchCooldown: fetchPause}) // this also limits how often workers are notified
	if err != nil {
		pool.Close()
		return nil, err
	}
	q := &Queue{version: version, sealer: sealer, pool: pool, river: client, notice: notice, retain: retain, submit: make(chan *waiting),
		waits: map[string]*waiting{}, fetchedJobs: map[string]int64{}, workers: map[string]int{}, noWorkerSince: map[string]time.Time{}}
	q.running, q.stop = context.WithCancel(context.WithoutCancel(ctx))
	return q, nil
}

// Begin begins to exchange calls and replies. run identifies the record. If a run was killed, the next run with the same record gets its
// replies, on any machine. The queue's name of a run begins with the database role, by which row-level security separates runs (see the
// manual).
func (q *Queue) Begin(run string) {
	q.run = q.pool.Config().ConnConfig.User + "/" + run
	q.ended.Go(func() { q.repeat(q.running, 0, q.listen) })
	q.ended.Go(func() { q.repeat(q.running, lookEvery, q.checkWorkers) })
	q.ended.Go(func() { q.repeat(q.running, flushEvery, q.flush) })
	var some []*waiting // calls that are put into the queue together
	q.ended.Go(func() {
		q.repeat(q.running, 0, func(ctx context.Context) error {
			if some == nil {
				some = gather(ctx, q.submit)
			}
			err := q.enqueue(ctx, some)
			if err == nil {
				some = nil
			}
			return err
		})
	})
}

// Close deletes recorded replies, and the calls that no worker has begun.
func (q *Queue) Close() {
	q.stop()
	q.ended.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	q.flush(ctx)
	q.pool.Exec(ctx, `DELETE FROM river_job WHERE kind = $1 AND args->>'run' = $2 AND state IN ('available', 'retryable', 'scheduled')`,
		kind, q.run)
	q.pool.Exec(ctx, `DELETE FROM fleet_runs WHERE run = $1`, q.run)
	q.pool.Close()
}

// repeat calls do repeatedly until ctx ends. When the database does not answer, it waits longer each time, and reports this once.
func (q *Queue) repeat(ctx context.Context, pause time.Duration, do func(context.Context) error) {
	for failures := 0; ctx.Err() == nil; {
		err := do(ctx)
		wait := pause
		failures++
		if err == nil {
			failures = 0
		} else {
			wait += backoff(failures)
		}
		q.answers(ctx, err, failures)
		limits.Sleep(ctx, wait)
	}
}

// backoff returns the pause after a number of consecutive failures of the database.
func backoff(failures int) time.Duration {
	return min(50*time.Millisecond<<min(failures, 6), 2*time.Second)
}

// gather waits for a value, and takes the values that follow soon, so that they share a transaction. It returns nil when ctx ends.
func gather[T any](ctx context.Context, from <-chan T) (some []T) {
	select {
	case v := <-from:
		some = append(some, v)
	case <-ctx.Done():
		return nil
	}
	for soon := time.After(gatherFor); ; {
		select {
		case v := <-from:
			some = append(some, v)
			if len(some) == mostGathered {
				return some
			}
		case <-soon:
			return some
		}
	}
}

// answers notes whether the database answers, and reports a change to the user.
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

// enqueue puts calls into the queue, except those that are already there. Two kinds of new jobs are deleted again before a worker sees
// them:
//   - of a call whose reply exists: a worker has just finished the job that an earlier run left;
//   - of a call that no longer waits, because its reply was fetched, recorded and deleted since the call was submitted.
func (q *Queue) enqueue(ctx context.Context, some []*waiting) error {
	some = slices.DeleteFunc(slices.Clone(some), func(w *waiting) bool { return !q.waitsFor(w) })
	if len(some) == 0 {
		return nil
	}
	params := make([]river.InsertManyParams, len(some))
	keys := make([]string, len(some))
	for i, w := range some {
		o := &river.InsertOpts{Queue: w.member.queue, MaxAttempts: 1000, UniqueOpts: river.UniqueOpts{ByArgs: true}}
		params[i] = river.InsertManyParams{Args: w.args, InsertOpts: o}
		keys[i] = w.args.Key
	}
	tx, err := q.pool.Begin(ctx)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	inserted, err := q.river.InsertManyTx(ctx, tx, params)
	if err != nil {
		return err
	}
	var fresh []int64
	for _, r := range inserted {
		if !r.UniqueSkippedAsDuplicate {
			fresh = append(fresh, r.Job.ID)
		}
	}
	answered, err := tx.Exec(ctx, `DELETE FROM river_job WHERE kind = $1 AND state = 'available' AND id = ANY ($2)
		AND args->>'key' IN (SELECT key FROM fleet_results WHERE run = $3 AND key = ANY ($4))`, kind, fresh, q.run, keys)
	if err == nil {
		err = q.takeBack(ctx, tx, some, inserted)
	}
	if err == nil {
		err = tx.Commit(ctx)
	}
	if err != nil {
		return err
	}
	q.mu.Lock()
	for i, w := range some {
		w.job = inserted[i].Job.ID
	}
	q.mu.Unlock()
	if answered.RowsAffected() > 0 {
		err = q.fetch(ctx)
	}
	return err
}

// takeBack deletes the new jobs of calls that no longer wait. Call it after looking for replies: a reply that was deleted before had been
// fetched.
func (q *Queue) takeBack(ctx context.Context, tx pgx.Tx, some []*waiting, inserted []*rivertype.JobInsertResult) error {
	var over []int64
	for i, w := range some {
		if r := inserted[i]; !r.UniqueSkippedAsDuplicate && !q.waitsFor(w) {
			over = append(over, r.Job.ID)
		}
	}
	if over == nil {
		return nil
	}
	_, err := tx.Exec(ctx, `DELETE FROM river_job WHERE id = ANY ($1)`, over)
	return err
}

// waitsFor reports whether a call still waits for its reply.
func (q *Queue) waitsFor(w *waiting) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waits[w.args.Key] == w
}

// replace puts calls into the queue again that are no longer there, because the database has crashed or was purged.
func (q *Queue) replace(ctx context.Context) error {
	q.mu.Lock()
	var ids []int64
	var some []*waiting
	for _, w := range q.waits {
		if w.job != 0 && time.Since(w.since) > lostAfter {
			ids = append(ids, w.job)
			some = append(some, w)
		}
	}
	q.mu.Unlock()
	if ids == nil {
		return nil
	}
	rows, err := q.pool.Query(ctx, `SELECT id FROM river_job WHERE id = ANY ($1) AND state NOT IN ('cancelled', 'discarded')
		UNION ALL SELECT job FROM fleet_results WHERE run = $2`, ids, q.run)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	there := map[int64]bool{}
	for _, job := range found {
		there[job] = true
	}
	return q.enqueue(ctx, slices.DeleteFunc(some, func(w *waiting) bool { return there[w.job] }))
}

// listen fetches replies whenever a worker has written some.
func (q *Queue) listen(ctx context.Context) error {
	conn, err := q.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `LISTEN `+channelOf(q.run)); err != nil {
		return err
	}
	for {
		if err := q.fetch(ctx); err != nil {
			return err
		}
		q.answers(ctx, nil, 0)
		wait, cancel := context.WithTimeout(ctx, listenFor)
		_, err := conn.Conn().WaitForNotification(wait)
		due := wait.Err() != nil
		cancel()
		if err != nil && (!due || ctx.Err() != nil) {
			return err
		}
	}
}

// channelOf returns the name of the channel on which a run is notified of replies.
func channelOf(run string) string {
	sum := sha256.Sum256([]byte(run))
	return "compqa_" + hex.EncodeToString(sum[:8])
}

// fetch takes the replies that are in the database, and passes them to the calls that wait.
func (q *Queue) fetch(ctx context.Context) error {
	q.mu.Lock()
	keys := slices.Collect(maps.Keys(q.waits))
	q.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	rows, err := q.pool.Query(ctx, `SELECT key, job, reply FROM fleet_results WHERE run = $1 AND key = ANY ($2)`, q.run, keys)
	if err != nil {
		return err
	}
	var key string
	var job int64
	var text []byte
	var forged []int64
	_, err = pgx.ForEachRow(rows, []any{&key, &job, &text}, func() error {
		reply, err := q.decryptReply(key, job, text)
		if err != nil {
			forged = append(forged, job)
			return nil
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if w := q.waits[key]; w != nil {
			q.fetchedJobs[key] = job
			delete(q.waits, key)
			w.reply <- reply
		}
		return nil
	})
	if err == nil && forged != nil {
		err = q.refuse(ctx, forged)
	}
	return err
}

// decryptReply decrypts the reply to a call. It returns an error if the reply was not written with the fleet's key. A reply of a worker
// that cannot be decoded becomes an error of the call.
func (q *Queue) decryptReply(key string, job int64, text []byte) (reply wireReply, err error) {
	text, err = q.sealer.decrypt(sealedReply, q.run, key, strconv.FormatInt(job, 10), text)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(text, &reply); err != nil {
		reply.Error = llm.Errorf(llm.Failed, "the reply in the queue cannot be read: %s", err)
	}
	return reply, nil
}

// refuse deletes replies that were not written by a worker of this fleet. Their calls continue to wait.
func (q *Queue) refuse(ctx context.Context, jobs []int64) error {
	q.mu.Lock()
	again := q.forged
	q.forged = true
	q.mu.Unlock()
	if !again {
		q.notice("the queue holds replies that were not written with this fleet's key (" + KeyEnv + "): they are refused")
	}
	return q.delete(ctx, jobs)
}

// delete deletes the replies of jobs.
func (q *Queue) delete(ctx context.Context, jobs []int64) error {
	_, err := q.pool.Exec(ctx, `DELETE FROM fleet_results WHERE run = $1 AND job = ANY ($2)`, q.run, jobs)
	return err
}

// MarkRecorded marks the reply to a call as recorded, so that the queue can delete it.
func (q *Queue) MarkRecorded(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if job, taken := q.fetchedJobs[key]; taken && !q.retain {
		delete(q.fetchedJobs, key)
		q.recordedJobs = append(q.recordedJobs, job)
	}
}

// flush deletes recorded replies from the database.
func (q *Queue) flush(ctx context.Context) error {
	q.mu.Lock()
	jobs := q.recordedJobs
	q.mu.Unlock()
	if len(jobs) == 0 {
		return nil
	}
	if err := q.delete(ctx, jobs); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.recordedJobs = q.recordedJobs[len(jobs):]
	return nil
}

// checkWorkers counts the workers, and puts lost calls into the queue again. Calls that had no worker for GiveUp end with an error.
func (q *Queue) checkWorkers(ctx context.Context) error {
	host, _ := os.Hostname()
	_, err := q.pool.Exec(ctx, `INSERT INTO fleet_runs (run, host, version) VALUES ($1, $2, $3)
		ON CONFLICT (run) DO UPDATE SET seen = now(), host = $2, version = $3`, q.run, host, q.version)
	if err := errors.Join(err, q.replace(ctx)); err != nil {
		return err
	}
	rows, err := q.pool.Query(ctx, `SELECT queue, count(*) FROM fleet_workers, unnest(queues) queue WHERE seen > now() - $1::interval
		GROUP BY queue`,
		DeadAfter)
	if err != nil {
		return err
	}
	var queue string
	var n int
	workers := map[string]int{}
	if _, err := pgx.ForEachRow(rows, []any{&queue, &n}, func() error { workers[queue] = n; return nil }); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.workers = workers
	for key, w := range q.waits {
		giveUp := w.member.p.GiveUp
		switch since, none := q.noWorkerSince[w.member.queue]; {
		case workers[w.member.queue] > 0:
			delete(q.noWorkerSince, w.member.queue)
		case !none:
			q.noWorkerSince[w.member.queue] = time.Now()
		case giveUp > 0 && time.Since(since) > giveUp:
			delete(q.waits, key)
			w.reply <- wireReply{Error: llm.Errorf(llm.Unavailable, "no worker has taken calls of the provider for %s", giveUp)}
		}
	}
	return nil
}
