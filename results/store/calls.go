package store

import (
	"database/sql"
	"errors"
	"time"

	"compqa/data"
	"compqa/llm"
)

// A Call is one time that a model was asked, with its attempts. Its key is the hash of
// everything that affects the reply. A recorded call that has ended never changes; a call that
// is asked again is another row with the same key.
type Call struct {
	ID        int64 `db:"-"` // in the record
	Key       string
	Provider  string
	Model     string
	Request   []string `db:"-"` // JSON, in parts
	Status    data.Status
	Reply     string
	Reasoning string
	Finish    string
	Raw       string
	Origin    string        // the earlier run that the reply was reused from; "" if it was made in this run
	Round     int           // above 0: it was made because the reply of the round before could not be read
	Attempts  []llm.Attempt `db:"-"`
	Payer     Party         `db:"-"` // the party that made the call
}

// Call records a call and returns its id.
func (b Batch) Call(c Call) (id int64, err error) {
	id, _, err = b.Keep(c)
	return id, err
}

// Keep is Call, and reports whether a complete reply to the same call was recorded before:
// results are read from the first one.
func (b Batch) Keep(c Call) (id int64, replied bool, err error) {
	const query = `SELECT count(*) > 0, coalesce(max(status = 'valid'), 0), coalesce(max(iif(status = 'pending', id, 0)), 0) FROM calls
		WHERE key = ?`
	var again bool // the request is recorded
	err = b.tx.QueryRow(query, c.Key).Scan(&again, &replied, &id)
	switch {
	case err != nil:
	case id > 0: // in a batch
		err = b.tx.do(`UPDATE calls SET status = ?, reply = ?, reasoning = ?, finish = ?, raw = ? WHERE id = ?`,
			c.Status, c.Reply, c.Reasoning, c.Finish, c.Raw, id)
	default:
		id, err = b.newCall(c, again)
	}
	for i, a := range c.Attempts {
		if err == nil {
			err = b.attempt(c, id, i+1, a)
		}
	}
	return id, replied, err
}

func (b Batch) newCall(c Call, again bool) (id int64, err error) {
	request := ""
	if !again {
		if request, err = b.storeRequest(c.Request); err != nil {
			return 0, err
		}
	}
	err = Put(b, "calls", struct {
		Call
		Request string
	}{c, request})
	if err == nil {
		err = b.tx.QueryRow(`SELECT last_insert_rowid()`).Scan(&id)
	}
	return id, err
}

func (b Batch) attempt(c Call, id int64, n int, a llm.Attempt) error {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	return Put(b, "attempts", struct {
		Call                int64
		N                   int
		LatencyMS, WaitedMS float64
		llm.Attempt
		Party
		Provider, Model string
	}{id, n, ms(a.Latency), ms(a.Wait), a, c.Payer, c.Provider, c.Model})
}

// findCall finds the first complete reply, or else the last truncated one.
const findCall = `SELECT id, provider, model, status, reply, reasoning, finish, raw FROM calls
	WHERE key = ? AND status IN ('valid', 'truncated') ORDER BY status = 'valid' DESC, iif(status = 'valid', id, -id) LIMIT 1`

// FindCall is the recorded call with a key, if it has a reply, complete or truncated;
// without its request and attempts.
func (s *Store) FindCall(key string) (Call, bool, error) {
	find, err := s.findCall()
	if err != nil {
		return Call{}, false, WrapDBError("reading", s.Path, err)
	}
	c := Call{Key: key}
	err = find.QueryRow(key).Scan(&c.ID, &c.Provider, &c.Model, &c.Status, &c.Reply, &c.Reasoning, &c.Finish, &c.Raw)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	return c, err == nil, WrapDBError("reading", s.Path, err)
}

// LastCall is the id of the latest call with a key; 0: there is none.
func (s *Store) LastCall(key string) (int64, error) {
	return Value[int64](s, `SELECT coalesce(max(id), 0) FROM calls WHERE key = ?`, key)
}

// An Adaptation is what was learnt about a provider's model.
type Adaptation struct {
	Provider string
	llm.Adaptation
}

// Adaptation records what was learnt about a model.
func (b Batch) Adaptation(a Adaptation) error {
	return Put(b, "adaptations", a)
}

// Adaptations are those on record, by provider, model and parameter.
func (s *Store) Adaptations() ([]Adaptation, error) {
	return Select[Adaptation](s, `FROM adaptations ORDER BY provider, model, parameter`)
}
