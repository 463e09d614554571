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
	var file api.File
	if err := json.Unmarshal(text, &file); err != nil || file.ID == "" {
		return "", ReplyError(llm.Failed, "the server accepted the file of a batch but returned no id")
	}
	return file.ID, nil
}

// A batchState is a server's state of a batch, OpenAI's or Anthropic's.
type batchState struct {
	ID         string `json:"id"`
	Status     string `json:"status"`            // OpenAI
	Processing string `json:"processing_status"` // Anthropic: in_progress, canceling, ended
	Created    any    `json:"created_at"`        // Anthropic: a time in RFC 3339
	Counts     struct {
		Total, Completed, Failed                          int // OpenAI
		Processing, Succeeded, Errored, Canceled, Expired int // Anthropic; their sum is the total
	} `json:"request_counts"`
	Metadata map[string]string `json:"metadata"`
	Output   string            `json:"output_file_id"`
	Faults   string            `json:"error_file_id"`
	Errors   struct {
		Data []struct{ Message, Code string }
	} `json:"errors"`
}

// batch is the state in the words that all batches have.
func (c *Chat) batch(s batchState) Batch {
	n := s.Counts
	batch := Batch{ID: s.ID, Status: s.Status, Total: n.Total + n.Processing + n.Succeeded + n.Errored + n.Canceled + n.Expired,
		Done: n.Completed + n.Succeeded, Failed: n.Failed + n.Errored}
	switch {
	case c.files:
	case s.Processing == "canceling":
		batch.Status = "cancelling"
	case s.Processing == "ended" && n.Canceled > 0:
		batch.Status = "cancelled"
	case s.Processing == "ended" && n.Expired > 0:
		batch.Status = "expired"
	case s.Processing == "ended":
		batch.Status = "completed"
	default:
		batch.Status = "in_progress"
	}
	for _, e := range s.Errors.Data {
		batch.Reason = FirstText(batch.Reason, e.Message, e.Code)
	}
	for _, file := range []string{s.Output, s.Faults} {
		if file != "" {
			batch.results = append(batch.results, "/files/"+url.PathEscape(file)+"/content")
		}
	}
	if !c.files {
		batch.results = []string{c.batches + "/" + url.PathEscape(s.ID) + "/results"}
	}
	return batch
}

// state reads a reply, unless there is an error instead.
func (c *Chat) state(text []byte, err error) (Batch, error) {
	if err != nil {
		return Batch{}, noBatches(err)
	}
	var s batchState
	if err := json.Unmarshal(text, &s); err != nil || s.ID == "" {
		return Batch{}, ReplyError(llm.Failed, "the state of a batch is unreadable: %s", text[:min(len(text), MaxMessage)])
	}
	return c.batch(s), nil
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
	var list struct{ Data []batchState }
	if err := json.Unmarshal(text, &list); err != nil {
		return Batch{}, ReplyError(llm.Failed, "the list of batches is unreadable: %s", err)
	}
	for _, state := range list.Data { // newest first
		batch := c.batch(state)
		text, _ := state.Created.(string)
		created, _ := time.Parse(time.RFC3339, text)
		switch {
		case c.files && state.Metadata[batchLabel] == s.Label:
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
	var l struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"` // OpenAI
		Error  struct{ Code, Message string } `json:"error"` // OpenAI
		Result struct {
			Type           string
			Message, Error json.RawMessage
		} `json:"result"` // Anthropic
	}
	if err := json.Unmarshal(line, &l); err != nil || l.ID == "" {
		return "", reply, llm.Errorf(llm.Failed, "a line of a batch is unreadable: %s", line[:min(len(line), MaxMessage)])
	}
	status := http.StatusOK
	switch {
	case l.Result.Type == "expired", l.Error.Code == "batch_expired":
		return l.ID, reply, llm.Errorf(llm.Unavailable, "the batch expired before this request")
	case l.Result.Type == "canceled":
		return l.ID, reply, llm.Errorf(llm.Unavailable, "the batch was cancelled before this request")
	case l.Result.Type == "succeeded":
		reply.Raw = string(l.Result.Message)
	case l.Result.Type == "errored":
		var fault struct{ Error struct{ Type string } }
		json.Unmarshal(l.Result.Error, &fault) // an unknown form has no type
		status, reply.Raw = cmp.Or(errorStatus[fault.Error.Type], http.StatusInternalServerError), string(l.Result.Error)
	case l.Response != nil:
		status, reply.Raw = l.Response.Status, string(l.Response.Body)
	case l.Error.Code+l.Error.Message != "":
		e := llm.Errorf(llm.Failed, "the batch failed at this request: %s", FirstText(l.Error.Message, l.Error.Code))
		e.Retriable = true
		return l.ID, reply, e
	default:
		return l.ID, reply, llm.Errorf(llm.Failed, "the batch contains neither a reply nor an error for this request")
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
		return l.ID, llm.Reply{Raw: reply.Raw[:most], Usage: reply.Usage}, tooLong(most)
	}
	return l.ID, reply, err
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
	resp, err := w.Open(inner, http.MethodGet, path, ContentTypeJSON, "")
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
