package run

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/results/store"
	"compqa/results/table"
)

// collect waits for a batch and records its replies. answered is the number of its requests that have ended, or at least 1 if another round
// of batches may help. After an *llm.Error the batch stays on record as not collected. The steps are:
//   - find the batch at the server by its label, if its submission was interrupted;
//   - wait until it is over;
//   - record the replies, and settle their cost.
func (b *batching) collect(ctx context.Context, p store.ProviderBatch) (answered int, err error) {
	defer b.progress.batch(b.Provider, p.Label, "")
	if p.ID == "" {
		found, err := b.client.Find(ctx, client.Submission{Label: p.Label, SubmittedAt: p.Submitted, Requests: len(p.Keys)})
		if err != nil {
			return 0, err
		}
		if found.ID == "" { // the submission did not arrive
			b.client.Budgets().Settle(p.Aside, 0)
			b.forget(p)
			return 1, b.mark(p.Label, "", store.BatchCollected)
		}
		p.ID = found.ID
		if err := b.mark(p.Label, p.ID, found.Status); err != nil {
			return 0, err
		}
	}
	batch, err := b.await(ctx, p)
	if err != nil || !batch.HasEnded() {
		return 0, err
	}
	cost, answered, err := b.replies(ctx, p, batch)
	var gone *llm.Error
	if errors.As(err, &gone) && (gone.HTTPStatus == http.StatusNotFound || gone.HTTPStatus == http.StatusGone) {
		return b.outputGone(p)
	}
	if err != nil {
		return 0, err
	}
	b.client.Budgets().Settle(p.Aside, cost)
	b.forget(p)
	if batch.Status != "completed" {
		b.why = strings.TrimSpace(fmt.Sprintf("batch %s %s %s", batch.ID, batch.Status, batch.Reason))
		b.progress.say(b.Provider, b.why)
	}
	if batch.Status == "failed" && batch.TokenLimit && b.halve(len(p.Keys)) {
		answered = 1
	} else if batch.Status == "failed" || batch.Status == "cancelled" {
		answered = 0 // another batch would fail too, or is not wanted
	}
	return answered, b.mark(p.Label, p.ID, store.BatchCollected)
}

// outputGone handles a batch whose output the server no longer has. Its calls were paid for. With --retry-failed the calls go into a new
// batch, or with batch: fallback are made one by one. Without --retry-failed nothing is paid twice: the calls stay pending.
func (b *batching) outputGone(p store.ProviderBatch) (answered int, err error) {
	b.why = fmt.Sprintf("the output of batch %s is gone (HTTP 404)", p.ID)
	if !b.Retry {
		b.why += "; --retry-failed asks for its " + data.Plural(len(p.Keys), "call", "calls") +
			" again, in a new batch, or by themselves with batch: fallback"
		b.progress.say(b.Provider, fmt.Sprintf("batch of %s: %s", b.Name, b.why))
		return 0, nil
	}
	b.progress.say(b.Provider, fmt.Sprintf("batch of %s: %s; its %s are asked again", b.Name, b.why, data.Plural(len(p.Keys), "call",
		"calls")))
	b.client.Budgets().Settle(p.Aside, p.Aside) // it is paid for; the exact cost is unknown
	b.forget(p)
	return 1, b.mark(p.Label, p.ID, store.BatchCollected)
}

// forget removes the calls of a batch from those that wait for collection.
func (b *batching) forget(p store.ProviderBatch) {
	for _, key := range p.Keys {
		delete(b.owed, key)
	}
}

// await polls a batch until it is over or the run stops. It returns an error if the server refuses, or gives no state for too long.
func (b *batching) await(ctx context.Context, p store.ProviderBatch) (client.Batch, error) {
	every := b.config.Providers[b.Provider].BatchPoll
	if every <= 0 {
		every = batchPoll
	}
	giveUp, known := b.config.Providers[b.Provider].WithDefaults().GiveUp, time.Now()
	for {
		batch, err := b.client.BatchStatus(ctx, p.ID)
		var e *llm.Error
		if errors.As(err, &e) && (!e.Retriable || giveUp > 0 && time.Since(known) > giveUp) {
			return batch, err
		}
		state := "its state is unknown at the moment"
		if err == nil {
			if batch.HasEnded() {
				return batch, nil
			}
			known = time.Now()
			state = fmt.Sprintf("%s, %d of %d done", batch.Status, batch.Done, max(batch.Total, len(p.Keys)))
		}
		b.progress.batch(b.Provider, p.Label, fmt.Sprintf("batch %s of %s: %s, for %s", p.ID, b.Name, state,
			table.Rough(time.Since(p.Submitted))))
		select {
		case <-time.After(every):
		case <-b.begin.Done():
			return batch, nil
		}
	}
}

// replies records the replies of a batch, each once. cost is the sum over replies that no earlier run recorded. answered is the number of
// requests that have ended.
func (b *batching) replies(ctx context.Context, p store.ProviderBatch, batch client.Batch) (cost float64, answered int, err error) {
	recorded, err := b.Store.BatchCalls(batch.ID)
	if err != nil {
		return 0, 0, err
	}
	ours := data.Among(p.Keys)
	requests := map[string]llm.Request{}
	err = b.list(func(x AskedCall) error {
		if ours[x.Call.Key] {
			requests[x.Call.Key] = x.Request
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	find := func(key string) (llm.Request, error) {
		if request, known := requests[key]; known {
			return request, nil
		}
		request, err := b.Store.CallRequest(key)
		if err != nil || !ours[key] {
			return llm.Request{}, nil // an unknown call is not recorded
		}
		return llm.ParseCanonical(request)
	}
	results := map[string]batchReply{}
	differ := map[string]bool{} // keys of calls with two replies
	broken := b.client.Collect(ctx, batch, p.Model, find, func(key string, reply llm.Reply, err error) error {
		before, twice := results[key]
		switch {
		case !ours[key]:
		case !twice:
			results[key] = batchReply{reply, err}
		case before.err == nil && err == nil && before.reply.Text != reply.Text:
			results[key] = conflict(before.reply, reply)
			differ[key] = true
		case before.err != nil && err == nil && !differ[key]: // use the reply next to an error, and do not make the call again
			results[key] = batchReply{reply, err}
		}
		return nil
	})
	if n := len(differ); n > 0 {
		b.progress.say(b.Provider, fmt.Sprintf("batch %s of %s: %s two replies that differ, and neither is used; --retry-failed asks again",
			batch.ID, b.Name, data.Plural(n, "call has", "calls have")))
	}
	put := func(key string, reply llm.Reply, err error) error {
		if b.ended(key, reply, err) {
			answered++
		}
		if recorded[key] {
			return nil
		}
		for _, a := range reply.Attempts {
			cost += llm.ValueOr(a.Cost, 0)
		}
		request, failed := b.Store.CallRequest(key)
		if failed != nil {
			return failed
		}
		call := store.Call{Key: key, Provider: p.Provider, Model: p.Model, Request: []string{request}, Status: data.Valid, Payer: p.Payer,
			Reply: reply.Text, Reasoning: reply.Reasoning, Finish: reply.Finish, Raw: reply.Raw, Attempts: reply.Attempts}
		if err != nil {
			call.Status = scoring.StatusOf(err)
		}
		b.stopRefused(&call, err)
		b.Record.Put(func(w store.Batch) error {
			_, err := w.Call(call)
			return err
		})
		return nil
	}
	for _, key := range p.Keys {
		if r, ended := results[key]; ended {
			delete(results, key) // p.Keys of a batch that was found again may contain a key twice
			err = errors.Join(err, put(key, r.reply, r.err))
		}
	}
	return cost, answered, errors.Join(broken, err, b.Record.Sync())
}

// conflict returns the result of a call for which a batch has two different replies. It has no text, and both paid attempts.
func conflict(first, second llm.Reply) batchReply {
	e := llm.Errorf(llm.Failed, "the batch has two replies to this call that differ, and neither is used")
	attempts := slices.Concat(first.Attempts, second.Attempts)
	last := &attempts[len(attempts)-1]
	last.Outcome = e.Kind
	last.Reason = e.Message
	return batchReply{llm.Reply{Attempts: attempts}, e}
}

// ended reports whether one request of a batch has ended, with a reply or a final error. A request that failed temporarily or was not
// processed has not: it goes into another batch.
func (b *batching) ended(key string, reply llm.Reply, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) {
		return true
	}
	if e.Retriable || e.Status() == "pending" && e.Parameter == "" {
		return false
	}
	b.batched.Store(partyCall{b.Party, key}, batchReply{reply, err})
	return true
}
