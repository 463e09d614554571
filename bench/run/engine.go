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

// A Task makes one item: an answer, a verdict, a preference, a sampled judgment, a grade of a rationale, or a rewritten answer.
type Task struct {
	Party       store.Party     // who makes the item; progress and costs are counted for it
	At          store.At        // where its result is recorded; zero: nowhere
	Group       any             // the plan's job that contains the task; its tasks begin in a fixed order; nil: none
	Provider    string          // the provider whose queue the task waits in, or Offline
	Fingerprint string          // hash of everything that its result depends on
	Recorded    store.State     // the recorded state of its result; zero: none
	Calls       int             // the most calls that it makes; 0: one, or as many as its replies require
	Typical     bool            // in an estimate, calls that follow others are asked with typical replies
	Cell        *sync.WaitGroup // counts the tasks of its job that have not ended; nil: nobody waits for them
	Do          func(ctx context.Context, ask Asker) (Item, error)
	// Settle is set only in a task that has nothing else to do. The engine calls it when all earlier tasks of its Cell have ended.
	Settle func()
}

// An Item is the result of a task. A failed call gives an item with a status; an error of a task ends the run. An item with status
// data.Pending is not recorded.
type Item struct {
	Status data.Status
	Write  func(b store.Batch, calls []int64) error // nil: there is nothing to record
}

// VerdictItem returns the item that records a verdict.
func VerdictItem(v data.Verdict) Item {
	return Item{Status: v.Status, Write: func(b store.Batch, calls []int64) error { return b.Verdict(v, calls) }}
}

// due reports whether a task is to be done. It is if nothing is recorded, if the recorded result has other inputs, or if it failed and
// retry is set. No other code decides this.
func (t *Task) due(retry bool) bool {
	return t.Recorded.Status == "" || t.Recorded.Fingerprint != t.Fingerprint || retry && t.Recorded.Status.Retryable()
}

// A Source yields the tasks of one party, or of several parties in turn, in the order in which they begin. Dry runs and batches walk a
// source before the run does, so Tasks can be called several times.
type Source struct {
	Tasks func(context.Context) iter.Seq2[Task, error]
	Batch *BatchParty // its calls are made in batches first; nil: without batches
}

// SourceOf returns a source of a list of tasks.
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

// An Asker sends a request to a provider's model. The number sample, from 1, distinguishes repetitions of the same request. There are three
// askers: live makes the calls that are not recorded, dry counts the calls that would be made, and replay uses only recorded replies.
type Asker func(ctx context.Context, provider string, sample int, r llm.Request) (llm.Reply, error)

// Of returns a function that asks one provider, with the number of an item's repeat.
func (ask Asker) Of(provider string, repeat int) scoring.Ask {
	return func(ctx context.Context, r llm.Request) (llm.Reply, error) { return ask(ctx, provider, repeat, r) }
}

// Roles returns a function that asks the provider of each role of a pairwise judge.
func (ask Asker) Roles(providers map[pairwise.Role]string) pairwise.Ask {
	return func(ctx context.Context, role pairwise.Role, sample int, r llm.Request) (llm.Reply, error) {
		return ask(ctx, providers[role], sample, r)
	}
}

// Offline is the queue of tasks that need no provider.
const Offline = ""

// An Engine executes tasks. Every provider has its own queue and workers, so that a slow provider does not delay others. Every source has
// its own goroutine. One writer records all results.
//
// An Engine is used once, in this order:
//   - New;
//   - Join, if other machines make the calls;
//   - Connect, which makes the clients;
//   - Start, which begins to record;
//   - Run or RunShown for each stage of tasks, with Stopped and Complete in between, which say whether more may follow;
//   - the function end that Start returned, after which nothing more is recorded.
type Engine struct {
	config   *config.Config
	Store    *store.Store // nil: nothing is recorded
	Record   *Recorder    // nil: nothing is recorded
	Clients  map[string]client.Client
	Budgets  Budgets
	Retry    bool                     // repeats failed calls
	check    func() error             // called before the first task: verifies that the recorded calls are unchanged
	draining context.Context          // ends when the run is to stop: tasks in flight are finished, no other begins
	progress *progress                // nil: not shown
	shown    atomic.Pointer[progress] // the same as progress, for Waits and Left
	Reuse    []*earlier               // runs whose replies are reused
	Fleet    *fleet.Queue             // makes the calls on other machines; nil: this program makes them
	log      *slog.Logger             // nil: no log
	asking   singleflight.Group
	settling sync.WaitGroup
	Unmade   unmadeCalls
	Unusable []string // providers that cannot be used, each with the reason
	refused  sync.Map // *llm.Error by store.Party: parties whose model refuses an option or does not exist
	missed   sync.Map // *atomic.Int32 by store.Party: consecutive calls that found no model
	unlogged sync.Map // provider and model: models that return no log-probabilities
	batched  sync.Map // batchReply by partyCall: calls that ended in a batch without a usable reply

	onlyInBatches sync.Map // *batching by store.Party: parties whose calls are made only in batches
}

// New returns an engine that records in db. Call Start before it makes calls.
func New(c *config.Config, db *store.Store, log *slog.Logger) *Engine {
	return &Engine{config: c, Store: db, log: log, Clients: map[string]client.Client{}, Budgets: NewBudgets(c),
		check: sync.OnceValue(db.CheckCalls), draining: context.Background()}
}

// Start begins to record and to handle Ctrl-C. After the first Ctrl-C no task begins; the second cancels running. The caller must call end,
// which stops recording and returns the first error of recording.
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

// Workers returns the number of workers for a provider's concurrency. A worker keeps its task until the reply is on disk, so that a kill
// loses at most the calls in flight. Above 64 calls, waiting for the disk would leave the server idle for a tenth of the time, so there are
// more workers than calls (BenchmarkRun).
func Workers(concurrency int) int { return concurrency + max(0, concurrency-64)*3/4 }

// Run executes all tasks until they are done or the run stops. After an error of a source or a task, it finishes the tasks in flight,
// begins no other, and returns the first error.
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
			concurrency = max(concurrency, c.State().MaxConcurrency) // one provider name may stand for several servers
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

// RunShown executes tasks as Run does. If there are parties, it shows their progress on out.
func (e *Engine) RunShown(ctx context.Context, unit string, parties []Party, sources []Source, out io.Writer) error {
	if len(parties) > 0 {
		defer e.showProgress(out, unit, parties)()
	}
	return e.Run(ctx, sources)
}

// feed puts the due tasks of a source into the queues of their providers. If the source has batches, it first makes the calls in batches.
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
				if begin.Err() == nil { // the run may have stopped since the task was queued
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

// do executes one task and records its result. The replies behind a valid result are already on disk, so the next run can make the result
// again without a call. A failed call is not reused, so the worker waits until a failed result is on disk: otherwise, after a kill, several
// such calls could be paid for again.
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

// Complete reports whether all calls were made: none was left out because of a budget or a provider.
func (e *Engine) Complete() bool { return e.Unmade.Reasons(e.Budgets) == "" }

// Connect makes a client for each provider. faults has the reasons why providers cannot be used, by provider; their items are skipped. With
// strict, such a reason is an error instead. Connect also asks the user for consent to what is sent, unless the clients are on other
// machines.
func (e *Engine) Connect(ctx context.Context, providers []string, strict bool, w io.Writer) (faults map[string]string, err error) {
	faults = map[string]string{}
	if e.Fleet == nil { // otherwise the workers have the keys
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

// client makes a provider's client. To test the connection, it asks the provider for its list of models, for at most 10 seconds.
func (e *Engine) client(ctx context.Context, name string, known []store.Adaptation) (client.Client, error) {
	provider := e.config.Providers[name]
	provider.Name, provider.Concurrency = name, ConcurrencyOf(e.config)[name]/len(provider.Servers()) // concurrency of one server
	if e.Fleet != nil {
		provider.Concurrency = cmp.Or(e.config.Providers[name].Concurrency, e.config.Run.Concurrency) // the workers have the key
		return e.Fleet.Client(ctx, provider, e.hooks(name, known))
	}
	client, err := client.New(provider, os.Getenv, e.hooks(name, known))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// A usable server may have no list of models, or refuse it for a key with few rights (403).
	_, err = client.Models(ctx)
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 0 || e.HTTPStatus == 401) {
		return nil, err
	}
	return client, nil
}

// ConcurrencyOf returns the number of concurrent calls at each provider; for Offline, the number of concurrent offline tasks.
func ConcurrencyOf(c *config.Config) map[string]int {
	counts := map[string]int{Offline: runtime.GOMAXPROCS(0)}
	for name, p := range c.Providers {
		most := c.Run.Concurrency
		if p.Type == llm.TypeCommand {
			most = 1 // a program may answer without the id of a request, so requests may not overlap
		}
		counts[name] = cmp.Or(p.Concurrency, most) * len(p.Servers())
	}
	return counts
}

// Join lets the workers of a queue make the engine's calls, if --queue names one. An entry with batches is an error.
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
