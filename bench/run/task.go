// Package run is the engine that works through a benchmark. Answers, verdicts, preferences, sampled judgments, grades and
// rewritten answers are all tasks: a Source yields them, the Engine does those that are due, and an Asker puts their
// requests to models. There are three askers. The live asker uses recorded replies if it can, and otherwise makes calls
// within budget and limits. The dry asker counts calls, for estimates and batches. The replay asker uses recorded replies
// only, for verification.
//
// Every provider has a queue with its own workers, so a slow provider does not delay the
// others. Every reply is recorded before it is used, so no call is paid for twice. After
// the first Ctrl-C, a run waits for calls in flight; after the second, it stops.
package run

import (
	"context"
	"iter"
	"sync"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/store"
)

// A Task is one item to be worked on: an answer, a verdict, a preference, a sampled judgment, a grade of a rationale or a
// rewritten answer. All of them are tasks of one engine.
type Task struct {
	Party       store.Party     // whose item it is: progress and costs are counted for it
	At          store.At        // where its result is recorded; zero: nowhere
	Group       any             // the planned cell that it is a part of, whose tasks begin in a fixed order; nil: none
	Provider    string          // the provider whose queue it waits in, or offline
	Fingerprint string          // hash of all that its result depends on
	Recorded    store.State     // what is on record of it; zero: nothing
	Calls       int             // the most calls that it makes; 0: one, or what its replies make necessary
	Typical     bool            // in an estimate: what follows a call is asked with typical replies
	Cell        *sync.WaitGroup // the tasks of its cell that have not ended; nil: nobody waits for them
	Do          func(ctx context.Context, ask Asker) (Item, error)
	// Settle, in a task that has nothing else, is called when all tasks of its cell before it have ended.
	Settle func()
}

// An Item is the result of a task. A failed call is a status of the item; an error ends
// the run. A pending item is not recorded.
type Item struct {
	Status data.Status
	Write  func(b store.Batch, calls []int64) error // nil: there is nothing to record
}

// VerdictItem returns the item of a verdict.
func VerdictItem(v data.Verdict) Item {
	return Item{Status: v.Status, Write: func(b store.Batch, calls []int64) error { return b.Verdict(v, calls) }}
}

// due reports whether a task is to be done: nothing is on record of it, or something that was made with other inputs, or it
// failed and is to be asked again. It is the only place that decides this.
func (t *Task) due(retry bool) bool {
	return t.Recorded.Status == "" || t.Recorded.Fingerprint != t.Fingerprint || retry && t.Recorded.Status.Retryable()
}

// A Source yields the tasks of one party, or of several that take turns, in the order in which they begin. It can be walked
// several times: batches and dry runs walk it before the run does.
type Source struct {
	Tasks func(context.Context) iter.Seq2[Task, error]
	Batch *BatchParty // its calls are made in batches first; nil: they are not
}

// SourceOf returns a source of these tasks.
func SourceOf(tasks []Task) Source {
	return Source{Tasks: func(context.Context) iter.Seq2[Task, error] {
		return func(yield func(Task, error) bool) {
			for _, t := range tasks {
				if !yield(t, nil) {
					return
				}
			}
		}
	}}
}

// An Asker sends a request to a provider's model. The number sample, from 1, distinguishes
// repetitions of the same request. There are three askers: live makes the calls that are not
// recorded, dry counts the calls that would be made, and replay uses recorded replies only.
type Asker func(ctx context.Context, provider string, sample int, r llm.Request) (llm.Reply, error)

// Of asks one provider about one repeat of an item.
func (ask Asker) Of(provider string, repeat int) scoring.Ask {
	return func(ctx context.Context, r llm.Request) (llm.Reply, error) { return ask(ctx, provider, repeat, r) }
}

// Roles asks the providers of a pairwise judge's roles.
func (ask Asker) Roles(providers map[pairwise.Role]string) pairwise.Ask {
	return func(ctx context.Context, role pairwise.Role, sample int, r llm.Request) (llm.Reply, error) {
		return ask(ctx, providers[role], sample, r)
	}
}

// Offline is the queue of tasks that need no provider.
const Offline = ""
