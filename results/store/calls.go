package store

import (
	"database/sql"
	"errors"

	"compqa/data"
	"compqa/llm"
)

// A Call is one request to a model with its reply and all attempts. Its key is the
// hash of everything that affects the reply.
type Call struct {
	Key       string
	Provider  string
	Model     string
	Request   []string // JSON, in parts
	Status    data.Status
	Reply     string
	Reasoning string
	Finish    string
	Raw       string
	Origin    string // the earlier run that the reply was reused from; "" if it was made in this run
	Round     int    // above 0: it was made because the reply of the round before could not be read
	Attempts  []llm.Attempt
	Payer     Party // the party that made the call
}

// Call records a call like Keep.
func (b Batch) Call(c Call) error {
	_, err := b.Keep(c)
	return err
}

// Keep records a call, and reports whether it had a recorded reply. Its attempts are added
// to earlier ones with the same key, because all of them are paid for. A recorded reply is
// never replaced, because answers and verdicts depend on it.
func (b Batch) Keep(c Call) (replied bool, err error) {
	replied, before, err := b.earlier(c.Key)
	if err == nil && !replied {
		var request string
		if request, err = b.storeRequest(c.Request); err != nil {
			return false, err
		}
		err = b.tx.put("calls", "key, provider, model, request, status, reply, reasoning, finish, raw, origin, round",
			c.Key, c.Provider, c.Model, request, c.Status, c.Reply, c.Reasoning, c.Finish, c.Raw, c.Origin, c.Round)
	}
	if err != nil {
		return false, err
	}
	for i, a := range c.Attempts {
		var http *int
		if a.HTTPStatus != 0 {
			http = &a.HTTPStatus
		}
		if err := b.tx.put("attempts", "call, n, started, latency_ms, waited_ms, http_status, status, reason, prompt_tokens, cached_tokens, written_tokens, completion_tokens, reasoning_tokens, cost, estimated, batch, kind, party, provider, model",
			c.Key, before+i+1, timestamp(a.Started), float64(a.Latency.Microseconds())/1e3, float64(a.Wait.Microseconds())/1e3,
			http, string(a.Outcome), a.Reason, a.Usage.Prompt, a.Usage.Cached, a.Usage.Written, a.Usage.Completion, a.Usage.Reasoning, a.Cost, a.Estimated, a.Batch, c.Payer.Kind, c.Payer.Name, c.Provider, c.Model); err != nil {
			return false, err
		}
	}
	return replied, nil
}

// attemptsOf is the number of recorded attempts of a call: the last one in the index,
// or 1 if the first attempt succeeded.
const attemptsOf = `max(coalesce((SELECT max(n) FROM attempts WHERE call = ?1 AND (status <> 'valid' OR n > 1)), 0),
	EXISTS (SELECT 1 FROM calls WHERE key = ?1 AND status = 'valid' AND origin = ''))`

// earlier reports whether a call has a recorded reply, and its number of attempts.
func (b Batch) earlier(key string) (replied bool, attempts int, err error) {
	err = b.tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM calls WHERE key = ?1 AND status = 'valid'), `+attemptsOf, key).Scan(&replied, &attempts)
	return replied, attempts, err
}

const findCall = `SELECT provider, model, status, reply, reasoning, finish, raw FROM calls WHERE key = ? AND status IN ('valid', 'truncated')`

// FindCall is the recorded call with a key, if it has a reply, complete or truncated;
// without its request and attempts.
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

// An Adaptation is what was learnt about a provider's model.
type Adaptation struct {
	Provider string
	llm.Adaptation
}

// Adaptation records what was learnt about a model.
func (b Batch) Adaptation(a Adaptation) error {
	return b.tx.put("adaptations", "provider, model, parameter, value, reason", a.Provider, a.Model, a.Parameter, a.Value, a.Reason)
}

// Adaptations are those on record, by provider, model and parameter.
func (s *Store) Adaptations() ([]Adaptation, error) {
	return Query(s, `SELECT provider, model, parameter, value, reason FROM adaptations ORDER BY provider, model, parameter`, nil,
		func(a *Adaptation) []any { return []any{&a.Provider, &a.Model, &a.Parameter, &a.Value, &a.Reason} })
}
