package store

import (
	"database/sql"
	"encoding/json"
	"time"

	"compqa/data"
)

// A ProviderBatch is a set of calls that a provider processes asynchronously, with its
// state.
type ProviderBatch struct {
	Label     string // ours
	Provider  string
	Model     string
	Payer     Party
	ID        string // the provider's, "" until it is known
	Status    string // BatchSubmitting, the provider's word, BatchCollected
	Submitted time.Time
	Aside     float64  // reserved budget, US dollars
	Keys      []string // of its calls
}

// The statuses of a batch that do not come from the provider.
const (
	BatchSubmitting = "submitting" // it is unknown whether the provider has it
	BatchCollected  = "collected"  // its results are recorded
)

// NewBatch records a batch before it is submitted, with its calls, which are pending
// until they are collected.
func (b Batch) NewBatch(p ProviderBatch, calls []Call) error {
	for _, c := range calls {
		p.Keys = append(p.Keys, c.Key)
		c.Status, c.Attempts = data.Pending, nil
		if _, err := b.Call(c); err != nil {
			return err
		}
	}
	keys, err := json.Marshal(p.Keys)
	if err != nil {
		return err
	}
	return b.tx.put("batches", "label, provider, model, kind, party, id, status, submitted, aside, keys",
		p.Label, p.Provider, p.Model, p.Payer.Kind, p.Payer.Name, "", BatchSubmitting, timestamp(p.Submitted), p.Aside, string(keys))
}

// SetBatch sets a batch's id and status.
func (b Batch) SetBatch(label, id, status string) error {
	return b.tx.do(`UPDATE batches SET id = ?, status = ? WHERE label = ?`, id, status, label)
}

// OpenBatches are a party's batches that are not collected, oldest first.
func (s *Store) OpenBatches(payer Party) ([]ProviderBatch, error) {
	var open []ProviderBatch
	err := s.Each(`SELECT label, provider, model, id, status, submitted, aside, keys FROM batches WHERE kind = ? AND party = ?
		AND status <> ? ORDER BY submitted, label`,
		[]any{payer.Kind, payer.Name, BatchCollected}, func(rows *sql.Rows) error {
			p := ProviderBatch{Payer: payer}
			var submitted string
			var keys []byte
			if err := rows.Scan(&p.Label, &p.Provider, &p.Model, &p.ID, &p.Status, &submitted, &p.Aside, &keys); err != nil {
				return err
			}
			var err error
			if p.Submitted, err = time.Parse(time.RFC3339Nano, submitted); err == nil {
				err = json.Unmarshal(keys, &p.Keys)
			}
			open = append(open, p)
			return err
		})
	return open, err
}

// BatchCalls are the keys of the recorded calls of a batch.
func (s *Store) BatchCalls(id string) (map[string]bool, error) {
	return lookup(s, `SELECT DISTINCT c.key, 1 FROM attempts a JOIN calls c ON c.id = a.call WHERE a.batch = ?`, []any{id}, func(key *string,
		recorded *bool) []any {
		return []any{key, recorded}
	})
}
