package fleet

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A Status describes what a fleet is doing, according to the database. Nothing in it is authenticated.
type Status struct {
	Workers   []WorkerStatus   `json:"workers"`
	Providers []ProviderStatus `json:"providers"`
	Runs      []RunStatus      `json:"runs"`
	Replies   int              `json:"replies"` // replies that no run has recorded yet
}

// A WorkerStatus is one worker.
type WorkerStatus struct {
	ID        string    `json:"id"`
	Host      string    `json:"host"`
	Version   string    `json:"version"`
	Started   time.Time `json:"started"`
	Silent    float64   `json:"silent_seconds"` // since the last heartbeat
	State     string    `json:"state"`          // "working", "draining" or "lost"
	Providers string    `json:"providers"`      // names of providers, separated by commas
	Refused   string    `json:"refused"`        // providers whose calls it does not take, and why
	InFlight  int       `json:"in_flight"`
	Done      int64     `json:"done"`
	Failed    int64     `json:"failed"`
	PerMinute float64   `json:"per_minute"`
}

// A ProviderStatus counts the calls of one provider that one version of the program asks for.
type ProviderStatus struct {
	Name          string  `json:"name"`
	Version       string  `json:"version"`
	Waiting       int     `json:"waiting"`
	Running       int     `json:"running"`
	OldestSeconds float64 `json:"oldest_waiting_seconds"`
	Workers       int     `json:"workers"`
}

// A RunStatus is a run that uses the queue and is not closed.
type RunStatus struct {
	Run     string  `json:"run"` // ROLE/ID
	Host    string  `json:"host"`
	Version string  `json:"version"`
	Silent  float64 `json:"silent_seconds"`
	Calls   int     `json:"calls"` // waiting or running calls
}

// The columns of each query are in the order of the struct's fields above.
const (
	selectWorkers = `SELECT id, host, version, started, extract(epoch FROM now() - seen)::float8,
			CASE WHEN seen < now() - $1::interval THEN 'lost' WHEN drain THEN 'draining' ELSE 'working' END,
			providers, refused, in_flight, done, failed, per_minute::float8
		FROM fleet_workers ORDER BY started, id`
	selectProviders = `SELECT p.name, p.version, count(j.id) FILTER (WHERE j.state <> 'running'),
		count(j.id) FILTER (WHERE j.state = 'running'),
			coalesce(extract(epoch FROM now() - min(j.created_at) FILTER (WHERE j.state <> 'running')), 0)::float8,
			(SELECT count(*) FROM fleet_workers w WHERE p.queue = ANY (w.queues) AND NOT w.drain AND w.seen >= now() - $1::interval)
		FROM fleet_providers p LEFT JOIN river_job j ON j.queue = p.queue AND j.kind = '` + kind + `' AND j.state IN (` + unfinished + `)
		GROUP BY p.queue, p.name, p.version ORDER BY p.name, p.version, p.queue`
	selectRuns = `SELECT r.run, r.host, r.version, extract(epoch FROM now() - r.seen)::float8,
			(SELECT count(*) FROM river_job j WHERE j.kind = '` + kind + `' AND j.args->>'run' = r.run AND j.state IN (` + unfinished + `))
		FROM fleet_runs r ORDER BY r.run`
	unfinished = `'available', 'retryable', 'scheduled', 'running', 'pending'`
)

// ReadStatus returns the status of the fleet at a URL.
func ReadStatus(ctx context.Context, url string) (s Status, err error) {
	pool, err := connectExisting(ctx, url)
	if err != nil {
		return s, err
	}
	defer pool.Close()
	s.Workers, err = collect[WorkerStatus](ctx, pool, selectWorkers, DeadAfter)
	if err == nil {
		s.Providers, err = collect[ProviderStatus](ctx, pool, selectProviders, DeadAfter)
	}
	if err == nil {
		s.Runs, err = collect[RunStatus](ctx, pool, selectRuns)
	}
	if err == nil {
		err = pool.QueryRow(ctx, `SELECT count(*) FROM fleet_results`).Scan(&s.Replies)
	}
	return s, fault(err)
}

// collect returns the rows of a query as structs.
func collect[Row any](ctx context.Context, pool *pgxpool.Pool, query string, args ...any) ([]Row, error) {
	rows, err := pool.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]Row{}, rows, pgx.RowToStructByPos[Row])
}

// connectExisting connects to a queue whose tables exist.
func connectExisting(ctx context.Context, url string) (*pgxpool.Pool, error) {
	pool, err := connect(ctx, url, 2, false)
	if err != nil {
		return nil, err
	}
	there, err := hasTables(ctx, pool)
	if err == nil && there {
		return pool, nil
	}
	pool.Close()
	if err == nil {
		err = fmt.Errorf("%s has no queue: `compqa run --queue URL` creates it", Address(url))
	}
	return nil, err
}

// hasTables reports whether a database has the tables of a queue. database is a connection or a pool.
func hasTables(ctx context.Context, database interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (there bool, err error) {
	err = database.QueryRow(ctx, `SELECT to_regclass('fleet_limits') IS NOT NULL AND to_regclass('river_job') IS NOT NULL`).Scan(&there)
	return there, err
}

// fault adds to an error that it comes from the queue's database; nil stays nil.
func fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the queue's database: %s", brief(err))
}

// Drain tells workers to finish their calls and end: all workers, or those whose id begins with one of ids. It returns how many it told.
func Drain(ctx context.Context, url string, ids []string) (int64, error) {
	pool, err := connectExisting(ctx, url)
	if err != nil {
		return 0, err
	}
	defer pool.Close()
	patterns := []string{"%"}
	if len(ids) > 0 {
		patterns = nil
		for _, id := range ids {
			patterns = append(patterns, strings.NewReplacer(`\`, `\\`, "%", `\%`, "_", `\_`).Replace(id)+"%")
		}
	}
	tag, err := pool.Exec(ctx, `UPDATE fleet_workers SET drain = true WHERE id LIKE ANY ($1)`, patterns)
	return tag.RowsAffected(), fault(err)
}

// Purge deletes calls that no worker has begun, replies that no run has recorded, and entries of runs, workers and providers that have
// ended. It returns the numbers of deleted calls and replies.
func Purge(ctx context.Context, url string) (calls, replies int64, err error) {
	pool, err := connectExisting(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer pool.Close()
	for _, step := range []struct {
		count *int64
		sql   string
	}{
		{&calls, `DELETE FROM river_job WHERE kind = '` + kind + `' AND state IN ('available', 'retryable', 'scheduled', 'pending')`},
		{nil, `DELETE FROM river_job WHERE kind = '` + kind + `' AND state IN ('completed', 'cancelled', 'discarded')`},
		{&replies, `DELETE FROM fleet_results`},
		{nil, `DELETE FROM fleet_runs WHERE seen < now() - interval '1 minute'`},
		{nil, `DELETE FROM fleet_workers WHERE seen < now() - interval '1 minute'`},
		{nil, `DELETE FROM fleet_providers WHERE used < now() - interval '1 minute' AND NOT EXISTS (SELECT FROM river_job j
			WHERE j.queue = fleet_providers.queue)`},
	} {
		tag, err := pool.Exec(ctx, step.sql)
		if err != nil {
			return calls, replies, fault(err)
		}
		if step.count != nil {
			*step.count = tag.RowsAffected()
		}
	}
	return calls, replies, nil
}
