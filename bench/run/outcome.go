package run

import (
	"sync"
	"sync/atomic"

	"compqa/data"
	"compqa/results/store"
)

// An Outcome counts the results of a planned cell, of this run and of earlier ones. A
// nil one counts nothing.
type Outcome struct {
	Have    atomic.Int64 // results on record
	Fine    atomic.Int64 // of these, valid or skipped
	Fresh   atomic.Int64 // of these, of this run
	Counted atomic.Bool  // all results on record are counted

	Key     store.CellKey
	opened  sync.Once
	pending sync.WaitGroup // tasks that have begun and not ended
}

// old counts results that were on record before.
func (o *Outcome) old(status data.Status, n int) {
	if o == nil {
		return
	}
	o.Have.Add(int64(n))
	if status == data.Valid || status == data.Skipped {
		o.Fine.Add(int64(n))
	}
}

// new counts a result of this run.
func (o *Outcome) new(status data.Status) {
	if o == nil {
		return
	}
	o.old(status, 1)
	o.Fresh.Add(1)
}

// begin notes that a task begins. The first one tells the record that the cell is no
// longer complete.
func (o *Outcome) begin(record *store.Recorder) {
	if o == nil {
		return
	}
	o.opened.Do(func() { record.Put(func(b store.Batch) error { return b.Reopen(o.Key) }) })
	o.pending.Add(1)
}

func (o *Outcome) end() {
	if o != nil {
		o.pending.Done()
	}
}

// Invalid is how many of a cell's planned results are missing or not valid; skipped
// ones do not count.
func (o *Outcome) Invalid(c store.PlanCell, db *store.Store) (int, error) {
	if o.Counted.Load() {
		return c.Planned - int(o.Fine.Load()), nil
	}
	return db.Invalid(c)
}

// Complete says that a cell has all its planned results, as of an earlier run.
func (o *Outcome) Complete(planned, invalid int) {
	o.Have.Store(int64(planned))
	o.Fine.Store(int64(planned - invalid))
	o.Counted.Store(true)
}

// IsDone reports whether a cell was completed as it is planned now: what its results
// are made with is the same, and so is which results there are to be.
func IsDone(on store.RecordedCell, c store.PlanCell) bool {
	return on.Work == c.Work && on.Fingerprint == c.Fingerprint
}
