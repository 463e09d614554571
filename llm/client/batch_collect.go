package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"compqa/llm"
	"compqa/llm/protocol"
)

// Collect implements Batcher.
func (c *client) Collect(ctx context.Context, b Batch, model string, each func(id string, reply llm.Reply, err error) error) error {
	o, err := c.openAI()
	if err != nil {
		return c.finish(err, "", nil)
	}
	price, known := c.costs.Price(model)
	for _, file := range []string{b.output, b.faults} {
		if file == "" {
			continue
		}
		err := lines(o, ctx, file, func(line []byte) error {
			id, reply, err := readLine(line)
			a := llm.Attempt{Started: time.Now(), HTTPStatus: 200, Outcome: llm.Valid, Usage: reply.Usage, Raw: reply.Raw, Batch: b.ID}
			if e, ok := errors.AsType[*llm.Error](err); ok {
				a.HTTPStatus, a.Outcome, a.Reason = e.HTTPStatus, e.Kind, e.Message
			}
			if known {
				cost, _ := price.InBatch().Cost(reply.Usage) // a request without usage was not processed, and is free
				a.Cost = &cost
			}
			reply.Attempts = []llm.Attempt{a}
			c.clean(&reply)
			if err != nil {
				err = c.finish(err, model, reply.Attempts)
			}
			return each(id, reply, err)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// lines calls do for each line of a file on the server.
func lines(o *protocol.OpenAI, ctx context.Context, file string, do func([]byte) error) error {
	inner, cancel := o.Endpoint.WithTimeout(ctx)
	defer cancel()
	resp, err := o.Endpoint.Open(inner, http.MethodGet, "/files/"+url.PathEscape(file)+"/content", protocol.ContentTypeJSON, "")
	if err != nil {
		return o.Endpoint.TransportError(ctx, inner, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), protocol.MaxBody)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil && err != io.EOF {
		return o.Endpoint.TransportError(ctx, inner, err)
	}
	return nil
}

// readLine reads one line of a batch's output or error file.
func readLine(line []byte) (id string, reply llm.Reply, err error) {
	var l struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *struct{ Code, Message string } `json:"error"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.ID == "" {
		return "", reply, llm.Errorf(llm.Failed, "a line of a batch is unreadable: %s", line[:min(len(line), protocol.MaxMessage)])
	}
	switch {
	case l.Error != nil && l.Error.Code == "batch_expired":
		return l.ID, reply, llm.Errorf(llm.Unavailable, "the batch expired before this request")
	case l.Response == nil && l.Error != nil:
		e := llm.Errorf(llm.Failed, "the batch failed at this request: %s", protocol.FirstText(l.Error.Message, l.Error.Code))
		e.Retriable = true
		return l.ID, reply, e
	case l.Response == nil:
		return l.ID, reply, llm.Errorf(llm.Failed, "the batch has neither a response nor an error for this request")
	}
	reply.Raw = string(l.Response.Body)
	if l.Response.Status/100 != 2 {
		p := protocol.ParseErrorBody(reply.Raw)
		e := llm.Errorf(llm.Failed, "%s", p.Message)
		e.HTTPStatus = l.Response.Status
		protocol.Classify(e, l.Response.Status, p)
		return l.ID, reply, e
	}
	return l.ID, reply, protocol.ParseCompletion(&reply)
}
