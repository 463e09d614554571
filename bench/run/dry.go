package run

import (
	"context"
	"fmt"
	"sync"

	"compqa/bench/config"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// A DryRun walks the tasks of sources as a run would, but makes no call. It reports the calls that the run would make, for estimates and
// for filling batches.
type DryRun struct {
	Config *config.Config
	Retry  bool
	Find   func(key string) (store.Call, bool, error) // returns a recorded call by its key
	Item   func(t Task, due bool) error               // called for each task; due: the task is to be done; nil: not wanted
	Asked  func(t Task, a AskedCall, n int) error     // called for each call that would be made, or for n such calls
	Read   func(t Task, i Item)                       // called for each due task whose calls are all on record; nil: not wanted
}

// An AskedCall is a call that would be made.
type AskedCall struct {
	Call    store.Call
	Request llm.Request
	Follows bool // stands for the calls that depend on the reply to this one
}

// Walk walks the tasks of a source. It leaves out offline tasks, which ask nothing.
func (d *DryRun) Walk(ctx context.Context, s Source) error {
	for t, err := range s.Tasks(ctx) {
		if err != nil {
			return err
		}
		if t.Settle != nil || t.Provider == Offline {
			continue
		}
		due := t.due(d.Retry)
		if d.Item != nil {
			if err := d.Item(t, due); err != nil {
				return err
			}
		}
		if !due {
			continue
		}
		a := &dryTask{DryRun: d, task: t}
		ask := Asker(a.ask)
		if t.again(s) {
			ask = afresh(d.Config, ask, d.Find)
		}
		item, err := t.Do(ctx, ask)
		if err != nil && a.asks == 0 {
			return err
		}
		if a.asks == 0 && d.Read != nil {
			d.Read(t, item)
		}
		if a.failed != nil {
			return a.failed
		}
		if more := t.Calls - a.known - a.asks; a.asks > 0 && more > 0 && !t.Typical {
			a.last.Follows = true
			if err := d.Asked(t, a.last, more); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// A dryTask is one task of a dry run. Recorded calls get their replies from the record. The first call that is not on record ends the task,
// because what follows depends on its reply; but repetitions of the same request are still counted. A task with typical replies continues
// with them.
type dryTask struct {
	*DryRun
	task Task

	mu     sync.Mutex
	first  string // key of the first request not on record, without its sample number
	last   AskedCall
	known  int // number of calls on record
	asks   int // number of calls that would be made
	failed error
}

// ask returns the recorded reply to a request, or counts the request and returns an error. See dryTask.
func (d *dryTask) ask(ctx context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	plain := req
	call, err := newCall(d.Config, d.task.Party, provider, sample, &req)
	if err != nil {
		return llm.Reply{}, err
	}
	known, found, err := d.Find(call.Key)
	if err != nil {
		d.failed = err
		return llm.Reply{}, fmt.Errorf("%w: %w", context.Canceled, err)
	}
	if found && final(d.Config, known, provider, &req) {
		d.known++
		reply, err := replyOf(known, &req)
		return *reply, err
	}
	same, err := newCall(d.Config, d.task.Party, provider, 0, &plain)
	if err != nil {
		return llm.Reply{}, err
	}
	if d.failed != nil || d.first != "" && d.first != same.Key && !d.task.Typical {
		return llm.Reply{}, context.Canceled
	}
	d.first, d.last = same.Key, AskedCall{Call: call, Request: req}
	d.asks++
	d.failed = d.DryRun.Asked(d.task, d.last, 1)
	if d.failed != nil {
		return llm.Reply{}, context.Canceled
	}
	return llm.Reply{}, fmt.Errorf("%w: %w", pairwise.ErrWouldAsk, &llm.Error{Kind: llm.Failed, Message: "it is counted"})
}
