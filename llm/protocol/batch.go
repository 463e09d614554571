package protocol

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"time"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"compqa/llm"
)

// BatchAsk is a request in a batch; the caller chooses the ID.
type BatchAsk struct {
	ID      string
	Request llm.Request
}

// Size is the approximate share of a request in the limit of a batch, in bytes.
func (a BatchAsk) Size() int { return a.Request.Size() + 512 }

// Submission has the caller's knowledge about a batch whose ID was lost.
type Submission struct {
	Label    string
	At       time.Time // just before it was submitted
	Requests int
}

// Batch is the state of a batch.
type Batch struct {
	ID                  string
	Status              string   // validating, in_progress, finalizing, completed, failed, expired, cancelling, cancelled
	Total, Done, Failed int      // requests
	Reason              string   // why it failed as a whole
	results             []string // where they are
}

// Over reports whether a batch has ended.
func (b Batch) Over() bool {
	return slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)
}

const batchLabel = "compqa" // key of the label in a batch's metadata

// Submit submits many requests at once, which are answered within a day at a lower price. OpenAI takes
// them in a file and writes the replies into files, and a batch has a label; Anthropic takes them in
// the body, and a batch has none. Errors are *llm.Error.
func (c *Chat) Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error) {
	items := make([]map[string]any, len(asks))
	for i, ask := range asks {
		body, err := c.body(ask.Request)
		if err != nil {
			return Batch{}, err
		}
		items[i] = map[string]any{"custom_id": ask.ID, "params": json.RawMessage(body)}
		if c.files {
			items[i] = map[string]any{"custom_id": ask.ID, "method": http.MethodPost, "url": api.BatchEndpointChatCompletions,
				"body": json.RawMessage(body)}
		}
	}
	fields := map[string]any{"requests": items}
	if c.files {
		file, err := c.upload(ctx, label, items)
		if err != nil {
			return Batch{}, noBatches(err)
		}
		fields = map[string]any{"input_file_id": file, "endpoint": api.BatchEndpointChatCompletions, "completion_window": "24h",
			"metadata": map[string]string{batchLabel: label}}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return Batch{}, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
	return c.state(c.Fetch(ctx, http.MethodPost, c.batches, ContentTypeJSON, body))
}

// upload uploads the file of a batch, one request in each line, and returns its id.
func (c *Chat) upload(ctx context.Context, label string, items []map[string]any) (string, error) {
	var form bytes.Buffer // accepts everything
	w := multipart.NewWriter(&form)
	w.WriteField("purpose", "batch")
	part, _ := w.CreateFormFile("file", label+".jsonl")
	lines := json.NewEncoder(part)
	lines.SetEscapeHTML(false)
	for _, item := range items {
		if err := lines.Encode(item); err != nil {
			return "", llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
		}
	}
	w.Close()
	text, err := c.Fetch(ctx, http.MethodPost, "/files", w.FormDataContentType(), form.Bytes())
	if err != nil {
		return "", err
	}
	id := gjson.GetBytes(text, "id").Str
	if id == "" {
		return "", ReplyError(llm.Failed, "the server accepted the file of a batch but returned no id")
	}
	return id, nil
}

// batch reads a server's state of a batch, in the words that all batches have.
func (c *Chat) batch(s gjson.Result) Batch {
	sum := func(names ...string) (n int) { // of requests
		for _, name := range names {
			n += int(s.Get("request_counts." + name).Int())
		}
		return n
	}
	batch := Batch{ID: s.Get("id").Str, Status: s.Get("status").Str, Done: sum("completed", "succeeded"), Failed: sum("failed", "errored"),
		Total: sum("total", "processing", "succeeded", "errored", "canceled", "expired")}
	for _, e := range s.Get("errors.data").Array() {
		batch.Reason = FirstText(batch.Reason, e.Get("message").Str, e.Get("code").Str)
	}
	if c.files {
		for _, name := range []string{"output_file_id", "error_file_id"} {
			if file := s.Get(name).Str; file != "" {
				batch.results = append(batch.results, "/files/"+url.PathEscape(file)+"/content")
			}
		}
		return batch
	}
	batch.results = []string{c.batches + "/" + url.PathEscape(batch.ID) + "/results"}
	switch processing := s.Get("processing_status").Str; {
	case processing == "canceling":
		batch.Status = "cancelling"
	case processing == "ended" && sum("canceled") > 0:
		batch.Status = "cancelled"
	case processing == "ended" && sum("expired") > 0:
		batch.Status = "expired"
	case processing == "ended":
		batch.Status = "completed"
	default:
		batch.Status = "in_progress"
	}
	return batch
}

// state reads a reply, unless there is an error instead.
func (c *Chat) state(text []byte, err error) (Batch, error) {
	if err != nil {
		return Batch{}, noBatches(err)
	}
	batch := c.batch(gjson.ParseBytes(text))
	if batch.ID == "" || batch.Status == "" || !json.Valid(text) {
		return Batch{}, ReplyError(llm.Failed, "the state of a batch is unreadable: %s", text[:min(len(text), MaxMessage)])
	}
	return batch, nil
}

// clockTolerance is how far the server's clock may be behind ours.
const clockTolerance = time.Minute

// Find returns the batch of a submission among the latest hundred; its ID is empty if it is not among
// them. Without a label, it is the first one since then with as many requests. If the server's clock is
// behind, it is the latest one before. A wrong one holds none of our requests, and they are submitted
// again; one that is missed would be paid for twice.
func (c *Chat) Find(ctx context.Context, s Submission) (found Batch, err error) {
	text, err := c.Fetch(ctx, http.MethodGet, c.batches+"?limit=100", ContentTypeJSON, nil)
	if err != nil {
		return Batch{}, noBatches(err)
	}
	list := gjson.GetBytes(text, "data")
	if list.Type != gjson.Null && !list.IsArray() {
		return Batch{}, ReplyError(llm.Failed, "the list of batches is unreadable: %s", text[:min(len(text), MaxMessage)])
	}
	for _, state := range list.Array() { // newest first
		batch := c.batch(state)
		created, _ := time.Parse(time.RFC3339, state.Get("created_at").Str) // OpenAI has a number
		switch {
		case c.files && state.Get("metadata."+batchLabel).Str == s.Label:
			return batch, nil
		case c.files, batch.Total != s.Requests:
		case !created.Before(s.At), found.ID == "" && created.After(s.At.Add(-clockTolerance)):
			found = batch
		}
	}
	return found, nil
}

// Look returns the current state of a batch.
func (c *Chat) Look(ctx context.Context, id string) (Batch, error) {
	return c.state(c.Fetch(ctx, http.MethodGet, c.batches+"/"+url.PathEscape(id), ContentTypeJSON, nil))
}

// Collect calls each for every finished request, with the results of Exchange.
func (c *Chat) Collect(ctx context.Context, batch Batch, each func(id string, reply llm.Reply, err error) error) error {
	for _, path := range batch.results {
		err := c.lines(ctx, path, func(line []byte) error { return each(c.result(line)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// errorStatus is the HTTP status of each type of error (platform.claude.com, API errors).
var errorStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

// result reads one line of a batch's results. A reply that is too long is cut off.
func (c *Chat) result(line []byte) (id string, reply llm.Reply, err error) {
	l := gjson.ParseBytes(line)
	if id = l.Get("custom_id").Str; id == "" || !json.Valid(line) {
		return "", reply, llm.Errorf(llm.Failed, "a line of a batch is unreadable: %s", line[:min(len(line), MaxMessage)])
	}
	fault, status := l.Get("error"), http.StatusOK // fault: OpenAI's
	switch result, response := l.Get("result"), l.Get("response"); {
	case result.Get("type").Str == "expired", fault.Get("code").Str == "batch_expired":
		return id, reply, llm.Errorf(llm.Unavailable, "the batch expired before this request")
	case result.Get("type").Str == "canceled":
		return id, reply, llm.Errorf(llm.Unavailable, "the batch was cancelled before this request")
	case result.Get("type").Str == "succeeded": // Anthropic's
		reply.Raw = result.Get("message").Raw
	case result.Get("type").Str == "errored":
		status, reply.Raw = cmp.Or(errorStatus[result.Get("error.error.type").Str], http.StatusInternalServerError), result.Get("error").Raw
	case response.IsObject(): // OpenAI's
		status, reply.Raw = int(response.Get("status_code").Int()), response.Get("body").Raw
	case fault.Get("message").Str+fault.Get("code").Str != "":
		e := llm.Errorf(llm.Failed, "the batch failed at this request: %s", FirstText(fault.Get("message").Str, fault.Get("code").Str))
		e.Retriable = true
		return id, reply, e
	default:
		return id, reply, llm.Errorf(llm.Failed, "the batch contains neither a reply nor an error for this request")
	}
	if status/100 != 2 {
		p := ParseErrorBody(reply.Raw)
		e := llm.Errorf(llm.Failed, "%s", p.Message)
		e.HTTPStatus = status
		Classify(e, status, p)
		err = e
	} else {
		err = c.parse(&reply)
	}
	if most := c.maxReply; int64(len(reply.Raw)) > most {
		return id, llm.Reply{Raw: reply.Raw[:most], Usage: reply.Usage}, tooLong(most)
	}
	return id, reply, err
}

// noBatches explains an error of a server that has no batch interface.
func noBatches(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 404 || e.HTTPStatus == 405 || e.HTTPStatus == 501) {
		e.Kind, e.Retriable = llm.Misconfigured, false
		e.Message = "the server seems to have no batch interface (remove batch: true): " + e.Message
	}
	return err
}

// lines calls do for each line of a resource of the server.
func (w *Endpoint) lines(ctx context.Context, path string, do func([]byte) error) error {
	inner, cancel := w.WithTimeout(ctx)
	defer cancel()
	resp, err := w.Open(inner, http.MethodGet, path, ContentTypeJSON, nil)
	if err != nil {
		return w.TransportError(ctx, inner, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), MaxBody)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil && err != io.EOF {
		return w.TransportError(ctx, inner, err)
	}
	return nil
}
