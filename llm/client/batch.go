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

// Batcher submits many requests at once, for replies within a day at a lower price. Every client has these methods. They return a
// Misconfigured *llm.Error if the provider has no batch interface.
type Batcher interface {
	// Submit submits requests to one model. If the server accepts a label, it gets this one, so that Find can find the batch even if the
	// reply to Submit is lost.
	Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error)
	// Find returns the batch of a submission; its ID is empty if the latest hundred batches do not contain it.
	Find(ctx context.Context, s Submission) (Batch, error)
	// BatchStatus returns the current state of a batch.
	BatchStatus(ctx context.Context, id string) (Batch, error)
	// Collect calls each for every finished request of a batch, in no particular order, with the results that Chat would return. The reply
	// has one attempt, with its cost. A request ends as Unavailable if the batch did not process it, or if the server refused its form and
	// the next request will have another form. A request may come twice if the connection broke. find returns the request with an ID, which
	// limits the token counts that are plausible.
	Collect(ctx context.Context, b Batch, model string, find func(id string) (llm.Request, error),
		each func(id string, reply llm.Reply, err error) error) error

	// ExpectedCost returns the highest cost that is expected for a request in a batch; see limits.Costs. Observed reports whether this uses
	// enough replies to similar requests.
	ExpectedCost(llm.Request) float64
	Observed(llm.Request) bool
	// Budgets reserve the cost of a batch in progress, across several runs of the program.
	Budgets() limits.Budgets
}

// The protocols define the types of batches.
type (
	BatchAsk   = protocol.BatchAsk
	Batch      = protocol.Batch
	Submission = protocol.Submission
)

// Limits of one batch. OpenAI accepts 50,000 requests and 200 MB, Anthropic 100,000 and 256 MB. The limits here are lower, because a batch
// is in memory, and several batches work as well as one.
const (
	MostInBatch  = 20_000
	MostOfABatch = 16 << 20 // bytes
)

// batches returns the protocol of the only server. It returns an error if there are several servers, or if the type has no batches.
func (c *client) batches() (*protocol.Chat, error) {
	p, ok := c.servers[0].protocol.(*protocol.Chat)
	if !ok || c.hasSeveralServers() || !llm.TypeOf(c.p.Type).Batches {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "a provider of type %s with %d servers has no batch interface",
			c.p.Type, len(c.servers)), "", nil)
	}
	return p, nil
}

// Submit sends requests as one batch and returns its state. If it must send again, it first looks whether the first submission arrived.
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
		req, _, err := c.adaptKnown(ask.Request)
		if err != nil {
			return Batch{}, c.finish(err, ask.Request.Model, nil)
		}
		asks[i].Request = c.withServerNames(req)
	}
	s := Submission{Label: label, SubmittedAt: time.Now(), Requests: len(asks)}
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

// insist calls ask, which asks a server about a batch, until the server replies, the error is final, or the retries are used up.
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

// Find looks for the batch of a submission whose reply was lost.
func (c *client) Find(ctx context.Context, s Submission) (Batch, error) {
	return c.state(ctx, func(server *protocol.Chat) (Batch, error) { return server.Find(ctx, s) })
}

// BatchStatus returns the state of the batch with an id.
func (c *client) BatchStatus(ctx context.Context, id string) (Batch, error) {
	return c.state(ctx, func(server *protocol.Chat) (Batch, error) { return server.BatchStatus(ctx, id) })
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

// Collect reads the results of a batch that has ended, and calls each with every reply or error; see Batcher.
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
			// Requests in the next batch use what is learnt here about the model.
			if adapted := c.adapt(req); len(req.Messages) > 0 {
				c.learn(adapted, c.withServerNames(adapted), e)
			}
			if e.OtherForm {
				e.Kind = llm.Unavailable
				e.OtherForm = false
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

// ExpectedCost returns what a request is expected to cost in a batch, in US dollars, or 0 if the price is unknown.
func (c *client) ExpectedCost(req llm.Request) float64 {
	price, known := c.costs.Price(req.Model)
	if !known {
		return 0
	}
	return c.costs.ExpectedCost(req) * llm.ValueOr(price.Batch, 0.5)
}

// Observed reports whether ExpectedCost uses replies to similar requests.
func (c *client) Observed(req llm.Request) bool { return c.costs.Observed(req) }

// Budgets returns the budgets that the client's calls are charged to.
func (c *client) Budgets() limits.Budgets { return c.costs.Budgets }
