package client

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"compqa/llm"
)

// Facts are the results of Check for a provider and a model. In error fields, nil means success. A check that could not be made has the
// error that prevented it.
type Facts struct {
	Provider string
	BaseURL  string
	Model    string
	KeyEnv   string // the environment variable of the key; "": no key is needed
	KeySet   bool   // also true if no key is needed

	Config error // why no request can be sent

	Reachable   error    // nil: the server answers, even if it rejects the key
	Version     string   // version of the server, if it reports one (Ollama)
	Models      []string // the server's models, sorted; nil if unknown
	Listing     error    // why the models are unknown
	ModelListed bool     // Model is among them

	Adaptations []llm.Adaptation // what the chat taught about the model

	Answer     error         // of one short chat: nil, or why there was no reply
	Format     string        // how that chat requested a schema: json_schema, json_object or "" (not at all)
	Schema     bool          // the reply matched the schema
	NoLogprobs bool          // the entry asks for log-probabilities, but the reply has none
	Latency    time.Duration // time of the chat's last attempt
}

// Check checks a provider and, if req names one, a model. It checks whether the key is set, the server replies, the server lists the model,
// a short chat works, and the reply follows a JSON schema. The chat costs a few tokens. A missing key is a result, not an error.
//
// The chat has the options of req; its prompt and schema are replaced.
func Check(ctx context.Context, p llm.Provider, req llm.Request, getenv func(string) string, hooks Hooks) Facts {
	model := req.Model
	f := Facts{Provider: p.Label(), Model: model, KeyEnv: p.APIKeyEnv, KeySet: p.HasKey(getenv)}
	hooks.OnAdaptation = func(a llm.Adaptation) { f.Adaptations = append(f.Adaptations, a) } // requests are sent one by one
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
	f.ModelListed = slices.ContainsFunc(f.Models, func(name string) bool {
		return strings.TrimSuffix(name, latest) == strings.TrimSuffix(model, latest)
	})
	if server, ok := c.servers[0].protocol.(interface{ Version(context.Context) string }); ok && f.Reachable == nil {
		f.Version = server.Version(ctx)
	}
	if model == "" {
		return f
	}
	if f.Reachable != nil {
		f.Answer = f.Reachable
		return f
	}
	req.Messages = []llm.Message{{Role: "user", Content: `Reply with this JSON object and nothing else: {"ready": true}`}}
	req.Schema = json.RawMessage(`{"type":"object","properties":{"ready":{"type":"boolean"}},` +
		`"required":["ready"],"additionalProperties":false}`)
	if _, limited := llm.ReplyLimit(req.Options); !limited {
		req.Options = maps.Clone(req.Options)
		if req.Options == nil {
			req.Options = map[string]any{}
		}
		req.Options[maxTokens] = 200
		req.Preferred = append(slices.Clone(req.Preferred), maxTokens)
	}
	reply, err := c.Chat(ctx, req)
	f.Answer = err
	f.Format = reply.Format
	f.NoLogprobs = err == nil && req.WantsLogprobs() && !reply.HasLogprobs()
	if n := len(reply.Attempts); n > 0 {
		f.Latency = reply.Attempts[n-1].Latency
	}
	f.Schema = json.Valid([]byte(reply.Text)) && gjson.Get(reply.Text, "ready").IsBool()
	return f
}

// latest is the tag that a name of an Ollama model may omit.
const latest = ":latest"
