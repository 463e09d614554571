package llm

import (
	"regexp"
	"slices"
	"strings"
)

// An Adaptation is one way in which requests to a model differ from what the program
// would send: the model or its server does not accept a parameter, or the reply's limit
// needs room for reasoning. It is learnt once and kept in the record.
type Adaptation struct {
	Model     string
	Parameter string // as in Request.Options; or response_format, ReasoningAllowance
	Value     string // what is sent instead: another field, another format, a number of tokens; "": nothing
	Reason    string // the server's words, or Documented
}

// ReasoningAllowance is the Adaptation whose value is the number of tokens that are
// added to limits of the visible reply.
const ReasoningAllowance = "reasoning_allowance"

// Documented is the reason of an Adaptation that the model's maker documents.
const Documented = "documented by its maker"

// DefaultReasoningAllowance is the number of tokens for reasoning, by default.
const DefaultReasoningAllowance = 4096

var (
	// OpenAIReasoning matches OpenAI's models with reasoning, without prefixes of gateways.
	OpenAIReasoning = regexp.MustCompile(`^(o[1-9]|gpt-([5-9]|1\d))`)
	openAI          = regexp.MustCompile(`^(o[1-9]|gpt-[0-9]|chatgpt)`)
	// Claude since Opus 4.7 and Sonnet 5.
	claudeReasoning = regexp.MustCompile(`^claude-(fable|mythos|opus-(4-[7-9]|[5-9])|(sonnet|haiku)-[5-9])`)
	claude          = regexp.MustCompile(`^claude-`)
)

// Reasons reports whether the model is known to spend tokens of a limited reply on reasoning.
func Reasons(model string, options map[string]any) bool {
	name := baseName(model)
	return OpenAIReasoning.MatchString(name) && options["reasoning_effort"] != "none" || claudeReasoning.MatchString(name)
}

// Refuses reports whether the model's maker documents that it does not accept a parameter
// with these options. Other models are asked, and their refusals are learnt.
//
// Sources: OpenAI, deployment checklist for reasoning models; Anthropic, migration guide
// to Sonnet 5.5 (both November 2026).
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

// baseName returns the model's name without the prefixes of gateways.
func baseName(model string) string {
	return strings.ToLower(model[strings.LastIndex(model, "/")+1:])
}
