package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"compqa/data"
	"compqa/judges/scoring"
	"compqa/llm"
	"compqa/results/store"
)

// asker is how an item asks the model of a lane: what was asked before is taken
// from the record, or from an earlier one, what was not is asked, and recorded
// before anybody reads it. Each repeat has a seed of its own, derived from the
// run's.
func (r *runner) asker(lane string, repeat int, calls *[]string) scoring.Ask {
	return func(ctx context.Context, req llm.Request) (llm.Reply, error) {
		call, err := r.plan.call(ctx, lane, repeat, &req)
		if err != nil {
			return llm.Reply{}, err
		}
		*calls = append(*calls, call.Key)
		reply, err, _ := r.asking.Do(call.Key, func() (any, error) { return r.askOnce(ctx, &call, &req) })
		return *reply.(*llm.Reply), err
	}
}

// call is what a request to a lane's model is on record as. The request gets the
// seed of its repeat, where it has none.
func (p *plan) call(ctx context.Context, lane string, repeat int, req *llm.Request) (store.Call, error) {
	if _, set := req.Options["seed"]; !set && req.Seed == nil {
		seed := llm.Seed(p.config.Run.Seed, repeat)
		req.Seed = &seed
	}
	asked, key, err := req.Canonical(repeat)
	if err != nil {
		return store.Call{}, err
	}
	return store.Call{Key: callKey(p.config.Providers[lane].BaseURL, key), Provider: lane, Model: req.Model, Request: asked, Payer: payer(ctx)}, nil
}

// callKey is the key of a call: the hash of the server's address and of what is
// asked of it, by llm's key.
func callKey(server, key string) string { return hashOf(server, json.RawMessage(`"`+key+`"`)) }

// askOnce has a call made, unless there is a reply to it already. The worker
// waits until the reply is on disk, so that of what is paid for no more can be
// lost than is under way.
func (r *runner) askOnce(ctx context.Context, call *store.Call, req *llm.Request) (*llm.Reply, error) {
	if reply, err := r.known(call); reply != nil || err != nil {
		return cmp.Or(reply, &llm.Reply{}), err
	}
	if reply, err, ended := r.held.outcome(call.Payer, call.Key); ended {
		return &reply, err
	}
	reply, err := r.clients[call.Provider].Chat(context.WithValue(ctx, callOf{}, call.Key), *req)
	call.Status = data.Valid
	if err != nil {
		call.Status = statusOf(err)
	}
	r.left.take(call.Provider, err)
	if call.Status == data.Pending && len(reply.Attempts) == 0 {
		return &reply, err
	}
	call.Reply, call.Reasoning, call.Finish, call.Raw, call.Attempts = reply.Text, reply.Reasoning, reply.Finish, reply.Raw, reply.Attempts
	replied, kept := r.keep(call)
	if kept == nil && replied && err == nil {
		// A batch brought a reply meanwhile, and that is the one on record.
		var first *llm.Reply
		if first, kept = r.known(call); first != nil {
			reply.Text, reply.Reasoning, reply.Finish = first.Text, first.Reasoning, first.Finish
		}
	}
	return &reply, cmp.Or(kept, err)
}

// known is the reply to a call that is on record, here or in an earlier run; nil
// where none is.
func (r *runner) known(call *store.Call) (*llm.Reply, error) {
	known, found, err := r.recorded(call.Key)
	if err == nil && known.Origin != "" {
		err = r.takeOver(known, *call)
	}
	if err != nil || !found {
		return nil, err
	}
	r.plan.known(known)
	return &llm.Reply{Text: known.Reply, Reasoning: known.Reasoning, Finish: known.Finish}, nil
}

// recorded is the reply to a call that is on record here or, with its origin, in
// an earlier run.
func (r *runner) recorded(key string) (store.Call, bool, error) {
	known, found, err := r.store.FindCall(key)
	for _, e := range r.earlier {
		if found || err != nil {
			break
		}
		if known, found, err = e.store.FindCall(key); found {
			known.Origin = e.dir
		}
	}
	return known, found, err
}

// takeOver records the reply of an earlier run to a call.
func (r *runner) takeOver(known, call store.Call) error {
	known.Provider, known.Model, known.Request = call.Provider, call.Model, call.Request
	for _, e := range r.earlier {
		if e.dir == known.Origin {
			e.taken.Add(1)
		}
	}
	_, err := r.keep(&known)
	return err
}

// keep records a call, and says whether a reply to it was on record already. Where
// that fails the run is over, and whoever asked has no more of it than if it had been
// stopped.
func (r *runner) keep(call *store.Call) (replied bool, err error) {
	err = r.record.Keep(func(b store.Batch) (err error) {
		if replied, err = b.Replied(call.Key); err == nil {
			err = b.Call(*call)
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("%w: %w", context.Canceled, err)
	}
	return replied, err
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
