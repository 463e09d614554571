package store

import (
	"slices"
	"time"

	"compqa/data"
)

// A ProviderBatch is a set of calls that a provider processes asynchronously, with its state. A single synchronous call has such a row,
// too, from before its request is sent until its reply is recorded.
type ProviderBatch struct {
	Label     string // the program's own name of the batch
	Provider  string
	Model     string
	Payer     Party
	ID        string // the provider's name of the batch; "" until it is known
	Status    string // BatchSubmitting, the provider's status, BatchCollected; for a single call, CallAsked or CallUnanswered
	Submitted time.Time
	Aside     float64  // reserved budget, US dollars
	Keys      []string // of its calls; for a single call, its key once for each request that may have been paid
}

// The statuses of a batch that the program sets. All other statuses come from the provider.
const (
	BatchSubmitting = "submitting" // sent, but the provider has not confirmed it
	BatchCollected  = "collected"  // the results of the batch are recorded
)

// The statuses of a single call. Its row is deleted when its reply, or its error, is recorded.
const (
	CallAsked      = "asked"      // a request is being sent, or was being sent when the program was killed
	CallUnanswered = "unanswered" // the program was killed meanwhile, and a later command has reported it
)

const isSingle = `status IN ('` + CallAsked + `', '` + CallUnanswered + `')`

// Sending records a single call before its request is sent. requests is the number of requests that may have been paid by then, cost their
// maximum cost in US dollars.
func (b Batch) Sending(c Call, requests int, cost float64) error {
	return put(b, "batches", ProviderBatch{Label: c.Asked, Provider: c.Provider, Model: c.Model, Payer: c.Payer, Status: CallAsked,
		Submitted: time.Now(), Aside: cost, Keys: slices.Repeat([]string{c.Key}, requests)})
}

// answered deletes the row of a call whose reply is being recorded.
func (b Batch) answered(c Call) error {
	if c.Asked == "" {
		return nil
	}
	return b.tx.do(`DELETE FROM batches WHERE label = ?`, c.Asked)
}

// An Unanswered sums up the calls of a party to a model that may have been paid but have no recorded reply. The program was killed while
// it waited, or is still waiting.
type Unanswered struct {
	Party
	Provider, Model string
	Calls, Requests int
	Cost            float64 // maximum cost, US dollars; 0: the price is unknown, or the calls are free
}

// Unanswered returns the unanswered calls, summed up by party and model. If fresh is true, it leaves out those that a command has already
// reported.
func (s *Store) Unanswered(fresh bool) ([]Unanswered, error) {
	return Select[Unanswered](s, `SELECT kind, party, provider, model, count(*), sum(json_array_length(keys)), sum(aside) FROM batches
		WHERE `+isSingle+` AND status <> iif(?, '`+CallUnanswered+`', '') GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`, fresh)
}

// SetUnanswered marks the unanswered calls as reported by a command.
func (b Batch) SetUnanswered() error {
	return b.tx.do(`UPDATE batches SET status = ? WHERE status = ?`, CallUnanswered, CallAsked)
}

// NewBatch records a batch and its calls before the batch is submitted. The calls are pending until the batch is collected.
func (b Batch) NewBatch(p ProviderBatch, calls []Call) error {
	for _, c := range calls {
		p.Keys = append(p.Keys, c.Key)
		c.Status = data.Pending
		c.Attempts = nil
		if _, err := b.Call(c); err != nil {
			return err
		}
	}
	p.ID = ""
	p.Status = BatchSubmitting
	return put(b, "batches", p)
}

// SetBatch sets a batch's id and status.
func (b Batch) SetBatch(label, id, status string) error {
	return b.tx.do(`UPDATE batches SET id = ?, status = ? WHERE label = ?`, id, status, label)
}

// OpenBatches returns a party's batches that are not collected, the oldest first.
func (s *Store) OpenBatches(payer Party) ([]ProviderBatch, error) {
	return Select[ProviderBatch](s, `SELECT `+Columns[ProviderBatch]()+` FROM batches WHERE kind = ? AND party = ? AND status <> ?
		AND NOT `+isSingle+` ORDER BY submitted, label`,
		payer.Kind, payer.Name, BatchCollected)
}

// BatchCalls returns the keys of the recorded calls of a batch.
func (s *Store) BatchCalls(id string) (map[string]bool, error) {
	return Lookup[string, bool](s, `SELECT DISTINCT c.key, 1 FROM attempts a JOIN calls c ON c.id = a.call WHERE a.batch = ?`, id)
}
