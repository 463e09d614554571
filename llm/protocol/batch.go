package protocol

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"compqa/llm"
)

// BatchAsk is a request in a batch. The caller chooses the ID.
type BatchAsk struct {
	ID      string
	Request llm.Request
}

// Size returns about how many bytes of a batch's size limit a request uses.
func (a BatchAsk) Size() int { return a.Request.Size() + 512 }

// Submission is what the caller knows about a batch whose ID was lost.
type Submission struct {
	Label       string
	SubmittedAt time.Time // just before it was submitted
	Requests    int
}

// Batch is the state of a batch.
type Batch struct {
	ID                  string
	Status              string   // validating, in_progress, finalizing, completed, failed, expired, cancelling, cancelled
	Total, Done, Failed int      // numbers of requests
	Reason              string   // why it failed as a whole
	TokenLimit          bool     // it failed because it has more tokens than the account may have in batches at once
	results             []string // places of the results
	label               string
	created             time.Time
}

// HasEnded reports whether a batch has ended.
func (b Batch) HasEnded() bool {
	return slices.Contains([]string{"completed", "failed", "expired", "cancelled"}, b.Status)
}

// batches is a server's interface for batches. OpenAI and Google take the requests in a file, and write the replies into files. An OpenAI
// batch has a label; at Google the file's name contains the label. Anthropic takes the requests in the body, and its batches have no label.
type batches interface {
	submit(ctx context.Context, label string, asks []batchBody) (Batch, error)
	list(ctx context.Context) ([]Batch, error) // the latest hundred, newest first
	status(ctx context.Context, id string) (Batch, error)
	results(ctx context.Context, place string) (io.ReadCloser, error) // results at one of Batch.results: a line for each request
}

// A batchBody is the body of a request in a batch.
type batchBody struct {
	id   string
	body json.RawMessage
}

// Submit submits many requests as a batch, for replies within a day at a lower price. Errors are *llm.Error.
func (c *Chat) Submit(ctx context.Context, label string, asks []BatchAsk) (Batch, error) {
	bodies := make([]batchBody, len(asks))
	for i, ask := range asks {
		body, err := c.body(ask.Request)
		if err != nil {
			return Batch{}, err
		}
		bodies[i] = batchBody{ask.ID, body}
	}
	return c.state(ctx, func(ctx context.Context) (Batch, error) { return c.batches.submit(ctx, label, bodies) })
}

// state gets the state of a batch by calling ask, and checks that it has an id and a status.
func (c *Chat) state(ctx context.Context, ask func(context.Context) (Batch, error)) (Batch, error) {
	batch, err := withTimeout(ctx, c.Endpoint, ask)
	if err == nil && (batch.ID == "" || batch.Status == "") {
		err = ReplyError(llm.Failed, "the state of a batch has no id or no status")
	}
	return batch, noBatches(err)
}

// clockTolerance is how far the server's clock may be behind ours.
const clockTolerance = time.Minute

// Find looks for the batch of a submission among the latest hundred batches. If it is not there, the ID of found is empty. Without labels,
// Find takes the first batch since the submission with as many requests. If there is none, it takes the latest one before, because the
// server's clock may be behind. A wrong batch contains none of our requests, so they are submitted again. A missed batch would be paid for
// twice.
func (c *Chat) Find(ctx context.Context, s Submission) (found Batch, err error) {
	list, err := withTimeout(ctx, c.Endpoint, c.batches.list)
	_, labels := c.batches.(openAIBatches)
	for _, batch := range list { // newest first
		switch {
		case s.Label != "" && batch.label == s.Label:
			return batch, nil
		case labels, batch.label != "", batch.Total != s.Requests:
		case !batch.created.Before(s.SubmittedAt), found.ID == "" && batch.created.After(s.SubmittedAt.Add(-clockTolerance)):
			found = batch
		}
	}
	return found, noBatches(err)
}

// BatchStatus returns the current state of a batch.
func (c *Chat) BatchStatus(ctx context.Context, id string) (Batch, error) {
	return c.state(ctx, func(ctx context.Context) (Batch, error) { return c.batches.status(ctx, id) })
}

// Collect calls each for every finished request of a batch, with the results that Exchange would return.
func (c *Chat) Collect(ctx context.Context, batch Batch, each func(id string, reply llm.Reply, err error) error) error {
	var failed error // an error of each, which is not the server's fault
	for _, place := range batch.results {
		_, err := withTimeout(ctx, c.Endpoint, func(ctx context.Context) (none struct{}, err error) {
			body, err := c.batches.results(ctx, place)
			if err != nil {
				return none, err
			}
			defer body.Close()
			return none, lines(body, func(line []byte) error {
				failed = each(c.result(line))
				return failed
			})
		})
		if failed != nil {
			return failed
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errorStatus has the HTTP status of each type of Anthropic's errors (platform.claude.com, API errors).
var errorStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

// googleStatus has the HTTP status of each code of Google's errors (google.rpc.Code). The missing codes are rare.
var googleStatus = map[int64]int{3: 400, 4: 504, 5: 404, 7: 403, 8: 429, 9: 400, 11: 400, 13: 500, 14: 503, 16: 401}

// result reads one line of a batch's results. It recognises the lines of Anthropic (result), OpenAI (response) and Google (error with a
// code). It cuts off a reply that is too long.
func (c *Chat) result(line []byte) (id string, reply llm.Reply, err error) {
	l := gjson.ParseBytes(line)
	if id = l.Get("custom_id").Str; id == "" || !json.Valid(line) {
		return "", reply, llm.Errorf(llm.Failed, "a line of a batch is unreadable: %s", line[:min(len(line), MaxMessage)])
	}
	fault := l.Get("error")
	status := http.StatusOK // fault: an error in OpenAI's form
	switch result, response := l.Get("result"), l.Get("response"); {
	case slices.Contains([]string{"expired", "canceled"}, result.Get("type").Str),
		slices.Contains([]string{"batch_expired", "batch_cancelled", "batch_canceled"}, fault.Get("code").Str):
		return id, reply, llm.Errorf(llm.Unavailable, "the batch ended before this request")
	case result.Get("type").Str == "succeeded": // Anthropic's
		reply.Raw = result.Get("message").Raw
	case result.Get("type").Str == "errored":
		status, reply.Raw = cmp.Or(errorStatus[result.Get("error.error.type").Str], http.StatusInternalServerError), result.Get("error").Raw
	case response.IsObject(): // OpenAI's
		status = int(response.Get("status_code").Int())
		reply.Raw = response.Get("body").Raw
	case googleStatus[fault.Get("code").Int()] > 0:
		status = googleStatus[fault.Get("code").Int()]
		reply.Raw = l.Raw
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

// noBatches adds an explanation to an error which shows that the server has no batch interface.
func noBatches(err error) error {
	if e, ok := errors.AsType[*llm.Error](err); ok && (e.HTTPStatus == 404 || e.HTTPStatus == 405 || e.HTTPStatus == 501) {
		e.Kind = llm.Misconfigured
		e.Retriable = false
		e.Message = "the server seems to have no batch interface (remove batch: true): " + e.Message
	}
	return err
}

// byteOrderMark is at the beginning of the files of some servers.
var byteOrderMark = []byte("\ufeff")

// lines calls do for each line that is not blank.
func lines(text io.Reader, do func([]byte) error) error {
	scan := bufio.NewScanner(text)
	scan.Buffer(make([]byte, 64<<10), MaxBody)
	for scan.Scan() {
		line := bytes.TrimPrefix(scan.Bytes(), byteOrderMark)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := do(line); err != nil {
			return err
		}
	}
	return scan.Err()
}
