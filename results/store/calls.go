package store

import (
	"database/sql"
	"errors"

	"compqa/data"
	"compqa/llm"
)

// A Call is one question put to a model, under the key that stands for all that
// affects the reply, with what came back and every attempt it took.
type Call struct {
	Key       string
	Provider  string
	Model     string
	Request   []string // what was asked, JSON, in parts
	Status    data.Status
	Reply     string
	Reasoning string
	Finish    string
	Raw       string
	Origin    string // the earlier run that the reply was taken from; "": it was asked for here
	Attempts  []llm.Attempt
	Payer     Party // who asked
}

// Call records a call. Attempts are added to those that an earlier run made for
// the same key: what was paid for stays on the bill. The reply on record
// stays, whatever else comes of the same call, as where a batch holds what is asked by
// itself too: answers and verdicts rest on it.
func (b Batch) Call(c Call) error {
	replied, before, err := b.earlier(c.Key)
	if err == nil && !replied {
		var request string
		if request, err = b.storeRequest(c.Request); err != nil {
			return err
		}
		_, err = b.tx.Exec(`INSERT OR REPLACE INTO calls (key, provider, model, request, status, reply, reasoning, finish, raw, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			c.Key, c.Provider, c.Model, request, c.Status, c.Reply, c.Reasoning, c.Finish, c.Raw, c.Origin)
	}
	if err != nil {
		return err
	}
	for i, a := range c.Attempts {
		var http *int
		if a.HTTPStatus != 0 {
			http = &a.HTTPStatus
		}
		if _, err := b.tx.Exec(`INSERT INTO attempts (call, n, started, latency_ms, waited_ms, http_status, status, reason, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost, estimated, batch, kind, party, provider, model)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, c.Key, before+i+1, timestamp(a.Started), float64(a.Latency.Microseconds())/1e3, float64(a.Wait.Microseconds())/1e3,
			http, string(a.Outcome), a.Reason, a.Usage.Prompt, a.Usage.Cached, a.Usage.Completion, a.Usage.Reasoning, a.Cost, a.Estimated, a.Batch, c.Payer.Kind, c.Payer.Name, c.Provider, c.Model); err != nil {
			return err
		}
	}
	return nil
}

// Replied says whether the reply to a call is on record.
func (b Batch) Replied(key string) (bool, error) {
	replied, _, err := b.earlier(key)
	return replied, err
}

// attemptsOf is how many attempts at a call are on record: the last of those in the
// index, or the one that brought the reply.
const attemptsOf = `max(coalesce((SELECT max(n) FROM attempts WHERE call = ?1 AND (status <> 'valid' OR n > 1)), 0),
	EXISTS (SELECT 1 FROM calls WHERE key = ?1 AND status = 'valid' AND origin = ''))`

// earlier says whether the reply to a call is on record, and how many attempts at it.
func (b Batch) earlier(key string) (replied bool, attempts int, err error) {
	err = b.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM calls WHERE key = ?1 AND status = 'valid'), `+attemptsOf, key).Scan(&replied, &attempts)
	return replied, attempts, err
}

const findCall = `SELECT provider, model, status, reply, reasoning, finish, raw FROM calls WHERE key = ? AND status = 'valid'`

// FindCall is the call on record under a key, if its reply came whole; without
// its request and attempts.
func (s *Store) FindCall(key string) (Call, bool, error) {
	find, err := s.findCall()
	if err != nil {
		return Call{}, false, WrapDBError("reading", s.Path, err)
	}
	c := Call{Key: key}
	err = find.QueryRow(key).Scan(&c.Provider, &c.Model, &c.Status, &c.Reply, &c.Reasoning, &c.Finish, &c.Raw)
	if errors.Is(err, sql.ErrNoRows) {
		return c, false, nil
	}
	return c, err == nil, WrapDBError("reading", s.Path, err)
}
