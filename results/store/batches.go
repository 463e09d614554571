package store

import (
	"database/sql"
	"encoding/json"
	"time"

	"compqa/data"
)

// A ProviderBatch is a set of calls that a provider works through in its own
// time, and where it stands.
type ProviderBatch struct {
	Label     string // ours
	Provider  string
	Model     string
	Payer     Party
	ID        string // the provider's, "" until it is known
	Status    string // BatchSubmitting, the provider's word, BatchCollected
	Submitted time.Time
	Aside     float64  // set aside for it, US dollars
	Keys      []string // of its calls
}

// The statuses of a batch that are not the provider's words.
const (
	BatchSubmitting = "submitting" // whether the provider has it is to be found out
	BatchCollected  = "collected"  // what came of it is on record
)

// NewBatch records a batch that is about to be submitted, with its calls, which
// stay pending until they are collected.
func (b Batch) NewBatch(p ProviderBatch, calls []Call) error {
	for _, c := range calls {
		p.Keys = append(p.Keys, c.Key)
		c.Status, c.Attempts = data.Pending, nil
		if err := b.Call(c); err != nil {
			return err
		}
	}
	keys, err := json.Marshal(p.Keys)
	if err != nil {
		return err
	}
	_, err = b.tx.Exec(`INSERT INTO batches (label, provider, model, kind, party, id, status, submitted, aside, keys) VALUES (?, ?, ?, ?, ?, '', ?, ?, ?, ?)`,
		p.Label, p.Provider, p.Model, p.Payer.Kind, p.Payer.Name, BatchSubmitting, timestamp(p.Submitted), p.Aside, string(keys))
	return err
}

// SetBatch notes a batch's id and status.
func (b Batch) SetBatch(label, id, status string) error {
	_, err := b.tx.Exec(`UPDATE batches SET id = ?, status = ? WHERE label = ?`, id, status, label)
	return err
}

// OpenBatches are a payer's batches that are not collected, the oldest first.
func (s *Store) OpenBatches(payer Party) ([]ProviderBatch, error) {
	var open []ProviderBatch
	err := s.Each(`SELECT label, provider, model, id, status, submitted, aside, keys FROM batches WHERE kind = ? AND party = ? AND status <> ? ORDER BY submitted, label`,
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

// BatchCalls are the keys of the calls whose part in a batch is on record.
func (s *Store) BatchCalls(id string) (map[string]bool, error) {
	keys := map[string]bool{}
	err := s.Each(`SELECT call FROM attempts WHERE batch = ?`, []any{id}, func(rows *sql.Rows) error {
		var key string
		err := rows.Scan(&key)
		keys[key] = true
		return err
	})
	return keys, err
}
