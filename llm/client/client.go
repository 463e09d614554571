package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
)

// client is every Client: limits, tries and records around the one request that
// a protocol knows how to make.
type client struct {
	p        llm.Provider // with its defaults
	protocol Protocol
	limiter  *limits.Limiter
	costs    *limits.Costs
	secrets  *secrets
	tried    func(context.Context, Try) // nil: nobody is told
}

// protocol speaks to one server.
type Protocol interface {
	// exchange makes one request for one answer. The error is an *Error; the
	// reply holds what was received in either case.
	Exchange(ctx context.Context, req llm.Request) (llm.Reply, error)
	// models lists the server's models.
	Models(ctx context.Context) ([]string, error)
}

// New makes the Client of a provider. getenv looks up environment variables
// (os.Getenv). The error is a Misconfigured *Error: an unknown type, a faulty
// address, a variable that isn't set.
func New(p llm.Provider, getenv func(string) string, hooks Hooks) (Client, error) {
	c, err := newClient(p, getenv, hooks)
	if err != nil {
		return nil, err
	}
	if !p.HasKey(getenv) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "environment variable %s isn't set: it holds the key", p.APIKeyEnv), "", nil)
	}
	return c, nil
}

// newClient makes a client, without a key if there is none.
func newClient(p llm.Provider, getenv func(string) string, hooks Hooks) (*client, error) {
	p = p.WithDefaults()
	c := &client{p: p, limiter: limits.New(p, hooks.Notice), costs: limits.NewCosts(hooks.Price, hooks.Budgets), tried: hooks.Tried}
	headers, values, err := protocol.ExpandHeaders(p.Headers, getenv)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	if p.APIKeyEnv != "" && !llm.IsVariableName(p.APIKeyEnv) {
		// Not shown: it may well be the key itself.
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "api_key_env isn't the name of an environment variable, as OPENAI_API_KEY is one: the key itself belongs into the variable, and nowhere else"), "", nil)
	}
	key := strings.TrimSpace(getenv(p.APIKeyEnv))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, c.finish(llm.Errorf(llm.Misconfigured, "the key in %s holds a character that no header can", p.APIKeyEnv), "", nil)
	}
	c.secrets = newSecrets(append(values, key)...)
	w, err := protocol.NewEndpoint(p, key, headers, hooks.Transport)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	switch p.Type {
	case llm.TypeOpenAI:
		c.protocol, err = protocol.NewOpenAI(p, w)
	case llm.TypeOllama:
		c.protocol, err = protocol.NewOllama(p, w, hooks.Pull)
	default:
		err = llm.Errorf(llm.Misconfigured, "type is %q, not %s or %s", p.Type, llm.TypeOpenAI, llm.TypeOllama)
	}
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	return c, nil
}

func (c *client) Models(ctx context.Context) ([]string, error) {
	names, err := c.protocol.Models(ctx)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	return names, nil
}

func (c *client) Chat(ctx context.Context, req llm.Request) (llm.Reply, error) {
	if err := req.Check(); err != nil {
		return llm.Reply{}, c.finish(err, req.Model, nil)
	}
	call := &call{client: c, req: req, ready: time.Now()}
	c.limiter.AddWaiting(+1)
	err := call.persist(ctx)
	c.limiter.AddWaiting(-1)
	call.reply.Attempts = call.attempts
	c.clean(&call.reply)
	if err != nil {
		err = c.finish(err, req.Model, call.attempts)
	}
	return call.reply, err
}

// call is one Chat under way.
type call struct {
	client   *client
	req      llm.Request
	reply    llm.Reply // the latest
	attempts []llm.Attempt
	ready    time.Time // since when the next attempt has been waiting
}

// try makes one request, or more than one where a request has to be put into the
// form that the server wants, and records them.
func (c *call) try(ctx context.Context) error {
	for {
		err := c.send(ctx)
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Again {
			return err
		}
	}
}

// send makes one request when the budget, the limits and the server allow it.
func (c *call) send(ctx context.Context) error {
	c.reply = llm.Reply{}
	l, costs := c.client.limiter, c.client.costs
	ended, err := costs.AwaitFirst(ctx, c.req, l.NoteBudgetWait)
	if err != nil {
		return err
	}
	defer ended()
	reserved := costs.MaxCost(c.req)
	if err := costs.Budgets.Reserve(ctx, reserved, l.NoteBudgetWait); err != nil {
		return err
	}
	tokens := limits.EstimateTokens(c.req)
	permit, err := l.Acquire(ctx, c, tokens)
	if err != nil {
		costs.Budgets.Settle(reserved, 0)
		return err
	}
	l.AddWaiting(-1)
	c.reply, err = c.client.protocol.Exchange(protocol.WithHeaderFunc(ctx, permit.ReadHeaders), c.req)
	l.AddWaiting(+1)
	e, _ := errors.AsType[*llm.Error](err)
	if e != nil {
		e.Message = c.client.secrets.scrub(e.Message)
	}
	l.Release(permit, e)
	l.ChargeExcess(tokens, c.reply.Usage)
	a := c.record(permit.Started, e)
	costs.Record(a, c.req, &c.reply, e, reserved)
	return err
}

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

// clean takes secrets out of a reply, and cuts what is kept of bodies; in this
// order, so that no cut leaves the half of a key.
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

// cleanBody looks for secrets a little beyond the cut, and not in the megabytes
// after it.
func (c *client) cleanBody(raw string) string {
	text := c.secrets.scrub(raw[:min(len(raw), protocol.MaxRaw+protocol.RawSlack)])
	if len(text) > protocol.MaxRaw {
		text = strings.ToValidUTF8(strings.Clone(text[:protocol.MaxRaw]), "") // without the rest behind it
	}
	return text
}

// finish completes an error for the caller: whose it is, after how many
// attempts, and without secrets.
func (c *client) finish(err error, model string, attempts []llm.Attempt) error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = llm.Errorf(llm.Failed, "%s", err)
	}
	done := *e
	done.Body = "" // it may hold a key
	done.Provider, done.Model, done.Attempts = c.p.Label(), model, len(attempts)
	done.Message = c.secrets.scrub(e.Message)
	return &done
}

// Hooks are what a program may put into a Client; the zero value is usual.
type Hooks struct {
	Transport http.RoundTripper          // in place of a transport of the Client's own
	Pull      func(llm.Progress)         // called during a download, never concurrently
	Tried     func(context.Context, Try) // called after each request, with its call's context; perhaps concurrently
	Notice    func(string)               // called when the server goes down, comes back or is given up, in words; perhaps concurrently

	Price   func(model string) (llm.Price, bool) // false: it isn't known
	Budgets []*limits.Budget                     // what each request is paid from, all of them
}

// Client asks one server.
type Client interface {
	// Chat gets one answer. The error is an *Error; beside it the Reply holds
	// the attempts and whatever was received: a truncated text, a refusal.
	Chat(ctx context.Context, req llm.Request) (llm.Reply, error)
	// Models lists the names of the models that the server offers, sorted.
	Models(ctx context.Context) ([]string, error)
	// State is what is under way at the moment, and what the rest waits for.
	State() llm.State
}

// A Try is what a program is told of a request: its Attempt without what came
// back.
type Try struct {
	Model      string
	N          int // among those of its call, from 1
	Wait       time.Duration
	Latency    time.Duration
	HTTPStatus int
	Outcome    llm.Kind
	Reason     string        // free of secrets
	Pause      time.Duration // until the call is tried again; 0: it isn't, or at once in another form
}

// State describes what the client is doing.
func (c *client) State() llm.State { return c.limiter.State() }
