package run

import (
	"context"
	"fmt"
	"io"
	"time"

	"compqa/data"
	"compqa/llm"
	"compqa/llm/client"
	"compqa/llm/limits"
	"compqa/results/store"
)

// sending records that a request of a call is about to be sent, and returns when that is on disk: a run that is killed leaves a row
// of each call in flight.
func (e *Engine) sending(ctx context.Context, s client.Sending) error {
	call, known := ctx.Value(callOf{}).(*store.Call)
	if !known || e.Record == nil {
		return nil
	}
	if call.Asked == "" {
		call.Asked = fmt.Sprintf("%s %d", call.Key, time.Now().UnixNano()) // another one than that of a command that was killed
	}
	err := e.Record.Keep(func(b store.Batch) error { return b.Sending(*call, s.Requests, s.Cost) })
	if err != nil {
		return &llm.Error{Kind: llm.Cancelled, Message: err.Error(), Cause: fmt.Errorf("%w: %w", context.Canceled, err)}
	}
	return nil
}

// tellUnanswered says, once, which calls of earlier commands may have been paid without an answer.
func (e *Engine) tellUnanswered(w io.Writer) error {
	list, err := e.Store.Unanswered(true)
	if err != nil || list == nil {
		return err
	}
	calls, requests, unpriced, cost := 0, 0, 0, 0.0
	for _, u := range list {
		calls, requests, cost = calls+u.Calls, requests+u.Requests, cost+u.Cost
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
