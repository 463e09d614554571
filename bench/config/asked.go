package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

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

// with is the model of a role of an entry; what the role leaves out is taken from the entry.
func (a Asked) with(role Asked) Asked {
	role.Provider, role.Model = cmp.Or(role.Provider, a.Provider), cmp.Or(role.Model, a.Model)
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

// AllOptions are the options with the effort.
func (a Asked) AllOptions() map[string]any { return a.Effort.In(a.Options) }

// checkLive checks an entry's provider, model and what is sent with each request.
func (c *Config) checkLive(a Asked) error {
	if _, ok := c.Providers[a.Provider]; !ok {
		known := []string{ProviderBaseline, ProviderEmbedded, ProviderFile, ProviderCalibrated}
		for name := range c.Providers {
			known = append(known, name)
		}
		slices.Sort(known)
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
	Batch      bool
}

// LiveEntries are all entries that ask a provider.
func (c *Config) LiveEntries() []LiveEntry {
	var list []LiveEntry
	add := func(section, kind, what, name string, a Asked, batch bool) {
		if _, live := c.Providers[a.Provider]; live {
			list = append(list, LiveEntry{a, section, kind, what, name, batch})
		}
	}
	for _, m := range c.Models {
		for _, role := range m.OwnRoles() {
			add("models", store.KindAnswer, "model", m.Name, role, m.Batch)
		}
	}
	for _, j := range c.Judges {
		add("judges", store.KindVerdict, "judge", j.Name, j.Asked, j.Batch)
	}
	for _, j := range c.Summaries {
		add(sectionSummary, store.KindLabel, "summary judge", j.Name, j.Asked, j.Batch)
	}
	for _, ref := range c.Pairwise {
		for _, role := range ref.OwnRoles() {
			add(sectionPairwise, store.KindPreference, "pairwise judge", ref.Name, role, ref.Batch)
		}
	}
	return list
}

const sectionPairwise = "pairwise"

// Request is a request with a prompt of the caller, and with what the entry and its method
// set.
func (e LiveEntry) Request(messages []llm.Message) llm.Request {
	m := pairwise.Model{Name: e.Model, Options: e.AllOptions(), Extra: e.Extra}
	if e.section == sectionPairwise {
		return m.Evaluating(messages)
	}
	return llm.Request{Model: e.Model, Messages: messages, Options: m.Options, Extra: m.Extra}
}

// wrong is the error of the entry.
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
