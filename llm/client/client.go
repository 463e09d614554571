package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
)

// client implements Client for every protocol.
type client struct {
	p        llm.Provider // with its defaults
	servers  []*server    // at least one
	choosing sync.Mutex
	costs    *limits.Costs
	secrets  *secrets
	learned  *protocol.Adaptations
	refused  atomic.Bool // demands holds something
	demands  sync.Map    // what users' options models have refused, *llm.Error by demand
	accepted sync.Map    // what models have accepted, by demand
	first    limits.First
	tried    func(context.Context, Try) // may be nil
}

// Protocol sends requests to one server.
type Protocol interface {
	// Exchange sends one request for one answer. The error is an *llm.Error; the reply
	// holds what was received in both cases.
	Exchange(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the server's models.
	Models(ctx context.Context) ([]string, error)
}

// protocols are the protocols by the type of provider, see llm.ProviderType. A new protocol
// is a file in package protocol and one entry here.
var protocols = map[string]func(llm.Provider, *protocol.Endpoint, *protocol.Adaptations, Hooks) (Protocol, error){
	llm.TypeOpenAI: func(p llm.Provider, e *protocol.Endpoint, a *protocol.Adaptations, _ Hooks) (Protocol, error) {
		return protocol.NewOpenAI(p, e, a)
	},
	llm.TypeAnthropic: func(_ llm.Provider, e *protocol.Endpoint, a *protocol.Adaptations, _ Hooks) (Protocol, error) {
		return protocol.NewAnthropic(e, a), nil
	},
	llm.TypeCommand: func(p llm.Provider, e *protocol.Endpoint, a *protocol.Adaptations, _ Hooks) (Protocol, error) {
		return protocol.NewOpenAI(p, e, a)
	},
	llm.TypeOllama: func(p llm.Provider, e *protocol.Endpoint, _ *protocol.Adaptations, h Hooks) (Protocol, error) {
		return protocol.NewOllama(p, e, h.Pull)
	},
}

// New makes the client of a provider. getenv reads environment variables (os.Getenv).
// The error is a Misconfigured *llm.Error: an unknown type, a wrong address, a variable
// that is not set.
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

// newClient makes a client; a missing key is no error.
func newClient(p llm.Provider, getenv func(string) string, hooks Hooks) (*client, error) {
	p = p.WithDefaults()
	c := &client{p: p, costs: limits.NewCosts(hooks.Price, hooks.Budgets), tried: hooks.Tried}
	c.learned = protocol.NewAdaptations(hooks.Known, func(a llm.Adaptation) {
		if a.Reason = c.secrets.scrub(a.Reason); hooks.Learned != nil {
			hooks.Learned(a)
		}
	})
	headers, values, err := protocol.ExpandHeaders(p.Headers, getenv)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	if p.APIKeyEnv != "" && !llm.IsVariableName(p.APIKeyEnv) {
		// The value is not shown, because it may be the key.
		return nil, c.finish(llm.Errorf(llm.Misconfigured,
			"api_key_env must be the name of an environment variable, such as OPENAI_API_KEY; store the key only in that variable"), "", nil)
	}
	key := strings.TrimSpace(getenv(p.APIKeyEnv))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "the key in %s has a character that is not allowed in a header", p.APIKeyEnv), "", nil)
	}
	c.secrets = newSecrets(append(values, key)...)
	if err := c.addServers(key, headers, hooks); err != nil {
		return nil, c.finish(err, "", nil)
	}
	return c, nil
}

// main is the first server: waits that concern no single server are noted there.
func (c *client) main() *server { return c.servers[0] }

// Chat implements Client.
func (c *client) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := req.Check(); err != nil {
		return llm.Reply{}, c.finish(err, req.Model, nil)
	}
	call := &call{client: c, req: req, ready: time.Now()}
	c.main().limiter.AddWaiting(+1)
	err := call.persist(ctx)
	c.main().limiter.AddWaiting(-1)
	call.reply.Attempts = call.attempts
	c.clean(&call.reply)
	if err != nil {
		err = c.finish(err, req.Model, call.attempts)
	}
	return call.reply, err
}

// call is one Chat in progress.
type call struct {
	client   *client
	req      llm.Request
	reply    llm.Reply // the latest
	attempts []llm.Attempt
	server   *server          // of the latest request; nil: none
	unfit    map[*server]bool // those that do not have the model, or refuse the key
	ready    time.Time        // when the wait of the next attempt began
}

// try sends one request, and sends it again if the server requires another form.
func (c *call) try(ctx context.Context) error {
	for {
		err := c.send(ctx)
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Again && !c.elsewhere(e) {
			return err
		}
	}
}

// send sends one request when the budget, the limits and the server allow it.
func (c *call) send(ctx context.Context) error {
	c.reply = llm.Reply{}
	note, costs := c.client.main().limiter, c.client.costs
	req, decided, err := c.client.admit(ctx, c.req)
	if err != nil {
		return err
	}
	known := false // whether requests in this form are sent from now on without waiting
	defer func() { decided(known) }()
	ended, err := costs.AwaitFirst(ctx, req, note.NoteBudgetWait)
	if err != nil {
		return err
	}
	defer ended(true)
	reserved := costs.MaxCost(req)
	if err := costs.Budgets.Reserve(ctx, reserved, note.NoteBudgetWait); err != nil {
		return err
	}
	tokens := limits.EstimateTokens(req)
	s := c.choose()
	l := s.limiter
	permit, err := l.Acquire(ctx, c, tokens)
	l.Leave()
	if err != nil {
		costs.Budgets.Settle(reserved, 0)
		return err
	}
	c.server = s
	note.AddWaiting(-1)
	c.reply, err = s.protocol.Exchange(protocol.WithHeaderFunc(ctx, permit.ReadHeaders), req)
	note.AddWaiting(+1)
	e, _ := errors.AsType[*llm.Error](err)
	if e != nil {
		e.Message = c.client.secrets.scrub(e.Message)
		c.client.learn(req, e)
	}
	if e != nil && e.Kind == llm.Truncated && protocol.AtLimit(c.reply.Finish) {
		e.Message = req.LimitReached(c.reply.Finish)
	}
	c.client.learnReasoning(c.req, req, &c.reply, e)
	known = e == nil || !e.Again && e.Parameter == "" && (e.HTTPStatus == http.StatusOK || protocol.Unacceptable(e))
	l.Release(permit, e)
	l.ChargeExcess(tokens, c.reply.Usage)
	a := c.record(permit.Started, e)
	costs.Record(a, req, &c.reply, e, reserved)
	return err
}

// admit adapts a request to its model. A request with parameters that the model has not
// accepted yet is sent alone, so that each is refused at most once. Local servers refuse none.
// The caller calls decided when the server has accepted the request in this form, or not.
func (c *client) admit(ctx context.Context, asked llm.Request) (req llm.Request, decided func(bool), err error) {
	for {
		req, err = c.adapt(asked)
		untried := c.untried(req)
		if err != nil || len(untried) == 0 || llm.TypeOf(c.p.Type).Local {
			return req, func(bool) {}, err
		}
		waited, ended, err := c.first.Await(ctx, req.Model, func() func() {
			return c.main().limiter.NoteWait("the first reply of "+req.Model, 0)
		})
		if err != nil {
			return req, nil, err
		}
		if waited {
			continue
		}
		// Another first request may have ended between adapt and Await.
		if req, err = c.adapt(asked); err != nil {
			ended(false)
			return req, nil, err
		}
		untried = c.untried(req)
		return req, func(accepted bool) {
			if accepted {
				for _, parameter := range untried {
					c.accepted.Store(parameter, true)
				}
			}
			ended(false)
		}, nil
	}
}

// record adds the attempt to the call.
func (c *call) record(started time.Time, e *llm.Error) *llm.Attempt {
	a := llm.Attempt{
		Started: started, Wait: started.Sub(c.ready), Latency: time.Since(started),
		HTTPStatus: 200, Outcome: llm.Valid, Usage: c.reply.Usage, Raw: c.reply.Raw,
	}
	if e != nil {
		a.HTTPStatus, a.Outcome, a.Reason = e.HTTPStatus, e.Kind, e.Message
		if a.Raw == "" {
			a.Raw = e.Body
		}
	}
	c.attempts = append(c.attempts, a)
	c.ready = time.Now()
	return &c.attempts[len(c.attempts)-1]
}

// clean removes secrets from a reply, and then cuts long bodies. The order matters: a
// cut could leave half of a key.
func (c *client) clean(r *llm.Reply) {
	for _, text := range []*string{&r.Text, &r.Reasoning, &r.Refusal, &r.Finish, &r.Model} {
		*text = c.secrets.scrub(*text)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		a.Reason = c.secrets.scrub(a.Reason)
		a.Raw = c.cleanBody(a.Raw)
		r.Raw = a.Raw
	}
}

// cleanBody searches for secrets a little beyond the cut, not in all the text after it.
func (c *client) cleanBody(raw string) string {
	text := c.secrets.scrub(raw[:min(len(raw), protocol.MaxRaw+protocol.RawSlack)])
	if len(text) > protocol.MaxRaw {
		text = strings.ToValidUTF8(strings.Clone(text[:protocol.MaxRaw]), "") // does not keep the rest in memory
	}
	return text
}

// finish completes an error for the caller: provider, model, number of attempts, and no
// secrets.
func (c *client) finish(err error, model string, attempts []llm.Attempt) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = llm.Errorf(llm.Failed, "%s", err)
	}
	done := *e
	done.Body = "" // it may contain a key
	done.Provider, done.Model, done.Attempts = c.p.Label(), model, len(attempts)
	done.Message = c.secrets.scrub(e.Message)
	return &done
}

// Hooks are options of a client; the zero value works.
type Hooks struct {
	Transport http.RoundTripper          // nil: a new one
	Pull      func(llm.Progress)         // called during a download of a model, never concurrently
	Tried     func(context.Context, Try) // called after each request with the call's context, possibly concurrently
	Notice    func(string)               // called when the server goes down, comes back or is given up, possibly concurrently

	Known   []llm.Adaptation     // what has been learnt about the server's models before
	Learned func(llm.Adaptation) // called for each new adaptation, possibly concurrently

	Price   func(model string) (llm.Price, bool) // false: unknown
	Budgets []*limits.Budget                     // every request is charged to all of them
}

// Client makes calls to one server.
type Client interface {
	// Chat gets one answer. The error is an *llm.Error; the reply then still holds the
	// attempts and what was received: a truncated text, a refusal.
	Chat(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the names of the server's models, sorted.
	Models(ctx context.Context) ([]string, error)
	// State describes the requests in flight, and what the other calls wait for.
	State() llm.State
}

// A Try describes a request to Hooks.Tried: its attempt without the response.
type Try struct {
	Model      string
	N          int // number within its call, from 1
	Wait       time.Duration
	Latency    time.Duration
	HTTPStatus int
	Outcome    llm.Kind
	Reason     string        // free of secrets
	Pause      time.Duration // before the next attempt; 0: no next attempt, or at once in another form
}
