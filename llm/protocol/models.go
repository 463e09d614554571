package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"compqa/llm"
)

// Models implements client.Protocol.
func (o OpenAI) Models(ctx context.Context) ([]string, error) {
	return o.Endpoint.models(ctx, "/models")
}

// Models implements client.Protocol. A page holds at most 1,000 models, which is more than
// there are.
func (a Anthropic) Models(ctx context.Context) ([]string, error) {
	return a.Endpoint.models(ctx, "/models?limit=1000")
}

// Models implements client.Protocol.
func (o Ollama) Models(ctx context.Context) ([]string, error) {
	return o.Endpoint.models(ctx, "/api/tags")
}

// Version is the version of the server; "": unknown.
func (o Ollama) Version(ctx context.Context) string {
	body, err := o.Endpoint.Fetch(ctx, http.MethodGet, "/api/version", ContentTypeJSON, nil)
	var v struct{ Version string }
	if err != nil || json.Unmarshal(body, &v) != nil {
		return ""
	}
	return v.Version
}

// models lists the server's models: data with an id, Ollama's models with a name, or both
// (llama.cpp).
func (w *Endpoint) models(ctx context.Context, path string) ([]string, error) {
	body, err := w.Fetch(ctx, http.MethodGet, path, ContentTypeJSON, nil)
	if err != nil {
		return nil, err
	}
	var list struct {
		Data   []struct{ ID string }
		Models []struct{ Name string }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, ReplyError(llm.Failed, "the list of models is unreadable: %s", err)
	}
	var names []string
	for _, m := range list.Data {
		names = append(names, m.ID)
	}
	for _, m := range list.Models {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}
