package protocol

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"compqa/llm"
)

const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
)

// formats are the ways to request a reply that follows a schema, best first. "" requests
// nothing: only the prompt describes the form.
var formats = []string{"json_schema", "json_object", ""}

// dialect is what one model on an OpenAI-compatible server accepts.
type dialect struct {
	limit  string // the field for the reply's limit
	format int    // index into formats
}

// dialects finds the dialect of each model of a server.
type dialects struct {
	field   string // as configured: auto, max_tokens or max_completion_tokens
	host    string
	learned *Adaptations
}

func newDialects(field, base string, learned *Adaptations) (*dialects, error) {
	if field == "" {
		field = "auto"
	}
	if field != "auto" && field != MaxTokens && field != MaxCompletionTokens {
		return nil, llm.Errorf(llm.Misconfigured, "max_tokens_field is %q; it must be auto, %s or %s", field, MaxTokens, MaxCompletionTokens)
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	return &dialects{field: field, host: u.Hostname(), learned: learned}, nil
}

// Of is the dialect for a request. If nothing is known yet, OpenAI and Azure get
// max_completion_tokens, which all their models accept; other servers get max_tokens,
// because some of them ignore the other field silently. OpenAI's models with reasoning
// accept only max_completion_tokens.
func (d *dialects) Of(req llm.Request) dialect {
	way := dialect{limit: d.field}
	if d.field == "auto" {
		way.limit = MaxTokens
		_, named := req.Options[MaxCompletionTokens]
		if named || d.host == "api.openai.com" || strings.HasSuffix(d.host, ".azure.com") || llm.OpenAIReasoning.MatchString(req.Model) {
			way.limit = MaxCompletionTokens
		}
		if other, refused := d.learned.Value(req.Model, way.limit); refused && other != "" {
			way.limit = other
		}
	}
	if format, refused := d.learned.Value(req.Model, responseFormat); refused {
		way.format = max(0, slices.Index(formats, format))
	}
	return way
}

// responseFormat is the field that requests a schema.
const responseFormat = "response_format"

// learn finds out from an error which form of the request the server does not accept, and
// says whether to send the request again in another form.
func (d *dialects) learn(req llm.Request, used dialect, e *llm.Error) bool {
	if !Unacceptable(e) {
		return false
	}
	text := strings.ToLower(e.Message)
	_, limited := llm.ReplyLimit(req.Options)
	unknown := containsAny(text, "support", "unrecognized", "unknown", "unexpected", "not permitted", "instead", "not allowed") &&
		!containsAny(text, "too large", "at most", "at least", "maximum", "exceed")
	switch {
	case limited && d.field == "auto" && unknown && strings.Contains(text, used.limit):
		other := map[string]string{MaxTokens: MaxCompletionTokens, MaxCompletionTokens: MaxTokens}[used.limit]
		if back, refused := d.learned.Value(req.Model, other); refused && back == used.limit {
			return false // it accepts neither
		}
		d.learned.Set(llm.Adaptation{Model: req.Model, Parameter: used.limit, Value: other, Reason: e.Message})
	case len(req.Schema) > 0 && formats[used.format] != "" && containsAny(text,
		responseFormat, "json_schema", "json_object", "json mode", "structured output", "schema", "grammar", "guided"):
		if d.Of(req).format == used.format { // else another request has learnt it meanwhile
			d.learned.Set(llm.Adaptation{Model: req.Model, Parameter: responseFormat, Value: formats[used.format+1], Reason: e.Message})
		}
	default:
		return false
	}
	return true
}

// Body is the request's body.
func (w dialect) Body(req llm.Request) (string, error) {
	fields := w.fields(req)
	fields["messages"], fields["stream"] = req.ChatMessages(), false
	if _, set := fields[responseFormat]; !set && w.formatName(req) != "" {
		fields[responseFormat] = w.responseFormat(req)
	}
	text, err := json.Marshal(fields)
	return string(text), err
}

// fields are the request's fields without its messages and response format.
func (w dialect) fields(req llm.Request) map[string]any {
	set := maps.Clone(req.Options)
	if set == nil {
		set = map[string]any{}
	}
	if n, ok := llm.ReplyLimit(req.Options); ok {
		for _, name := range llm.ReplyLimitOptions {
			delete(set, name)
		}
		set[w.limit] = n
	}
	if req.Seed != nil {
		set["seed"] = *req.Seed
	}
	maps.Copy(set, req.Extra)
	set["model"] = req.Model
	return set
}

func (w dialect) formatName(req llm.Request) string {
	if len(req.Schema) == 0 {
		return ""
	}
	return formats[w.format]
}

// responseFormat requests the schema in the best form that the server accepts.
func (w dialect) responseFormat(req llm.Request) any {
	f := struct {
		Type   string         `json:"type"`
		Schema map[string]any `json:"json_schema,omitempty"`
	}{Type: w.formatName(req)}
	if w.format == 0 {
		f.Schema = map[string]any{"name": cmp.Or(req.SchemaName, "reply"), "schema": req.Schema, "strict": true}
	}
	return f
}
