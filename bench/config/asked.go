package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/data"
	"compqa/judges/pairwise"
	"compqa/llm"
	"compqa/results/store"
)

// Asked says which model an entry asks, how, and at which price. A provider without a
// server (baseline, embedded, file, calibrated) uses only Model, if any.
type Asked struct {
	Provider string         `yaml:"provider" json:"provider,omitempty"`
	Model    string         `yaml:"model" json:"model,omitempty"`
	Price    *llm.Price     `yaml:"price" json:"price,omitempty"`
	Effort   Effort         `yaml:"effort" json:"effort,omitzero"`
	Options  map[string]any `yaml:"options" json:"options,omitempty"`
	Extra    map[string]any `yaml:"extra" json:"extra,omitempty"`
}

// with returns the model of a role of an entry; what the role leaves out is taken from the entry.
func (a Asked) with(role Asked) Asked {
	role.Provider = cmp.Or(role.Provider, a.Provider)
	role.Model = cmp.Or(role.Model, a.Model)
	if role.Price == nil && role.Model == a.Model && role.Provider == a.Provider {
		role.Price = a.Price
	}
	role.Effort = cmp.Or(role.Effort, a.Effort)
	if role.Options == nil {
		role.Options = a.Options
	}
	if role.Extra == nil {
		role.Extra = a.Extra
	}
	return role
}

// AllOptions returns the options with the effort.
func (a Asked) AllOptions() map[string]any { return a.Effort.In(a.Options) }

// checkLive checks an entry's provider, model and what is sent with each request.
func (c *Config) checkLive(a Asked) error {
	if _, ok := c.Providers[a.Provider]; !ok {
		builtIn := []string{ProviderBaseline, ProviderEmbedded, ProviderFile, ProviderCalibrated}
		known := slices.Sorted(slices.Values(slices.AppendSeq(builtIn, maps.Keys(c.Providers))))
		if a.Provider == "" {
			return fmt.Errorf("provider is missing; it must be one of %s", strings.Join(known, ", "))
		}
		return fmt.Errorf("there is no provider %q%s", a.Provider, data.Suggest(a.Provider, "providers", known))
	}
	if a.Model == "" {
		return fmt.Errorf("model is missing: use the model's name at provider %q", a.Provider)
	}
	if err := a.Effort.check(c.Providers[a.Provider].Type, a.Options); err != nil {
		return err
	}
	for _, set := range []map[string]any{a.Options, a.Extra} {
		if refused, ok := errors.AsType[*llm.Error](llm.CheckFields(set)); ok {
			return errors.New(refused.Message)
		}
		for name := range set {
			if keyField.MatchString(name) {
				return fmt.Errorf("%s contains a key, but the configuration is recorded: name an environment variable in api_key_env of provider %q",
					name, a.Provider)
			}
		}
	}
	return nil
}

// keyField matches fields of a request that carry a credential.
var keyField = regexp.MustCompile(`(?i)^key$|api[-_]?key|authorization|secret|password|(access|auth|bearer)[-_]?token`)

// A LiveEntry is a model, a judge, a pairwise judge or a role of one that asks a provider.
type LiveEntry struct {
	Asked
	section    string // it stands in
	Kind       string // of its items, as in the record
	What, Name string // for messages: model "gpt-6-luna"
	Batch      BatchMode
}

// LiveEntries returns all entries that ask a provider.
func (c *Config) LiveEntries() (list []LiveEntry) {
	add := func(section, kind string, e Entry, roles ...Asked) {
		for _, role := range roles {
			if _, live := c.Providers[role.Provider]; live {
				list = append(list, LiveEntry{role, section, kind, Whats[section], e.Name, e.Batch})
			}
		}
	}
	for _, m := range c.Models {
		add("models", store.KindAnswer, m.Entry, m.OwnRoles()...)
	}
	for _, j := range c.Judges {
		add(j.Section(), j.Asks, j.Entry, j.OwnRoles()...)
	}
	return list
}

// Request returns a request with a prompt of the caller, and with what the entry and its method set.
func (e LiveEntry) Request(messages []llm.Message) llm.Request {
	m := pairwise.Model{Name: e.Model, Options: e.AllOptions(), Extra: e.Extra}
	if e.section == "pairwise" {
		return m.Evaluating(messages)
	}
	return llm.Request{Model: e.Model, Messages: messages, Options: m.Options, Extra: m.Extra}
}

// wrong returns the error of the entry.
func (e LiveEntry) wrong(err error) error { return At(e.section, e.Name, Named(e.What, e.Name, err)) }

// Refusal says where the option stands that a model does not accept, and what to do.
func (c *Config) Refusal(name, provider, model string, refused *llm.Error) string {
	for _, e := range c.LiveEntries() {
		if e.Name == name && e.Provider == provider && e.Model == model {
			return c.Locate(e.Refusal(refused)).Error()
		}
	}
	return fmt.Sprintf("%s: %s; remove %s from its options", name, refused.Message, refused.Parameter)
}

// Refusal says which option of the entry a model does not accept, and what to do.
func (e LiveEntry) Refusal(refused *llm.Error) error {
	what := refused.Parameter + " from extra of"
	if _, set := e.Options[refused.Parameter]; set {
		what = refused.Parameter + " from options of"
	} else if refused.Parameter == optionReasoning || refused.Parameter == optionVerbosity {
		what = "effort from"
	}
	return e.wrong(fmt.Errorf("%s; remove %s the entry", refused.Message, what))
}

// Effort is how much a model reasons, and how much it writes. In YAML it is one word, for
// reasoning, or {reasoning: low, verbosity: low}. "" is the model's default.
type Effort struct {
	Reasoning string `yaml:"reasoning" json:"reasoning,omitempty"`
	Verbosity string `yaml:"verbosity" json:"verbosity,omitempty"`
}

// UnmarshalYAML reads either form.
func (e *Effort) UnmarshalYAML(node *yaml.Node) error {
	type fields Effort
	return wordOr(node, &e.Reasoning, (*fields)(e))
}

// The options that an effort sets.
const (
	optionReasoning = "reasoning_effort"
	optionVerbosity = "verbosity"
)

// In returns options with the effort added, under OpenAI's names; the protocols translate them.
func (e Effort) In(options map[string]any) map[string]any {
	if e == (Effort{}) {
		return options
	}
	options = maps.Clone(options)
	if options == nil {
		options = map[string]any{}
	}
	if e.Reasoning != "" {
		options[optionReasoning] = e.Reasoning
	}
	if e.Verbosity != "" {
		options[optionVerbosity] = e.Verbosity
	}
	return options
}

// check returns an error for an effort that a type of provider does not have.
func (e Effort) check(providerType string, options map[string]any) error {
	for name, value := range map[string]string{optionReasoning: e.Reasoning, optionVerbosity: e.Verbosity} {
		if _, twice := options[name]; twice && value != "" {
			return fmt.Errorf("effort and options.%s set the same option; remove one", name)
		}
	}
	if known := llm.TypeOf(providerType).Efforts; e.Reasoning != "" && !slices.Contains(known, e.Reasoning) {
		return fmt.Errorf("effort is %q; with a provider of type %s it must be one of %s", e.Reasoning, providerType, strings.Join(known, ", "))
	}
	if e.Verbosity == "" {
		return nil
	}
	if !llm.TypeOf(providerType).Verbosity {
		return fmt.Errorf("a provider of type %s does not support verbosity; remove it from effort", providerType)
	}
	if known := []string{"low", "medium", "high"}; !slices.Contains(known, e.Verbosity) {
		return fmt.Errorf("effort: verbosity is %q; it must be one of %s", e.Verbosity, strings.Join(known, ", "))
	}
	return nil
}
