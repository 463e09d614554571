package limits

import (
	"sync"

	"compqa/llm"
)

// Costs knows the cost of requests, before and after they are sent.
type Costs struct {
	Price   func(model string) (llm.Price, bool)
	Budgets Budgets

	mu       sync.Mutex
	longest  map[string]int // longest reply of each model so far, in tokens
	beyond   map[string]int // most tokens of a reply above the request's limit: some servers do not limit reasoning
	observed map[string]int // replies of each model so far
}

// NewCosts takes the function that finds the price of a model (false: unknown; nil: all
// unknown) and the budgets that requests are charged to.
func NewCosts(price func(model string) (llm.Price, bool), budgets Budgets) *Costs {
	c := &Costs{Price: price, Budgets: budgets, longest: map[string]int{}, observed: map[string]int{}, beyond: map[string]int{}}
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

// MaxCost is an upper bound of the cost of a request, see Budget; 0 if the price is unknown.
func (c *Costs) MaxCost(req llm.Request) float64 {
	price, known := c.Price(req.Model)
	if !known {
		return 0
	}
	reply, limited := llm.ReplyLimit(req.Options)
	c.mu.Lock()
	longest, beyond := c.longest[req.Model]*3/2, c.beyond[req.Model]*3/2
	c.mu.Unlock()
	if !limited {
		reply = max(llm.DefaultReplyTokens, longest)
	} else {
		reply += beyond
	}
	return c.bound(price, req, reply)
}

// bound is the cost of a request with this number of tokens in its reply.
func (c *Costs) bound(price llm.Price, req llm.Request, reply int) float64 {
	tier, _ := req.Options["service_tier"].(string)
	if inTier, _ := price.InTier(tier); *inTier.Output > *price.Output {
		price = inTier
	}
	return price.TokenCost(req.Size()/minBytesPerToken+tokensPerMessage*len(req.Messages), reply)
}

// enoughObserved is the number of replies whose lengths say something of the next ones'.
const enoughObserved = 20

// ExpectedCost is MaxCost, but reckons with the replies of the model so far, if there are enough: with one and a half times
// the longest. It is for many requests that are sent together: their sum is far below that.
func (c *Costs) ExpectedCost(req llm.Request) float64 {
	most := c.MaxCost(req)
	price, known := c.Price(req.Model)
	c.mu.Lock()
	longest, n := c.longest[req.Model]*3/2, c.observed[req.Model]
	c.mu.Unlock()
	if !known || n < enoughObserved {
		return most
	}
	return min(most, c.bound(price, req, longest))
}

// Observed reports whether ExpectedCost knows the lengths of a model's replies.
func (c *Costs) Observed(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.observed[model] >= enoughObserved
}

// Record sets the cost of an attempt and charges the budgets with it.
func (c *Costs) Record(a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) {
	if !Plausible(a.Usage, req) {
		a.Usage = llm.Usage{} // the cost is estimated, and marked so
	}
	if n := a.Usage.Completion; n != nil {
		c.Observe(req, *n)
	}
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
	for _, of := range []struct {
		n    *int
		most int
	}{{u.Prompt, prompt}, {u.Cached, prompt}, {u.Written, prompt}, {u.Reasoning, reply}, {u.Completion, reply}} {
		if of.n != nil && (*of.n < 0 || *of.n > of.most) {
			return false
		}
	}
	return true
}

// Observe notes the length of a model's reply to a request, in tokens.
func (c *Costs) Observe(req llm.Request, n int) {
	model := req.Model
	limit, limited := llm.ReplyLimit(req.Options)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest[model] = max(c.longest[model], n)
	c.observed[model]++
	if limited {
		c.beyond[model] = max(c.beyond[model], n-limit)
	}
}

// costOf is the cost of an attempt, see Attempt.Cost. A request that the server refused
// with an HTTP status, or that never reached it, costs nothing.
func costOf(p llm.Price, a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) (cost float64, estimated bool) {
	if cost, known := p.Cost(a.Usage); known {
		return cost, false
	}
	switch {
	case e != nil && (e.Unbilled || e.HTTPStatus >= 300 || e.HTTPStatus == 0 && e.Kind == llm.Misconfigured):
		return 0, false
	case len(reply.Text)+len(reply.Reasoning) > 0 && a.HTTPStatus != 0:
		return EstimatedCost(p, req, *reply), true
	}
	return reserved, true
}

// EstimatedCost is the cost of a reply by the bytes that were sent and received.
func EstimatedCost(p llm.Price, req llm.Request, reply llm.Reply) float64 {
	return p.TokenCost(req.Size()/bytesPerToken, (len(reply.Text)+len(reply.Reasoning))/bytesPerToken)
}
