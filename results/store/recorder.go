package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// A Recorder writes what a run produces as it comes in: one writer, many
// senders, commits in batches.
type Recorder struct {
	store *Store
	items chan recording
	done  chan error
	stop  context.CancelCauseFunc
	wrote atomic.Bool
}

// A recording is something to be written, or nothing, with somebody who waits
// until it, and all before it, is on disk; nil: nobody does.
type recording struct {
	write   func(Batch) error
	written chan error
}

// A commit waits for no more than batchSize items; where nobody waits for it, it
// waits commitEvery for more, which is what a crash can cost of what is computed
// here. What was paid for is waited for (Keep) and costs nothing. While such items
// come in numbers, commits are no closer than commitApart: each writes the pages it
// has touched anew, so that many small ones take several times the work.
const (
	batchSize   = 512
	commitEvery = 100 * time.Millisecond
	commitApart = 3 * time.Millisecond
	inNumbers   = 8 // items in the last commit
)

// NewRecorder starts the writer. The context it returns ends, with the reason as
// its cause, when the record can no longer be written: going on would only
// produce what cannot be kept.
func NewRecorder(ctx context.Context, s *Store) (*Recorder, context.Context) {
	ctx, stop := context.WithCancelCause(ctx)
	r := &Recorder{store: s, items: make(chan recording, batchSize), done: make(chan error, 1), stop: stop}
	go r.run()
	return r, ctx
}

// Put hands over something to be written, and goes on; it is on disk at the
// latest commitEvery later. Put waits while the writer is behind.
func (r *Recorder) Put(write func(Batch) error) { r.items <- recording{write: write} }

// Keep writes something and returns when it is on disk. The error is that of the
// whole record, which can no longer be written.
func (r *Recorder) Keep(write func(Batch) error) error {
	written := make(chan error, 1)
	r.items <- recording{write, written}
	return <-written
}

// Sync returns when all that Put has taken before is on disk, or cannot be
// written.
func (r *Recorder) Sync() error { return r.Keep(nil) }

// Close writes what is left and returns the first error there was.
func (r *Recorder) Close() error {
	close(r.items)
	err := <-r.done
	r.stop(err)
	return err
}

// Wrote reports whether anything has been written.
func (r *Recorder) Wrote() bool { return r.wrote.Load() }

func (r *Recorder) run() {
	var failed error
	var batch []recording
	for first := range r.items {
		batch = r.collect(first, len(batch))
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
	err := r.store.Write(func(b Batch) error {
		for _, item := range batch {
			if item.write == nil {
				continue
			}
			r.wrote.Store(true)
			if err := item.write(b); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		err = fmt.Errorf("the record cannot be written, so the run stops; what was recorded before is intact: %w", err)
		r.stop(err)
	}
	return err
}

// collect takes what else has come, or comes within commitEvery; last is how many
// items the last commit had. Somebody who waits for the disk is kept waiting only
// while others are about to join: while one batch is being committed the next one
// gathers.
func (r *Recorder) collect(first recording, last int) []recording {
	var batch []recording
	deadline := time.NewTimer(commitEvery)
	defer deadline.Stop()
	awaited := false
	add := func(item recording) {
		batch = append(batch, item)
		if item.written != nil && !awaited {
			awaited = true
			deadline.Reset(commitApart)
		}
	}
	for add(first); len(batch) < batchSize; {
		if awaited && last < inNumbers && len(r.items) == 0 {
			return batch
		}
		select {
		case next, open := <-r.items:
			if !open {
				return batch
			}
			add(next)
		case <-deadline.C:
			return batch
		}
	}
	return batch
}
