package store

import (
	"context"
	"database/sql"
	"maps"
	"strings"
	"time"

	"compqa/data"
)

// A PartyStatus is the key of a count: the answers or verdicts of a party that have a status.
type PartyStatus struct {
	Kind, Name string
	Status     data.Status
}

// A PlannedParty is a party with its number of planned answers or verdicts.
type PlannedParty struct {
	Kind, Name string
	Planned    int
	Made       string // how its results are made: Participant.Kind
}

// Attempts sums up the attempts at calls of a party.
type Attempts struct {
	Party
	Number   int // number of attempts
	Repeated int // attempts that are not the first at their call
	Cost     float64
	Unpriced int // attempts without a known price
}

// A Tally counts the planned answers and verdicts of a record that another process may be writing. Each count reads only new rows.
type Tally struct {
	store *Store
	conn  *sql.Conn // for PRAGMA data_version, which tells a connection that another one changed the data
	seen  int64     // the data_version at the last call of Changed
	rows  map[PartyStatus]int
	upTo  map[string]int64 // the last counted rowid, by table
	all   map[string]int64 // the number of counted rows, by table
	plan  int              // a checksum of the plan, whose change changes what counts
	dirty bool             // rows were counted since the last Check
	calls map[Party]Attempts
	times map[string]int // number of attempts, by the second in which they began
	paid  int64          // the last counted rowid of an attempt
}

// Tally returns a Tally that has counted nothing yet.
func (s *Store) Tally() (*Tally, error) {
	conn, err := s.db.Conn(context.Background())
	if err != nil {
		return nil, WrapDBError("opening", s.Path, err)
	}
	return &Tally{store: s, conn: conn}, nil
}

// Close closes the connection of the Tally; the record stays open.
func (t *Tally) Close() { t.conn.Close() }

// Changed reports whether the record changed since the last call.
func (t *Tally) Changed(ctx context.Context) bool {
	var version int64
	err := t.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	if err != nil || version == t.seen {
		return false
	}
	t.seen = version
	return true
}

// counted are the kinds of results that a Tally counts.
var counted = []Kind{kind(KindAnswer), kind(KindVerdict)}

// newRows returns the query that counts, by party and status, the planned results of a kind in a range of rowids. NOT INDEXED makes SQLite
// read this range only.
func (k Kind) newRows() string {
	from := strings.Replace(k.from("CROSS JOIN"), k.table()+" r", k.table()+" r NOT INDEXED", 1)
	return `SELECT '` + k.Name + `', r.` + k.column("party") + `, r.status, count(*) FROM ` + from + ` CROSS JOIN plan p ON ` + k.isDue("p") +
		` AND p.active WHERE r.rowid > ? AND r.rowid <= ? AND ` + k.is() + ` GROUP BY 2, 3`
}

// Count counts new results and attempts. If the plan has changed, it counts all from the beginning.
func (t *Tally) Count() error {
	plan, err := Value[int](t.store, `SELECT count(*) + coalesce(sum(planned), 0) FROM plan WHERE active`)
	if err != nil {
		return err
	}
	if t.rows == nil || plan != t.plan {
		t.rows = map[PartyStatus]int{}
		t.upTo = map[string]int64{}
		t.all = map[string]int64{}
		t.plan = plan
		t.calls = map[Party]Attempts{}
		t.times = map[string]int{}
		t.paid = 0
	}
	t.dirty = true
	for _, k := range counted {
		from := t.upTo[k.table()]
		fresh, err := Value[struct{ Last, Rows int64 }](t.store, `SELECT coalesce(max(rowid), 0), count(*) FROM `+k.table()+
			` WHERE rowid > ?`, from)
		if err != nil {
			return err
		}
		rows, err := Lookup[PartyStatus, int](t.store, k.newRows(), from, fresh.Last)
		if err != nil {
			return err
		}
		for status, n := range rows {
			t.rows[status] += n
		}
		t.all[k.table()] += fresh.Rows
		t.upTo[k.table()] = max(from, fresh.Last)
	}
	return t.countAttempts()
}

// countAttempts counts new attempts.
func (t *Tally) countAttempts() error {
	last, err := Value[int64](t.store, `SELECT coalesce(max(rowid), 0) FROM attempts`)
	if err != nil {
		return err
	}
	sums, err := Select[Attempts](t.store, `SELECT kind, party, count(*), sum(n > 1), coalesce(sum(cost), 0), sum(cost IS NULL) FROM attempts
		WHERE rowid > ? AND rowid <= ? GROUP BY kind, party`, t.paid, last)
	if err != nil {
		return err
	}
	for _, more := range sums {
		sum := t.calls[more.Party]
		t.calls[more.Party] = Attempts{more.Party, sum.Number + more.Number, sum.Repeated + more.Repeated, sum.Cost + more.Cost,
			sum.Unpriced + more.Unpriced}
	}
	times, err := Lookup[string, int](t.store, `SELECT substr(started, 1, 19), count(*) FROM attempts
		WHERE rowid > ? AND rowid <= ? AND batch = '' GROUP BY 1`, t.paid, last)
	for second, n := range times {
		t.times[second] += n
	}
	t.paid = last
	return err
}

// Counted reports whether Count was called.
func (t *Tally) Counted() bool { return t.rows != nil }

// Check counts all rows again if counted rows were deleted or replaced. It does nothing unless Count was called since the last Check.
func (t *Tally) Check() error {
	if !t.dirty {
		return nil
	}
	t.dirty = false
	for table, known := range t.all {
		all, err := Value[int64](t.store, `SELECT count(*) FROM `+table)
		if err != nil {
			return err
		}
		if all < known {
			t.rows = nil
			return t.Count()
		}
	}
	return nil
}

// A RecordProgress has the counts of a Tally.
type RecordProgress struct {
	Rows    map[PartyStatus]int
	Parties []PlannedParty // in the order of tables, systems first
	Calls   map[Party]Attempts
	Times   map[string]int // attempts outside batches, by the second in which they began: 2006-01-02T15:04:05, UTC
	Ended   string         // when the latest run ended; "" if it has not ended
}

// Progress returns the counts. An imported score sheet whose answer was not found counts as a planned verdict with status skipped.
func (t *Tally) Progress() (p RecordProgress, err error) {
	skipped, err := Lookup[PartyStatus, int](t.store, `SELECT 'verdict', judge, 'skipped', count(*) FROM unplaced
		WHERE source NOT LIKE '%' || ? GROUP BY judge`, LabelSource)
	if err != nil {
		return p, err
	}
	p.Rows = maps.Clone(t.rows)
	p.Calls = t.calls
	p.Times = t.times
	for status, n := range skipped {
		p.Rows[status] += n
	}
	p.Parties, err = Select[PlannedParty](t.store, `SELECT p.kind, n.name, sum(p.planned), n.made FROM
		(SELECT kind, iif(kind = 'answer', system, judge) AS name, planned FROM plan WHERE active AND (kind = 'verdict' OR judge = '')
			UNION ALL SELECT 'verdict', judge, 1 FROM unplaced WHERE source NOT LIKE '%' || ?) p
		JOIN (SELECT iif(role = 'system', 'answer', 'verdict') AS kind, name, position, kind AS made FROM parties WHERE role <> 'pairwise') n
		ON n.kind = p.kind AND n.name = p.name GROUP BY p.kind, n.name ORDER BY p.kind, n.position, n.name`, LabelSource)
	if err != nil {
		return p, err
	}
	run, _, err := t.store.LatestRun(PartAnswers)
	if run.Finished != nil {
		p.Ended = *run.Finished
	}
	return p, err
}

// A Share is one party's part of a run: the numbers of planned results, of results before some moment (the start of the run, for example),
// and of new results since then. Parties with the same Queue share a provider and wait for each other.
type Share struct {
	Queue                string
	Planned, Before, New int
	Moving               time.Duration // time since its first new result; 0: unknown
}

// TimeLeft returns how long the slowest party or queue still needs at its rate in the elapsed time. Parties differ by orders of magnitude
// in the time per item, so one rate for all would be useless. The result is 0 if nothing is left, or if a queue with work left has no new
// result.
func TimeLeft(shares []Share, elapsed time.Duration) (longest time.Duration) {
	queues := map[string]Share{}
	for _, share := range shares {
		q := queues[share.Queue]
		q.Planned += share.Planned
		q.Before += share.Before
		q.New += share.New
		queues[share.Queue] = q
		longest = max(longest, share.Left(elapsed))
	}
	for _, q := range queues {
		if q.New == 0 && q.Before < q.Planned {
			return 0
		}
		longest = max(longest, q.Left(elapsed))
	}
	return longest
}

// Left returns how long a share still needs. The rate is that in the elapsed time, or since its first new result if that was 5 s ago or
// more: a party that had to wait for its turn is faster than its rate in the whole time. The result is 0 if nothing is left or nothing is
// new.
func (s Share) Left(elapsed time.Duration) time.Duration {
	const aWhile = 5 * time.Second
	took := float64(elapsed) / float64(s.New)
	switch {
	case s.New == 0:
		return 0
	case s.New > 1 && s.Moving >= aWhile && s.Moving < elapsed:
		took = float64(s.Moving) / float64(s.New-1) // since the first result
	}
	return time.Duration(float64(s.Planned-s.Before-s.New) * took)
}
