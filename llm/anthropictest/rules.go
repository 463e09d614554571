package anthropictest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var customID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// fields are the fields of a request; others are errors.
var fields = []string{"model", "max_tokens", "messages", "system", "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata",
	"output_config", "thinking", "tools", "tool_choice", "service_tier", "cache_control"}

// samples reports whether a model takes sampling parameters, prefill and budgets of thinking,
// as those before Claude Opus 4.7 do.
func samples(model string) bool { return strings.HasPrefix(model, "claude-haiku-4-5") }

// check is the first rule that a request breaks, with the status of the error; "": none.
func (s *Server) check(body map[string]any) (status int, problem string) {
	model, _ := body["model"].(string)
	if model == "" {
		return 400, "model: Field required"
	}
	if len(s.Models) > 0 && !slices.Contains(s.Models, model) {
		return 404, "model: " + model
	}
	names := make([]string, 0, len(body))
	for name := range body {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(fields, name) {
			return 400, name + ": Extra inputs are not permitted"
		}
	}
	if n, ok := body["max_tokens"].(float64); !ok {
		return 400, "max_tokens: Field required"
	} else if most := map[bool]float64{true: 64_000, false: 128_000}[samples(model)]; n < 1 || n > most {
		return 400, fmt.Sprintf("max_tokens: %.0f > %.0f, which is the maximum allowed number of output tokens for %s", n, most, model)
	}
	for _, rule := range []func(string, map[string]any) string{checkMessages, checkSampling, checkThinking, checkOutput} {
		if problem := rule(model, body); problem != "" {
			return 400, problem
		}
	}
	return 0, ""
}

func checkMessages(model string, body map[string]any) string {
	messages, _ := body["messages"].([]any)
	if len(messages) == 0 {
		return "messages: at least one message is required"
	}
	marks := 0
	blank := func(content any) bool {
		if text, ok := content.(string); ok {
			return strings.TrimSpace(text) == ""
		}
		blocks, _ := content.([]any)
		for _, item := range blocks {
			block, _ := item.(map[string]any)
			if block["cache_control"] != nil {
				marks++
			}
			if text, _ := block["text"].(string); strings.TrimSpace(text) == "" {
				return true
			}
		}
		return len(blocks) == 0
	}
	if system, set := body["system"]; set && blank(system) {
		return "system: text content blocks must be non-empty"
	}
	role := ""
	for _, item := range messages {
		message, _ := item.(map[string]any)
		if role, _ = message["role"].(string); role != "user" && role != "assistant" {
			return "messages.0.role: Input should be 'user' or 'assistant'"
		}
		if blank(message["content"]) {
			return "messages: text content blocks must contain non-whitespace text"
		}
	}
	switch {
	case marks > 4:
		return "A maximum of 4 blocks with cache_control may be provided."
	case role == "assistant" && !samples(model):
		return "This model does not support assistant message prefill. The conversation must end with a user message."
	}
	return ""
}

func checkSampling(model string, body map[string]any) string {
	temperature, hot := body["temperature"]
	nucleus, top := body["top_p"]
	_, most := body["top_k"]
	switch {
	case samples(model) && hot && top:
		return "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
	case samples(model):
		return ""
	case hot && temperature != 1.0:
		return "`temperature` is deprecated for this model."
	case top && nucleus != 1.0:
		return "`top_p` is deprecated for this model."
	case most:
		return "`top_k` is deprecated for this model."
	}
	return ""
}

func checkThinking(model string, body map[string]any) string {
	thinking, _ := body["thinking"].(map[string]any)
	choice, _ := body["tool_choice"].(map[string]any)
	switch {
	case samples(model):
	case thinking["type"] == "enabled":
		return "\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to " +
			"control thinking behavior."
	case thinking["type"] == "disabled":
		return "\"thinking.type.disabled\" is not supported for this model."
	case choice["type"] == "any" || choice["type"] == "tool":
		return "tool_choice: forced tool use is not supported for this model."
	}
	return ""
}

func checkOutput(model string, body map[string]any) string {
	output, _ := body["output_config"].(map[string]any)
	if effort, set := output["effort"]; set {
		switch {
		case samples(model):
			return "This model does not support the effort parameter."
		case !slices.Contains([]any{"low", "medium", "high", "xhigh", "max"}, effort):
			return "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"
		}
	}
	format, set := output["format"].(map[string]any)
	if !set {
		return ""
	}
	if format["type"] != "json_schema" || format["schema"] == nil {
		return "output_config.format.type: Input should be 'json_schema'"
	}
	return checkSchema(format["schema"])
}

// unsupported are keywords of JSON Schema that structured outputs do not support.
var unsupported = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"}

func checkSchema(value any) string {
	schema, ok := value.(map[string]any)
	if !ok {
		return "output_config.format.schema: Input should be an object"
	}
	for _, keyword := range unsupported {
		if _, set := schema[keyword]; set {
			return fmt.Sprintf("output_config.format.schema: For '%v' type, property '%s' is not supported", schema["type"], keyword)
		}
	}
	if schema["type"] == "object" && schema["additionalProperties"] != false {
		return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	for _, name := range []string{"properties", "$defs"} {
		members, _ := schema[name].(map[string]any)
		for _, member := range members {
			if problem := checkSchema(member); problem != "" {
				return problem
			}
		}
	}
	if items, set := schema["items"]; set {
		return checkSchema(items)
	}
	return ""
}
