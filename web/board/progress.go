package board

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"compqa/data"
	"compqa/results/store"
	"compqa/results/table"
)

const (
	pollEvery  = time.Second      // how often records are looked at for changes
	window     = 30 * time.Second // over which rates are measured
	checkEvery = 5                // polls between two checks for counted rows that were deleted or replaced
)

// A Counter counts the results of records, and notifies those that watch.
type Counter struct {
	Waits func() []string // what the providers of a run in this process wait for; nil: unknown

	log     *log.Logger
	records []*recordCounts
	polls   int

	mu      sync.Mutex
	number  int // of changes of the data
	state   Progress
	changed chan struct{} // closed when state changes
	past    []sample
	doneAt  map[int]int // what was done at each change; of several records, some of it twice
}

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

// recordCounts are the rows of a record by party and status, and up to which row they are counted.
type recordCounts struct {
	store *store.Store
	conn  *sql.Conn      // a connection knows whether another one changed the data
	seen  int64          // version of the data
	rows  map[Reason]int // Count is 0 in keys
	upTo  map[string]int64
	all   map[string]int64 // rows of each table
	plan  int              // a change of the plan changes what counts
	dirty bool             // rows were counted since the last check
	cost  float64
	paid  int64
}

func newCounter(stores []*store.Store, log *log.Logger) (*Counter, error) {
	l := &Counter{log: log, changed: make(chan struct{}), doneAt: map[int]int{}}
	for _, s := range stores {
		conn, err := s.Db.Conn(context.Background())
		if err != nil {
			return nil, store.WrapDBError("opening", s.Path, err)
		}
		l.records = append(l.records, &recordCounts{store: s, conn: conn})
	}
	l.poll(context.Background())
	return l, nil
}

// poll reports whether a record changed since the last call.
func (l *Counter) poll(ctx context.Context) (fresh bool) {
	for _, c := range l.records {
		var v int64
		if err := c.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v); err == nil && v != c.seen {
			c.seen, fresh = v, true
		}
	}
	return fresh
}

func (l *Counter) Close() {
	for _, c := range l.records {
		c.conn.Close()
	}
}

// Watch counts whenever a record has changed, until ctx ends.
func (l *Counter) Watch(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if err := l.update(l.poll(ctx)); err != nil && ctx.Err() == nil {
			l.log.Printf("counting: %v", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// update counts again if the data changed, and publishes the state if it differs.
func (l *Counter) update(fresh bool) error {
	next := Progress{Changed: l.state.Changed} // nobody else changes the state
	l.polls++
	for _, c := range l.records {
		if fresh || c.rows == nil {
			if err := c.count(); err != nil {
				return err
			}
		}
		if c.dirty && l.polls%checkEvery == 0 {
			if err := c.check(); err != nil {
				return err
			}
		}
		if err := c.add(&next); err != nil {
			return err
		}
	}
	if l.Waits != nil {
		next.Waits = l.Waits()
	}
	slices.SortStableFunc(next.Reasons, func(a, b Reason) int { return cmp.Compare(b.Count, a.Count) })
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if fresh {
		next.Changed = now
		l.number++
	}
	l.past = append(slices.DeleteFunc(l.past, func(s sample) bool { return now.Sub(s.at) > window }), sample{now, next.Done})
	if first := l.past[0]; next.Done > first.done {
		next.Rate = float64(next.Done-first.done) / now.Sub(first.at).Seconds()
	}
	if _, known := l.doneAt[l.number]; !known {
		l.doneAt[l.number] = next.Done
	}
	if fresh || fmt.Sprint(next) != fmt.Sprint(l.state) {
		l.state = next
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return nil
}

// counting has the queries that count the planned rows of a table from one rowid to another, by party and
// status. CROSS JOIN and NOT INDEXED keep SQLite at these rows: beginning with the plan, it reads all of a
// judge's verdicts for each planned cell.
var counting = map[string]string{
	"answers": `SELECT 'answer', a.system, a.status, count(*) FROM answers a NOT INDEXED CROSS JOIN plan p ON p.kind = 'answer'
		AND p.judge = '' AND p.system = a.system AND p.scenario = a.scenario AND p.active
		WHERE a.rowid > ? AND a.rowid <= ? GROUP BY 2, 3`,
	"verdicts": `SELECT 'verdict', v.judge, v.status, count(*) FROM verdicts v NOT INDEXED CROSS JOIN answers a ON a.id = v.answer
		CROSS JOIN plan p ON p.kind = 'verdict' AND p.judge = v.judge AND p.system = a.system AND p.scenario = a.scenario AND p.active
		WHERE v.rowid > ? AND v.rowid <= ? GROUP BY 2, 3`,
}

// count counts rows that are new. Where rows were deleted or replaced, or the plan changed, it recordCounts all.
func (c *recordCounts) count() error {
	plan, err := store.Value[int](c.store, `SELECT count(*) + coalesce(sum(planned), 0) FROM plan WHERE active`)
	if err != nil {
		return err
	}
	if c.rows == nil || plan != c.plan {
		c.rows, c.upTo, c.all, c.plan, c.cost, c.paid = map[Reason]int{}, map[string]int64{}, map[string]int64{}, plan, 0, 0
	}
	c.dirty = true
	for table, query := range counting {
		from := c.upTo[table]
		fresh, err := store.Value[struct{ Last, Rows int64 }](c.store, `SELECT coalesce(max(rowid), 0), count(*) FROM `+table+
			` WHERE rowid > ?`, from)
		if err != nil {
			return err
		}
		rows, err := store.Select[Reason](c.store, query, from, fresh.Last)
		if err != nil {
			return err
		}
		tally(c.rows, rows)
		c.all[table] += fresh.Rows
		c.upTo[table] = max(from, fresh.Last)
	}
	paid, err := store.Value[struct {
		Cost float64
		Last int64
	}](c.store, `SELECT coalesce(sum(cost), 0), max(rowid) FROM attempts WHERE rowid > ? HAVING count(*) > 0`, c.paid)
	c.cost, c.paid = c.cost+paid.Cost, max(c.paid, paid.Last)
	return err
}

// tally adds counts to rows, whose keys have none.
func tally(rows map[Reason]int, fresh []Reason) {
	for _, r := range fresh {
		n := r.Count
		r.Count = 0
		rows[r] += n
	}
}

// check counts all rows again if some that were counted are gone.
func (c *recordCounts) check() error {
	c.dirty = false
	for table, known := range c.all {
		all, err := store.Value[int64](c.store, `SELECT count(*) FROM `+table)
		if err != nil {
			return err
		}
		if all < known {
			c.rows = nil
			return c.count()
		}
	}
	return nil
}

// add adds the record's parties in the order of its tables, systems first. As in the report, an imported
// sheet whose answer was not found is a planned verdict that is skipped.
func (c *recordCounts) add(p *Progress) error {
	skipped, err := store.Select[Reason](c.store, `SELECT 'verdict', judge, 'skipped', count(*) FROM unplaced
		WHERE source NOT LIKE '%' || ? GROUP BY judge`, store.LabelSource)
	if err != nil {
		return err
	}
	rows := maps.Clone(c.rows)
	tally(rows, skipped)
	parties, err := store.Select[PartyProgress](c.store, `SELECT p.kind, n.name, sum(p.planned), 0, 0 FROM
		(SELECT kind, iif(kind = 'answer', system, judge) AS name, planned FROM plan WHERE active AND (kind = 'verdict' OR judge = '')
			UNION ALL SELECT 'verdict', judge, 1 FROM unplaced WHERE source NOT LIKE '%' || ?) p
		JOIN (SELECT iif(role = 'system', 'answer', 'verdict') AS kind, name, position FROM parties WHERE role <> 'pairwise') n
		ON n.kind = p.kind AND n.name = p.name GROUP BY p.kind, n.name ORDER BY p.kind, n.position, n.name`, store.LabelSource)
	if err != nil {
		return err
	}
	for _, y := range parties {
		for r, n := range rows {
			if r.Kind != y.Kind || r.Name != y.Name {
				continue
			}
			y.Done += n
			if r.Status != data.Valid {
				r.Count, y.Invalid = n, y.Invalid+n
				p.Reasons = append(p.Reasons, r)
			}
		}
		p.Parties = append(p.Parties, y)
		p.Done, p.Planned, p.Invalid = p.Done+y.Done, p.Planned+y.Planned, p.Invalid+y.Invalid
	}
	slices.SortFunc(p.Reasons, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Status, b.Status))
	})
	p.Cost += c.cost
	ended, err := store.Value[string](c.store, `SELECT coalesce(finished, '') FROM run WHERE part = 'answers' ORDER BY id DESC`)
	p.Ended = max(p.Ended, ended)
	return err
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

// Texts are the state of a run as pages show it, by the keys of their places, and in one sentence.
func (p Progress) Texts() (values map[string]string, status string) {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") + " UTC" }
	values = map[string]string{"done": fmt.Sprintf("%d of %d", p.Done, p.Planned), "invalid": strconv.Itoa(p.Invalid),
		"rate": table.Number(p.Rate).Text(1) + "/s", "cost": "$" + table.Number(p.Cost).Text(4), "left": table.None,
		"changed": "none since this server started", "ended": "no run has ended yet", "waits": strings.Join(p.Waits, "\n")}
	if p.Parties == nil {
		values["done"] = "Not yet counted:"
	}
	if p.Rate > 0 && p.Planned > p.Done {
		values["left"] = (time.Duration(float64(p.Planned-p.Done)/p.Rate) * time.Second).String()
	}
	if ended, err := time.Parse(time.RFC3339Nano, p.Ended); err == nil {
		values["ended"] = "the last run ended at " + at(ended)
	}
	if !p.Changed.IsZero() {
		values["changed"] = at(p.Changed)
	}
	for _, y := range p.Parties {
		values["done:"+y.Kind+":"+y.Name], values["invalid:"+y.Kind+":"+y.Name] = strconv.Itoa(y.Done), strconv.Itoa(y.Invalid)
	}
	return values, values["done"] + " done, " + values["invalid"] + " not valid"
}

// Events sends the state of the run whenever it changes, as server-sent events. Each is
// complete, so that a browser that was away has missed nothing.
func (l *Counter) Events(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	control.SetReadDeadline(time.Time{}) // the server's would end the stream
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	for {
		now, changed := l.Now()
		values, status := now.Texts()
		text, _ := json.Marshal(map[string]any{"values": values, "status": status}) // texts alone
		control.SetWriteDeadline(time.Now().Add(30 * time.Second))
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-changed:
		case <-time.After(15 * time.Second): // so that a closed connection is noticed
		}
	}
}
