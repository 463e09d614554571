package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/ollama/ollama/api"

	"compqa/llm"
)

const (
	smallestContext = 2048 // Ollama's default in older versions
	TemplateRoom    = 64   // upper bound of the tokens that a chat template adds to a message
)

// contexts chooses num_ctx, and stores what is known about a server's models.
type contexts struct {
	wire   *Endpoint
	pull   bool
	pulled func(llm.Progress)

	turn  chan struct{} // protects known and downloads: one call at a time
	known map[string]*modelContext
}

// modelContext is the context of one model.
type modelContext struct {
	longest int // context that the model was trained for; 0: unknown
	size    int // the largest num_ctx requested so far
}

// size is the num_ctx for a request. It is needed because Ollama silently cuts a longer
// prompt. Options["num_ctx"] is used unchanged. Otherwise it is
//
//	bytes of the messages + 64 for each + num_predict (2048 if it is not set),
//
// an upper bound, since a token has at least one byte. It is rounded up to a power of
// two from 2048, and limited to the context that the model was trained for. It never
// shrinks for a model, because Ollama reloads a model when num_ctx changes.
//
// The first request for a model asks the server for that context, and downloads the
// model if pull is set.
func (c *contexts) size(ctx context.Context, req llm.Request) (int, error) {
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, llm.ContextError(ctx)
	}
	defer func() { <-c.turn }()
	m := c.known[req.Model]
	if m == nil {
		longest, err := c.trained(ctx, req.Model)
		if err != nil {
			return 0, err
		}
		m = &modelContext{longest: longest}
		c.known[req.Model] = m
	}
	if n, ok := llm.IntOption(req.Options["num_ctx"]); ok {
		if m.longest > 0 {
			n = min(n, m.longest)
		}
		return n, nil
	}
	m.size = max(m.size, contextFor(req, m.longest))
	return m.size, nil
}

// contextFor is the num_ctx of one request to a model with the given longest context; 0:
// unknown.
func contextFor(req llm.Request, longest int) int {
	need, ok := llm.ReplyLimit(req.Options)
	if !ok {
		need = llm.DefaultReplyTokens
	}
	for _, m := range req.Messages {
		need += m.Len() + TemplateRoom
	}
	size := smallestContext
	for size < need {
		size *= 2
	}
	if longest > 0 {
		size = min(size, longest)
	}
	return size
}

// trained asks the server for the longest context of a model, and downloads a missing
// model. 0: unknown.
func (c *contexts) trained(ctx context.Context, model string) (int, error) {
	body, err := json.Marshal(api.ShowRequest{Model: model})
	if err != nil {
		return 0, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	text, err := c.wire.Fetch(ctx, http.MethodPost, "/api/show", body)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.HTTPStatus == http.StatusNotFound {
		if !c.pull {
			e.Message += " (download it with ollama pull, or set pull: true)"
			return 0, e
		}
		if err := c.fetchModel(ctx, model); err != nil {
			return 0, err
		}
		text, err = c.wire.Fetch(ctx, http.MethodPost, "/api/show", body)
	}
	if err != nil {
		return 0, err
	}
	var show struct {
		Info map[string]json.RawMessage `json:"model_info"`
	}
	if err := json.Unmarshal(text, &show); err != nil {
		return 0, ReplyError(llm.Failed, "the description of the model is unreadable: %s", err)
	}
	for name, value := range show.Info {
		if strings.HasSuffix(name, ".context_length") {
			n, _ := llm.IntOption(value)
			return n, nil
		}
	}
	return 0, nil
}

// fetchModel downloads a model, until the server reports success. That may take long, so
// only ctx limits it.
func (c *contexts) fetchModel(ctx context.Context, model string) error {
	body, err := json.Marshal(api.PullRequest{Model: model})
	if err != nil {
		return llm.Errorf(llm.Misconfigured, "%s", err)
	}
	resp, err := c.wire.Open(ctx, http.MethodPost, "/api/pull", ContentTypeJSON, string(body))
	if err != nil {
		return c.wire.TransportError(ctx, ctx, err)
	}
	defer resp.Body.Close()
	for steps := json.NewDecoder(resp.Body); ; {
		var step struct {
			api.ProgressResponse
			Error string `json:"error"`
		}
		switch err := steps.Decode(&step); {
		case err == io.EOF:
			e := ReplyError(llm.Failed, "pulling the model stopped before it was complete")
			e.Retriable = true
			return e
		case err != nil:
			return c.wire.TransportError(ctx, ctx, err)
		case step.Error != "":
			return ReplyError(llm.Failed, "pulling the model: %s", step.Error)
		}
		if c.pulled != nil {
			c.pulled(llm.Progress{Model: model, Status: step.Status, Done: step.Completed, Total: step.Total})
		}
		if step.Status == "success" {
			return nil
		}
	}
}
