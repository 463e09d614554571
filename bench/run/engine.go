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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"compqa/bench/cli"
	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/fleet"
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

// An Engine executes tasks. Every provider has its own queue and workers, so that a slow provider does not delay others.
// Every source has its own goroutine. All results go through one writer.
//
// It is used once, in this order: New; Join, if other machines make the calls; Connect, which makes the clients; Start, which begins to
// record; RunShown or Run for each stage of tasks; then the end that Start returned, after which nothing more is recorded. Stopped and
// Complete say between stages whether more may follow.
type Engine struct {
	config   *config.Config
	Store    *store.Store // nil: nothing is recorded
	Record   *Recorder    // nil: nothing is recorded
	Clients  map[string]client.Client
	Budgets  Budgets
	Retry    bool                     // repeats failed calls
	check    func() error             // before the first task: the calls on record are as they were recorded
	draining context.Context          // ends when the run is to stop: tasks in flight are finished, none begins
	progress *progress                // nil: not shown
	shown    atomic.Pointer[progress] // the same, for Waits
	Reuse    []*earlier               // runs whose replies are reused
	Fleet    *fleet.Queue             // makes the calls; nil: this program does
	log      *slog.Logger             // nil: no log
	asking   singleflight.Group
	settling sync.WaitGroup
	Unmade   unmadeCalls
	Unusable []string // providers that cannot be used, with the reasons
	refused  sync.Map // *llm.Error by store.Party: entries with an option that their model does not accept, or without a model
	missed   sync.Map // *atomic.Int32 by store.Party: how many calls in a row found no model
	unlogged sync.Map // models that return no log-probabilities
	batched  sync.Map // batchReply by partyCall

	onlyInBatches sync.Map // *batching by store.Party: its calls are not made by themselves
}

// New returns an engine that records in db. Start must be called before it makes calls.
func New(c *config.Config, db *store.Store, log *slog.Logger) *Engine {
	return &Engine{config: c, Store: db, log: log, Clients: map[string]client.Client{}, Budgets: NewBudgets(c),
		check: sync.OnceValue(db.CheckCalls), draining: context.Background()}
}

// Start begins to record and to listen for Ctrl-C. end must be called.
func (e *Engine) Start(ctx context.Context, w io.Writer) (running context.Context, end func() error) {
	draining, drain := context.WithCancel(context.Background())
	e.draining = draining
	ctx, done := cli.Interruptible(ctx, func() {
		fmt.Fprintln(w, "waiting for calls in flight; press Ctrl-C again to stop immediately")
		drain()
	})
	if e.Fleet != nil {
		id, err := e.Store.Identity()
		if err != nil {
			return ctx, func() error { done(); return err }
		}
		e.Fleet.Begin(id)
		end := done
		done = func() { e.Fleet.Close(); end() }
	}
	if e.Store == nil {
		return ctx, func() error { done(); return nil }
	}
	e.Record, ctx = NewRecorder(ctx, e.Store)
	failed := e.tellUnanswered(w)
	return ctx, func() error {
		defer done()
		return errors.Join(failed, e.Record.Close())
	}
}

// Workers returns the number of workers for a provider's concurrency. A worker keeps its task until the reply is on disk, so that
// a kill loses at most the calls in flight. Above 64 calls, waiting for the disk would leave the server idle for a tenth of
// the time, so there are more workers than calls (BenchmarkRun).
func Workers(concurrency int) int { return concurrency + max(0, concurrency-64)*3/4 }

// Run executes all tasks until they are done or the run is stopped. After an error of a
// source or a task, tasks in flight are finished and no others begin.
func (e *Engine) Run(ctx context.Context, sources []Source) error {
	begin, stop := context.WithCancelCause(ctx) // ends when no more tasks may begin
	defer stop(nil)
	var failed error
	var once sync.Once
	fail := func(err error) {
		if err != nil {
			once.Do(func() { failed = err })
			stop(err)
		}
	}
	defer context.AfterFunc(e.draining, func() { stop(cli.ErrStopped) })()
	queues := map[string]chan func(){}
	var reading, working sync.WaitGroup
	for provider, concurrency := range ConcurrencyOf(e.config) {
		if c := e.Clients[provider]; c != nil {
			concurrency = max(concurrency, c.State().MaxConcurrency) // a name may stand for several servers
		}
		queue := make(chan func())
		queues[provider] = queue
		for range Workers(concurrency) {
			working.Go(func() {
				for task := range queue {
					task()
				}
			})
		}
	}
	for _, s := range sources {
		reading.Go(func() { fail(e.feed(ctx, begin, s, queues, fail)) })
	}
	reading.Wait()
	for _, queue := range queues {
		close(queue)
	}
	working.Wait()
	e.settling.Wait()
	return failed
}

// RunShown executes tasks and shows the progress of parties, if there are any.
func (e *Engine) RunShown(ctx context.Context, unit string, parties []Party, sources []Source, out io.Writer) error {
	if len(parties) > 0 {
		defer e.showProgress(out, unit, parties)()
	}
	return e.Run(ctx, sources)
}

// feed puts the due tasks of a source into their queues.
func (e *Engine) feed(ctx, begin context.Context, s Source, queues map[string]chan func(), fail func(error)) error {
	var failed error
	if s.Batch != nil {
		if err := e.check(); err != nil {
			return err
		}
		failed = e.inBatches(ctx, begin, s)
	}
	for t, err := range s.Tasks(begin) {
		switch {
		case err != nil:
			return errors.Join(failed, err)
		case t.Settle != nil:
			e.settling.Go(func() {
				t.Cell.Wait()
				if begin.Err() == nil {
					t.Settle()
				}
			})
		case !t.due(e.Retry):
			e.progress.recorded(t.Party.Shown())
		default:
			if err := e.check(); err != nil {
				return errors.Join(failed, err)
			}
			cell := cmp.Or(t.Cell, new(sync.WaitGroup))
			cell.Add(1)
			work := func() {
				defer cell.Done()
				if begin.Err() == nil { // since it was handed over
					fail(e.do(ctx, &t, t.again(s)))
				}
			}
			select {
			case queues[t.Provider] <- work:
			case <-begin.Done():
				cell.Done()
			}
		}
		if begin.Err() != nil {
			break
		}
	}
	return failed
}

// do executes one task and records its result. The reply behind a valid result is already recorded, and the next run finds
// it. A failed call is not reused, so its worker waits until the result is on disk: otherwise, after a kill, several such
// calls could be paid for again.
func (e *Engine) do(ctx context.Context, t *Task, again bool) error {
	var calls calls
	ask := e.live(t.Party, &calls)
	if again {
		ask = afresh(e.config, ask, e.find)
	}
	item, err := t.Do(ctx, ask)
	if err != nil || item.Status == data.Pending {
		return err
	}
	if item.Write != nil {
		var read []int64
		for _, id := range calls.ids {
			if *id != 0 {
				read = append(read, *id)
			}
		}
		write := func(b store.Batch) error { return item.Write(b, read) }
		if item.Status.Retryable() && len(read) > 0 {
			e.Record.Keep(write) // an error ends the context of the run
		} else {
			e.Record.Put(write)
		}
	}
	e.progress.finished(t.Party.Shown(), item.Status)
	return nil
}

// Stopped reports whether no more tasks may begin.
func (e *Engine) Stopped(ctx context.Context) bool {
	return e.draining.Err() != nil || ctx.Err() != nil
}

// Complete reports whether no call was left out because of a budget or a provider.
func (e *Engine) Complete() bool { return e.Unmade.Reasons(e.Budgets) == "" }

// Connect makes a client for each of the providers. faults are the reasons why some cannot be
// used: their items are skipped, or with strict that is an error. See Unusable.
func (e *Engine) Connect(ctx context.Context, providers []string, strict bool, w io.Writer) (faults map[string]string, err error) {
	faults = map[string]string{}
	if e.Fleet == nil { // else the keys are the workers'
		if err := cli.Trust(e.config, providers, w); err != nil {
			return nil, err
		}
	}
	known, err := e.Store.Adaptations()
	if err != nil {
		return nil, err
	}
	slices.Sort(providers)
	for _, provider := range slices.Compact(providers) {
		if provider == Offline {
			continue
		}
		if warning := e.config.Providers[provider].Exposes(); warning != "" {
			fmt.Fprintf(w, "provider %s: %s\n", provider, warning)
		}
		client, err := e.client(ctx, provider, known)
		if err == nil {
			e.Clients[provider] = client
			continue
		}
		if strict {
			return nil, fmt.Errorf("provider %s cannot be used: %w", provider, err)
		}
		fmt.Fprintf(w, "skipped: all items of provider %s: %v\n", provider, err)
		faults[provider] = err.Error()
		e.Unusable = append(e.Unusable, fmt.Sprintf("provider %s cannot be used: %v", provider, err))
	}
	return faults, nil
}

// client makes a provider's client and asks the provider for its models.
func (e *Engine) client(ctx context.Context, name string, known []store.Adaptation) (client.Client, error) {
	provider := e.config.Providers[name]
	provider.Name, provider.Concurrency = name, ConcurrencyOf(e.config)[name]/len(provider.Servers()) // of one server
	if e.Fleet != nil {
		provider.Concurrency = cmp.Or(e.config.Providers[name].Concurrency, e.config.Run.Concurrency) // the key is the workers'
		return e.Fleet.Client(ctx, provider, e.hooks(name, known))
	}
	client, err := client.New(provider, os.Getenv, e.hooks(name, known))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// A server may have no list of models, or none for a key with few rights (403).
	_, err = client.Models(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 0 || e.HTTPStatus == 401) {
		return nil, err
	}
	return client, nil
}

// ConcurrencyOf returns the number of concurrent calls at each provider, and of offline tasks.
func ConcurrencyOf(c *config.Config) map[string]int {
	counts := map[string]int{Offline: runtime.GOMAXPROCS(0)}
	for name, p := range c.Providers {
		most := c.Run.Concurrency
		if p.Type == llm.TypeCommand {
			most = 1 // a program that answers line by line need not repeat the id of a request
		}
		counts[name] = cmp.Or(p.Concurrency, most) * len(p.Servers())
	}
	return counts
}

// Join has the workers of a queue make the calls of the engine, if --queue is given.
func (e *Engine) Join(ctx context.Context, f cli.Flags, w io.Writer) (err error) {
	if f.Queue == "" {
		return nil
	}
	for _, entry := range e.config.LiveEntries() {
		if entry.Batch.On() {
			return config.Usagef("%s %q has batch: true, which --queue does not support, because batches need the key on "+
				"this machine", entry.What, entry.Name)
		}
	}
	e.Fleet, err = fleet.Open(ctx, f.Queue, os.Getenv(fleet.KeyEnv), cli.FleetVersion(), f.Retain, func(text string) { fmt.Fprintln(w, text) })
	return err
}
