package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/results/store"
)

// collect waits for a batch and records its replies. answered is how many of its requests
// have ended; why says what became of the others.
func (b *batching) collect(ctx context.Context, p store.ProviderBatch) (answered int, why string, err error) {
	defer b.progress.batch(b.Provider, p.Label, "")
	if p.ID == "" {
		found, err := b.client.Find(ctx, client.Submission{Label: p.Label, At: p.Submitted, Requests: len(p.Keys)})
		if err != nil {
			return 0, "", b.later(ctx, err)
		}
		if found.ID == "" { // the submission never arrived
			b.client.Budgets().Settle(p.Aside, 0)
			b.forget(p)
			return 1, "", b.mark(p.Label, "", store.BatchCollected)
		}
		p.ID = found.ID
		if err := b.mark(p.Label, p.ID, found.Status); err != nil {
			return 0, "", err
		}
	}
	batch, err := b.await(ctx, p)
	if err != nil || !batch.Over() {
		return 0, "", err
	}
	cost, answered, err := b.replies(ctx, p, batch)
	if err != nil {
		return 0, "", b.later(ctx, err)
	}
	b.client.Budgets().Settle(p.Aside, cost)
	b.forget(p)
	if batch.Status != "completed" {
		why = strings.TrimSpace(fmt.Sprintf("batch %s %s %s", batch.ID, batch.Status, batch.Reason))
		b.progress.say(b.Provider, why)
	}
	if batch.Status == "failed" || batch.Status == "cancelled" {
		answered = 0 // another one would fail too
	}
	return answered, why, b.mark(p.Label, p.ID, store.BatchCollected)
}

func (b *batching) forget(p store.ProviderBatch) {
	for _, key := range p.Keys {
		delete(b.owed, key)
	}
}

// later is the error of a provider that fails temporarily: the batch stays on record for the next run.
func (b *batching) later(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("%w; the batch is not lost: the same command collects it", err)
}

// await polls a batch until it is over or the run is to stop.
func (b *batching) await(ctx context.Context, p store.ProviderBatch) (client.Batch, error) {
	every := b.config.Providers[b.Provider].BatchPoll
	if every <= 0 {
		every = batchPoll
	}
	for {
		batch, err := b.client.Look(ctx, p.ID)
		var e *llm.Error
		if errors.As(err, &e) && !e.Retriable && ctx.Err() == nil {
			return batch, b.later(ctx, err)
		}
		state := "its state is unknown at the moment"
		if err == nil {
			if batch.Over() {
				return batch, nil
			}
			state = fmt.Sprintf("%s, %d of %d done", batch.Status, batch.Done, max(batch.Total, len(p.Keys)))
		}
		b.progress.batch(b.Provider, p.Label, fmt.Sprintf("batch %s of %s: %s, for %s", p.ID, b.Name, state, Rough(time.Since(p.Submitted))))
		select {
		case <-time.After(every):
		case <-b.begin.Done():
			return batch, nil
		}
	}
}

// replies puts a batch's replies on record, each once.
func (b *batching) replies(ctx context.Context, p store.ProviderBatch, batch client.Batch) (cost float64, answered int, err error) {
	known, err := b.Store.BatchCalls(batch.ID)
	if err != nil {
		return 0, 0, err
	}
	ours := data.Among(p.Keys)
	find := func(key string) (llm.Request, error) {
		request, err := b.Store.CallRequest(key)
		if err != nil || !ours[key] {
			return llm.Request{}, nil // it is not recorded
		}
		return llm.ParseCanonical(request)
	}
	err = b.client.Collect(ctx, batch, p.Model, find, func(key string, reply llm.Reply, err error) error {
		if !ours[key] {
			return nil
		}
		for _, a := range reply.Attempts {
			if a.Cost != nil {
				cost += *a.Cost
			}
		}
		if b.ended(key, reply, err) {
			answered++
		}
		if known[key] {
			return nil
		}
		known[key] = true
		request, failed := b.Store.CallRequest(key)
		if failed != nil {
			return failed
		}
		call := store.Call{Key: key, Provider: p.Provider, Model: p.Model, Request: []string{request}, Status: data.Valid, Payer: p.Payer,
			Reply: reply.Text, Reasoning: reply.Reasoning, Finish: reply.Finish, Raw: reply.Raw, Attempts: reply.Attempts}
		if err != nil {
			call.Status = scoring.StatusOf(err)
		}
		b.Record.Put(func(w store.Batch) error {
			_, err := w.Call(call)
			return err
		})
		return nil
	})
	return cost, answered, errors.Join(err, b.Record.Sync())
}

// ended decides what follows from the end of one request, and reports whether it has ended.
func (b *batching) ended(key string, reply llm.Reply, err error) bool {
	var e *llm.Error
	switch {
	case !errors.As(err, &e):
	case e.Kind == llm.Unavailable:
		return false
	case e.Retriable:
		b.single[key] = true
	default:
		b.batched.Store(partyCall{b.Party, key}, batchReply{reply, err})
	}
	return true
}
