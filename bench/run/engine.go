package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"compqa/bench/cli"

	"golang.org/x/sync/singleflight"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm/client"
	"compqa/llm/fleet"
	"compqa/results/store"
)

// An Engine executes tasks. Every provider has its own queue and workers, so that a slow provider does not delay others.
// Every source has its own goroutine. All results go through one writer.
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
