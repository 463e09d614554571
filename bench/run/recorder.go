package run

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"compqa/results/store"
)

// A Recorder writes the results of a run as they arrive: one writer, many senders, commits in batches.
type Recorder struct {
	store *store.Store
	items chan recording
	done  chan error
	stop  context.CancelCauseFunc
	Wrote atomic.Bool // anything
}

// A recording is an item to write, or nothing, and a channel that reports when it and
// all items before it are on disk; nil if nobody waits.
type recording struct {
	write   func(store.Batch) error
	written chan error
}

// A commit contains at most batchSize items. If nobody waits for it, it waits commitEvery for more items; a crash loses at
// most these, and only results that can be computed again without a call (Keep is for those that cannot). If a sender waits,
// commits are at least commitApart apart, because each commit rewrites the pages that it changed.
const (
	batchSize   = 512
	commitEvery = 100 * time.Millisecond
	commitApart = 3 * time.Millisecond
)

// NewRecorder starts the writer. The returned context is cancelled, with the reason as its cause, if the record can no
// longer be written, because further results could not be kept.
func NewRecorder(ctx context.Context, s *store.Store) (*Recorder, context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &Recorder{store: s, items: make(chan recording, batchSize), done: make(chan error, 1), stop: stop}
	go r.run()
	return r, ctx
}

// Put queues an item; it is on disk after at most commitEvery. Put blocks while the queue is full.
func (r *Recorder) Put(write func(store.Batch) error) { r.items <- recording{write: write} }

// Keep writes an item and returns when it is on disk. After an error the record can no longer be written.
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

func (r *Recorder) run() {
	var failed error
	for first := range r.items {
		batch := r.collect(first)
		if failed == nil { // else only keep the senders from waiting for ever
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

// collect takes the queued items and those that arrive before the commit is due.
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
