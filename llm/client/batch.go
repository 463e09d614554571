package client

import (
	"context"
	"errors"
	"slices"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
)

// Batcher submits many requests at once, which are answered within a day at a lower price. Every client has these
// methods; they return a Misconfigured *llm.Error if the server's type has no such interface.
type Batcher interface {
	// Submit submits requests to one model. The label is sent too where the server takes
	// one, so that Find finds the batch even if the reply to Submit is lost.
	Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error)
	// Find returns the batch of a submission; its ID is empty if the latest hundred batches do not contain it.
	Find(ctx context.Context, s Submission) (Batch, error)
	// Look returns the current state of a batch.
	Look(ctx context.Context, id string) (Batch, error)
	// Collect calls each for every finished request of a batch, in no particular order, with the results that Chat
	// would return: the reply has one attempt, with its cost. Requests that the batch did not process, and those that the
	// server refused in a form that the next ones will not have, end as Unavailable. A request may come twice, if the
	// connection broke in between. find returns the request with an ID; usage beyond what it allows is not believed.
	Collect(ctx context.Context, b Batch, model string, find func(id string) (llm.Request, error),
		each func(id string, reply llm.Reply, err error) error) error

	// ExpectedCost is what a request in a batch is expected to cost at most, see limits.Costs. Observed reports whether
	// this reckons with enough replies to requests of this kind.
	ExpectedCost(llm.Request) float64
	Observed(llm.Request) bool
	// Budgets keep the sum for a batch in progress, across several runs of the program.
	Budgets() limits.Budgets
}

// The protocols define the types of batches.
type (
	BatchAsk   = protocol.BatchAsk
	Batch      = protocol.Batch
	Submission = protocol.Submission
)

// Limits of one batch. OpenAI accepts 50,000 requests and 200 MB, Anthropic 100,000 and 256 MB. The limits here are
// lower, because a batch is held in memory, and several batches work as well as one.
const (
	MostInBatch  = 20_000
	MostOfABatch = 16 << 20 // bytes
)

// batches returns the protocol, if its server has an interface for batches.
func (c *client) batches() (*protocol.Chat, error) {
	p, ok := c.servers[0].protocol.(*protocol.Chat)
	if !ok || c.several() || !llm.TypeOf(c.p.Type).Batches {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "a provider of type %s with %d servers has no batch interface",
			c.p.Type, len(c.servers)), "", nil)
	}
	return p, nil
}

// Submit sends requests as one batch and returns its state. label is kept by the server, so that Find knows the batch again.
func (c *client) Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error) {
	server, err := c.batches()
	if err != nil {
		return Batch{}, err
	}
	asks = slices.Clone(asks)
	for i, ask := range asks {
		if err := ask.Request.Check(); err != nil {
			return Batch{}, c.finish(err, "", nil)
		}
		req, _, err := c.known(ask.Request)
		if err != nil {
			return Batch{}, c.finish(err, ask.Request.Model, nil)
		}
		asks[i].Request = c.written(req)
	}
	s := Submission{Label: label, At: time.Now(), Requests: len(asks)}
	var b Batch
	sent := false
	err = c.insist(ctx, func() (err error) {
		if sent { // the first submission may have arrived
			b, err = server.Find(ctx, s)
			if err != nil || b.ID != "" {
				return err
			}
		}
		sent = true
		b, err = server.Submit(ctx, label, asks)
		return err
	})
	return b, err
}

// insist asks a server about a batch until it answers, the error is final, or the retries are used up.
func (c *client) insist(ctx context.Context, ask func() error) error {
	for tries := 0; ; tries++ {
		err := ask()
		e, ok := errors.AsType[*llm.Error](err)
		if !ok {
			return err
		}
		if !e.Retriable || tries >= c.p.Retries {
			return c.finish(e, "", nil)
		}
		if err := limits.Sleep(ctx, limits.RetryPause(c.p, tries, e.RetryAfter)); err != nil {
			return c.finish(err, "", nil)
		}
	}
}

// Find returns the batch of a submission whose reply was lost.
func (c *client) Find(ctx context.Context, s Submission) (Batch, error) {
	return c.state(ctx, func(server *protocol.Chat) (Batch, error) { return server.Find(ctx, s) })
}

// Look returns the state of the batch with an id.
func (c *client) Look(ctx context.Context, id string) (Batch, error) {
	return c.state(ctx, func(server *protocol.Chat) (Batch, error) { return server.Look(ctx, id) })
}

// state asks for the state of a batch.
func (c *client) state(ctx context.Context, ask func(*protocol.Chat) (Batch, error)) (b Batch, err error) {
	server, err := c.batches()
	if err != nil {
		return b, err
	}
	err = c.insist(ctx, func() (err error) {
		b, err = ask(server)
		return err
	})
	b.Reason = c.secrets.scrub(b.Reason)
	return b, err
}

// Collect reads the replies of a batch that has ended and hands each to a function, or the error of its request.
func (c *client) Collect(ctx context.Context, b Batch, model string, find func(id string) (llm.Request, error),
	each func(id string, reply llm.Reply, err error) error) error {
	server, err := c.batches()
	if err != nil {
		return err
	}
	price, known := c.costs.Price(model)
	collected := func(id string, reply llm.Reply, err error) error {
		a := llm.Attempt{Started: time.Now(), HTTPStatus: 200, Outcome: llm.Valid, Usage: reply.Usage, Raw: reply.Raw, Batch: b.ID,
			Tier: reply.Tier, Model: reply.Model}
		req, missing := find(id)
		if missing != nil {
			return missing
		}
		if e, ok := errors.AsType[*llm.Error](err); ok {
			// What is learnt about a model changes its requests in the next batch.
			if adapted := c.adapt(req); len(req.Messages) > 0 {
				c.learn(adapted, c.written(adapted), e)
			}
			if e.Again {
				e.Kind = llm.Unavailable
				e.Again = false
			}
			a.HTTPStatus = e.HTTPStatus
			a.Outcome = e.Kind
			a.Reason = e.Message
		}
		if !limits.Plausible(a.Usage, req) {
			a.Usage = llm.Usage{}
			a.Estimated = true
			reply.Usage = llm.Usage{}
		}
		if len(req.Messages) > 0 {
			c.costs.Observe(req, a.Usage)
		}
		if known {
			cost, _ := price.InBatch().Cost(a.Usage) // a request without usage was not processed, and is free
			if a.Estimated {
				cost = limits.EstimatedCost(price.InBatch(), req, reply)
			}
			a.Cost = &cost
		}
		reply.Attempts = []llm.Attempt{a}
		c.clean(&reply)
		if err != nil {
			err = c.finish(err, model, reply.Attempts)
		}
		return each(id, reply, err)
	}
	return c.insist(ctx, func() error { return server.Collect(ctx, b, collected) })
}

// ExpectedCost returns what a request is expected to cost in a batch, in US dollars; 0 without a known price.
func (c *client) ExpectedCost(req llm.Request) float64 {
	price, known := c.costs.Price(req.Model)
	if !known {
		return 0
	}
	return c.costs.ExpectedCost(req) * llm.ValueOr(price.Batch, 0.5)
}

// Observed reports whether calls like this one were made, so that its cost is estimated from them.
func (c *client) Observed(req llm.Request) bool { return c.costs.Observed(req) }

// Budgets returns the limits that the client's calls are charged to.
func (c *client) Budgets() limits.Budgets { return c.costs.Budgets }
