package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/fleet"
	"compqa/llm/limits"
	"compqa/llm/protocol"
	"compqa/results/store"
)

// calls lists the calls that a task has made or found on record, in the order in which it asked for them.
type calls struct {
	mu  sync.Mutex
	ids []*int64 // 0: the call is not on record
}

// next appends a call and returns where its id goes.
func (c *calls) next() *int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ids = append(c.ids, new(int64))
	return c.ids[len(c.ids)-1]
}

// An asked is a reply with the id of its recorded call. The id is 0 if the call is not on record.
type asked struct {
	llm.Reply
	call int64
}

// live returns the Asker of a run, for the calls of a party. It returns the recorded reply of this or an earlier run. Otherwise it calls
// the model, and records the reply before the caller parses it. With a record, concurrent identical calls are made once.
func (e *Engine) live(party store.Party, made *calls) Asker {
	return func(ctx context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
		call, err := newCall(e.config, party, provider, sample, &req)
		if err != nil {
			return llm.Reply{}, err
		}
		if stopped, ok := e.refused.Load(party); ok {
			return llm.Reply{}, stopped.(*llm.Error)
		}
		id := made.next()
		if e.Store == nil {
			reply, err := e.askOnce(ctx, &call, &req)
			return reply.Reply, err
		}
		shared, err, _ := e.asking.Do(call.Key, func() (any, error) { return e.askOnce(ctx, &call, &req) })
		reply := shared.(asked)
		*id = reply.call
		return reply.Reply, err
	}
}

// newCall returns the record of a request to a provider's model. It also gives the request its seed, if it has none.
func newCall(c *config.Config, party store.Party, provider string, sample int, req *llm.Request) (store.Call, error) {
	seeded(c, sample, req)
	asked, key, err := req.Canonical(sample)
	if err != nil {
		return store.Call{}, err
	}
	return store.Call{Key: CallKey(c.Providers[provider].Server(), key), Provider: provider, Model: req.Model, Request: asked, Payer: party,
		Round: sample / apart}, nil
}

// seeded sets the seed of a request that has none. The seed is derived from the run's seed and the sample number.
func seeded(c *config.Config, sample int, req *llm.Request) {
	if _, set := req.Options["seed"]; !set && req.Seed == nil {
		seed := llm.Seed(c.Run.Seed, sample)
		req.Seed = &seed
	}
}

// CallKey returns the key of a call: a hash of the request's key and the server. server is "" unless the provider has fingerprint: url,
// which says that replies depend on the address.
func CallKey(server, key string) string { return config.HashOf(server, json.RawMessage(`"`+key+`"`)) }

// askOnce returns the recorded reply to a call; else the reply or error that a batch stored; else, for a party whose calls are made only in
// batches, an error. Otherwise it calls the provider and records the reply. It returns when the reply is on disk, so that a kill loses at
// most the calls in flight.
func (e *Engine) askOnce(ctx context.Context, call *store.Call, req *llm.Request) (asked, error) {
	if reply, found, err := e.known(call, req); found || err != nil {
		return reply, err
	}
	if ended, ok := e.batched.Load(partyCall{call.Payer, call.Key}); ok {
		reply := ended.(batchReply)
		id, err := e.Store.LastCall(call.Key)
		if err == nil {
			err = reply.err
		}
		return asked{reply.reply, id}, err
	}
	if batch, only := e.onlyInBatches.Load(call.Payer); only {
		e.Unmade.wait(batch.(*batching))
		return asked{}, batch.(*batching).waits()
	}
	reply, err := e.Clients[call.Provider].Chat(fleet.WithKey(context.WithValue(ctx, callOf{}, call), call.Key), *req)
	call.Status = data.Valid
	if err != nil {
		call.Status = scoring.StatusOf(err)
	}
	e.Unmade.count(call.Provider, err)
	e.stopRefused(call, err)
	if err == nil && req.WantsLogprobs() && !reply.HasLogprobs() {
		if _, known := e.unlogged.LoadOrStore(call.Provider+"\x00"+call.Model, true); !known {
			e.progress.say(call.Provider, fmt.Sprintf("model %s returns no log-probabilities, which %s asks for: its choices have no confidence",
				call.Model, call.Payer.Name))
		}
	}
	if call.Status == data.Pending && len(reply.Attempts) == 0 || e.Store == nil {
		if e.Fleet != nil {
			e.Fleet.MarkRecorded(call.Key) // there is nothing to record
		}
		return asked{Reply: reply}, err
	}
	call.Reply = reply.Text
	call.Reasoning = reply.Reasoning
	call.Finish = reply.Finish
	call.Raw = reply.Raw
	call.Attempts = reply.Attempts
	id, replied, kept := e.keep(call)
	if kept == nil && e.Fleet != nil {
		e.Fleet.MarkRecorded(call.Key)
	}
	if kept == nil && replied { // meanwhile a batch has delivered a reply
		if first, found, err := e.known(call, req); found || err != nil {
			return first, err
		}
	}
	if kept != nil {
		err = kept
	}
	return asked{reply, id}, err
}

// missedInARow is the number of consecutive calls without a model after which an entry is stopped. Fewer are tolerated, because a model may
// be missing for a moment while it is deployed.
const missedInARow = 8

// stopRefused stops an entry whose model refuses one of its options, or does not exist in missedInARow consecutive calls. The entry's
// remaining calls stay pending.
func (e *Engine) stopRefused(call *store.Call, err error) {
	refusal, _ := errors.AsType[*llm.Error](err)
	text := ""
	switch missed, _ := e.missed.LoadOrStore(call.Payer, new(atomic.Int32)); {
	case err == nil:
		missed.(*atomic.Int32).Store(0)
		return
	case refusal != nil && refusal.Parameter != "":
		text = e.config.Refusal(call.Payer.Name, call.Provider, call.Model, refusal)
	case refusal != nil && refusal.Concerns == llm.OneModel && missed.(*atomic.Int32).Add(1) >= missedInARow:
		text = fmt.Sprintf("%s is stopped (%s): its remaining calls stay pending; correct the entry, and run the same command again",
			call.Payer.Name, refusal.Brief())
	default:
		return
	}
	if _, known := e.refused.LoadOrStore(call.Payer, refusal); !known {
		e.progress.say(call.Provider, text)
		e.Unmade.note(text)
	}
}

// known returns the recorded reply to a call, of this or an earlier run. found is false if there is none. A reply that was cut off, and
// that the same request would cut off again, comes with its error. A reply of an earlier run is recorded here, too.
func (e *Engine) known(call *store.Call, req *llm.Request) (reply asked, found bool, err error) {
	known, found, err := e.find(call.Key)
	found = found && final(e.config, known, call.Provider, req)
	if err == nil && found && known.Origin != "" { // record it here, too
		known.Provider = call.Provider
		known.Model = call.Model
		known.Request = call.Request
		known.Round = call.Round
		e.Reuse[slices.IndexFunc(e.Reuse, func(r *earlier) bool { return r.dir == known.Origin })].taken.Add(1)
		known.ID, _, err = e.keep(&known)
	}
	if err != nil || !found {
		return asked{}, false, err
	}
	if e.log != nil {
		e.log.Debug("on record", "call", known.Key, "provider", known.Provider, "model", known.Model, "origin", known.Origin)
	}
	said, err := replyOf(known, req)
	return asked{*said, known.ID}, true, err
}

// final reports whether a recorded call is not made again. Its reply is complete, or was cut off at a limit of tokens where the same
// request would be cut off again.
func final(c *config.Config, known store.Call, provider string, req *llm.Request) bool {
	if known.Status == data.Valid {
		return true
	}
	_, limited := llm.ReplyLimit(req.Options)
	return limited && known.Reply != "" && protocol.AtLimit(known.Finish) && c.Providers[provider].Repeats(*req)
}

// replyOf returns the reply of a recorded call. If the reply was cut off, it also returns the error.
func replyOf(call store.Call, req *llm.Request) (*llm.Reply, error) {
	reply := &llm.Reply{Text: call.Reply, Reasoning: call.Reasoning, Finish: call.Finish, Raw: call.Raw}
	if call.Status == data.Valid {
		return reply, nil
	}
	return reply, &llm.Error{Kind: llm.Truncated, Provider: call.Provider, Model: call.Model, Message: req.LimitReached(call.Finish) +
		"; the same call is not made again"}
}

// find looks up a call by its key in this record, then in earlier runs. A complete reply has priority over others. A call from an earlier
// run has the run's folder as its Origin.
func (e *Engine) find(key string) (known store.Call, found bool, err error) {
	known, found, err = e.Store.FindCall(key)
	for _, earlier := range e.Reuse {
		if err != nil || found && known.Status == data.Valid {
			break
		}
		other, ok, fault := earlier.store.FindCall(key)
		if err = fault; ok && (!found || other.Status == data.Valid) {
			known = other
			found = true
			known.Origin = earlier.dir
		}
	}
	return known, found, err
}

// keep records a call and waits until it is on disk. replied is true if the record already had a reply to it. An error wraps
// context.Canceled: the run ends, and the call counts as stopped.
func (e *Engine) keep(call *store.Call) (id int64, replied bool, err error) {
	err = e.Record.Keep(func(b store.Batch) (err error) {
		id, replied, err = b.Keep(*call)
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return id, replied, err
}

// An earlier is the record of an earlier run, whose replies to identical calls are reused.
type earlier struct {
	dir   string // absolute path; the Origin of reused calls
	store *store.Store
	taken atomic.Int64 // number of reused replies
}

// OpenEarlier opens the records that --reuse names. out is the run's own folder, which may not be one of them.
func OpenEarlier(dirs []string, out string) ([]*earlier, error) {
	var runs []*earlier
	for _, dir := range dirs {
		if SameFile(dir, out) {
			return nil, config.Usagef("--reuse %s is the run itself, which repeats no call anyway", dir)
		}
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, config.Usagef("--reuse %s: %w", dir, err)
		}
		db, err := store.Open(dir)
		if err != nil {
			CloseEarlier(runs, io.Discard)
			return nil, fmt.Errorf("--reuse: %w", err)
		}
		runs = append(runs, &earlier{dir: path, store: db})
	}
	return runs, nil
}

// SameFile reports whether two paths lead to the same file or folder.
func SameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(x, y)
}

// CloseEarlier closes the records and prints how many replies were reused from each.
func CloseEarlier(runs []*earlier, w io.Writer) {
	for _, e := range runs {
		if n := e.taken.Load(); n > 0 {
			fmt.Fprintf(w, "%d replies were reused from %s\n", n, e.dir)
		}
		e.store.Close()
	}
}

// callOf is the context key under which a request carries its *store.Call.
type callOf struct{}

// attempted returns a function that logs each attempt of a call: for whom, which attempt, how long it waited, and its outcome. The log has
// no secrets: reasons are free of them (package llm), and headers are not logged.
func attempted(log *slog.Logger, provider string) func(context.Context, client.AttemptEvent) {
	return func(ctx context.Context, t client.AttemptEvent) {
		level := slog.LevelDebug
		what := "request"
		var call store.Call
		if made, ok := ctx.Value(callOf{}).(*store.Call); ok {
			call = *made
		}
		args := []any{"call", call.Key, "for", call.Payer.Name, "provider", provider, "model", t.Model, "attempt", t.N, "status",
			string(t.Outcome), "http", t.HTTPStatus, "waited", rounded(t.Wait), "took", rounded(t.Latency)}
		if t.Outcome != llm.Valid {
			level = slog.LevelWarn
			what = "request failed"
			args = append(args, "reason", t.Reason)
		}
		if t.Pause > 0 {
			args = append(args, "again_in", rounded(t.Pause))
		}
		log.Log(ctx, level, what, args...)
	}
}

// rounded formats a duration for the log, in milliseconds.
func rounded(d time.Duration) string { return d.Round(time.Millisecond).String() }

// sending records that a request is about to be sent, and returns when this is on disk. So if a run is killed, the record shows which calls
// were in flight.
func (e *Engine) sending(ctx context.Context, s client.PossibleCost) error {
	call, known := ctx.Value(callOf{}).(*store.Call)
	if !known || e.Record == nil {
		return nil
	}
	if call.Asked == "" {
		call.Asked = fmt.Sprintf("%s %d", call.Key, time.Now().UnixNano()) // differs from the id of a command that was killed
	}
	err := e.Record.Keep(func(b store.Batch) error { return b.Sending(*call, s.Requests, s.Cost) })
	if err != nil {
		return &llm.Error{Kind: llm.Cancelled, Message: err.Error(), Cause: fmt.Errorf("%w: %w", context.Canceled, err)}
	}
	return nil
}

// tellUnanswered prints once how many calls of killed commands may have been paid for without a reply.
func (e *Engine) tellUnanswered(w io.Writer) error {
	list, err := e.Store.Unanswered(true)
	if err != nil || list == nil {
		return err
	}
	calls := 0
	requests := 0
	unpriced := 0
	cost := 0.0
	for _, u := range list {
		calls += u.Calls
		requests += u.Requests
		cost += u.Cost
		if _, priced := e.config.Price(u.Provider, u.Model); !priced {
			unpriced += u.Calls
		}
	}
	text := data.Plural(calls, "call", "calls")
	if requests > calls {
		text += fmt.Sprintf(" (%d requests)", requests)
	}
	text += " may have been paid without an answer, because a command was killed while it waited"
	if unpriced < calls {
		text += ": at most " + limits.Dollars(cost) + ", which budgets count"
	}
	if unpriced > 0 {
		text += fmt.Sprintf("; the price of %d is not known", unpriced)
	}
	fmt.Fprintln(w, text+" (maybe_paid in tables/costs.csv)")
	e.Record.Put(store.Batch.SetUnanswered) // so that the reports are written again
	return nil
}

// If a reply cannot be read, --retry-failed asks again with other sample numbers, because the record keeps the reply to each number. The
// numbers of round n lie n*apart above the original ones.
const (
	apart      = 1_000_000
	mostRounds = 20
)

// afresh returns an Asker that asks with the sample numbers of the first round whose first call is not on record. find looks up a call by
// its key.
func afresh(c *config.Config, ask Asker, find func(key string) (store.Call, bool, error)) Asker {
	var mu sync.Mutex
	round := 0
	choose := func(provider string, sample int, req llm.Request) error {
		mu.Lock()
		defer mu.Unlock()
		if round > 0 {
			return nil
		}
		for round = 1; round < mostRounds; round++ {
			request := req
			call, err := newCall(c, store.Party{}, provider, sample+round*apart, &request)
			if err != nil {
				return err
			}
			if _, found, err := find(call.Key); err != nil || !found {
				return err
			}
		}
		return nil
	}
	return func(ctx context.Context, provider string, sample int, req llm.Request) (llm.Reply, error) {
		if err := choose(provider, sample, req); err != nil {
			return llm.Reply{}, fmt.Errorf("%w: %w", context.Canceled, err)
		}
		return ask(ctx, provider, sample+round*apart, req)
	}
}

// again reports whether a task's recorded reply cannot be read, so that the task asks with other sample numbers. A source with batches
// never does, because batches ask for each number once.
func (t *Task) again(s Source) bool {
	return s.Batch == nil && t.Recorded.Status.Unreadable() && t.Recorded.Fingerprint == t.Fingerprint
}

// RetryFailed is the advice on results that another call could improve.
const RetryFailed = "--retry-failed asks for them again"

// Advice says what to do about left results that are not valid. again is how many of them --retry-failed would ask for.
func Advice(left, again int) string {
	const same = "the same calls would give the same replies"
	switch {
	case again == 0:
		return same + ": change the entries' options"
	case again >= left:
		return RetryFailed
	}
	return fmt.Sprintf("--retry-failed asks for %d of them again; for the others %s: change the entries' options", again, same)
}

// Again counts the tasks for which --retry-failed could give another result. For such a task it would make a call, or another task has
// meanwhile made the same call successfully.
func (e *Engine) Again(ctx context.Context, sources []Source) (n int, err error) {
	counted := false
	d := &DryRun{Config: e.config, Retry: true, Find: e.find,
		Item: func(Task, bool) error { counted = false; return nil },
		Asked: func(Task, AskedCall, int) error {
			if !counted {
				n++
				counted = true
			}
			return nil
		},
		Read: func(_ Task, i Item) {
			if i.Status == data.Valid || i.Status == data.Abstained {
				n++
			}
		}}
	for _, s := range sources {
		if err := d.Walk(ctx, s); err != nil {
			return n, err
		}
	}
	return n, nil
}
