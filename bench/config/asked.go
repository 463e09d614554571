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

// Asked says which model a configuration entry asks, with which options, and at which price. The providers without a server
// (baseline, embedded, file, calibrated) use only Model, and may leave it empty.
type Asked struct {
	Provider string         `yaml:"provider" json:"provider,omitempty"`
	Model    string         `yaml:"model" json:"model,omitempty"`
	Price    *llm.Price     `yaml:"price" json:"price,omitempty"`
	Effort   Effort         `yaml:"effort" json:"effort,omitzero"`
	Options  map[string]any `yaml:"options" json:"options,omitempty"`
	Extra    map[string]any `yaml:"extra" json:"extra,omitempty"`
}

// forRole returns the settings of a role, which is one step of an entry's method. The entry a supplies each setting that the role leaves
// out. The price is taken only if the role uses the same model at the same provider.
func (a Asked) forRole(role Asked) Asked {
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

// AllOptions returns the options of requests, including those that the effort sets.
func (a Asked) AllOptions() map[string]any { return a.Effort.In(a.Options) }

// checkLive checks an entry that asks a provider. The provider must exist, a model must be named, and the provider must support the effort.
// Options and extra may contain no reserved field and no API key.
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

// keyField matches the names of request fields that hold a credential, such as api_key, authorization or access_token.
var keyField = regexp.MustCompile(`(?i)^key$|api[-_]?key|authorization|secret|password|(access|auth|bearer)[-_]?token`)

// A LiveEntry is a model or judge of the configuration that asks a provider. An entry with several roles makes one LiveEntry for each role
// that asks a provider.
type LiveEntry struct {
	Asked
	section    string // the section of compqa.yaml that contains the entry
	Kind       string // the kind of its results in the record: store.KindAnswer, KindVerdict, KindPreference or KindLabel
	What, Name string // the words of error messages: model "gpt-6-luna"
	Batch      BatchMode
}

// LiveEntries returns one LiveEntry for each model and role that asks a provider.
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

// Request returns a request with the given messages and with the model, options and extra fields of the entry. For a pairwise judge, it
// also sets what pairwise methods set.
func (e LiveEntry) Request(messages []llm.Message) llm.Request {
	m := pairwise.Model{Name: e.Model, Options: e.AllOptions(), Extra: e.Extra}
	if e.section == "pairwise" {
		return m.Evaluating(messages)
	}
	return llm.Request{Model: e.Model, Messages: messages, Options: m.Options, Extra: m.Extra}
}

// wrong adds the kind and name of the entry to an error, and marks its place in the configuration.
func (e LiveEntry) wrong(err error) error { return At(e.section, e.Name, Named(e.What, e.Name, err)) }

// Refusal explains that a model does not accept an option: where the option is in compqa.yaml, and what to remove.
func (c *Config) Refusal(name, provider, model string, refused *llm.Error) string {
	for _, e := range c.LiveEntries() {
		if e.Name == name && e.Provider == provider && e.Model == model {
			return c.Locate(e.Refusal(refused)).Error()
		}
	}
	return fmt.Sprintf("%s: %s; remove %s from its options", name, refused.Message, refused.Parameter)
}

// Refusal returns an error that says which option of the entry the model does not accept, and where to remove it: from extra, from options,
// or effort.
func (e LiveEntry) Refusal(refused *llm.Error) error {
	what := refused.Parameter + " from extra of"
	if _, set := e.Options[refused.Parameter]; set {
		what = refused.Parameter + " from options of"
	} else if refused.Parameter == optionReasoning || refused.Parameter == optionVerbosity {
		what = "effort from"
	}
	return e.wrong(fmt.Errorf("%s; remove %s the entry", refused.Message, what))
}

// Effort sets how much a model reasons and how much it writes. In YAML it is one word for the reasoning ("low"), or a mapping: {reasoning:
// low, verbosity: low}. An empty field means the model's default.
type Effort struct {
	Reasoning string `yaml:"reasoning" json:"reasoning,omitempty"`
	Verbosity string `yaml:"verbosity" json:"verbosity,omitempty"`
}

// UnmarshalYAML reads one word or a mapping.
func (e *Effort) UnmarshalYAML(node *yaml.Node) error {
	type fields Effort
	return wordOr(node, &e.Reasoning, (*fields)(e))
}

// The options of a request that an effort sets.
const (
	optionReasoning = "reasoning_effort"
	optionVerbosity = "verbosity"
)

// In returns a copy of options with the effort added under OpenAI's option names. The protocols translate the names for other providers.
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

// check returns an error if an option sets the same thing as the effort. It also does if providers of this type do not support the effort's
// reasoning or verbosity.
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
