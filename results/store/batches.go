package store

import (
	"time"

	"compqa/data"
)

// A ProviderBatch is a set of calls that a provider processes asynchronously, with its state.
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

// NewBatch records a batch before it is submitted, with its calls, which are pending until they are collected.
func (b Batch) NewBatch(p ProviderBatch, calls []Call) error {
	for _, c := range calls {
		p.Keys = append(p.Keys, c.Key)
		c.Status, c.Attempts = data.Pending, nil
		if _, err := b.Call(c); err != nil {
			return err
		}
	}
	p.ID, p.Status = "", BatchSubmitting
	return put(b, "batches", p)
}

// SetBatch sets a batch's id and status.
func (b Batch) SetBatch(label, id, status string) error {
	return b.tx.do(`UPDATE batches SET id = ?, status = ? WHERE label = ?`, id, status, label)
}

// OpenBatches are a party's batches that are not collected, oldest first.
func (s *Store) OpenBatches(payer Party) ([]ProviderBatch, error) {
	return Select[ProviderBatch](s, `SELECT `+Columns[ProviderBatch]()+` FROM batches WHERE kind = ? AND party = ? AND status <> ?
		ORDER BY submitted, label`,
		payer.Kind, payer.Name, BatchCollected)
}

// BatchCalls are the keys of the recorded calls of a batch.
func (s *Store) BatchCalls(id string) (map[string]bool, error) {
	return Lookup[string, bool](s, `SELECT DISTINCT c.key, 1 FROM attempts a JOIN calls c ON c.id = a.call WHERE a.batch = ?`, id)
}
