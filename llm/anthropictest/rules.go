package anthropictest

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

var customID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// fields lists the allowed fields of a request; other fields are errors.
var fields = []string{"model", "max_tokens", "messages", "system", "temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata",
	"output_config", "thinking", "tools", "tool_choice", "service_tier", "cache_control"}

// samples reports whether a model accepts sampling parameters, prefill and budgets of thinking. Models before Claude Opus 4.7 do.
func samples(model string) bool { return strings.HasPrefix(model, "claude-haiku-4-5") }

// check returns the first rule that a request breaks, as the status and message of the error. problem is "" if the request breaks no rule.
func (s *Server) check(body map[string]any) (status int, problem string) {
	text, _ := json.Marshal(body) // body was decoded from JSON
	value := gjson.ParseBytes(text)
	model, messages, system, limit := value.Get("model").Str, value.Get("messages").Array(), value.Get("system"), value.Get("max_tokens")
	effort := value.Get("output_config.effort")
	format := value.Get("output_config.format")
	old := samples(model)
	most := float64(128_000)
	if old {
		most = 64_000
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(body)), func(name string) bool { return slices.Contains(fields, name) })
	other := func(name, usual string) bool { return value.Get(name).Exists() && value.Get(name).Raw != usual }
	some := func(accept func(gjson.Result) bool) bool { return slices.ContainsFunc(messages, accept) }
	role := ""
	if n := len(messages); n > 0 {
		role = messages[n-1].Get("role").Str
	}
	for _, rule := range []struct {
		broken  bool
		problem string
	}{
		{model == "", "model: Field required"},
		{len(s.Models) > 0 && !slices.Contains(s.Models, model), "model: " + model},
		{len(names) > 0, strings.Join(names, ", ") + ": Extra inputs are not permitted"},
		{limit.Type != gjson.Number, "max_tokens: Field required"},
		{limit.Num < 1 || limit.Num > most,
			fmt.Sprintf("max_tokens: %.0f > %.0f, which is the maximum allowed number of output tokens for %s", limit.Num, most, model)},
		{len(messages) == 0, "messages: at least one message is required"},
		{system.Exists() && blank(system), "system: text content blocks must be non-empty"},
		{some(func(m gjson.Result) bool { return m.Get("role").Str != "user" && m.Get("role").Str != "assistant" }),
			"messages.0.role: Input should be 'user' or 'assistant'"},
		{some(func(m gjson.Result) bool { return blank(m.Get("content")) }),
			"messages: text content blocks must contain non-whitespace text"},
		{strings.Count(value.Raw, `"cache_control":`) > 4, "A maximum of 4 blocks with cache_control may be provided."},
		{role == "assistant" && !old,
			"This model does not support assistant message prefill. The conversation must end with a user message."},
		{old && value.Get("temperature").Exists() && value.Get("top_p").Exists(),
			"`temperature` and `top_p` cannot both be specified for this model. Please use only one."},
		{!old && other("temperature", "1"), "`temperature` is deprecated for this model."},
		{!old && other("top_p", "1"), "`top_p` is deprecated for this model."},
		{!old && value.Get("top_k").Exists(), "`top_k` is deprecated for this model."},
		{!old && value.Get("thinking.type").Str == "enabled", "\"thinking.type.enabled\" is not supported for this model. Use " +
			"\"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior."},
		{!old && value.Get("thinking.type").Str == "disabled", "\"thinking.type.disabled\" is not supported for this model."},
		{!old && slices.Contains([]string{"any", "tool"}, value.Get("tool_choice.type").Str),
			"tool_choice: forced tool use is not supported for this model."},
		{old && effort.Exists(), "This model does not support the effort parameter."},
		{effort.Exists() && !slices.Contains([]string{"low", "medium", "high", "xhigh", "max"}, effort.Str),
			"output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'"},
		{format.IsObject() && (format.Get("type").Str != "json_schema" || !format.Get("schema").Exists()),
			"output_config.format.type: Input should be 'json_schema'"},
	} {
		switch {
		case rule.broken && rule.problem == "model: "+model:
			return 404, rule.problem
		case rule.broken:
			return 400, rule.problem
		}
	}
	if format.IsObject() {
		problem = checkSchema(format.Get("schema"))
	}
	return 400, problem
}

// blank reports whether a content has no text, or a block without text.
func blank(content gjson.Result) bool {
	if content.Type == gjson.String {
		return strings.TrimSpace(content.Str) == ""
	}
	blocks := content.Array()
	return len(blocks) == 0 || slices.ContainsFunc(blocks, func(b gjson.Result) bool { return strings.TrimSpace(b.Get("text").Str) == "" })
}

// unsupported lists the keywords of JSON Schema that structured outputs do not support.
var unsupported = []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "maxItems"}

// checkSchema returns the error message for a schema, or "" if structured outputs support it.
func checkSchema(schema gjson.Result) string {
	kind := schema.Get("type").String()
	switch unknown := slices.IndexFunc(unsupported, func(keyword string) bool { return schema.Get(keyword).Exists() }); {
	case !schema.IsObject():
		return "output_config.format.schema: Input should be an object"
	case unknown >= 0:
		return fmt.Sprintf("output_config.format.schema: For '%s' type, property '%s' is not supported", kind, unsupported[unknown])
	case kind == "object" && schema.Get("additionalProperties").Type != gjson.False:
		return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
	}
	inner := append(schema.Get("properties.@values").Array(), schema.Get("$defs.@values").Array()...)
	if items := schema.Get("items"); items.Exists() {
		inner = append(inner, items)
	}
	for _, value := range inner {
		if problem := checkSchema(value); problem != "" {
			return problem
		}
	}
	return ""
}
