package protocol

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"compqa/llm"
)

const messageBatches = "/messages/batches"

// SubmitBatch implements Batches. A message batch has no place for a label.
func (a *Anthropic) SubmitBatch(ctx context.Context, _ string, asks []BatchAsk) (Batch, error) {
	type request struct {
		ID     string          `json:"custom_id"`
		Params json.RawMessage `json:"params"`
	}
	var list struct {
		Requests []request `json:"requests"`
	}
	for _, ask := range asks {
		params, _, err := a.body(ask.Request)
		if err != nil {
			return Batch{}, err
		}
		list.Requests = append(list.Requests, request{ask.ID, params})
	}
	body, err := json.Marshal(list)
	if err != nil {
		return Batch{}, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
	text, err := a.Endpoint.Fetch(ctx, http.MethodPost, messageBatches, body)
	return readMessageBatch(text, noBatches(err))
}

// A messageBatch is the server's state of a batch.
type messageBatch struct {
	ID      string                                                          `json:"id"`
	Status  string                                                          `json:"processing_status"` // in_progress, canceling, ended
	Created time.Time                                                       `json:"created_at"`
	Counts  struct{ Processing, Succeeded, Errored, Canceled, Expired int } `json:"request_counts"`
}

// readMessageBatch reads a reply, unless there is an error instead.
func readMessageBatch(text []byte, err error) (Batch, error) {
	if err != nil {
		return Batch{}, err
	}
	var m messageBatch
	if err := json.Unmarshal(text, &m); err != nil || m.ID == "" {
		return Batch{}, ReplyError(llm.Failed, "the state of a batch is unreadable: %s", text[:min(len(text), MaxMessage)])
	}
	return m.batch(), nil
}

// batch is the state in the words that all batches have.
func (m messageBatch) batch() Batch {
	n := m.Counts
	b := Batch{ID: m.ID, Status: "in_progress", Total: n.Processing + n.Succeeded + n.Errored + n.Canceled + n.Expired,
		Done: n.Succeeded, Failed: n.Errored}
	switch {
	case m.Status == "canceling":
		b.Status = "cancelling"
	case m.Status == "ended" && n.Canceled > 0:
		b.Status = "cancelled"
	case m.Status == "ended" && n.Expired > 0:
		b.Status = "expired"
	case m.Status == "ended":
		b.Status = "completed"
	}
	return b
}

// clockTolerance is how far the server's clock may be behind ours.
const clockTolerance = time.Minute

// FindBatch implements Batches. Without a label, the batch of a submission is the first one
// since then with as many requests. If the server's clock is behind, it is the latest one
// before. A wrong one holds none of our requests, and they are submitted again; one that is
// missed would be paid for twice.
func (a *Anthropic) FindBatch(ctx context.Context, s Submission) (Batch, error) {
	text, err := a.Endpoint.Fetch(ctx, http.MethodGet, messageBatches+"?limit=100", nil)
	if err != nil {
		return Batch{}, noBatches(err)
	}
	var list struct{ Data []messageBatch }
	if err := json.Unmarshal(text, &list); err != nil {
		return Batch{}, ReplyError(llm.Failed, "the list of batches is unreadable: %s", err)
	}
	var found Batch
	for _, m := range list.Data { // newest first
		b := m.batch()
		switch {
		case b.Total != s.Requests:
		case !m.Created.Before(s.At), found.ID == "" && m.Created.After(s.At.Add(-clockTolerance)):
			found = b
		}
	}
	return found, nil
}

// LookBatch implements Batches.
func (a *Anthropic) LookBatch(ctx context.Context, id string) (Batch, error) {
	return readMessageBatch(a.Endpoint.Fetch(ctx, http.MethodGet, messageBatches+"/"+url.PathEscape(id), nil))
}

// CollectBatch implements Batches.
func (a *Anthropic) CollectBatch(ctx context.Context, b Batch, each func(id string, reply llm.Reply, err error) error) error {
	return a.Endpoint.lines(ctx, messageBatches+"/"+url.PathEscape(b.ID)+"/results", func(line []byte) error {
		return each(a.Endpoint.bounded(readMessageResult(line)))
	})
}

// errorStatus is the HTTP status of each type of error (platform.claude.com, API errors).
var errorStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

// readMessageResult reads one line of a batch's results.
func readMessageResult(line []byte) (id string, reply llm.Reply, err error) {
	var l struct {
		ID     string `json:"custom_id"`
		Result struct {
			Type    string          `json:"type"`
			Message json.RawMessage `json:"message"`
			Error   json.RawMessage `json:"error"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.ID == "" {
		return "", reply, unreadableLine(line)
	}
	switch l.Result.Type {
	case "succeeded":
		reply.Raw = string(l.Result.Message)
		return l.ID, reply, parseMessage(&reply)
	case "errored":
		reply.Raw = string(l.Result.Error)
		var fault struct{ Error struct{ Type string } }
		json.Unmarshal(l.Result.Error, &fault) // an unknown form has no type
		status, known := errorStatus[fault.Error.Type]
		if !known {
			status = http.StatusInternalServerError
		}
		return l.ID, reply, batchFault(status, reply.Raw)
	case "expired", "canceled":
		return l.ID, reply, llm.Errorf(llm.Unavailable, "the batch %s before this request", map[string]string{"expired": "expired",
			"canceled": "was cancelled"}[l.Result.Type])
	}
	return l.ID, reply, llm.Errorf(llm.Failed, "the batch contains neither a message nor an error for this request")
}
