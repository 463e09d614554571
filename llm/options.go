package llm

import (
	"encoding/json"
	"strings"
)

// size is the bytes of a prompt, with its schema.
func (r Request) Size() int {
	n := len(r.Schema)
	for _, m := range r.Messages {
		n += m.Len()
	}
	return n
}

// check refuses a request that no server could answer as it is meant.
func (r Request) Check() error {
	if r.Model == "" {
		return Errorf(Misconfigured, "no model is named")
	}
	if len(r.Messages) == 0 {
		return Errorf(Misconfigured, "the prompt has no messages")
	}
	for _, m := range r.Messages {
		if strings.TrimSpace(m.Shared) == "" && strings.TrimSpace(m.Content) == "" {
			return Errorf(Misconfigured, "a message of role %q is empty", m.Role)
		}
	}
	if len(r.Schema) > 0 {
		if !json.Valid(r.Schema) {
			return Errorf(Misconfigured, "the schema isn't JSON")
		}
	}
	for _, fields := range []map[string]any{r.Options, r.Extra} {
		for _, name := range []string{"model", "messages", "stream", "n"} {
			if _, ok := fields[name]; ok {
				return Errorf(Misconfigured, "%s can't be set by options or extra", name)
			}
		}
		if _, err := json.Marshal(fields); err != nil {
			return Errorf(Misconfigured, "options and extra must be JSON values: %s", err)
		}
	}
	return nil
}

// ReplyLimit is the limit of a reply in tokens, if options set a positive one.
func ReplyLimit(options map[string]any) (int, bool) {
	for _, name := range ReplyLimitOptions {
		if n, ok := IntOption(options[name]); ok && n > 0 {
			return n, true
		}
	}
	return 0, false
}

// limitNames are the options that limit a reply, in the order of precedence.
var ReplyLimitOptions = []string{"max_completion_tokens", "max_tokens", "num_predict"}

// number reads an integer option, which YAML or JSON may have made a float.
func IntOption(v any) (int, bool) {
	if v == nil {
		return 0, false // nearly always, and asked several times a call
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0, false
	}
	var n int
	return n, json.Unmarshal(text, &n) == nil
}

// answerRoom is how many tokens a reply is expected to take where the request
// sets no limit.
const DefaultReplyTokens = 2048
