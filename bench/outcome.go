package bench

import (
	"sync/atomic"

	"compqa/data"
	"compqa/results/store"
)

// An outcome is what has come of a planned cell in this run and before.
type outcome struct {
	have    atomic.Int64 // results on record
	fine    atomic.Int64 // of these, valid or skipped
	fresh   atomic.Int64 // of these, of this run
	counted atomic.Bool  // the run has looked at the cell's rows, or need not
}

// old counts a result that was on record before.
func (o *outcome) old(status data.Status) {
	o.have.Add(1)
	if status == data.Valid || status == data.Skipped {
		o.fine.Add(1)
	}
}

// new counts a result of this run.
func (o *outcome) new(status data.Status) {
	o.old(status)
	o.fresh.Add(1)
}

// settled takes up what the record says of a cell that is done. A run that asks
// again what went wrong looks at the rows of those where something did.
func (r *runner) settled(c store.PlanCell, o *outcome) bool {
	done := r.before[c.Key()]
	if !isDone(done, c) || r.retry && done.Invalid > 0 {
		return false
	}
	o.have.Store(int64(c.Planned))
	o.fine.Store(int64(c.Planned - done.Invalid))
	o.counted.Store(true)
	return true
}

// isDone reports whether a cell was done as it is planned now. Both have to be the
// same: what its results are made with, or they are taken off the record as this
// run begins, and which results there are to be.
func isDone(on store.RecordedCell, c store.PlanCell) bool {
	return on.Work == c.Work && on.Fingerprint == c.Fingerprint
}

// file has the result of an item recorded. The reply behind one that is valid is
// on record already, and found there by whoever asks again; that of a call which
// came to nothing is not taken up, so its worker waits until what came of it is on
// disk: a process that is killed leaves no more to be paid again than was under
// way.
func file(record *store.Recorder, status data.Status, write func(store.Batch) error) {
	if status.Retryable() {
		record.Keep(write) // an error stops the run
		return
	}
	record.Put(write)
}

// hasRows reports whether anything may be on record of a cell.
func (r *runner) hasRows(c store.PlanCell) bool {
	return r.before[c.Key()].Fingerprint == c.Fingerprint
}

// settle notes that a cell is done, where it is.
func (r *runner) settle(c store.PlanCell, o *outcome) {
	if have := int(o.have.Load()); have == c.Planned {
		done := store.Done{Work: c.Work, Invalid: have - int(o.fine.Load())}
		r.record.Put(func(b store.Batch) error { return b.Done(c.Key(), done) })
	}
}

// invalid is how many of a cell's planned results are not there or not valid;
// what was skipped does not count.
func (o *outcome) invalid(c store.PlanCell, db *store.Store) (int, error) {
	if o.counted.Load() {
		return c.Planned - int(o.fine.Load()), nil
	}
	return db.Invalid(c)
}
