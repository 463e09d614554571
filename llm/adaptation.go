package llm

import (
	"regexp"
	"slices"
	"strings"
)

// An Adaptation is one change to the requests for a model: the model or its server does not accept a parameter, or the reply's limit needs
// room for reasoning. A client learns it once, and the record keeps it.
type Adaptation struct {
	Model     string
	Parameter string // a name in Request.Options; or response_format, or ReasoningAllowance
	Value     string // what is sent instead: another field, a format, a number of tokens; "": nothing
	Reason    string // the server's words, or Documented
}

// ReasoningAllowance is the Parameter of an Adaptation whose Value is a number of tokens. They are added to limits of the visible reply, so
// that a model has room for its reasoning.
const ReasoningAllowance = "reasoning_allowance"

// Documented is the Reason of an Adaptation that the model's maker documents.
const Documented = "documented by its maker"

// DefaultReasoningAllowance is the default number of tokens for reasoning.
const DefaultReasoningAllowance = 4096

var (
	// OpenAIReasoning matches the names of OpenAI's reasoning models, without the prefix of a gateway.
	OpenAIReasoning = regexp.MustCompile(`^(o[1-9]|gpt-([5-9]|1\d))`)
	openAI          = regexp.MustCompile(`^(o[1-9]|gpt-[0-9]|chatgpt)`)
	// claudeReasoning matches Claude models since Opus 4.7 and Sonnet 5.
	claudeReasoning = regexp.MustCompile(`^claude-(fable|mythos|opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9])`)
	claude          = regexp.MustCompile(`^claude-`)
)

// Reasons reports whether a model is known to use tokens of its reply's limit for reasoning.
func Reasons(model string, options map[string]any) bool {
	name := baseName(model)
	return OpenAIReasoning.MatchString(name) && options["reasoning_effort"] != "none" || claudeReasoning.MatchString(name)
}

// Refuses reports whether the model's maker documents that the model refuses a parameter, together with these options. For other models,
// the client learns refusals from the server.
//
// Sources: OpenAI, deployment checklist for reasoning models; Anthropic, migration guide to Sonnet 5.5 (both November 2026).
func Refuses(model, parameter string, options map[string]any) bool {
	name := baseName(model)
	var refused []string
	if openAI.MatchString(name) {
		refused = append(refused, "top_k", "repetition_penalty", "repeat_penalty")
		if Reasons(model, options) {
			refused = append(refused, "temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs")
		}
	}
	if claude.MatchString(name) {
		refused = append(refused, "repetition_penalty", "repeat_penalty")
		if _, both := options["temperature"]; both || Reasons(model, options) {
			refused = append(refused, "top_p")
		}
		if Reasons(model, options) {
			refused = append(refused, "temperature", "top_k")
		}
	}
	return slices.Contains(refused, parameter)
}

// baseName returns the model's name in lower case, without the prefix of a gateway: "openai/gpt-5" gives "gpt-5".
func baseName(model string) string {
	return strings.ToLower(model[strings.LastIndex(model, "/")+1:])
}
