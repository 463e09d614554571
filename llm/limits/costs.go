package limits

import (
	"sync"

	"compqa/llm"
)

// Costs knows the cost of requests, before and after they are sent.
type Costs struct {
	Price   func(model string) (llm.Price, bool)
	Budgets Budgets

	mu      sync.Mutex
	longest map[string]int // longest reply of each model so far, in tokens
	beyond  map[string]int // most tokens of a reply above the request's limit: some servers do not limit reasoning
	seen    map[[3]string]observed
}

// NewCosts takes the function that finds the price of a model (false: unknown; nil: all
// unknown) and the budgets that requests are charged to.
func NewCosts(price func(model string) (llm.Price, bool), budgets Budgets) *Costs {
	c := &Costs{Price: price, Budgets: budgets, longest: map[string]int{}, seen: map[[3]string]observed{}, beyond: map[string]int{}}
	if c.Price == nil {
		c.Price = func(string) (llm.Price, bool) { return llm.Price{}, false }
	}
	return c
}

// bytesPerToken is the value of English text. Other languages have fewer bytes in a
// token, so reservations use minBytesPerToken.
const (
	bytesPerToken    = 4
	minBytesPerToken = 3
	tokensPerMessage = 16 // upper bound of what a chat template adds to a message
)

// MaxCost returns an upper bound of the cost of a request, see Budget; 0 if the price is unknown.
func (c *Costs) MaxCost(req llm.Request) float64 {
	price, known := c.Price(req.Model)
	if !known {
		return 0
	}
	reply, limited := llm.ReplyLimit(req.Options)
	c.mu.Lock()
	longest := c.longest[req.Model] * 3 / 2
	beyond := c.beyond[req.Model] * 3 / 2
	c.mu.Unlock()
	if !limited {
		reply = max(llm.DefaultReplyTokens, longest)
	} else {
		reply += beyond
	}
	return inTier(price, req).TokenCost(req.Size()/minBytesPerToken+tokensPerMessage*len(req.Messages), reply)
}

// inTier returns the price in the service tier that a request asks for, if that is higher: it may get another one.
func inTier(standard llm.Price, req llm.Request) llm.Price {
	tier, _ := req.Options["service_tier"].(string)
	if price, _ := standard.InTier(tier); *price.Output > *standard.Output {
		return price
	}
	return standard
}

// enoughObserved is the number of replies whose lengths say something of the next ones'.
const enoughObserved = 10

// ExpectedCost is MaxCost, but reckons with the replies to requests of the same kind so far, if there are enough: with one
// and a half times the longest, and with the most tokens of a byte of their prompts. It is for many requests that are sent
// together: their sum is far below that.
func (c *Costs) ExpectedCost(req llm.Request) float64 {
	most := c.MaxCost(req)
	price, known := c.Price(req.Model)
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.seen[kindOf(req)]
	if !known || seen.replies < enoughObserved {
		return most
	}
	prompt := int(1.15*seen.perByte*float64(req.Size())) + tokensPerMessage*len(req.Messages)
	return min(most, inTier(price, req).TokenCost(prompt, seen.longest*3/2))
}

// Observed reports whether ExpectedCost knows the replies to requests of this kind.
func (c *Costs) Observed(req llm.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[kindOf(req)].replies >= enoughObserved
}

// observed is what is known about the replies to requests of one kind.
type observed struct {
	replies int
	longest int     // of the replies, in tokens
	perByte float64 // most tokens of a byte of a prompt
}

// kindOf identifies requests whose replies are about as long: those of the same model with the same beginning and schema.
func kindOf(req llm.Request) [3]string {
	return [3]string{req.Model, req.Messages[0].Shared, string(req.Schema)}
}

// Record sets the cost of an attempt and charges the budgets with it.
func (c *Costs) Record(a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) {
	if !Plausible(a.Usage, req) {
		a.Usage = llm.Usage{} // the cost is estimated, and marked so
	}
	c.Observe(req, a.Usage)
	price, known := c.Price(req.Model)
	if !known && reply.Billed == nil {
		return
	}
	var cost float64
	if known {
		price, knownTier := price.InTier(reply.Tier)
		cost, a.Estimated = costOf(price, a, req, reply, e, reserved)
		a.Estimated = a.Estimated || !knownTier && cost > 0
	} else {
		cost = *reply.Billed // OpenRouter's word, where the user has no price
	}
	a.Cost = &cost
	c.Budgets.Settle(reserved, cost)
}

// What a server may count in addition to what was sent and asked for, in tokens: a system prompt
// and search results of its own, the end of a template, and reasoning that it does not limit.
const (
	hiddenPrompt    = 1 << 15
	hiddenReply     = 1 << 10
	hiddenReasoning = 1 << 16
	longestReply    = 1 << 20 // without a limit in the request
)

// Plausible reports whether a server can have used so many tokens for a request: none is negative,
// the prompt has at most a token a byte, and the reply keeps to the request's limit.
func Plausible(u llm.Usage, req llm.Request) bool {
	reply, limited := llm.ReplyLimit(req.Options)
	if !limited {
		reply = longestReply
	}
	prompt := req.Size() + tokensPerMessage*len(req.Messages) + hiddenPrompt
	reply += hiddenReply
	if u.Reasoning != nil {
		reply += hiddenReasoning
	}
	for _, limit := range []struct {
		n    *int
		most int
	}{{u.Prompt, prompt}, {u.Cached, prompt}, {u.Written, prompt}, {u.Reasoning, reply}, {u.Completion, reply}} {
		if limit.n != nil && (*limit.n < 0 || *limit.n > limit.most) {
			return false
		}
	}
	return true
}

// Observe notes the lengths of a prompt and its reply, in tokens.
func (c *Costs) Observe(req llm.Request, u llm.Usage) {
	if u.Prompt == nil || u.Completion == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest[req.Model] = max(c.longest[req.Model], *u.Completion)
	if limit, limited := llm.ReplyLimit(req.Options); limited {
		c.beyond[req.Model] = max(c.beyond[req.Model], *u.Completion-limit)
	}
	seen := c.seen[kindOf(req)]
	c.seen[kindOf(req)] = observed{seen.replies + 1, max(seen.longest, *u.Completion),
		max(seen.perByte, float64(*u.Prompt)/float64(max(1, req.Size())))}
}

// Free reports whether a request certainly costs nothing: the server refused it with an HTTP status, or it never arrived.
func Free(u llm.Usage, e *llm.Error) bool {
	told := u.Prompt != nil && u.Completion != nil
	return !told && e != nil && (e.Unbilled || e.HTTPStatus >= 300 || e.HTTPStatus == 0 && e.Kind == llm.Misconfigured)
}

// costOf returns the cost of an attempt, see Attempt.Cost.
func costOf(p llm.Price, a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) (cost float64, estimated bool) {
	if cost, known := p.Cost(a.Usage); known {
		return cost, false
	}
	switch {
	case Free(a.Usage, e):
		return 0, false
	case len(reply.Text)+len(reply.Reasoning) > 0 && a.HTTPStatus != 0:
		return EstimatedCost(p, req, *reply), true
	}
	return reserved, true
}

// EstimatedCost returns the cost of a reply by the bytes that were sent and received.
func EstimatedCost(p llm.Price, req llm.Request, reply llm.Reply) float64 {
	return p.TokenCost(req.Size()/bytesPerToken, (len(reply.Text)+len(reply.Reasoning))/bytesPerToken)
}
