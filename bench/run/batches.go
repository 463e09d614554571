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

// With batch: true, the calls of a model or judge are answered in batches before its tasks begin. The replies are recorded
// under the keys of the calls, where the tasks find them. So a batched reply is processed like any other.
//
// Calls that do not fit into a batch, that failed temporarily in one, or that a batch did not process go into another one,
// as long as each round of batches gets some replies. So do repairs of a judge and later calls of a pairwise method, which
// depend on earlier replies. What is then left (the budget is used up, a batch failed or was cancelled, its replies could
// not be fetched) stays pending: no call of such a party is made by itself, because that would cost more than the agreed
// price. With batch: fallback it is made by itself, at the full price, and a line says so.

// batchPoll is the time between two requests for the state of a batch.
const batchPoll = 30 * time.Second

// A BatchParty is a party whose calls are made in batches.
type BatchParty struct {
	store.Party
	Provider string
	Model    string
	Fallback bool // what no batch has answered is asked for by itself
}

// A batching makes the batches of one party in a run.
type batching struct {
	*Engine
	BatchParty
	client client.Batcher
	source Source
	begin  context.Context // ends when no more tasks may begin

	owed map[string]bool // keys of calls in batches that are not collected
	most int             // calls of a batch, below the server's limit of enqueued tokens; 0: not known to be limited
	over bool            // a batch over that limit was refused, and smaller ones may be accepted
	why  string          // the last reason why calls were not answered
}

// leastBatch is the number of calls of a batch that is submitted although the budget does not cover all calls: a batch may
// take a day.
const leastBatch = 20

// inBatches has the calls of a source answered in batches. begin ends when nothing more is to begin. An error ends the run;
// a server that does not answer does not.
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

// waits returns the error of a call that no batch has answered.
func (b *batching) waits() error {
	return &llm.Error{Kind: llm.Unavailable, Provider: b.Provider, Model: b.Model, Message: "it waits for another batch"}
}

// list calls each for every call that is to be made and not on record.
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

// work takes up the batches that an earlier run left, and submits new ones until
// all calls are answered or a round of batches answers none.
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

// closed reports whether a call has ended without a reply that is recorded.
func (b *batching) closed(key string) bool {
	_, ended := b.batched.Load(partyCall{b.Party, key})
	return ended
}

// submit submits what is to be asked, batch by batch, and returns the batches.
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
		full := b.most > 0 && len(asks) == b.most // the next batch waits until this one is collected
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
	if errors.As(err, &refused) { // the batches made before are still waited for
		b.why = refused.Error()
		return made, nil
	}
	return made, err
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
	var e *llm.Error
	if errors.As(err, &e) && e.HTTPStatus >= 400 && e.HTTPStatus < 500 { // it was certainly not made
		b.client.Budgets().Settle(aside, 0)
		b.over = e.TokenLimit && b.halve(len(calls))
		return p, errors.Join(err, b.mark(p.Label, "", store.BatchCollected))
	}
	maps.Copy(b.owed, data.Among(p.Keys))
	if err != nil {
		return p, err // it may have been made: the next run looks for it
	}
	p.ID = batch.ID
	p.Status = batch.Status
	return p, b.mark(p.Label, p.ID, p.Status)
}

// halve makes the next batches half as large as one of n calls that was over the server's limit of enqueued tokens. It reports
// whether there are smaller ones.
func (b *batching) halve(n int) bool {
	if n < 2 {
		return false
	}
	b.most = (n + 1) / 2
	b.progress.say(b.Provider, fmt.Sprintf("the calls of %s are submitted in batches of at most %d, one after the other", b.Name, b.most))
	return true
}

func (b *batching) mark(label, id, status string) error {
	return b.Record.Keep(func(w store.Batch) error { return w.SetBatch(label, id, status) })
}
