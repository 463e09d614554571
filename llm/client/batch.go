package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"

	api "github.com/sashabaranov/go-openai"

	"compqa/llm"
	"compqa/llm/limits"
	"compqa/llm/protocol"
)

// Batcher submits many requests at once, which are answered within a day at a lower
// price. This is OpenAI's Batch interface, which other servers have too. Every client has
// these methods; they return a Misconfigured *llm.Error if the server's type has no
// such interface.
type Batcher interface {
	// Submit submits requests to one model. The label is sent too, so that Find finds
	// the batch even if the reply to Submit is lost.
	Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error)
	// Find returns the batch with a label; its ID is empty if the latest hundred batches
	// do not contain it.
	Find(ctx context.Context, label string) (Batch, error)
	// Look returns the current state of a batch.
	Look(ctx context.Context, id string) (Batch, error)
	// Collect calls each for every finished request of a batch, in no particular order,
	// with the results that Chat would return: the reply has one attempt, with its
	// cost. Requests that the batch did not process in time end as Unavailable.
	Collect(ctx context.Context, b Batch, model string, each func(id string, reply llm.Reply, err error) error) error

	// MaxCost is an upper bound of the cost of a request in a batch, see limits.Budget.
	// Remaining is what all budgets have left, +Inf without a limit. Reserve and Settle
	// keep the sum for a batch in progress, across several runs of the program.
	MaxCost(llm.Request) float64
	Remaining() float64
	Reserve(sum float64)
	Settle(reserved, cost float64)
}

// BatchAsk is a request in a batch; the caller chooses the ID.
type BatchAsk struct {
	ID      string
	Request llm.Request
}

// Limits of one batch. OpenAI accepts 50,000 requests and 200 MB. The limits here are
// lower, because a batch is held in memory, and several batches work as well as one.
const (
	MostInBatch  = 20_000
	MostOfABatch = 16 << 20 // bytes
)

// Batch is the state of a batch.
type Batch struct {
	ID                  string
	Status              string // validating, in_progress, finalizing, completed, failed, expired, cancelling, cancelled
	Total, Done, Failed int    // requests
	Reason              string // why it failed as a whole
	output, faults      string // IDs of files; "": none
}

// Over says whether a batch has ended.
func (b Batch) Over() bool {
	return slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)
}

const (
	batchPath  = "/batches"
	batchLabel = "compqa" // key of the label in a batch's metadata
)

// Size is the approximate share of a request in MostOfABatch.
func (a BatchAsk) Size() int { return a.Request.Size() + 512 }

func (c *client) openAI() (*protocol.OpenAI, error) {
	o, ok := c.protocol.(*protocol.OpenAI)
	if !ok {
		return nil, llm.Errorf(llm.Misconfigured, "a provider of type %s has no batch interface", c.p.Type)
	}
	return o, nil
}

// Submit implements Batcher.
func (c *client) Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error) {
	o, err := c.openAI()
	if err != nil {
		return Batch{}, c.finish(err, "", nil)
	}
	for i := range asks {
		if asks[i].Request, err = c.adapt(asks[i].Request); err != nil {
			return Batch{}, c.finish(err, asks[i].Request.Model, nil)
		}
	}
	lines, err := batchLines(o, asks)
	if err != nil {
		return Batch{}, c.finish(err, "", nil)
	}
	for tries := 0; ; tries++ {
		b, err := submit(o, ctx, label, lines)
		e, ok := errors.AsType[*llm.Error](err)
		if !ok {
			return b, nil
		}
		if !e.Retriable || tries >= c.p.Retries {
			return b, c.finish(e, "", nil)
		}
		if err := c.limiter.Sleep(ctx, limits.RetryPause(c.p, tries, e.RetryAfter), "another try to submit a batch"); err != nil {
			return b, c.finish(err, "", nil)
		}
		if b, err := c.Find(ctx, label); err == nil && b.ID != "" {
			return b, nil
		}
	}
}

// batchLines is the file of a batch, one request in each line.
func batchLines(o *protocol.OpenAI, asks []BatchAsk) ([]byte, error) {
	var lines bytes.Buffer
	for _, ask := range asks {
		if err := ask.Request.Check(); err != nil {
			return nil, err
		}
		body, err := o.Dialects.Of(ask.Request).Body(ask.Request)
		if err != nil {
			return nil, llm.Errorf(llm.Misconfigured, "%s", err)
		}
		line, err := json.Marshal(api.BatchChatCompletionRequest{CustomID: ask.ID, Method: http.MethodPost, URL: api.BatchEndpointChatCompletions})
		if err == nil {
			line, err = protocol.SetFields(line, map[string]any{"body": json.RawMessage(body)})
		}
		if err != nil {
			return nil, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	return lines.Bytes(), nil
}

// submit uploads a file and starts a batch with it.
func submit(o *protocol.OpenAI, ctx context.Context, label string, lines []byte) (Batch, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	w.WriteField("purpose", "batch") // a buffer accepts everything
	part, err := w.CreateFormFile("file", label+".jsonl")
	if err != nil {
		return Batch{}, err
	}
	part.Write(lines)
	w.Close()
	text, err := o.Endpoint.Send(ctx, http.MethodPost, "/files", w.FormDataContentType(), form.String())
	if err != nil {
		return Batch{}, noBatches(err)
	}
	var file api.File
	if err := json.Unmarshal(text, &file); err != nil || file.ID == "" {
		return Batch{}, protocol.ReplyError(llm.Failed, "the server accepted the file of a batch but returned no id")
	}
	body, err := json.Marshal(map[string]any{
		"input_file_id": file.ID, "endpoint": api.BatchEndpointChatCompletions, "completion_window": "24h",
		"metadata": map[string]string{batchLabel: label},
	})
	if err != nil {
		return Batch{}, err
	}
	text, err = o.Endpoint.Fetch(ctx, http.MethodPost, batchPath, body)
	if err != nil {
		return Batch{}, noBatches(err)
	}
	return readBatch(text)
}

// noBatches explains an error of a server that has no batch interface.
func noBatches(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 404 || e.HTTPStatus == 405 || e.HTTPStatus == 501) {
		e.Kind, e.Retriable = llm.Misconfigured, false
		e.Message = "the server seems to have no batch interface (remove batch: true): " + e.Message
	}
	return err
}

func readBatch(text []byte) (Batch, error) {
	var b api.Batch
	if err := json.Unmarshal(text, &b); err != nil || b.ID == "" {
		return Batch{}, protocol.ReplyError(llm.Failed, "the state of a batch is unreadable: %s", text[:min(len(text), protocol.MaxMessage)])
	}
	return batchOf(b), nil
}

func batchOf(b api.Batch) Batch {
	batch := Batch{ID: b.ID, Status: b.Status, Total: b.RequestCounts.Total, Done: b.RequestCounts.Completed, Failed: b.RequestCounts.Failed}
	if b.OutputFileID != nil {
		batch.output = *b.OutputFileID
	}
	if b.ErrorFileID != nil {
		batch.faults = *b.ErrorFileID
	}
	if b.Errors != nil {
		for _, e := range b.Errors.Data {
			batch.Reason = protocol.FirstText(batch.Reason, e.Message, e.Code)
		}
	}
	return batch
}

// Find implements Batcher.
func (c *client) Find(ctx context.Context, label string) (Batch, error) {
	o, err := c.openAI()
	if err != nil {
		return Batch{}, c.finish(err, "", nil)
	}
	text, err := o.Endpoint.Fetch(ctx, http.MethodGet, batchPath+"?limit=100", nil)
	if err != nil {
		return Batch{}, c.finish(noBatches(err), "", nil)
	}
	var list struct{ Data []api.Batch }
	if err := json.Unmarshal(text, &list); err != nil {
		return Batch{}, c.finish(protocol.ReplyError(llm.Failed, "the list of batches is unreadable: %s", err), "", nil)
	}
	for _, b := range list.Data {
		if b.Metadata[batchLabel] == label {
			return batchOf(b), nil
		}
	}
	return Batch{}, nil
}

// Look implements Batcher.
func (c *client) Look(ctx context.Context, id string) (Batch, error) {
	o, err := c.openAI()
	if err != nil {
		return Batch{}, c.finish(err, "", nil)
	}
	text, err := o.Endpoint.Fetch(ctx, http.MethodGet, batchPath+"/"+url.PathEscape(id), nil)
	if err != nil {
		return Batch{}, c.finish(err, "", nil)
	}
	b, err := readBatch(text)
	if err != nil {
		return b, c.finish(err, "", nil)
	}
	b.Reason = c.secrets.scrub(b.Reason)
	return b, nil
}

// MaxCost implements Batcher.
func (c *client) MaxCost(req llm.Request) float64 {
	price, known := c.costs.Price(req.Model)
	if !known {
		return 0
	}
	return c.costs.MaxCost(req) * llm.ValueOr(price.Batch, 0.5)
}

// Remaining implements Batcher.
func (c *client) Remaining() float64 {
	room := math.Inf(1)
	for _, p := range c.costs.Budgets {
		room = min(room, p.Remaining())
	}
	return room
}

// Reserve implements Batcher.
func (c *client) Reserve(sum float64) {
	for _, p := range c.costs.Budgets {
		p.ForceReserve(sum)
	}
}

// Settle implements Batcher.
func (c *client) Settle(reserved, cost float64) { c.costs.Budgets.Settle(reserved, cost) }
