package client

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"compqa/llm"
	"compqa/llm/protocol"
)

// adapt returns the request as the model accepts it: without the program's own options
// that it refuses, and with room for its reasoning. The error is that of a user's option
// that the model has refused before.
func (c *client) adapt(req llm.Request) (llm.Request, error) {
	for _, set := range []map[string]any{req.Options, req.Extra} {
		for name, value := range set {
			if !c.refused.Load() {
				break // the usual case
			}
			if refused, ok := c.demands.Load(demand(req.Model, name, value)); ok && !slices.Contains(req.Preferred, name) {
				again := *refused.(*llm.Error)
				return req, &again
			}
		}
	}
	if req.Seed != nil && c.refuses(req.Model, "seed", req.Options) {
		req.Seed = nil
	}
	if len(req.Preferred) == 0 {
		return req, nil
	}
	options := maps.Clone(req.Options)
	for _, name := range req.Preferred {
		if _, set := options[name]; set && c.refuses(req.Model, name, options) {
			delete(options, name)
		}
	}
	if name, limit := preferredLimit(req, options); name != "" {
		if n := c.allowance(req.Model, options); n > 0 {
			options[name] = limit + n
		}
	}
	req.Options = options
	return req, nil
}

// Know takes in what another client has learnt about models.
func (c *client) Know(list []llm.Adaptation) {
	for _, a := range list {
		if value, learnt := c.learned.Value(a.Model, a.Parameter); !learnt || value != a.Value {
			c.learned.Set(a)
		}
	}
}

// refuses reports whether a model does not accept one of the program's own options.
func (c *client) refuses(model, name string, options map[string]any) bool {
	if value, learnt := c.learned.Value(model, name); learnt {
		return value == "" // a limit may have another name
	}
	if !llm.Refuses(model, name, options) {
		return false
	}
	c.learned.Set(llm.Adaptation{Model: model, Parameter: name, Reason: llm.Documented})
	return true
}

// preferredLimit is the limit of the visible reply that a method has set; "": none.
func preferredLimit(req llm.Request, options map[string]any) (name string, limit int) {
	for _, name := range llm.ReplyLimitOptions {
		if n, ok := llm.IntOption(options[name]); ok && n > 0 && slices.Contains(req.Preferred, name) {
			return name, n
		}
	}
	return "", 0
}

// allowance is the number of tokens that a model gets for reasoning; 0: it does not reason,
// as far as is known.
func (c *client) allowance(model string, options map[string]any) int {
	if text, learnt := c.learned.Value(model, llm.ReasoningAllowance); learnt {
		n, _ := strconv.Atoi(text)
		return max(n, c.p.ReasoningAllowance)
	}
	if llm.Reasons(model, options) {
		return c.p.ReasoningAllowance
	}
	return 0
}

// anyModel stands for all models of a server, for what is mostly accepted by all of them
// or by none: seeds, schemas, and what users set.
const anyModel = ""

// untried identifies the parameters of a request that its model has not accepted yet, with
// their values.
func (c *client) untried(req llm.Request) []string {
	var list []string
	add := func(model, name string, value any) {
		key := demand(model, name, value)
		if _, accepted := c.accepted.Load(key); !accepted {
			list = append(list, key)
		}
	}
	for _, set := range []map[string]any{req.Options, req.Extra} {
		for name, value := range set {
			model := anyModel
			if slices.Contains(req.Preferred, name) {
				model = req.Model
			}
			add(model, name, value)
		}
	}
	if req.Seed != nil {
		add(anyModel, "seed", nil)
	}
	if len(req.Schema) > 0 {
		add(anyModel, "schema", nil)
	}
	return list
}

// demand identifies a parameter of a model with its value.
func demand(model, name string, value any) string {
	text, _ := json.Marshal(value) // checked by Request.Check
	return model + "\x00" + name + "\x00" + string(text)
}

// learn finds out from an error which parameter of a request the model does not accept. If it
// is one of the program's own, the request is sent again without it. If it is the user's, the
// error says so, and no other call with it is sent.
func (c *client) learn(req llm.Request, e *llm.Error) {
	named := e.Parameter
	e.Parameter = ""
	if e.Again || !protocol.Unacceptable(e) {
		return
	}
	name := refusedParameter(req, named, e.Message)
	switch {
	case name == "":
	case name == "seed" && req.Seed != nil || slices.Contains(req.Preferred, name):
		c.learned.Set(llm.Adaptation{Model: req.Model, Parameter: name, Reason: e.Message})
		e.Again = true
	default:
		value, set := req.Options[name]
		if !set {
			value = req.Extra[name]
		}
		e.Kind, e.Parameter = llm.Misconfigured, name
		e.Message = fmt.Sprintf("the model does not accept %s: %v (%s)", name, value, e.Message)
		c.refused.Store(true)
		c.demands.Store(demand(req.Model, name, value), c.finish(e, req.Model, nil))
	}
}

// refusal matches what servers write about a parameter that they do not accept.
var refusal = regexp.MustCompile(`support|unrecogni[sz]ed|unknown|unexpected|not permitted|instead|not allowed|` +
	`not accept|deprecated|cannot both|invalid|must be|should be|too large|too high|maximum allowed`)

// refusedParameter is the parameter of a request that a server's error is about; "": none.
// The server may name it apart. Otherwise it is the first that the message names. Of
// two that cannot be specified together, temperature is kept.
func refusedParameter(req llm.Request, named, message string) string {
	sent := slices.AppendSeq(slices.Sorted(maps.Keys(req.Options)), maps.Keys(req.Extra))
	if req.Seed != nil {
		sent = append(sent, "seed")
	}
	message = strings.ToLower(message)
	if !refusal.MatchString(message) || strings.Contains(message, "context") {
		return ""
	}
	limits := strings.NewReplacer(protocol.MaxCompletionTokens, protocol.MaxTokens).Replace
	found, at := "", len(message)
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
		case place[0] < at:
			found, at = name, place[0]
		}
	}
	return found
}

// learnReasoning finds out from a reply whether a model reasons, and from a reply without text
// whether its limit went to reasoning. The allowance is raised once, and the
// request is sent again.
func (c *client) learnReasoning(asked, sent llm.Request, reply *llm.Reply, e *llm.Error) {
	reasons := reply.Reasoning != "" || reply.Usage.Reasoning != nil && *reply.Usage.Reasoning > 0
	cut := e != nil && e.Kind == llm.Truncated && reply.Finish != "" && strings.TrimSpace(reply.Text) == "" &&
		(reasons || llm.Reasons(asked.Model, asked.Options))
	name, limit := preferredLimit(asked, asked.Options)
	if name != "" && (reasons || cut) {
		used, _ := llm.IntOption(sent.Options[name])
		used -= limit
		now := c.allowance(asked.Model, asked.Options)
		next := now
		if now == 0 {
			next = c.p.ReasoningAllowance
		} else if cut && now == used && now <= c.p.ReasoningAllowance {
			next = raised * now
		}
		if next != now {
			c.learned.Set(llm.Adaptation{Model: asked.Model, Parameter: llm.ReasoningAllowance, Value: strconv.Itoa(next),
				Reason: "its replies contain reasoning"})
		}
		if cut && next > used {
			e.Again = true
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

// raised is the factor by which the allowance grows when it was too small.
const raised = 4
