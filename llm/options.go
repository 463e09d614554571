package llm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Size returns the length of the messages and the schema in bytes.
func (r Request) Size() int {
	n := len(r.Schema)
	for _, m := range r.Messages {
		n += m.Len()
	}
	return n
}

// Check returns an error for a request that no server can answer correctly.
func (r Request) Check() error {
	if r.Model == "" {
		return Errorf(Misconfigured, "the model has no name")
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
			return Errorf(Misconfigured, "the schema is not JSON")
		}
	}
	for _, fields := range []map[string]any{r.Options, r.Extra} {
		if err := CheckFields(fields); err != nil {
			return err
		}
		if _, err := json.Marshal(fields); err != nil {
			return Errorf(Misconfigured, "options and extra must be JSON values: %s", err)
		}
	}
	return nil
}

// CheckFields returns an error if options or extra set a field that the program sets itself.
func CheckFields(fields map[string]any) error {
	for _, name := range []string{"model", "messages", "stream", "n"} {
		if _, ok := fields[name]; ok {
			return Errorf(Misconfigured, "options and extra cannot set %s", name)
		}
	}
	return nil
}

// ReplyLimit returns the limit of a reply in tokens. The result is false if the options set no positive limit.
func ReplyLimit(options map[string]any) (int, bool) {
	name, n := LimitAmong(ReplyLimitOptions, options)
	return n, name != ""
}

// LimitAmong returns the first of these options that limits a reply, and its number of tokens. name is "" if there is none.
func LimitAmong(names []string, options map[string]any) (name string, n int) {
	for _, name := range names {
		if n, ok := IntOption(options[name]); ok && n > 0 {
			return name, n
		}
	}
	return "", 0
}

// ReplyLimitOptions are the options that limit a reply, in order of precedence.
var ReplyLimitOptions = []string{"max_completion_tokens", "max_tokens", "num_predict"}

// IntOption reads an integer option, which YAML or JSON may give as a float. It returns false for other values.
func IntOption(v any) (int, bool) {
	if v == nil {
		return 0, false // the usual case
	}
	text, err := json.Marshal(v)
	if err != nil {
		return 0, false
	}
	var n int
	return n, json.Unmarshal(text, &n) == nil
}

// DefaultReplyTokens is the expected length of a reply in tokens if the request sets no limit.
const DefaultReplyTokens = 2048

// LimitReached explains that a reply was cut off at a limit of tokens: which limit it was, and what to raise.
func (r Request) LimitReached(finish string) string {
	if strings.Contains(finish, "context") {
		return fmt.Sprintf("prompt and reply reached the limit of tokens of the model's context (finish reason %s)", finish)
	}
	if name, n := LimitAmong(ReplyLimitOptions, r.Options); name != "" {
		return fmt.Sprintf("the reply was cut off at the limit of %d tokens (finish reason %s): raise %s in options of the entry", n,
			finish, name)
	}
	return fmt.Sprintf("the reply was cut off at the model's own limit of tokens (finish reason %s): set max_tokens in options of the entry",
		finish)
}

// Repeats reports whether the server would give the same reply to the same request: at temperature 0, or with a seed if the server obeys
// seeds.
func (p Provider) Repeats(r Request) bool {
	temperature, set := r.Options["temperature"]
	zero, isInt := IntOption(temperature)
	_, seeded := r.Options["seed"]
	return set && isInt && zero == 0 || TypeOf(p.Type).Local && (seeded || r.Seed != nil)
}
