package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"compqa/results/store"
)

// A Recorder writes the results of a run as they arrive. Many goroutines send items; one writes and commits them in batches.
type Recorder struct {
	store *store.Store
	items chan recording
	done  chan error
	stop  context.CancelCauseFunc
	Wrote atomic.Bool // something was written
}

// A recording is an item to write. written receives the result when this item and all items before it are on disk. A nil write only waits;
// a nil written means that nobody waits.
type recording struct {
	write   func(store.Batch) error
	written chan error
}

// A commit has at most batchSize items. If no sender waits, a commit takes the items of commitEvery. A crash then loses at most these
// items, which can be computed again without a call; Keep is for items that cannot. If a sender waits, commits are at least commitApart
// apart, because each commit rewrites the disk pages that it changed.
const (
	batchSize   = 512
	commitEvery = 100 * time.Millisecond
	commitApart = 3 * time.Millisecond
)

// NewRecorder starts the writer. If the record can no longer be written, it cancels the returned context, with the error as the cause,
// because further results could not be kept.
func NewRecorder(ctx context.Context, s *store.Store) (*Recorder, context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &Recorder{store: s, items: make(chan recording, batchSize), done: make(chan error, 1), stop: stop}
	go r.run()
	return r, ctx
}

// Put queues an item; it is on disk after at most commitEvery. Put blocks while the queue is full.
func (r *Recorder) Put(write func(store.Batch) error) { r.items <- recording{write: write} }

// Keep writes an item and returns when it is on disk. After an error, the record can no longer be written.
func (r *Recorder) Keep(write func(store.Batch) error) error {
	written := make(chan error, 1)
	r.items <- recording{write, written}
	return <-written
}

// Sync returns when all queued items are on disk or have failed.
func (r *Recorder) Sync() error { return r.Keep(nil) }

// Close writes the remaining items and returns the first error.
func (r *Recorder) Close() error {
	close(r.items)
	err := <-r.done
	r.stop(err)
	return err
}

// run writes batches of items until the queue is closed. After a failed commit it writes nothing more, but still answers those who wait.
func (r *Recorder) run() {
	var failed error
	for first := range r.items {
		batch := r.collect(first)
		if failed == nil { // after a failure, only answer those who wait
			failed = r.commit(batch)
		}
		for _, item := range batch {
			if item.written != nil {
				item.written <- failed
			}
		}
	}
	r.done <- failed
}

// commit writes a batch in one transaction. If this fails, it ends the run.
func (r *Recorder) commit(batch []recording) error {
	err := r.store.Write(func(b store.Batch) error {
		for _, item := range batch {
			if item.write == nil {
				continue
			}
			r.Wrote.Store(true)
			if err := item.write(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("the record cannot be written, so the run stops; earlier results are intact: %w", err)
		r.stop(err)
	}
	return err
}

// collect returns first with the items that arrive until the commit is due or the batch is full.
func (r *Recorder) collect(first recording) []recording {
	var batch []recording
	due := time.After(commitEvery)
	awaited := false
	for next, open := first, true; open; {
		batch = append(batch, next)
		if next.written != nil && !awaited {
			awaited = true
			due = time.After(commitApart)
		}
		if len(batch) == batchSize {
			break
		}
		select {
		case next, open = <-r.items:
		case <-due:
			return batch
		}
	}
	return batch
}
