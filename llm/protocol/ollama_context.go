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
	smallestContext = 2048 // Ollama's own default for long
	TemplateRoom    = 64   // tokens that a chat template adds to a message, generously
)

// contexts chooses num_ctx, and holds what is known of a server's models.
type contexts struct {
	wire   *Endpoint
	pull   bool
	pulled func(llm.Progress)

	turn  chan struct{} // one at a time may look at the rest, and pull
	known map[string]*modelContext
}

// modelContext is one model's context.
type modelContext struct {
	longest int // that the model was trained for; 0: unknown
	size    int // the largest num_ctx asked for up to now
}

func newContexts(w *Endpoint, pull bool, pulled func(llm.Progress)) *contexts {
	return &contexts{wire: w, pull: pull, pulled: pulled, turn: make(chan struct{}, 1), known: map[string]*modelContext{}}
}

// size is the num_ctx for a request, because Ollama silently cuts a prompt that
// is longer. Options["num_ctx"] is taken as it is. Otherwise it is
//
//	bytes of the messages + 64 for each + num_predict (2048 where none is set),
//
// an upper bound, since a token is at least one byte, rounded up to a power of
// two from 2048 on, at most what the model was trained for. It never shrinks
// for a model, because Ollama loads a model anew for each other num_ctx.
//
// The first request for a model asks the server about it, and pulls it if that
// is wanted.
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

// contextFor is the num_ctx of one request for a model of the given longest
// context, 0 for unknown.
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

// trained asks the server for the longest context of a model, and pulls a model
// that it doesn't have. 0: the server doesn't say.
func (c *contexts) trained(ctx context.Context, model string) (int, error) {
	body, err := json.Marshal(api.ShowRequest{Model: model})
	if err != nil {
		return 0, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	text, err := c.wire.Fetch(ctx, http.MethodPost, "/api/show", body)
	if e, ok := errors.AsType[*llm.Error](err); ok && e.HTTPStatus == http.StatusNotFound {
		if !c.pull {
			e.Message += " (fetch it with ollama pull, or set pull: true)"
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
		return 0, ReplyError(llm.Failed, "the description of the model can't be read: %s", err)
	}
	for name, value := range show.Info {
		if strings.HasSuffix(name, ".context_length") {
			n, _ := llm.IntOption(value)
			return n, nil
		}
	}
	return 0, nil
}

// fetchModel pulls a model. It may take long, so that ctx alone bounds it; it
// is done when the server says success.
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
			e := ReplyError(llm.Failed, "pulling the model ended before it was complete")
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
