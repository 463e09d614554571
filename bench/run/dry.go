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

// A DryRun walks the tasks of sources as a run would, and finds what they would ask:
// for estimates, and to put calls into batches.
type DryRun struct {
	Config *config.Config
	Retry  bool
	Find   func(key string) (store.Call, bool, error)
	Item   func(t Task, due bool) error           // called for each task; nil: not wanted
	Asked  func(t Task, a AskedCall, n int) error // called for each call that would be made, or n such calls
	Read   func(t Task, i Item)                   // called for each due task whose calls are all on record; nil: not wanted
}

// An AskedCall is a call that would be made.
type AskedCall struct {
	Call    store.Call
	Request llm.Request
	Follows bool // calls after this one, which depend on its reply and cannot be known yet
}

// Walk walks the tasks of a source. Offline tasks ask nothing and are left out.
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

// A dryTask is one task of a dry run. Calls that are on record are answered from there. The first one that is not ends the
// task, except that its repetitions are asked too: what would be asked after the reply cannot be known, but in a task whose
// further calls are asked with typical replies.
type dryTask struct {
	*DryRun
	task Task

	mu     sync.Mutex
	first  string // identifies the request that is not on record, without its sample
	last   AskedCall
	known  int // calls that are on record
	asks   int // calls that would be made
	failed error
}

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
