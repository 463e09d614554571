package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"compqa/llm"
)

// Effort is how much a model reasons, and how much it writes. In YAML it is one word, for
// reasoning, or {reasoning: low, verbosity: low}. "" is the model's default.
type Effort struct {
	Reasoning string `yaml:"reasoning" json:"reasoning,omitempty"`
	Verbosity string `yaml:"verbosity" json:"verbosity,omitempty"`
}

// UnmarshalYAML reads either form.
func (e *Effort) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		e.Reasoning = node.Value
		return nil
	}
	type fields Effort
	return node.Load((*fields)(e), yaml.WithKnownFields())
}

// The options that an effort sets.
const (
	optionReasoning = "reasoning_effort"
	optionVerbosity = "verbosity"
)

// In returns options with the effort added, under OpenAI's names; the protocols translate
// them.
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
