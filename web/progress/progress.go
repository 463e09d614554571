// Package progress counts what a run records while it is under way, for the pages that show it.
package progress

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"log"
	"slices"
	"sync"
	"time"

	"compqa/data"
	"compqa/results/store"
)

const (
	pollEvery = time.Second      // how often records are looked at for changes
	window    = 30 * time.Second // over which rates are measured
	countPart = 5                // counting takes at most this part of the time
)

// A Counter counts the results of records, and notifies those that watch.
type Counter struct {
	Waits func() []string // what the providers of a run in this process wait for; nil: unknown

	log     *log.Logger
	records []*record

	mu      sync.Mutex
	number  int // of changes of the data
	state   Progress
	changed chan struct{} // closed when state changes
	past    []sample
	doneAt  map[int]int // what was done at each change; of several records, some of it twice
}

// A sample is how much was done at a time.
type sample struct {
	at   time.Time
	done int
}

// A Progress is how far a run is. It has no points: they are for the end of a run.
type Progress struct {
	Parties                []PartyProgress
	Done, Planned, Invalid int       // answers and verdicts
	Rate                   float64   // a second, over half a minute
	Cost                   float64   // US dollars
	Changed                time.Time // when something was recorded last, as far as this process saw it
	Ended                  string    // when the latest run ended, as recorded; "": it has not
	Waits                  []string
	Reasons                []Reason // most frequent first
}

// A PartyProgress is how far one system's answers, or one judge's verdicts, are.
type PartyProgress struct {
	Kind, Name             string
	Planned, Done, Invalid int
}

// A Reason is a status other than valid, and how often a party has it.
type Reason struct {
	Kind, Name string
	Status     data.Status
	Count      int
}

// A record is counted through a connection of its own: a connection knows whether another one
// changed the data.
type record struct {
	*store.Store
	conn *sql.Conn
	seen int64 // version of the data
}

// New counts the results of records.
func New(stores []*store.Store, log *log.Logger) (*Counter, error) {
	l := &Counter{log: log, changed: make(chan struct{}), doneAt: map[int]int{}}
	for _, s := range stores {
		conn, err := s.Db.Conn(context.Background())
		if err != nil {
			return nil, store.WrapDBError("opening", s.Path, err)
		}
		l.records = append(l.records, &record{Store: s, conn: conn})
	}
	l.poll(context.Background())
	return l, nil
}

// poll reports whether a record changed since the last call.
func (l *Counter) poll(ctx context.Context) (fresh bool) {
	for _, r := range l.records {
		var v int64
		if err := r.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err == nil && v != r.seen {
			r.seen, fresh = v, true
		}
	}
	return fresh
}

// Close closes the connections.
func (l *Counter) Close() {
	for _, r := range l.records {
		r.conn.Close()
	}
}

// Watch counts whenever a record has changed, until ctx ends.
func (l *Counter) Watch(ctx context.Context) {
	for first := true; ; first = false {
		started := time.Now()
		if err := l.update(l.poll(ctx), first); err != nil && ctx.Err() == nil {
			l.log.Printf("counting: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(pollEvery, countPart*time.Since(started))):
		}
	}
}

// update counts again if the data changed, and publishes the state if it differs.
func (l *Counter) update(fresh, first bool) error {
	next, _ := l.Now()
	next.Rate = 0
	if fresh || first {
		next = Progress{Changed: next.Changed}
		for _, r := range l.records {
			if err := r.count(&next); err != nil {
				return err
			}
		}
		slices.SortFunc(next.Reasons, func(a, b Reason) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name),
				cmp.Compare(a.Status, b.Status))
		})
	}
	if l.Waits != nil {
		next.Waits = l.Waits()
	}
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if fresh {
		next.Changed = now
	}
	l.past = append(slices.DeleteFunc(l.past, func(s sample) bool { return now.Sub(s.at) > window }), sample{now, next.Done})
	if first := l.past[0]; next.Done > first.done {
		next.Rate = float64(next.Done-first.done) / now.Sub(first.at).Seconds()
	}
	if fresh {
		l.number++
	}
	if _, known := l.doneAt[l.number]; !known || fresh {
		l.doneAt[l.number] = next.Done
	}
	if fresh || fmt.Sprint(next) != fmt.Sprint(l.state) {
		l.state = next
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return nil
}

// counted are the results of a record by party and status. CROSS JOIN keeps SQLite at one pass over the
// results: beginning with the plan, it reads all of a judge's verdicts for each planned cell.
const counted = `
	SELECT 'answer', a.system, a.status, count(*) FROM answers a NOT INDEXED CROSS JOIN plan p ON p.kind = 'answer'
		AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active GROUP BY 2, 3
	UNION ALL
	SELECT 'verdict', v.judge, v.status, count(*) FROM verdicts v NOT INDEXED CROSS JOIN answers a ON a.id = v.answer
		CROSS JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
		GROUP BY 2, 3`

// count adds the record's parties in the order of its tables, systems first.
func (r *record) count(p *Progress) error {
	results, err := store.Query(r.Store, counted, nil, func(r *Reason) []any { return []any{&r.Kind, &r.Name, &r.Status, &r.Count} })
	if err != nil {
		return err
	}
	parties, err := store.Query(r.Store, `SELECT p.kind, n.name, sum(p.planned) FROM plan p
		JOIN (SELECT iif(role = 'system', 'answer', 'verdict') AS kind, name, position FROM parties WHERE role <> 'pairwise') n
		ON n.kind = p.kind AND n.name = iif(p.kind = 'answer', p.system, p.judge) WHERE p.active AND (p.kind = 'verdict' OR p.judge = '')
		GROUP BY p.kind, n.name ORDER BY p.kind, n.position, n.name`, nil,
		func(y *PartyProgress) []any { return []any{&y.Kind, &y.Name, &y.Planned} })
	if err != nil {
		return err
	}
	for _, y := range parties {
		for _, r := range results {
			if r.Kind != y.Kind || r.Name != y.Name {
				continue
			}
			if y.Done += r.Count; r.Status != data.Valid {
				y.Invalid += r.Count
				p.Reasons = append(p.Reasons, r)
			}
		}
		p.Parties = append(p.Parties, y)
		p.Done, p.Planned, p.Invalid = p.Done+y.Done, p.Planned+y.Planned, p.Invalid+y.Invalid
	}
	var cost float64
	var ended sql.NullString
	err = r.Db.QueryRow(`SELECT coalesce((SELECT sum(cost) FROM attempts), 0),
		(SELECT finished FROM run WHERE part = 'answers' ORDER BY id DESC LIMIT 1)`).Scan(&cost, &ended)
	p.Cost, p.Ended = p.Cost+cost, max(p.Ended, ended.String)
	return store.WrapDBError("reading", r.Path, err)
}

// Version is the number of changes so far.
func (l *Counter) Version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.number
}

// Since is how much was recorded since a version.
func (l *Counter) Since(version int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, known := l.doneAt[version]; known {
		return l.state.Done - before
	}
	return 0
}

// Now is the state, and a channel that is closed when it changes.
func (l *Counter) Now() (Progress, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, l.changed
}

// WaitChange waits until the data differ from a version; false: ctx ended before.
func (l *Counter) WaitChange(ctx context.Context, version int) bool {
	for {
		_, changed := l.Now()
		if l.Version() != version {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}
