package client

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"compqa/llm"
)

// Requests are adapted to what a model accepts, only in this file. Package llm has what makers document. Everything else is learnt from the
// server's refusals:
//
//   - an option that the program sets itself (Request.Preferred, the seed) is left out from then on;
//   - for the name of the reply's limit, or the form in which the schema is requested, the next one is used;
//   - if a whole reply went to reasoning, the limit gets more room for it;
//   - for an option of the user, no further request in this form is sent.

// adaptations has what was learnt about the models of a provider.
type adaptations struct {
	onChange func(llm.Adaptation) // called for each new or changed adaptation, possibly concurrently

	mu          sync.Mutex
	byParameter map[[2]string]llm.Adaptation // by model and parameter
}

// value returns the replacement of a model's parameter. The result is false if none is known.
func (a *adaptations) value(model, parameter string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x, known := a.byParameter[[2]string{model, parameter}]
	return x.Value, known
}

// set adds or replaces an adaptation.
func (a *adaptations) set(x llm.Adaptation) {
	a.mu.Lock()
	key := [2]string{x.Model, x.Parameter}
	before, known := a.byParameter[key]
	a.byParameter[key] = x
	a.mu.Unlock()
	if !known || before.Value != x.Value {
		a.onChange(x)
	}
}

// Know adds what another client has learnt about models.
func (c *client) Know(list []llm.Adaptation) {
	for _, a := range list {
		c.adaptations.set(a)
	}
}

// adaptKnown adapts a request to its model. known is true if the request may be sent while others are in flight: a request in this form was
// answered before, or no server refuses the form. err is set if the model has refused an option of the user in this form.
func (c *client) adaptKnown(asked llm.Request) (req llm.Request, known bool, err error) {
	req = c.adapt(asked)
	result, known := c.forms.Load(formOf(req))
	if refused, ok := result.(*llm.Error); ok {
		again := *refused
		return req, true, &again
	}
	plain := len(req.Options)+len(req.Extra)+len(req.Schema) == 0 && req.Seed == nil
	return req, known || llm.TypeOf(c.p.Type).Local || plain && !c.costs.Budgets.Limited(), nil
}

// formOf identifies the form of a request: its parameters, without its texts.
func formOf(req llm.Request) string {
	// Request.Check has checked the values; json.Marshal writes maps with sorted keys.
	text, _ := json.Marshal([]any{req.Model, req.Options, req.Extra, req.Preferred, req.Seed != nil, len(req.Schema) > 0})
	return string(text)
}

// adapt returns the request without the program's own options that the model refuses, and with room for reasoning.
func (c *client) adapt(req llm.Request) llm.Request {
	if req.Seed != nil && c.refuses(req.Model, "seed", req.Options) {
		req.Seed = nil
	}
	if len(req.Preferred) == 0 {
		return req
	}
	options := maps.Clone(req.Options)
	for _, name := range req.Preferred {
		if _, set := options[name]; set && c.refuses(req.Model, name, options) {
			delete(options, name)
		}
	}
	if name, limit := preferredLimit(req, options); name != "" {
		options[name] = limit + c.allowance(req.Model, options)
	}
	req.Options = options
	return req
}

// refuses reports whether a model refuses an option that the program sets itself.
func (c *client) refuses(model, name string, options map[string]any) bool {
	if value, learnt := c.adaptations.value(model, name); learnt {
		return value == "" // a limit with a new name is not refused
	}
	if !llm.Refuses(model, name, options) {
		return false
	}
	c.adaptations.set(llm.Adaptation{Model: model, Parameter: name, Reason: llm.Documented})
	return true
}

// preferredLimit returns the option that a method has set as the limit of the visible reply, with its value. name is "" if there is none.
func preferredLimit(req llm.Request, options map[string]any) (name string, limit int) {
	names := slices.DeleteFunc(slices.Clone(llm.ReplyLimitOptions), func(name string) bool { return !slices.Contains(req.Preferred, name) })
	return llm.LimitAmong(names, options)
}

// allowance returns the number of tokens that a model gets for reasoning, or 0 if the model is not known to reason.
func (c *client) allowance(model string, options map[string]any) int {
	if text, learnt := c.adaptations.value(model, llm.ReasoningAllowance); learnt {
		n, _ := strconv.Atoi(text)
		return max(n, c.p.ReasoningAllowance)
	}
	if llm.Reasons(model, options) {
		return c.p.ReasoningAllowance
	}
	return 0
}

// The names of the reply's limit on OpenAI-compatible servers, and of the field that requests a schema.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
	responseFormat      = "response_format"
)

// withServerNames returns an adapted request with the names and forms that the server accepts: one name for the reply's limit, and the form
// in which the schema is requested.
func (c *client) withServerNames(req llm.Request) llm.Request {
	kind := llm.TypeOf(c.p.Type)
	if len(req.Schema) > 0 {
		req.Format = kind.Formats[0]
		if learnt, ok := c.adaptations.value(req.Model, responseFormat); ok {
			req.Format = learnt
		}
	}
	n, limited := llm.ReplyLimit(req.Options)
	if !limited {
		return req
	}
	name := cmp.Or(kind.ReplyLimit, c.p.MaxTokensField, c.limitName(req))
	options := maps.Clone(req.Options)
	for _, other := range llm.ReplyLimitOptions {
		delete(options, other)
	}
	options[name] = n
	req.Options = options
	return req
}

// limitName returns the name of the reply's limit for a model of an OpenAI-compatible server. If nothing is learnt yet, OpenAI and Azure
// get max_completion_tokens, which all their models accept. Other servers get max_tokens, because some of them silently ignore the other
// name. OpenAI's reasoning models accept only max_completion_tokens.
func (c *client) limitName(req llm.Request) string {
	name := maxTokens
	host := c.p.Host()
	_, set := req.Options[maxCompletionTokens]
	if set || host == "api.openai.com" || strings.HasSuffix(host, ".azure.com") || llm.OpenAIReasoning.MatchString(req.Model) {
		name = maxCompletionTokens
	}
	if other, _ := c.adaptations.value(req.Model, name); other != "" {
		return other
	}
	return name
}

// unacceptable reports whether a server has rejected a request because of its form or its parameters.
func unacceptable(e *llm.Error) bool {
	return slices.Contains([]int{400, 415, 422, 501}, e.HTTPStatus) && e.Kind != llm.Refused
}

// Patterns of servers' messages about a refused name, about a wrong value, and about a schema.
var (
	refusedName = regexp.MustCompile(`support|unrecognized|unknown|unexpected|not permitted|instead|not allowed`)
	wrongValue  = regexp.MustCompile(`too large|at most|at least|maximum|exceed`)
	aboutSchema = regexp.MustCompile(`response_format|json_object|json mode|structured output|output format|schema|grammar|guided`)
)

// learn learns from an error what the model does not accept. req is the adapted request, and sent is the request as written. If the program
// can change the request, e.Again is set. If the model refuses an option of the user, the error names the option, and no other call in this
// form is sent.
func (c *client) learn(req, sent llm.Request, e *llm.Error) {
	named := e.Parameter
	e.Parameter = ""
	if e.OtherForm || !unacceptable(e) {
		return
	}
	e.OtherForm = c.learnName(sent, e) || c.learnFormat(req, sent, e)
	if e.OtherForm {
		return
	}
	name := refusedParameter(req, named, e.Message)
	switch {
	case name == "":
	case name == "seed" && req.Seed != nil || slices.Contains(req.Preferred, name):
		c.adaptations.set(llm.Adaptation{Model: req.Model, Parameter: name, Reason: e.Message})
		e.OtherForm = true
	default:
		value, set := req.Options[name]
		if !set {
			value = req.Extra[name]
		}
		e.Kind = llm.Misconfigured
		e.Parameter = name
		e.Message = fmt.Sprintf("the model does not accept %s: %v (%s)", name, value, e.Message)
		c.forms.Store(formOf(req), c.finish(e, req.Model, nil))
	}
}

// learnName learns that the reply's limit has the other name. It reports whether it did.
func (c *client) learnName(sent llm.Request, e *llm.Error) bool {
	text := strings.ToLower(e.Message)
	if llm.TypeOf(c.p.Type).ReplyLimit+c.p.MaxTokensField != "" || !refusedName.MatchString(text) || wrongValue.MatchString(text) {
		return false
	}
	for name, other := range map[string]string{maxTokens: maxCompletionTokens, maxCompletionTokens: maxTokens} {
		if _, set := sent.Options[name]; !set || !strings.Contains(text, name) {
			continue
		}
		if back, _ := c.adaptations.value(sent.Model, other); back == name {
			return false // the server accepts neither name
		}
		c.adaptations.set(llm.Adaptation{Model: sent.Model, Parameter: name, Value: other, Reason: e.Message})
		return true
	}
	return false
}

// learnFormat learns that the schema must be requested in the next form. It reports whether the error is about the form.
func (c *client) learnFormat(req, sent llm.Request, e *llm.Error) bool {
	forms := llm.TypeOf(c.p.Type).Formats
	next := slices.Index(forms, sent.Format) + 1
	if sent.Format == "" || next == len(forms) || !aboutSchema.MatchString(strings.ToLower(e.Message)) {
		return false
	}
	if c.withServerNames(req).Format == sent.Format { // otherwise another request has learnt it
		c.adaptations.set(llm.Adaptation{Model: req.Model, Parameter: responseFormat, Value: forms[next], Reason: e.Message})
	}
	return true
}

// refusal matches servers' messages about a parameter that they do not accept.
var refusal = regexp.MustCompile(`support|unrecogni[sz]ed|unknown|unexpected|not permitted|instead|not allowed|` +
	`not accept|deprecated|cannot both|invalid|must be|should be|too large|too high|maximum allowed`)

// refusedParameter returns the parameter of a request that a server's error is about, or "". named is the parameter that the server names
// in a field of its own, if any. Otherwise it is the first parameter in the message. If two parameters exclude each other, temperature is
// kept.
func refusedParameter(req llm.Request, named, message string) string {
	sent := slices.AppendSeq(slices.Sorted(maps.Keys(req.Options)), maps.Keys(req.Extra))
	if req.Seed != nil {
		sent = append(sent, "seed")
	}
	message = strings.ToLower(message)
	if !refusal.MatchString(message) || strings.Contains(message, "context") {
		return ""
	}
	limits := strings.NewReplacer(maxCompletionTokens, maxTokens).Replace
	found := ""
	index := len(message)
	for _, name := range sent {
		field := regexp.QuoteMeta(limits(name))
		if name == "reasoning_effort" {
			field = `(reasoning_effort|effort|think|thinking)`
		}
		place := regexp.MustCompile(`(^|[^a-z0-9_])` + field + `($|[^a-z0-9_])`).FindStringIndex(limits(message))
		switch {
		case limits(named) == limits(name), name == "reasoning_effort" && strings.HasSuffix(named, "effort"):
			return name
		case place == nil:
		case strings.Contains(message, "both") && found != "":
			if found == "temperature" || slices.Contains(req.Preferred, name) && !slices.Contains(req.Preferred, found) {
				found = name
			}
		case place[0] < index:
			found = name
			index = place[0]
		}
	}
	return found
}

// allowanceGrowth is the factor by which the room for reasoning grows if it was too small.
const allowanceGrowth = 4

// learnReasoning learns from a reply whether a model reasons, and from a reply without text whether its limit went to reasoning. Then it
// raises the room for reasoning once, and e.Again is set. asked is the caller's request, and req the adapted one.
func (c *client) learnReasoning(asked, req llm.Request, reply *llm.Reply, e *llm.Error) {
	reasons := reply.Reasoning != "" || reply.Usage.Reasoning != nil && *reply.Usage.Reasoning > 0
	cut := e != nil && e.Kind == llm.Truncated && reply.Finish != "" && strings.TrimSpace(reply.Text) == "" &&
		(reasons || llm.Reasons(asked.Model, asked.Options))
	name, limit := preferredLimit(asked, asked.Options)
	if name != "" && (reasons || cut) {
		used, _ := llm.IntOption(req.Options[name])
		used -= limit
		now := c.allowance(asked.Model, asked.Options)
		next := now
		if now == 0 {
			next = c.p.ReasoningAllowance
		} else if cut && now == used && now <= c.p.ReasoningAllowance {
			next = allowanceGrowth * now
		}
		if next != now {
			c.adaptations.set(llm.Adaptation{Model: asked.Model, Parameter: llm.ReasoningAllowance, Value: strconv.Itoa(next),
				Reason: "its replies contain reasoning"})
		}
		if cut && next > used {
			e.OtherForm = true
		}
	}
	if !cut {
		return
	}
	what := "lower effort of the entry"
	if name != "" {
		what = fmt.Sprintf("raise reasoning_allowance of provider %s, or lower effort of the entry", c.p.Label())
	} else if n, limited := llm.ReplyLimit(asked.Options); limited {
		what = fmt.Sprintf("raise the limit of %d tokens in options of the entry, or lower its effort", n)
	}
	e.Message = "the limit went to reasoning: " + what
}
