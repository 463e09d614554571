package bench

import (
	"sync"
	"sync/atomic"

	"compqa/data"
	"compqa/results/store"
)

// An outcome counts the results of a planned cell, of this run and of earlier ones. A
// nil one counts nothing.
type outcome struct {
	have    atomic.Int64 // results on record
	fine    atomic.Int64 // of these, valid or skipped
	fresh   atomic.Int64 // of these, of this run
	counted atomic.Bool  // all results on record are counted

	key     store.CellKey
	opened  sync.Once
	pending sync.WaitGroup // tasks that have begun and not ended
}

// old counts results that were on record before.
func (o *outcome) old(status data.Status, n int) {
	if o == nil {
		return
	}
	o.have.Add(int64(n))
	if status == data.Valid || status == data.Skipped {
		o.fine.Add(int64(n))
	}
}

// new counts a result of this run.
func (o *outcome) new(status data.Status) {
	if o == nil {
		return
	}
	o.old(status, 1)
	o.fresh.Add(1)
}

// begin notes that a task begins. The first one tells the record that the cell is no
// longer complete.
func (o *outcome) begin(record *store.Recorder) {
	if o == nil {
		return
	}
	o.opened.Do(func() { record.Put(func(b store.Batch) error { return b.Reopen(o.key) }) })
	o.pending.Add(1)
}

func (o *outcome) end() {
	if o != nil {
		o.pending.Done()
	}
}

// invalid is how many of a cell's planned results are missing or not valid; skipped
// ones do not count.
func (o *outcome) invalid(c store.PlanCell, db *store.Store) (int, error) {
	if o.counted.Load() {
		return c.Planned - int(o.fine.Load()), nil
	}
	return db.Invalid(c)
}

// complete says that a cell has all its planned results, as of an earlier run.
func (o *outcome) complete(planned, invalid int) {
	o.have.Store(int64(planned))
	o.fine.Store(int64(planned - invalid))
	o.counted.Store(true)
}

// isDone reports whether a cell was completed as it is planned now: what its results
// are made with is the same, and so is which results there are to be.
func isDone(on store.RecordedCell, c store.PlanCell) bool {
	return on.Work == c.Work && on.Fingerprint == c.Fingerprint
}
