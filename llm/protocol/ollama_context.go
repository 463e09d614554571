package protocol

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"

	"compqa/llm"
)

const (
	smallestContext = 2048 // Ollama's default in older versions
	TemplateRoom    = 64   // upper bound of the tokens that a chat template adds to a message
)

// contexts chooses num_ctx, and remembers what is known about a server's models.
type contexts struct {
	wire    *Endpoint
	pull    bool         // download missing models
	notice  func(string) // called with the progress of downloads; nil: not called
	pulling sync.Mutex   // one download at a time

	mu      sync.Mutex
	byModel map[string]*modelContext
}

// modelContext is what is known about the context of one model.
type modelContext struct {
	longest int     // the context that the model was trained for; 0: unknown
	size    int     // num_ctx of the Modelfile, or the largest requested so far
	reply   int     // num_predict of the Modelfile; 0: none
	perByte float64 // highest number of tokens per byte of a prompt so far, with a margin; 0: none counted
}

const (
	assumedPerByte = 1.0 / 3 // tokens per byte, until the server has counted a prompt
	perByteMargin  = 1.15
	countedBytes   = 500 // bytes from which on the chat template's tokens hardly matter
)

// size returns the num_ctx for a request. It is needed because Ollama silently cuts a longer prompt. The steps are:
//   - Options["num_ctx"] is used if it is set, at most the context that the model was trained for.
//   - Otherwise the size begins with that of the Modelfile, or 2048 if it has none.
//   - The size is doubled until the request fits, up to the context that the model was trained for.
//
// A request needs the tokens of the messages, 64 more for each message, and num_predict (of the request or the Modelfile, else 2048). The
// tokens are estimated from those that the server counted in earlier prompts. A prompt that was cut nevertheless is sent again; see cut.
// num_ctx never shrinks for a model, because Ollama reloads a model when it changes.
//
// The first request for a model asks the server for its description, and downloads the model if pull is set.
func (c *contexts) size(ctx context.Context, req llm.Request) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byModel[req.Model] == nil {
		c.mu.Unlock()
		described, err := c.describe(ctx, req.Model) // several first calls may ask at the same time
		c.mu.Lock()
		if err != nil {
			return 0, err
		}
		if c.byModel[req.Model] == nil {
			c.byModel[req.Model] = described
		}
	}
	m := c.byModel[req.Model]
	if n, ok := llm.IntOption(req.Options["num_ctx"]); ok {
		if m.longest > 0 {
			n = min(n, m.longest)
		}
		return n, nil
	}
	m.size = m.sizeFor(req)
	return m.size, nil
}

// sizeFor returns the num_ctx for one request; see size.
func (m *modelContext) sizeFor(req llm.Request) int {
	need, ok := llm.ReplyLimit(req.Options)
	if !ok {
		need = cmp.Or(m.reply, llm.DefaultReplyTokens)
	}
	need += TemplateRoom*len(req.Messages) + int(float64(promptBytes(req))*cmp.Or(m.perByte, assumedPerByte))
	size := m.size
	for size < need {
		size *= 2
	}
	if m.longest > 0 {
		size = min(size, m.longest)
	}
	return size
}

// promptBytes returns the length of the messages in bytes.
func promptBytes(req llm.Request) (n int) {
	for _, m := range req.Messages {
		n += m.Len()
	}
	return n
}

// learnTokens learns from the number of tokens that the server counted in a prompt.
func (c *contexts) learnTokens(req llm.Request, tokens int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m, n := c.byModel[req.Model], promptBytes(req); m != nil && tokens > 0 && n >= countedBytes {
		m.perByte = max(m.perByte, min(1, float64(tokens)/float64(n)*perByteMargin))
	}
}

// wasCut reports whether to send a prompt again that did not fit into a context of size tokens. It does so if the size was estimated and
// the model has a longer context. The next estimate is then larger.
func (c *contexts) wasCut(req llm.Request, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.byModel[req.Model]
	if _, set := req.Options["num_ctx"]; set || m == nil || m.perByte >= 1 || m.longest > 0 && size >= m.longest {
		return false
	}
	m.perByte = min(1, 2*cmp.Or(m.perByte, assumedPerByte))
	return true
}

// describe asks the server for a model's description. If pull is set, it downloads a missing model.
func (c *contexts) describe(ctx context.Context, model string) (*modelContext, error) {
	body, err := json.Marshal(api.ShowRequest{Model: model})
	if err != nil {
		return nil, llm.Errorf(llm.Misconfigured, "%s", err)
	}
	show := func() ([]byte, error) { return c.wire.Fetch(ctx, http.MethodPost, "/api/show", body) }
	text, err := show()
	if c.pull && modelMissing(err) != nil {
		c.pulling.Lock()
		defer c.pulling.Unlock()
		text, err = show()
		if modelMissing(err) != nil { // otherwise another call has downloaded it
			if err = c.download(ctx, model); err == nil {
				text, err = show()
			}
		}
	}
	if e := modelMissing(err); e != nil {
		e.Message += " (download it with ollama pull, or set pull: true)"
	}
	if err != nil {
		return nil, err
	}
	var described struct {
		Info       map[string]json.RawMessage `json:"model_info"`
		Parameters string                     `json:"parameters"` // parameters of the Modelfile, a name and a value on each line
	}
	if err := json.Unmarshal(text, &described); err != nil {
		return nil, ReplyError(llm.Failed, "the description of the model is unreadable: %s", err)
	}
	m := &modelContext{size: smallestContext}
	for name, value := range described.Info {
		if strings.HasSuffix(name, ".context_length") {
			m.longest, _ = llm.IntOption(value)
		}
	}
	for line := range strings.Lines(described.Parameters) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		switch {
		case err != nil || n <= 0:
		case name == "num_ctx":
			m.size = n
		case name == "num_predict":
			m.reply = n
		}
	}
	return m, nil
}

// modelMissing returns the error of a server that does not have the model, or nil for another error or none.
func modelMissing(err error) *llm.Error {
	if e, ok := errors.AsType[*llm.Error](err); ok && e.HTTPStatus == http.StatusNotFound {
		return e
	}
	return nil
}

// noticeEvery is the time between two notices of a download.
const noticeEvery = 10 * time.Second

// download makes the server download a model, and waits for success. A download may take long, so only ctx limits it.
func (c *contexts) download(ctx context.Context, model string) error {
	body, err := json.Marshal(api.PullRequest{Model: model})
	if err != nil {
		return llm.Errorf(llm.Misconfigured, "%s", err)
	}
	resp, err := c.wire.Send(ctx, http.MethodPost, "/api/pull", body)
	if err != nil {
		return c.wire.TransportError(ctx, ctx, err)
	}
	defer resp.Body.Close()
	var noticed time.Time
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
		done := step.Status == "success"
		if c.notice != nil && (done || time.Since(noticed) >= noticeEvery) {
			noticed = time.Now()
			text := fmt.Sprintf("downloads model %s: %s", model, step.Status)
			if step.Total > 0 { // bytes of the current layer
				text += fmt.Sprintf(", %s of %s", SizeInWords(uint64(step.Completed)), SizeInWords(uint64(step.Total)))
			}
			c.notice(text)
		}
		if done {
			return nil
		}
	}
}
