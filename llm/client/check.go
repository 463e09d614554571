package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// Facts are what Check found out about a provider and a model on it. A nil
// error is success; what couldn't be tried has the error that prevented it.
type Facts struct {
	Provider string
	BaseURL  string
	Model    string
	KeyEnv   string // variable of the key; empty: none is needed
	KeySet   bool   // true where none is needed

	Config error // why no request can be made at all

	Reachable error    // nil: the server answers (be it with a refusal of the key)
	Version   string   // of an Ollama server
	Models    []string // what it offers, sorted; nil where it doesn't say
	Listing   error    // why it doesn't say
	Listed    bool     // Model is among them

	Answer  error         // of one small chat: nil, or why there was no reply
	Format  string        // how that chat could ask for a schema: json_schema, json_object or "" (not at all)
	Schema  bool          // the reply matched the schema
	Latency time.Duration // of its last attempt
}

// Check looks at a provider and, where one is named, at a model on it: is the
// key set, does the server answer, does it know the model, does a small chat
// work, and does the reply keep to a JSON Schema. The chat costs some tokens. It
// works without a key, which is one of the things to find out.
func Check(ctx context.Context, p llm.Provider, model string, getenv func(string) string, hooks Hooks) Facts {
	f := Facts{Provider: p.Label(), Model: model, KeyEnv: p.APIKeyEnv, KeySet: p.HasKey(getenv)}
	c, err := newClient(p, getenv, hooks)
	if err != nil {
		f.Config = err
		return f
	}
	f.BaseURL = c.p.BaseURL
	f.Models, f.Listing = c.Models(ctx)
	if e, ok := errors.AsType[*llm.Error](f.Listing); ok && e.HTTPStatus == 0 {
		f.Reachable = e
	}
	f.Listed = slices.ContainsFunc(f.Models, func(name string) bool { return sameModel(name, model) })
	if o, ok := c.protocol.(*protocol.Ollama); ok && f.Reachable == nil {
		f.Version = version(o, ctx)
	}
	if model == "" {
		return f
	}
	if f.Reachable != nil {
		f.Answer = f.Reachable
		return f
	}
	reply, err := c.Chat(ctx, llm.Request{
		Model:    model,
		Messages: []llm.Message{{Role: "user", Content: `Reply with this JSON object and nothing else: {"ready": true}`}},
		Options:  map[string]any{protocol.MaxTokens: 1000}, // room for a reasoning model's thoughts
		Schema:   json.RawMessage(`{"type":"object","properties":{"ready":{"type":"boolean"}},"required":["ready"],"additionalProperties":false}`),
	})
	f.Answer, f.Format = err, reply.Format
	if n := len(reply.Attempts); n > 0 {
		f.Latency = reply.Attempts[n-1].Latency
	}
	var ready struct{ Ready *bool }
	f.Schema = json.Unmarshal([]byte(reply.Text), &ready) == nil && ready.Ready != nil
	return f
}

// sameModel compares names; Ollama's tag "latest" may be left out.
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// version is the version of the server, "" where it doesn't say.
func version(o *protocol.Ollama, ctx context.Context) string {
	body, err := o.Endpoint.Fetch(ctx, http.MethodGet, "/api/version", nil)
	if err != nil {
		return ""
	}
	var v struct{ Version string }
	if json.Unmarshal(body, &v) != nil {
		return ""
	}
	return v.Version
}
