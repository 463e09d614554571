package bench

import (
	"context"
	"encoding/json"
	"errors"

	"compqa/data"
	"compqa/judges"
	"compqa/llm"
	"compqa/results"
)

// asker is how an item asks the model of a lane: what was asked before is taken
// from the record, what was not is asked, and recorded before anybody reads it.
// Each repeat has a seed of its own, derived from the run's.
func (r *runner) asker(lane string, repeat int, calls *[]string) judges.Ask {
	return func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		if _, set := req.Options["seed"]; !set && req.Seed == nil {
			seed := llm.Seed(r.plan.config.Run.Seed, repeat)
			req.Seed = &seed
		}
		key, err := llm.Key(req, repeat)
		if err != nil {
			return llm.Reply{}, err
		}
		key = hashOf(r.plan.config.Providers[lane].BaseURL, key)
		*calls = append(*calls, key)
		reply, err, _ := r.asking.Do(key, func() (any, error) { return r.askOnce(ctx, lane, key, req) })
		return reply.(llm.Reply), err
	}
}

func (r *runner) askOnce(ctx context.Context, lane, key string, req llm.Request) (llm.Reply, error) {
	known, found, err := r.store.FindCall(key)
	if err != nil {
		return llm.Reply{}, err
	}
	if found {
		return llm.Reply{Text: known.Reply, Reasoning: known.Reasoning, Finish: known.Finish}, nil
	}
	reply, err := r.clients[lane].Chat(ctx, req)
	status := data.Valid
	if err != nil {
		status = statusOf(err)
	}
	if status == data.Pending && len(reply.Attempts) == 0 {
		return reply, err
	}
	asked, _ := json.Marshal(req) // Key has encoded all of it before
	call := results.Call{Key: key, Provider: lane, Model: req.Model, Request: string(asked), Status: status,
		Reply: reply.Text, Reasoning: reply.Reasoning, Finish: reply.Finish, Raw: string(reply.Raw), Attempts: reply.Attempts}
	r.record.Put(func(b results.Batch) error { return b.Call(call) })
	return reply, err
}

// statusOf is the status of an item whose call ended in an error.
func statusOf(err error) data.Status {
	var e *llm.Error
	if errors.As(err, &e) {
		return data.Status(e.Status())
	}
	if errors.Is(err, context.Canceled) {
		return data.Pending
	}
	return data.Failed
}
