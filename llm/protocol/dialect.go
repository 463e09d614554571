package protocol

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"compqa/llm"
)

const (
	MaxTokens           = "max_tokens"
	MaxCompletionTokens = "max_completion_tokens"
)

// formats are the ways to request a reply that follows a schema, best first. "" requests
// nothing: only the prompt describes the form.
var formats = []string{"json_schema", "json_object", ""}

// dialect is what one model on an OpenAI-compatible server accepts. It changes in one
// direction only, so that a request changes its form only a few times.
type dialect struct {
	limit    string // the field for the reply's limit
	switched bool   // limit was changed once
	format   int    // index into formats
	noSeed   bool   // the server rejects a seed
}

// dialects stores what is known about each model of a server.
type dialects struct {
	field string // as configured: auto, max_tokens or max_completion_tokens
	host  string

	mu    sync.Mutex
	known map[string]dialect
}

func newDialects(field, base string) (*dialects, error) {
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
	return &dialects{field: field, host: u.Hostname(), known: map[string]dialect{}}, nil
}

// reasoningModel matches OpenAI's models that accept only max_completion_tokens.
var reasoningModel = regexp.MustCompile(`^(o[1-9]|gpt-[5-9])`)

// Of is the dialect for a request. If nothing is known yet, OpenAI and Azure get
// max_completion_tokens, which all their models accept; other servers get max_tokens,
// because some of them ignore the other field silently.
func (d *dialects) Of(req llm.Request) dialect {
	d.mu.Lock()
	defer d.mu.Unlock()
	if way, ok := d.known[req.Model]; ok {
		return way
	}
	way := dialect{limit: d.field}
	if d.field == "auto" {
		way.limit = MaxTokens
		_, named := req.Options[MaxCompletionTokens]
		if named || d.host == "api.openai.com" || strings.HasSuffix(d.host, ".azure.com") || reasoningModel.MatchString(req.Model) {
			way.limit = MaxCompletionTokens
		}
	}
	return way
}

// learn finds out from an error what the server does not accept, and says whether to
// send the request again in another form.
func (d *dialects) learn(req llm.Request, used dialect, e *llm.Error) bool {
	if !slices.Contains([]int{400, 415, 422, 501}, e.HTTPStatus) || e.Kind == llm.Refused {
		return false
	}
	next := used
	text := strings.ToLower(e.Message)
	_, limited := llm.ReplyLimit(req.Options)
	unknown := containsAny(text, "support", "unrecognized", "unknown", "unexpected", "not permitted", "instead", "not allowed") &&
		!containsAny(text, "too large", "at most", "at least", "maximum", "exceed")
	switch {
	case limited && d.field == "auto" && !used.switched && unknown && strings.Contains(text, used.limit):
		next.switched = true
		next.limit = map[string]string{MaxTokens: MaxCompletionTokens, MaxCompletionTokens: MaxTokens}[used.limit]
	case len(req.Schema) > 0 && formats[used.format] != "" && containsAny(text,
		"response_format", "json_schema", "json_object", "json mode", "structured output", "schema", "grammar", "guided"):
		next.format++
	case req.Seed != nil && !used.noSeed && unknown && strings.Contains(text, "seed"):
		next.noSeed = true
	default:
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	// If several requests learn at the same time, the one with the most steps counts.
	if now, ok := d.known[req.Model]; !ok || now.steps() < next.steps() {
		d.known[req.Model] = next
	}
	return true
}

// steps counts the changes from the first dialect.
func (w dialect) steps() int {
	n := w.format
	if w.switched {
		n++
	}
	if w.noSeed {
		n++
	}
	return n
}

// Body is the request's body.
func (w dialect) Body(req llm.Request) (string, error) {
	fields := w.fields(req)
	fields["messages"], fields["stream"] = req.ChatMessages(), false
	if _, set := fields["response_format"]; !set && w.formatName(req) != "" {
		fields["response_format"] = w.responseFormat(req)
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
	if w.noSeed {
		delete(set, "seed")
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
