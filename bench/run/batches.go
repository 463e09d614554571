package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"compqa/bench/config"
	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
	"compqa/results/store"
)

// With batch: true, the calls of a model or judge are made in batches before its tasks begin. The replies are recorded
// under the keys of the calls, where the tasks find them. So the tasks process a batched reply like any other.
//
// A call goes into the next batch if it did not fit into one, failed temporarily in one, or was not processed. So does a call that
// depends on earlier replies, such as a judge's repair. Batches are submitted as long as each round of them gets
// some replies. The remaining calls stay pending, for instance when the budget is used up or a batch failed: made one by one, they would
// cost more than the agreed price. With batch: fallback they are made one by one, at the full price, and a line says so.

// batchPoll is the default time between two requests for the state of a batch.
const batchPoll = 30 * time.Second

// A BatchParty is a model or judge whose calls are made in batches.
type BatchParty struct {
	store.Party
	Provider string
	Model    string
	Fallback bool // calls without a reply from a batch are made one by one
}

// A batching makes the batches of one party in a run.
type batching struct {
	*Engine
	BatchParty
	client client.Batcher
	source Source
	begin  context.Context // ends when no more tasks may begin

	owed map[string]bool // keys of calls in batches whose replies are not collected yet
	most int             // most calls in a batch, below the server's limit of enqueued tokens; 0: no known limit
	over bool            // the server refused a batch over that limit; smaller ones may be accepted
	why  string          // the latest reason why calls have no reply
}

// leastBatch is the smallest batch that is submitted when the budget does not cover all calls, because a batch may take a day.
const leastBatch = 20

// inBatches makes the calls of a source in batches. begin ends when nothing more may begin. Afterwards, calls in batches that were not
// collected wait for the next command. An error ends the run; a server that does not reply is not an error.
func (e *Engine) inBatches(ctx, begin context.Context, s Source) error {
	b := &batching{Engine: e, BatchParty: *s.Batch, client: e.Clients[s.Batch.Provider].(client.Batcher), source: s, begin: begin,
		owed: map[string]bool{}}
	if err := b.work(ctx); err != nil || begin.Err() != nil {
		if n := len(b.owed); err == nil && n > 0 {
			b.progress.say(b.Provider, fmt.Sprintf("%s of %s stay in batches at the provider, which are paid for; the same command collects them",
				data.Plural(n, "call", "calls"), b.Name))
		}
		return err
	}
	for key := range b.owed { // these are paid for
		b.batched.Store(partyCall{b.Party, key}, batchReply{err: b.waits()})
	}
	if !b.Fallback {
		e.onlyInBatches.Store(b.Party, b)
		return nil
	}
	left := 0
	err := b.list(func(x AskedCall) error {
		if !b.closed(x.Call.Key) {
			left++
		}
		return nil
	})
	if left > 0 {
		b.progress.say(b.Provider, fmt.Sprintf("%s of %s are made by themselves, at the full price (%s)", data.Plural(left, "call", "calls"),
			b.Name, cmp.Or(b.why, "no batch answered")))
	}
	return err
}

// waits returns the error of a call that waits for another batch.
func (b *batching) waits() error {
	return &llm.Error{Kind: llm.Unavailable, Provider: b.Provider, Model: b.Model, Message: "it waits for another batch"}
}

// list calls each for every call that is to be made and not on record. It leaves out calls that depend on unknown replies.
func (b *batching) list(each func(AskedCall) error) error {
	d := &DryRun{Config: b.config, Retry: b.Retry, Find: b.find, Asked: func(_ Task, a AskedCall, _ int) error {
		if a.Follows {
			return nil
		}
		return each(a)
	}}
	if err := d.Walk(b.begin, b.source); err != nil && b.begin.Err() == nil {
		return err
	}
	return nil
}

// work collects the batches that an earlier run left, and submits new ones. It ends when all calls have replies, or when a round of batches
// gets none.
func (b *batching) work(ctx context.Context) error {
	open, err := b.Store.OpenBatches(b.Party)
	if err != nil {
		return err
	}
	for _, p := range open {
		b.client.Budgets().ForceReserve(p.Aside)
		maps.Copy(b.owed, data.Among(p.Keys))
	}
	for ended := 1; ended > 0; open = nil {
		more, err := b.submit(ctx)
		if err != nil {
			return err
		}
		ended = 0
		if b.over {
			ended = 1
			b.over = false
		}
		for _, p := range append(open, more...) {
			if b.begin.Err() != nil {
				return nil
			}
			n, err := b.collect(ctx, p)
			var fault *llm.Error
			switch {
			case errors.As(err, &fault) && ctx.Err() == nil: // the batch stays on record for the next run
				b.why = fault.Error() + "; the batch is not lost: the same command collects it"
				if p.ID == "" {
					b.why = fault.Error() + "; a batch whose submission was interrupted may be paid for: the same command looks for it again"
				}
				b.progress.say(b.Provider, fmt.Sprintf("batch of %s: %s", b.Name, b.why))
			case errors.As(err, &fault):
				return nil
			case err != nil:
				return err
			}
			ended += n
		}
	}
	return nil
}

// ErrEnough ends a walk of tasks early.
var ErrEnough = errors.New("no more tasks are wanted")

// A batchReply is the result of a call in a batch. Engine.batched has the calls that ended without a usable reply: with an error, or
// waiting for another batch. Their party may not make them again at the full price; another party may.
type batchReply struct {
	reply llm.Reply
	err   error
}

// A partyCall identifies a call of one party.
type partyCall struct {
	party store.Party
	key   string
}

// closed reports whether a call of the party has ended without a usable reply.
func (b *batching) closed(key string) bool {
	_, ended := b.batched.Load(partyCall{b.Party, key})
	return ended
}

// submit submits the calls that are to be made, in as many batches as their number and size require, and returns the batches. It stops at
// the first call that the budget does not cover.
func (b *batching) submit(ctx context.Context) (made []store.ProviderBatch, err error) {
	var calls []store.Call
	var asks []client.BatchAsk
	size := 0
	aside := 0.0
	short := false
	flush := func() error {
		if len(calls) == 0 {
			return nil
		}
		p, err := b.submitOne(ctx, calls, asks, aside)
		if err == nil {
			made = append(made, p)
		}
		calls = nil
		asks = nil
		size = 0
		aside = 0
		return err
	}
	seen := map[string]bool{}
	err = b.list(func(x AskedCall) error {
		key := x.Call.Key
		full := b.most > 0 && len(asks) == b.most // the rest waits until this batch is collected
		if full || b.closed(key) || seen[key] || b.owed[key] || b.begin.Err() != nil || short {
			return nil
		}
		seen[key] = true
		ask := client.BatchAsk{ID: key, Request: x.Request}
		most := b.client.ExpectedCost(x.Request)
		if aside+most > b.client.Budgets().Remaining() {
			b.why, short = fmt.Sprintf("the budget does not cover it, %s spent; the next call could cost up to %s", b.Budgets.sums(),
				limits.Dollars(most)), true
			return nil
		}
		if len(asks) == client.MostInBatch || size+ask.Size() > client.MostOfABatch {
			if err := flush(); err != nil {
				return err
			}
		}
		calls, asks, size, aside = append(calls, x.Call), append(asks, ask), size+ask.Size(), aside+most
		return nil
	})
	if n := len(calls); short && 0 < n && n < leastBatch && b.client.Observed(asks[0].Request) {
		b.why = fmt.Sprintf("the budget does not cover it but for %s, and a batch has at least %d then, %s spent",
			data.Plural(n, "call", "calls"), leastBatch, b.Budgets.sums())
		calls = nil
	}
	if err == nil && b.begin.Err() == nil {
		err = flush()
	}
	var refused *llm.Error
	if errors.As(err, &refused) { // the batches before are still collected
		b.why = refused.Error()
		return made, nil
	}
	return made, err
}

// submitOne records a batch, then submits it. If the submission is interrupted, the next run finds the batch by its label. A refused batch
// is settled and not collected.
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
	var e *llm.Error
	if errors.As(err, &e) && e.HTTPStatus >= 400 && e.HTTPStatus < 500 { // the server certainly did not make it
		b.client.Budgets().Settle(aside, 0)
		b.over = e.TokenLimit && b.halve(len(calls))
		return p, errors.Join(err, b.mark(p.Label, "", store.BatchCollected))
	}
	maps.Copy(b.owed, data.Among(p.Keys))
	if err != nil {
		return p, err // the server may have made it: the next run looks for it
	}
	p.ID = batch.ID
	p.Status = batch.Status
	return p, b.mark(p.Label, p.ID, p.Status)
}

// halve limits the next batches to half of n calls, after a batch of n was over the server's limit of enqueued tokens. It returns false if
// a batch of n cannot be halved.
func (b *batching) halve(n int) bool {
	if n < 2 {
		return false
	}
	b.most = (n + 1) / 2
	b.progress.say(b.Provider, fmt.Sprintf("the calls of %s are submitted in batches of at most %d, one after the other", b.Name, b.most))
	return true
}

// mark records the id and the status of a batch.
func (b *batching) mark(label, id, status string) error {
	return b.Record.Keep(func(w store.Batch) error { return w.SetBatch(label, id, status) })
}
