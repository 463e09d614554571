package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/results/store"
)

// With batch: true, the calls of a model or judge are answered in batches before its tasks begin. The replies are recorded
// under the keys of the calls, where the tasks find them. So a batched reply is processed like any other.
//
// Calls that do not fit into a batch go into another one, as long as each batch gets some replies. Repairs of a judge and
// later calls of a pairwise method, which depend on earlier replies, also go into another batch. A call that fails
// temporarily in a batch (429, 500) is made separately, at the full price. Calls without an answer from any batch (the
// budget is used up, a batch failed or was cancelled) stay pending, because a single call would cost more than the agreed
// price.

// batchPoll is the time between two requests for the state of a batch.
const batchPoll = 30 * time.Second

// A BatchParty is a party whose calls are made in batches.
type BatchParty struct {
	store.Party
	Provider string
	Model    string
}

// A batching makes the batches of one party in a run.
type batching struct {
	*Engine
	BatchParty
	client client.Batcher
	source Source
	begin  context.Context // ends when no more tasks may begin

	owed   map[string]bool // keys of calls in batches that are not collected
	single map[string]bool // keys of calls that are to be asked one by one
}

// inBatches has the calls of a source answered in batches. begin ends when nothing more is to begin.
func (e *Engine) inBatches(ctx, begin context.Context, s Source) error {
	b := &batching{Engine: e, BatchParty: *s.Batch, client: e.Clients[s.Batch.Provider].(client.Batcher), source: s, begin: begin,
		owed: map[string]bool{}, single: map[string]bool{}}
	if err := b.work(ctx); err != nil {
		return errors.Join(err, b.wait("see above"))
	}
	return nil
}

// list calls each for every call that is to be made and not on record.
func (b *batching) list(each func(AskedCall) error) error {
	d := &DryRun{Config: b.config, Retry: b.Retry, Find: b.find, Asked: func(_ Task, a AskedCall, n int) error {
		if n > 1 {
			return nil // later calls of the task, which are not known yet
		}
		return each(a)
	}}
	if err := d.Walk(b.begin, b.source); err != nil && b.begin.Err() == nil {
		return err
	}
	return nil
}

// work takes up the batches that an earlier run left, and submits new ones until
// all calls are answered or a round of batches answers none.
func (b *batching) work(ctx context.Context) error {
	open, err := b.Store.OpenBatches(b.Party)
	if err != nil {
		return err
	}
	if len(open) == 0 {
		if refused, err := b.askFirst(ctx); refused || err != nil {
			return err
		}
	}
	for _, p := range open {
		b.client.Budgets().ForceReserve(p.Aside)
		maps.Copy(b.owed, data.Among(p.Keys))
	}
	for {
		more, why, err := b.submit(ctx)
		if err != nil {
			return err
		}
		ended := 0
		for _, p := range append(open, more...) {
			if b.begin.Err() != nil {
				return nil
			}
			var n int
			if n, why, err = b.collect(ctx, p); err != nil {
				return err
			}
			ended += n
		}
		if b.begin.Err() != nil {
			return nil
		}
		if ended == 0 {
			return b.wait(why)
		}
		open = nil
	}
}

// askFirst makes the first call by itself, at the full price, if it has options that a model may not accept: in a batch,
// thousands of requests would fail for one. refused reports that the model does not accept an option of the user.
func (b *batching) askFirst(ctx context.Context) (refused bool, err error) {
	var first *AskedCall
	err = b.list(func(x AskedCall) error {
		first = &x
		return ErrEnough
	})
	if first == nil || err != nil && !errors.Is(err, ErrEnough) {
		return false, err
	}
	plain := first.Request.Extra == nil
	for name := range first.Request.Options {
		plain = plain && slices.Contains(llm.ReplyLimitOptions, name)
	}
	if plain {
		return false, nil
	}
	if _, err := b.askOnce(ctx, &first.Call, &first.Request); errors.Is(err, context.Canceled) {
		return false, nil // the record cannot be written, or the run is stopped
	}
	_, refused = b.refused.Load(b.Party)
	return refused, nil
}

// ErrEnough ends a walk of tasks.
var ErrEnough = errors.New("no more tasks are wanted")

// batchReply is what a call that was to be in a batch ended as: without a reply, or waiting for another batch. It may not be
// asked at the full price. It counts for its party alone: another party may make the call by itself.
type batchReply struct {
	reply llm.Reply
	err   error
}

type partyCall struct {
	party store.Party
	key   string
}

// closed reports whether a call is not to be made in a batch: it ended, or is to be asked by itself.
func (b *batching) closed(key string) bool {
	_, ended := b.batched.Load(partyCall{b.Party, key})
	return ended || b.single[key]
}

// wait leaves what no batch has answered for a later run, and notes why.
func (b *batching) wait(why string) error {
	n := 0
	err := b.list(func(x AskedCall) error {
		if !b.closed(x.Call.Key) {
			waits := &llm.Error{Kind: llm.Unavailable, Message: "it waits for another batch"}
			b.batched.Store(partyCall{b.Party, x.Call.Key}, batchReply{err: waits})
			n++
		}
		return nil
	})
	if n > 0 {
		b.Unmade.note(fmt.Sprintf("%s of %s wait for another batch (%s); the same command continues with them", data.Plural(n, "call", "calls"),
			b.Name, why))
	}
	return err
}

// submit submits what is to be asked, batch by batch, and returns the batches; halt says why not all of it could be.
func (b *batching) submit(ctx context.Context) (made []store.ProviderBatch, halt string, err error) {
	var calls []store.Call
	var asks []client.BatchAsk
	size, aside := 0, 0.0
	flush := func() error {
		if len(calls) == 0 {
			return nil
		}
		p, err := b.submitOne(ctx, calls, asks, aside)
		if err == nil {
			made = append(made, p)
		}
		calls, asks, size, aside = nil, nil, 0, 0
		return err
	}
	seen := map[string]bool{}
	err = b.list(func(x AskedCall) error {
		key := x.Call.Key
		if b.closed(key) || seen[key] || b.owed[key] || b.begin.Err() != nil || halt != "" {
			return nil
		}
		seen[key] = true
		ask, worth := client.BatchAsk{ID: key, Request: x.Request}, b.client.MaxCost(x.Request)
		if aside+worth > b.client.Budgets().Remaining() {
			halt = "the budget does not cover it, " + b.Budgets.sums() + " spent"
			return nil
		}
		if len(asks) == client.MostInBatch || size+ask.Size() > client.MostOfABatch {
			if err := flush(); err != nil {
				return err
			}
		}
		calls, asks, size, aside = append(calls, x.Call), append(asks, ask), size+ask.Size(), aside+worth
		return nil
	})
	if err == nil && b.begin.Err() == nil {
		err = flush()
	}
	var refused *llm.Error
	if errors.As(err, &refused) { // the batches made before are still waited for
		return made, refused.Error(), nil
	}
	return made, halt, err
}

// submitOne records a batch, then submits it: one whose submission is interrupted is found by its label.
func (b *batching) submitOne(ctx context.Context, calls []store.Call, asks []client.BatchAsk, aside float64) (store.ProviderBatch, error) {
	now := time.Now()
	p := store.ProviderBatch{Provider: b.Provider, Model: b.Model, Payer: b.Party, Status: store.BatchSubmitting, Submitted: now, Aside: aside}
	p.Keys = data.Each(calls, func(c store.Call) string { return c.Key })
	p.Label = config.HashOf(b.Provider, now.UnixNano(), p.Keys)[:32]
	if err := b.Record.Keep(func(w store.Batch) error { return w.NewBatch(p, calls) }); err != nil {
		return p, err
	}
	b.client.Budgets().ForceReserve(aside)
	batch, err := b.client.Submit(ctx, p.Label, asks)
	if err != nil {
		b.client.Budgets().Settle(aside, 0)
		var e *llm.Error
		if errors.As(err, &e) && e.HTTPStatus >= 400 && e.HTTPStatus < 500 { // it was certainly not made
			err = errors.Join(err, b.mark(p.Label, "", store.BatchCollected))
		}
		return p, err
	}
	maps.Copy(b.owed, data.Among(p.Keys))
	p.ID, p.Status = batch.ID, batch.Status
	return p, b.mark(p.Label, p.ID, p.Status)
}

func (b *batching) mark(label, id, status string) error {
	return b.Record.Keep(func(w store.Batch) error { return w.SetBatch(label, id, status) })
}
