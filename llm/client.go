package llm

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"
)

// client is every Client: limits, tries and records around the one request that
// a protocol knows how to make.
type client struct {
	p        Provider // with its defaults
	protocol protocol
	limits   *limits
	bills    *bills
	secrets  *secrets
	tried    func(context.Context, Try) // nil: nobody is told
}

// protocol speaks to one server.
type protocol interface {
	// exchange makes one request for one answer. The error is an *Error; the
	// reply holds what was received in either case.
	exchange(ctx context.Context, req Request) (Reply, error)
	// models lists the server's models.
	models(ctx context.Context) ([]string, error)
}

// New makes the Client of a provider. getenv looks up environment variables
// (os.Getenv). The error is a Misconfigured *Error: an unknown type, a faulty
// address, a variable that isn't set.
func New(p Provider, getenv func(string) string, hooks Hooks) (Client, error) {
	c, err := newClient(p, getenv, hooks)
	if err != nil {
		return nil, err
	}
	if !p.keySet(getenv) {
		return nil, c.finish(fault(Misconfigured, "environment variable %s isn't set: it holds the key", p.APIKeyEnv), "", nil)
	}
	return c, nil
}

// newClient makes a client, without a key if there is none.
func newClient(p Provider, getenv func(string) string, hooks Hooks) (*client, error) {
	p = p.withDefaults()
	c := &client{p: p, limits: newLimits(p, hooks.Notice), bills: newBills(hooks.Price, hooks.Purses), tried: hooks.Tried}
	headers, values, err := expandHeaders(p.Headers, getenv)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	if p.APIKeyEnv != "" && !variableName(p.APIKeyEnv) {
		// Not shown: it may well be the key itself.
		return nil, c.finish(fault(Misconfigured, "api_key_env isn't the name of an environment variable, as OPENAI_API_KEY is one: the key itself belongs into the variable, and nowhere else"), "", nil)
	}
	key := strings.TrimSpace(getenv(p.APIKeyEnv))
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, c.finish(fault(Misconfigured, "the key in %s holds a character that no header can", p.APIKeyEnv), "", nil)
	}
	c.secrets = newSecrets(append(values, key)...)
	w, err := newWire(p, key, headers, hooks.Transport)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	switch p.Type {
	case TypeOpenAI:
		c.protocol, err = newOpenAI(p, w)
	case TypeOllama:
		c.protocol, err = newOllama(p, w, hooks.Pull)
	default:
		err = fault(Misconfigured, "type is %q, not %s or %s", p.Type, TypeOpenAI, TypeOllama)
	}
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	return c, nil
}

// variableName tells the name of an environment variable from a key that was
// put in its place: names are of letters, digits and _ (POSIX), and no long name
// has digits in it but no _.
func variableName(text string) bool {
	if !variable.MatchString(text) {
		return false
	}
	return len(text) < 20 || strings.Contains(text, "_") || !strings.ContainsAny(text, "0123456789")
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keySet says whether the key that the provider needs is there.
func (p Provider) keySet(getenv func(string) string) bool {
	return p.APIKeyEnv == "" || strings.TrimSpace(getenv(p.APIKeyEnv)) != ""
}

func (p Provider) withDefaults() Provider {
	base, concurrency := "https://api.openai.com/v1", 8
	if p.Type == TypeOllama {
		base, concurrency = "http://127.0.0.1:11434", 4
	}
	if p.BaseURL == "" {
		p.BaseURL = base
	}
	if p.Concurrency <= 0 {
		p.Concurrency = concurrency
	}
	if p.Timeout <= 0 {
		p.Timeout = 5 * time.Minute
	}
	switch {
	case p.Retries == 0:
		p.Retries = 4
	case p.Retries < 0:
		p.Retries = 0
	}
	if p.Backoff <= 0 {
		p.Backoff = time.Second
	}
	if p.MaxWait <= 0 {
		p.MaxWait = 5 * time.Minute
	}
	if p.GiveUp == 0 {
		p.GiveUp = 10 * time.Minute
	}
	return p
}

func (c *client) Models(ctx context.Context) ([]string, error) {
	names, err := c.protocol.models(ctx)
	if err != nil {
		return nil, c.finish(err, "", nil)
	}
	return names, nil
}

func (c *client) Chat(ctx context.Context, req Request) (Reply, error) {
	if err := req.check(); err != nil {
		return Reply{}, c.finish(err, req.Model, nil)
	}
	call := &call{client: c, req: req, ready: time.Now()}
	c.limits.waits(+1)
	err := call.persist(ctx)
	c.limits.waits(-1)
	call.reply.Attempts = call.attempts
	c.clean(&call.reply)
	if err != nil {
		err = c.finish(err, req.Model, call.attempts)
	}
	return call.reply, err
}

// check refuses a request that no server could answer as it is meant.
func (r Request) check() error {
	if r.Model == "" {
		return fault(Misconfigured, "no model is named")
	}
	if len(r.Messages) == 0 {
		return fault(Misconfigured, "the prompt has no messages")
	}
	for _, m := range r.Messages {
		if strings.TrimSpace(m.Shared) == "" && strings.TrimSpace(m.Content) == "" {
			return fault(Misconfigured, "a message of role %q is empty", m.Role)
		}
	}
	if len(r.Schema) > 0 {
		if !json.Valid(r.Schema) {
			return fault(Misconfigured, "the schema isn't JSON")
		}
	}
	for _, fields := range []map[string]any{r.Options, r.Extra} {
		for _, name := range []string{"model", "messages", "stream", "n"} {
			if _, ok := fields[name]; ok {
				return fault(Misconfigured, "%s can't be set by options or extra", name)
			}
		}
		if _, err := json.Marshal(fields); err != nil {
			return fault(Misconfigured, "options and extra must be JSON values: %s", err)
		}
	}
	return nil
}

// call is one Chat under way.
type call struct {
	client   *client
	req      Request
	reply    Reply // the latest
	attempts []Attempt
	ready    time.Time // since when the next attempt has been waiting
}

// try makes one request, or more than one where a request has to be put into the
// form that the server wants, and records them.
func (c *call) try(ctx context.Context) error {
	for {
		err := c.send(ctx)
		if e, ok := errors.AsType[*Error](err); !ok || !e.again {
			return err
		}
	}
}

// send makes one request when the budget, the limits and the server allow it.
func (c *call) send(ctx context.Context) error {
	c.reply = Reply{}
	l, bills := c.client.limits, c.client.bills
	ended, err := bills.alone(ctx, c.req, l.holdForMoney)
	if err != nil {
		return err
	}
	defer ended()
	aside := bills.aside(c.req)
	if err := bills.purses.reserve(ctx, aside, l.holdForMoney); err != nil {
		return err
	}
	tokens := estimate(c.req)
	ticket, err := l.acquire(ctx, c, tokens)
	if err != nil {
		bills.purses.settle(aside, 0)
		return err
	}
	l.waits(-1)
	c.reply, err = c.client.protocol.exchange(withHeaders(ctx, ticket.heard), c.req)
	l.waits(+1)
	e, _ := errors.AsType[*Error](err)
	if e != nil {
		e.Message = c.client.secrets.scrub(e.Message)
	}
	l.leave(ticket, e)
	l.settle(tokens, c.reply.Usage)
	a := c.record(ticket.at, e)
	bills.enter(a, c.req, &c.reply, e, aside)
	return err
}

func (c *call) record(started time.Time, e *Error) *Attempt {
	a := Attempt{
		Started: started, Wait: started.Sub(c.ready), Latency: time.Since(started),
		HTTPStatus: 200, Outcome: Valid, Usage: c.reply.Usage, Raw: c.reply.Raw,
	}
	if e != nil {
		a.HTTPStatus, a.Outcome, a.Reason = e.HTTPStatus, e.Kind, e.Message
		if a.Raw == "" {
			a.Raw = e.body
		}
	}
	c.attempts = append(c.attempts, a)
	c.ready = time.Now()
	return &c.attempts[len(c.attempts)-1]
}

// clean takes secrets out of a reply, and cuts what is kept of bodies; in this
// order, so that no cut leaves the half of a key.
func (c *client) clean(r *Reply) {
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
	text := c.secrets.scrub(raw[:min(len(raw), maxRaw+rawSlack)])
	if len(text) > maxRaw {
		text = strings.ToValidUTF8(strings.Clone(text[:maxRaw]), "") // without the rest behind it
	}
	return text
}

// finish completes an error for the caller: whose it is, after how many
// attempts, and without secrets.
func (c *client) finish(err error, model string, attempts []Attempt) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = fault(Failed, "%s", err)
	}
	done := *e
	done.body = "" // it may hold a key
	done.Provider, done.Model, done.Attempts = c.p.name(), model, len(attempts)
	done.Message = c.secrets.scrub(e.Message)
	return &done
}

func (p Provider) name() string {
	if p.Name == "" {
		return p.Type + " provider" // base_url may be what is wrong, a password in it
	}
	return p.Name
}
