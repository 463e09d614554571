// Package client makes calls to models. Around the single requests of a protocol it adds
// limits, retries and cost accounting, and it removes secrets.
package client

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
	"compqa/llm/telemetry"
)

// client implements Client for every protocol.
type client struct {
	p             llm.Provider // with its defaults
	servers       []*server    // at least one
	choosing      sync.Mutex
	costs         *limits.Costs
	secrets       *secrets
	adaptations   adaptations
	forms         sync.Map                                  // by form: nil if it was answered, or the error of a refused user's option
	firstRequests limits.Turns                              // by model: the first request in each form is sent alone
	calls         atomic.Int64                              // number of calls in progress
	onAttempt     func(context.Context, AttemptEvent)       // may be nil
	beforeRequest func(context.Context, PossibleCost) error // may be nil
}

// New returns the client of a provider. getenv reads environment variables (os.Getenv). The error is a Misconfigured *llm.Error, for
// instance for an unknown type, a wrong address, or a variable that is not set.
func New(p llm.Provider, getenv func(string) string, hooks Hooks) (Client, error) {
	c, err := newClient(p, getenv, hooks)
	if err != nil {
		return nil, err
	}
	if !p.HasKey(getenv) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "API key missing: set %s", p.APIKeyEnv), "", nil)
	}
	return c, nil
}

// newClient returns a client. A missing key is not an error.
func newClient(p llm.Provider, getenv func(string) string, hooks Hooks) (*client, error) {
	p = p.WithDefaults()
	c := &client{p: p, costs: limits.NewCosts(hooks.Price, hooks.Budgets), onAttempt: hooks.OnAttempt, beforeRequest: hooks.BeforeRequest}
	c.adaptations.byParameter = map[[2]string]llm.Adaptation{}
	c.adaptations.onChange = func(llm.Adaptation) {}
	c.Know(hooks.KnownAdaptations)
	c.adaptations.onChange = func(a llm.Adaptation) {
		a.Reason = c.secrets.scrub(a.Reason)
		if hooks.OnAdaptation != nil {
			hooks.OnAdaptation(a)
		}
	}
	if names := []string{"", maxTokens, maxCompletionTokens}; !slices.Contains(names, p.MaxTokensField) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "max_tokens_field is %q; it must be auto, %s or %s", p.MaxTokensField, maxTokens,
			maxCompletionTokens), "", nil)
	}
	headers, values, err := protocol.ExpandHeaders(p.Headers, getenv)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	if p.APIKeyEnv != "" && !llm.IsVariableName(p.APIKeyEnv) {
		// The message does not show the value, because it may be the key.
		return nil, c.finish(llm.Errorf(llm.Misconfigured,
			"api_key_env must be the name of an environment variable, such as OPENAI_API_KEY; store the key only in that variable"), "", nil)
	}
	key := strings.TrimSpace(getenv(p.APIKeyEnv))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "the key in %s has a character that is not allowed in a header", p.APIKeyEnv), "", nil)
	}
	c.secrets = newSecrets(append(values, key)...)
	c.secrets.notice = hooks.Notice
	if err := c.addServers(key, headers, hooks); err != nil {
		return nil, c.finish(err, "", nil)
	}
	return c, nil
}

// Chat makes a call. It waits for its turn, retries failures that may pass, and returns the reply with all attempts.
func (c *client) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := req.Check(); err != nil {
		return llm.Reply{}, c.finish(err, req.Model, nil)
	}
	call := &call{client: c, req: req, waitStart: time.Now()}
	ended := telemetry.Call(ctx, c.p, req)
	c.calls.Add(1)
	err := call.persist(ctx)
	c.calls.Add(-1)
	call.reply.Attempts = call.attempts
	c.clean(&call.reply)
	if err != nil {
		err = c.finish(err, req.Model, call.attempts)
	}
	ended(call.reply, err)
	return call.reply, err
}

// A call is one Chat in progress.
type call struct {
	client       *client
	req          llm.Request
	reply        llm.Reply // the latest reply
	attempts     []llm.Attempt
	server       *server          // of the latest request; nil: none
	unfitServers map[*server]bool // servers that do not have the model or refuse the key
	waitStart    time.Time        // when the wait of the next attempt began
	possibleCost PossibleCost     // the earlier attempts that may have been paid for
}

// attempt sends one request. It sends the request again while the server requires another form, or while another server is to be asked.
func (c *call) attempt(ctx context.Context) error {
	for {
		err := c.send(ctx)
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.OtherForm && !c.useOtherServer(e) {
			return err
		}
	}
}

// send sends one request. The steps are:
//   - adapt the request, and wait if the first request in its form is in flight;
//   - reserve the cost, and wait for a permit of a server;
//   - send the request;
//   - learn from the reply, release the permit, and charge the cost.
func (c *call) send(ctx context.Context) error {
	c.reply = llm.Reply{}
	client := c.client
	costs := c.client.costs
	var req llm.Request
	var known bool
	var refused error
	// The first request in a form is sent alone, so that each parameter is refused at most once.
	leave, err := client.firstRequests.Take(ctx, c.req.Model, func() bool {
		req, known, refused = client.adaptKnown(c.req)
		return known
	})
	if err != nil {
		return err
	}
	defer leave()
	if refused != nil {
		return refused
	}
	reserved := costs.MaxCost(req)
	if err := costs.Budgets.Reserve(ctx, reserved); err != nil {
		return err
	}
	tokens := limits.EstimateTokens(req)
	s := c.choose()
	l := s.limiter
	permit, err := l.Acquire(ctx, c, tokens)
	if err != nil {
		costs.Budgets.Settle(reserved, 0)
		return err
	}
	c.server = s
	sent := client.withServerNames(req)
	if client.beforeRequest != nil {
		if err := client.beforeRequest(ctx, PossibleCost{c.possibleCost.Requests + 1, c.possibleCost.Cost + reserved}); err != nil {
			l.Release(permit, llm.AsError(err))
			costs.Budgets.Settle(reserved, 0)
			return err
		}
	}
	started := time.Now()
	c.reply, err = s.protocol.Exchange(protocol.WithHeaderFunc(ctx, func(h http.Header) { l.ReadHeaders(permit, h) }), sent)
	c.reply.Format = sent.Format
	e, _ := errors.AsType[*llm.Error](err)
	if e != nil {
		e.Message = client.secrets.scrub(e.Message)
		client.learn(req, sent, e)
		if e.Kind == llm.Truncated && protocol.AtLimit(c.reply.Finish) {
			e.Message = req.LimitReached(c.reply.Finish)
		}
	}
	client.learnReasoning(c.req, req, &c.reply, e)
	if !known && (e == nil || !e.OtherForm && e.Parameter == "" && (e.HTTPStatus == http.StatusOK || unacceptable(e))) {
		client.forms.Store(formOf(req), nil)
	}
	l.Release(permit, e)
	l.SettleTokens(tokens, c.reply.Usage)
	a := c.record(started, e)
	costs.Record(a, req, &c.reply, e, reserved)
	if !limits.CostNothing(a.Usage, e) {
		c.possibleCost = PossibleCost{c.possibleCost.Requests + 1, c.possibleCost.Cost + llm.ValueOr(a.Cost, 0)}
	}
	return err
}

// record adds an attempt to the call.
func (c *call) record(started time.Time, e *llm.Error) *llm.Attempt {
	a := llm.Attempt{
		Started: started, Wait: started.Sub(c.waitStart), Latency: time.Since(started),
		HTTPStatus: 200, Outcome: llm.Valid, Usage: c.reply.Usage, Raw: c.reply.Raw, Tier: c.reply.Tier, Model: c.reply.Model,
	}
	if e != nil {
		a.HTTPStatus = e.HTTPStatus
		a.Outcome = e.Kind
		a.Reason = e.Message
		if a.Raw == "" {
			a.Raw = e.Body
		}
	}
	c.attempts = append(c.attempts, a)
	c.waitStart = time.Now()
	return &c.attempts[len(c.attempts)-1]
}

// clean removes secrets from a reply, and then cuts long bodies. The order matters, because a cut could leave half of a key.
func (c *client) clean(r *llm.Reply) {
	for _, text := range []*string{&r.Text, &r.Reasoning, &r.Finish, &r.Model, &r.Tier} {
		*text = c.secrets.scrub(*text)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Reason, a.Model, a.Tier = c.secrets.scrub(a.Reason), name(c.secrets.scrub(a.Model)), name(c.secrets.scrub(a.Tier))
		a.Raw = c.cleanBody(a.Raw)
		r.Raw = a.Raw
	}
}

// name returns a name from a server's reply, on one line and not longer than longestName.
func name(text string) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == ' ' }), " ")
	return strings.ToValidUTF8(text[:min(len(text), longestName)], "")
}

const longestName = 200

// cleanBody returns the beginning of a body without secrets. It searches only a little beyond the cut.
func (c *client) cleanBody(raw string) string {
	text := c.secrets.scrub(raw[:min(len(raw), protocol.MaxRaw+protocol.RawSlack)])
	if len(text) > protocol.MaxRaw {
		text = strings.ToValidUTF8(strings.Clone(text[:protocol.MaxRaw]), "") // does not keep the rest in memory
	}
	return text
}

// finish completes an error for the caller with provider, model and number of attempts, and removes secrets.
func (c *client) finish(err error, model string, attempts []llm.Attempt) error {
	e := llm.AsError(err)
	e.Body = "" // it may contain a key
	e.Provider, e.Model, e.Attempts, e.Message = c.p.Label(), model, len(attempts), c.secrets.scrub(e.Message)
	return e
}

// Hooks are options of a client; the zero value works.
type Hooks struct {
	Transport http.RoundTripper                   // nil: a new one
	OnAttempt func(context.Context, AttemptEvent) // called after each request, with the call's context, possibly concurrently
	// Notice is called when the server goes down, comes back or is given up, and during a download of a model. Calls may be concurrent.
	Notice func(string)

	// BeforeRequest is called directly before each request, once the limits and the budgets allow it. Its error ends the call. It has the
	// call's context, and calls may be concurrent. nil: requests are sent without asking.
	BeforeRequest func(context.Context, PossibleCost) error

	KnownAdaptations []llm.Adaptation     // what was learnt earlier about the server's models
	OnAdaptation     func(llm.Adaptation) // called for each new adaptation, possibly concurrently

	Price   func(model string) (llm.Price, bool) // the result is false if the price is unknown
	Budgets []*limits.Budget                     // each request is charged to all of these
}

// PossibleCost says what a call may have cost when a request has been sent and its reply is not known. It counts this request, and earlier
// requests of the call that the server did not refuse.
type PossibleCost struct {
	Requests int
	Cost     float64 // the most in US dollars; 0: the price is unknown, or the request is free
}

// Client makes calls to one provider.
type Client interface {
	// Chat gets one answer. The error is an *llm.Error. With an error, the reply still has the attempts and what was received, for instance
	// a truncated text or a refusal.
	Chat(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the names of the server's models, sorted.
	Models(ctx context.Context) ([]string, error)
	// State describes the requests in flight, and what the other calls wait for.
	State() llm.State
}

// An AttemptEvent describes a request to Hooks.OnAttempt: its attempt, without the response.
type AttemptEvent struct {
	llm.Attempt
	Model string
	N     int           // number of the attempt within its call, from 1
	Pause time.Duration // before the next attempt; 0: there is none, or it follows immediately
}
