package protocol

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"compqa/llm"
)

// Batches is the batch interface of a protocol: many requests at once, answered within
// a day at a lower price. Its errors are *llm.Error.
type Batches interface {
	SubmitBatch(ctx context.Context, label string, asks []BatchAsk) (Batch, error)
	FindBatch(ctx context.Context, s Submission) (Batch, error)
	LookBatch(ctx context.Context, id string) (Batch, error)
	// CollectBatch calls each for every finished request, with the results of Exchange.
	CollectBatch(ctx context.Context, b Batch, each func(id string, reply llm.Reply, err error) error) error
}

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
	Status              string // validating, in_progress, finalizing, completed, failed, expired, cancelling, cancelled
	Total, Done, Failed int    // requests
	Reason              string // why it failed as a whole
	output, faults      string // IDs of files of an OpenAI batch; "": none
}

// Over reports whether a batch has ended.
func (b Batch) Over() bool {
	return slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)
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

// bounded cuts off a reply of a batch that is too long.
func (w *Endpoint) bounded(id string, reply llm.Reply, err error) (string, llm.Reply, error) {
	if int64(len(reply.Raw)) <= w.maxReply {
		return id, reply, err
	}
	return id, llm.Reply{Raw: reply.Raw[:w.maxReply], Usage: reply.Usage}, tooLong(w.maxReply)
}

// unreadableLine is the error of a line of a batch's results.
func unreadableLine(line []byte) *llm.Error {
	return llm.Errorf(llm.Failed, "a line of a batch is unreadable: %s", line[:min(len(line), MaxMessage)])
}

// batchFault is the error of a request that failed in a batch with this HTTP status.
func batchFault(status int, body string) *llm.Error {
	p := ParseErrorBody(body)
	e := llm.Errorf(llm.Failed, "%s", p.Message)
	e.HTTPStatus = status
	Classify(e, status, p)
	return e
}
