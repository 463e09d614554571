package store

import (
	"cmp"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"compqa/data"
	"compqa/llm"
)

// A Call is a request to a model, with its attempts and reply. Key is the hash of everything that affects the reply. A recorded call that
// has ended never changes; asking again adds a row with the same key. Status is that of the last attempt. A call without attempts is
// pending in a batch, or its reply was reused.
type Call struct {
	ID        int64 `db:"-"` // row in the record
	Key       string
	Provider  string
	Model     string
	Request   []string `db:"-"` // JSON in parts, of which every second one may be shared with other requests
	Status    data.Status
	Reply     string
	Reasoning string
	Finish    string
	Raw       string
	Origin    string        // the earlier run whose reply was reused; "" if the call was made in this run
	Round     int           // 0, or the number of the repeat after an earlier reply could not be parsed
	Attempts  []llm.Attempt `db:"-"`
	Payer     Party         `db:"-"` // the party that made the call
	Asked     string        `db:"-"` // the label of its row in table batches while a request is being sent; "" if it has none
}

// Call records a call and returns its id.
func (b Batch) Call(c Call) (id int64, err error) {
	id, _, err = b.Keep(c)
	return id, err
}

// Keep records a call and its attempts, and returns the call's id. If the call is pending in a batch, Keep completes that row. replied is
// true if a complete reply with the same key was recorded before; results are then read from that first reply.
func (b Batch) Keep(c Call) (id int64, replied bool, err error) {
	if n := len(c.Attempts); n > 0 {
		c.Status = data.Status(c.Attempts[n-1].Outcome)
	}
	const query = `SELECT coalesce(max(status = 'valid'), 0), coalesce(max(iif(status = 'pending', id, 0)), 0) FROM calls WHERE key = ?`
	again, err := b.tx.asked.has(c.Key)
	if err == nil && again {
		err = b.tx.QueryRow(query, c.Key).Scan(&replied, &id)
	}
	if err != nil {
		return 0, false, err
	}
	if id > 0 { // the call is pending in a batch
		b.tx.do(`UPDATE calls SET status = ?, reply = ?, reasoning = ?, finish = ?, raw = ? WHERE id = ?`,
			c.Status, c.Reply, c.Reasoning, c.Finish, c.Raw, id)
	} else {
		request := ""
		if !again {
			request = b.storeRequest(c.Request)
		}
		put(b, "calls", c, "request", request)
		err = b.tx.QueryRow(`SELECT last_insert_rowid()`).Scan(&id)
		b.tx.asked.add(c.Key)
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
	for i, a := range c.Attempts {
		put(b, "attempts", a, "call", id, "n", i+1, "latency_ms", ms(a.Latency), "waited_ms", ms(a.Wait), "kind", c.Payer.Kind,
			"party", c.Payer.Name, "provider", c.Provider, "model", c.Model)
	}
	return id, replied, cmp.Or(b.answered(c), b.tx.failed, err)
}

// askedKeys caches the keys of the recorded calls. Most calls of a run are new, and a new key needs no query.
type askedKeys struct {
	mu   sync.Mutex
	db   *sql.DB
	keys map[string]bool // nil if not read yet
}

// has reports whether a call with the key is recorded. It reads all keys at the first use.
func (k *askedKeys) has(key string) (bool, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.keys == nil {
		keys, err := selected[string](k.db, `SELECT key FROM calls`)
		if err != nil {
			return false, err
		}
		k.keys = data.Among(keys)
	}
	return k.keys[key], nil
}

// add adds the key of a call that is being recorded.
func (k *askedKeys) add(key string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[key] = true
}

// forget empties the cache after a failed transaction, whose keys are not recorded.
func (k *askedKeys) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = nil
}

// findCall is the query for the first complete reply with a key, or else the last truncated one.
const findCall = `SELECT id, provider, model, status, reply, reasoning, finish, raw FROM calls
	WHERE key = ? AND status IN ('valid', 'truncated') ORDER BY status = 'valid' DESC, iif(status = 'valid', id, -id) LIMIT 1`

// FindCall returns the recorded call with a key that has a reply, complete or else truncated. The bool is false if there is none. Request
// and Attempts are not read.
func (s *Store) FindCall(key string) (Call, bool, error) {
	c := Call{Key: key}
	if s == nil { // without a record
		return c, false, nil
	}
	if s.writer != nil { // a reader cannot use the cache, because another process may add calls
		if asked, err := s.asked.has(key); err != nil || !asked {
			return c, false, WrapDBError("reading", s.Path, err)
		}
	}
	found := false
	err := s.each(findCall, []any{key}, func(rows *sql.Rows) error {
		found = true
		return rows.Scan(&c.ID, &c.Provider, &c.Model, &c.Status, &c.Reply, &c.Reasoning, &c.Finish, &c.Raw)
	})
	return c, found && err == nil, WrapDBError("reading", s.Path, err)
}

// LastCall returns the id of the latest call with a key, or 0 if there is none.
func (s *Store) LastCall(key string) (int64, error) {
	return Value[int64](s, `SELECT coalesce(max(id), 0) FROM calls WHERE key = ?`, key)
}

// An Adaptation is a change to requests that a provider's model was found to need, such as leaving out a parameter.
type Adaptation struct {
	Provider string
	llm.Adaptation
}

// Adaptation records an adaptation.
func (b Batch) Adaptation(a Adaptation) error {
	return put(b, "adaptations", a)
}

// Adaptations returns the recorded adaptations, by provider, model and parameter.
func (s *Store) Adaptations() ([]Adaptation, error) {
	return Select[Adaptation](s, `SELECT `+Columns[Adaptation]()+` FROM adaptations ORDER BY provider, model, parameter`)
}

// An AnswerTime says when an attempt for an answer began and how long it took.
type AnswerTime struct {
	Party     string // name of the system
	Started   time.Time
	LatencyMS float64
}

// EachAnswerTime calls do with the attempts for answers, by start. It leaves out attempts in batches, whose calls have no times of their
// own.
func (s *Store) EachAnswerTime(do func(AnswerTime) error) error {
	return Each(s, `SELECT `+Columns[AnswerTime]()+` FROM attempts WHERE kind = 'answer' AND batch = '' ORDER BY started`, nil, do)
}

// Requests share long parts: a judge's task, criteria and schema are nine tenths of each request. A request comes as a list in which every
// second part may be shared. A long shared part is stored once, in the table prompts, under its hash. The recorded request has
// the hash instead, between two marks that cannot occur in JSON.
const (
	promptMark = "\x01"
	longPrompt = 1 << 10 // minimum bytes of a part that is stored separately
)

// storeRequest stores the long shared parts of a request, and returns the text to record for the request.
func (b Batch) storeRequest(parts []string) string {
	var text strings.Builder
	for i, part := range parts {
		if i%2 == 0 || len(part) < longPrompt { // not shared, or too short
			text.WriteString(part)
			continue
		}
		sum := sha256.Sum256([]byte(part))
		hash := hex.EncodeToString(sum[:])
		if !b.tx.prompts[hash] {
			b.tx.do(`INSERT OR IGNORE INTO prompts (hash, text) VALUES (?, ?)`, hash, part)
			b.tx.prompts[hash] = true
		}
		text.WriteString(promptMark + hash + promptMark)
	}
	return text.String()
}

// CallRequest returns the whole request of the call with a key, as JSON in the form of llm.Canonical. It returns sql.ErrNoRows if there is
// no such call.
func (s *Store) CallRequest(key string) (string, error) {
	recorded, found, err := First[string](s, `SELECT request FROM calls WHERE key = ? ORDER BY id`, key)
	if err != nil {
		return "", err
	}
	if !found {
		return "", sql.ErrNoRows
	}
	parts := strings.Split(recorded, promptMark)
	for i := 1; i < len(parts); i += 2 {
		if err := s.db.QueryRow(`SELECT text FROM prompts WHERE hash = ?`, parts[i]).Scan(&parts[i]); err != nil {
			return "", fmt.Errorf("reading %s: the request of call %s refers to prompt %s: %w", s.Path, key, parts[i], err)
		}
	}
	return strings.Join(parts, ""), nil
}
