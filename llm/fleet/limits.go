package fleet

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"compqa/llm"
)

// A share is a worker's part of a provider's limits. Requests and tokens a minute follow the
// generic cell rate algorithm: the row in fleet_limits has the time at which the next request is
// due, and a worker moves it on for several requests at once. The concurrency is divided into
// slots: a worker takes some more when it needs them, and gives back what it does not use.
type share struct {
	pool        *pgxpool.Pool
	worker, key string
	rpm, tpm    int
	concurrency int // of the fleet

	rating  sync.Mutex
	buckets map[string]*bucket // by column of fleet_limits

	mu       sync.Mutex
	taken    bool // a goroutine is at the database
	changed  chan struct{}
	slots    int
	inFlight int
	watched  bool // shrink is to look at the slots
	peak     int  // most requests in flight since it last did
}

// newShare makes a worker's share of a provider's limits. Workers with the same address and key
// share them.
func newShare(pool *pgxpool.Pool, worker string, p llm.Provider, getenv func(string) string) *share {
	sum := sha256.Sum256([]byte("compqa fleet\n" + p.BaseURL + strings.Join(p.BaseURLs, "\n") + "\n" + getenv(p.APIKeyEnv)))
	return &share{pool: pool, worker: worker, key: p.Label() + "-" + hex.EncodeToString(sum[:8]), rpm: p.RPM, tpm: p.TPM,
		concurrency: p.Concurrency * len(p.Servers()), buckets: map[string]*bucket{}, changed: make(chan struct{})}
}

// acquire waits until a request with this number of tokens may be sent.
func (s *share) acquire(ctx context.Context, tokens int) (release func(), err error) {
	if err := s.slot(ctx); err != nil {
		return nil, err
	}
	for _, limit := range []struct {
		column  string
		most, n int
	}{{"requests", s.rpm, 1}, {"tokens", s.tpm, min(tokens, s.tpm)}} {
		if limit.most > 0 {
			if err := s.rate(ctx, limit.column, limit.most, limit.n); err != nil {
				s.release()
				return nil, err
			}
		}
	}
	return s.release, nil
}

// A bucket is what a worker has reserved of a limit.
type bucket struct {
	left int
	due  time.Time // of the next
}

// rate waits for n of most in a minute. A minute has most at the most, of which one second's are
// allowed at once.
func (s *share) rate(ctx context.Context, column string, most, n int) error {
	burst := max(1, most/60)
	each := time.Minute / time.Duration(max(1, most-burst))
	s.rating.Lock()
	b := s.buckets[column]
	if b == nil {
		b = &bucket{}
		s.buckets[column] = b
	}
	if b.left < n {
		some := max(n, most/600) // of a tenth of a second
		wait, err := s.reserve(ctx, column, some, burst, each)
		if err != nil {
			s.rating.Unlock()
			return err
		}
		b.left, b.due = some, time.Now().Add(wait)
	}
	due := b.due
	b.left -= n
	b.due = b.due.Add(time.Duration(n) * each)
	s.rating.Unlock()
	select {
	case <-time.After(time.Until(due)):
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// reserve reserves n of a limit, and returns when the first of them is due.
func (s *share) reserve(ctx context.Context, column string, n, burst int, each time.Duration) (time.Duration, error) {
	var wait float64
	for {
		err := s.pool.QueryRow(ctx, fmt.Sprintf(`INSERT INTO fleet_limits (key, %[1]s) VALUES ($1, now() - $2::interval + $3::interval)
			ON CONFLICT (key) DO UPDATE SET %[1]s = greatest(fleet_limits.%[1]s, now() - $2::interval) + $3::interval
			RETURNING extract(epoch FROM %[1]s - $3::interval - now())`, column),
			s.key, interval(time.Duration(burst-1)*each), fmt.Sprintf("%d microseconds", (time.Duration(n)*each).Microseconds())).Scan(&wait)
		if err == nil {
			return time.Duration(wait * float64(time.Second)), nil
		}
		select {
		case <-time.After(time.Second): // the database is away
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// slot waits for a slot of the fleet's concurrency.
func (s *share) slot(ctx context.Context) error {
	s.mu.Lock()
	for {
		if s.inFlight < s.slots {
			s.inFlight++
			s.peak = max(s.peak, s.inFlight)
			s.mu.Unlock()
			return nil
		}
		changed := s.changed
		if !s.taken {
			s.taken = true
			go s.grow(ctx)
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
		s.mu.Lock()
	}
}

// wake lets all that wait look again. The lock is held.
func (s *share) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// grow takes more slots, some at once.
func (s *share) grow(ctx context.Context) {
	s.mu.Lock()
	want := s.slots + max(1, s.concurrency/16)
	s.mu.Unlock()
	granted, err := s.claim(ctx, want)
	pause := time.Duration(0)
	s.mu.Lock()
	if err != nil || granted <= s.slots { // others have them: look again soon
		pause = 50 * time.Millisecond
	}
	if err == nil {
		s.slots = granted
	}
	s.mu.Unlock()
	time.Sleep(pause)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = false
	s.wake()
}

// claim sets the worker's slots to a number, or to what the others leave, and returns it.
func (s *share) claim(ctx context.Context, want int) (granted int, err error) {
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, `INSERT INTO fleet_limits (key) VALUES ($1) ON CONFLICT DO NOTHING`, s.key); err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, `SELECT key FROM fleet_limits WHERE key = $1 FOR UPDATE`, s.key); err != nil { // one worker at a time
		return 0, err
	}
	var others int
	err = tx.QueryRow(ctx, `SELECT coalesce(sum(slots), 0) FROM fleet_slots s WHERE key = $1 AND worker <> $2 AND EXISTS (SELECT FROM fleet_workers w WHERE w.id = s.worker AND w.seen > now() - $3::interval)`,
		s.key, s.worker, interval(DeadAfter)).Scan(&others)
	if err != nil {
		return 0, err
	}
	granted = max(0, min(want, s.concurrency-others))
	if _, err := tx.Exec(ctx, `INSERT INTO fleet_slots (key, worker, slots) VALUES ($1, $2, $3) ON CONFLICT (key, worker) DO UPDATE SET slots = $3`, s.key, s.worker, granted); err != nil {
		return 0, err
	}
	return granted, tx.Commit(ctx)
}

// release ends a request. Slots that are left over go back to the fleet soon: another worker may
// have calls and no slot.
func (s *share) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inFlight--
	s.wake()
	if !s.watched {
		s.watched, s.peak = true, s.inFlight
		time.AfterFunc(watchSlots, s.shrink)
	}
}

// watchSlots is how long slots have to be left over before they go back.
const watchSlots = 50 * time.Millisecond

// shrink gives back the slots that were not needed since the last look, and looks again as long as
// there are more than requests in flight.
func (s *share) shrink() {
	s.mu.Lock()
	if s.taken { // another goroutine changes the slots
		s.mu.Unlock()
		time.AfterFunc(watchSlots, s.shrink)
		return
	}
	gives := s.slots > s.peak
	if gives {
		s.taken, s.slots = true, s.peak
	}
	now := s.slots
	s.peak = s.inFlight
	s.mu.Unlock()
	if gives {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		s.claim(ctx, now) // after an error the others have fewer for a while
		cancel()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if gives {
		s.taken = false
		s.wake()
	}
	if s.watched = s.slots > s.inFlight; s.watched {
		time.AfterFunc(watchSlots, s.shrink)
	}
}
