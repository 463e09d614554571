package limits

import (
	"sync"

	"compqa/llm"
)

// Costs computes the costs of requests, before and after they are sent.
type Costs struct {
	Price   func(model string) (llm.Price, bool)
	Budgets Budgets

	mu           sync.Mutex
	longest      map[string]int // longest reply of each model so far, in tokens
	overLimit    map[string]int // most tokens of a reply above the request's limit; some servers do not limit reasoning
	observations map[[3]string]observed
}

// NewCosts returns the Costs of a client. price finds the price of a model, and returns false if it is unknown; if price is nil, all prices
// are unknown. Requests are charged to budgets.
func NewCosts(price func(model string) (llm.Price, bool), budgets Budgets) *Costs {
	c := &Costs{Price: price, Budgets: budgets, longest: map[string]int{}, observations: map[[3]string]observed{}, overLimit: map[string]int{}}
	if c.Price == nil {
		c.Price = func(string) (llm.Price, bool) { return llm.Price{}, false }
	}
	return c
}

// bytesPerToken holds for English text. Other languages have fewer bytes per token, so reservations use minBytesPerToken.
const (
	bytesPerToken    = 4
	minBytesPerToken = 3
	tokensPerMessage = 16 // upper bound of what a chat template adds to a message
)

// MaxCost returns an upper bound of a request's cost in US dollars; see Budget. It returns 0 if the price is unknown.
func (c *Costs) MaxCost(req llm.Request) float64 {
	price, known := c.Price(req.Model)
	if !known {
		return 0
	}
	reply, limited := llm.ReplyLimit(req.Options)
	c.mu.Lock()
	longest := c.longest[req.Model] * 3 / 2
	beyond := c.overLimit[req.Model] * 3 / 2
	c.mu.Unlock()
	if !limited {
		reply = max(llm.DefaultReplyTokens, longest)
	} else {
		reply += beyond
	}
	return inTier(price, req).TokenCost(req.Size()/minBytesPerToken+tokensPerMessage*len(req.Messages), reply)
}

// inTier returns the price of the service tier that a request asks for, if this price is higher. The server may use another tier, so a
// lower price is not certain.
func inTier(standard llm.Price, req llm.Request) llm.Price {
	tier, _ := req.Options["service_tier"].(string)
	if price, _ := standard.InTier(tier); *price.Output > *standard.Output {
		return price
	}
	return standard
}

// enoughObserved is the number of replies from which ExpectedCost can predict the next replies.
const enoughObserved = 10

// ExpectedCost returns the expected cost of a request, for many requests that are sent together. With enough replies to similar requests,
// it uses one and a half times their longest length, and their highest number of tokens per byte of prompt. Otherwise it returns MaxCost,
// which is far higher.
func (c *Costs) ExpectedCost(req llm.Request) float64 {
	most := c.MaxCost(req)
	price, known := c.Price(req.Model)
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := c.observations[kindOf(req)]
	if !known || seen.replies < enoughObserved {
		return most
	}
	prompt := int(1.15*seen.perByte*float64(req.Size())) + tokensPerMessage*len(req.Messages)
	return min(most, inTier(price, req).TokenCost(prompt, seen.longest*3/2))
}

// Observed reports whether ExpectedCost has enough replies to similar requests.
func (c *Costs) Observed(req llm.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.observations[kindOf(req)].replies >= enoughObserved
}

// observed summarises the replies to similar requests.
type observed struct {
	replies int
	longest int     // tokens of the longest reply
	perByte float64 // highest number of tokens per byte of a prompt
}

// kindOf identifies similar requests, whose replies have similar lengths. They have the same model, shared beginning and schema.
func kindOf(req llm.Request) [3]string {
	return [3]string{req.Model, req.Messages[0].Shared, string(req.Schema)}
}

// Record sets the cost of an attempt, and charges it to the budgets.
func (c *Costs) Record(a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) {
	if !Plausible(a.Usage, req) {
		a.Usage = llm.Usage{} // the cost is then estimated, and marked as such
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
		cost = *reply.Billed // what OpenRouter reports, if the user gives no price
	}
	a.Cost = &cost
	c.Budgets.Settle(reserved, cost)
}

// Tokens that a server may count in addition to the request and the limit of its reply: its own system prompt and search results, the end
// of a chat template, and reasoning without a limit.
const (
	hiddenPrompt    = 1 << 15
	hiddenReply     = 1 << 10
	hiddenReasoning = 1 << 16
	longestReply    = 1 << 20 // without a limit in the request
)

// Plausible reports whether a server can have used this many tokens for a request. No number may be negative. A prompt may have at most one
// token per byte, and a reply may not exceed the request's limit, apart from the hidden tokens above.
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

// Observe remembers how many tokens a prompt and its reply had.
func (c *Costs) Observe(req llm.Request, u llm.Usage) {
	if u.Prompt == nil || u.Completion == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.longest[req.Model] = max(c.longest[req.Model], *u.Completion)
	if limit, limited := llm.ReplyLimit(req.Options); limited {
		c.overLimit[req.Model] = max(c.overLimit[req.Model], *u.Completion-limit)
	}
	seen := c.observations[kindOf(req)]
	c.observations[kindOf(req)] = observed{seen.replies + 1, max(seen.longest, *u.Completion),
		max(seen.perByte, float64(*u.Prompt)/float64(max(1, req.Size())))}
}

// CostNothing reports whether a request certainly cost nothing: the server refused it with an HTTP status, or it never arrived.
func CostNothing(u llm.Usage, e *llm.Error) bool {
	told := u.Prompt != nil && u.Completion != nil
	return !told && e != nil && (e.Unbilled || e.HTTPStatus >= 300 || e.HTTPStatus == 0 && e.Kind == llm.Misconfigured)
}

// costOf returns the cost of an attempt; see Attempt.Cost. estimated is true if the server did not report how many tokens it used.
func costOf(p llm.Price, a *llm.Attempt, req llm.Request, reply *llm.Reply, e *llm.Error, reserved float64) (cost float64, estimated bool) {
	if cost, known := p.Cost(a.Usage); known {
		return cost, false
	}
	switch {
	case CostNothing(a.Usage, e):
		return 0, false
	case len(reply.Text)+len(reply.Reasoning) > 0 && a.HTTPStatus != 0:
		return EstimatedCost(p, req, *reply), true
	}
	return reserved, true
}

// EstimatedCost returns the cost of a reply from the number of bytes sent and received.
func EstimatedCost(p llm.Price, req llm.Request, reply llm.Reply) float64 {
	return p.TokenCost(req.Size()/bytesPerToken, (len(reply.Text)+len(reply.Reasoning))/bytesPerToken)
}
