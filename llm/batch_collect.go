package llm

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
)

func (c *client) Collect(ctx context.Context, b Batch, model string, each func(id string, reply Reply, err error) error) error {
	o, err := c.openAI()
	if err != nil {
		return c.finish(err, "", nil)
	}
	price, known := c.bills.price(model)
	for _, file := range []string{b.output, b.faults} {
		if file == "" {
			continue
		}
		err := o.lines(ctx, file, func(line []byte) error {
			id, reply, err := readLine(line)
			a := Attempt{Started: time.Now(), HTTPStatus: 200, Outcome: Valid, Usage: reply.Usage, Raw: reply.Raw, Batch: b.ID}
			if e, ok := errors.AsType[*Error](err); ok {
				a.HTTPStatus, a.Outcome, a.Reason = e.HTTPStatus, e.Kind, e.Message
			}
			if known {
				cost, _ := price.InBatch().Cost(reply.Usage) // what has no usage was not done, and is not charged
				a.Cost = &cost
			}
			reply.Attempts = []Attempt{a}
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

// lines calls do for each line of a file at the server.
func (o *openAI) lines(ctx context.Context, file string, do func([]byte) error) error {
	inner, cancel := o.wire.timed(ctx)
	defer cancel()
	resp, err := o.wire.open(inner, http.MethodGet, "/files/"+url.PathEscape(file)+"/content", jsonType, "")
	if err != nil {
		return o.wire.failure(ctx, inner, err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(make([]byte, 64<<10), maxBody)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := do(lines.Bytes()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil && err != io.EOF {
		return o.wire.failure(ctx, inner, err)
	}
	return nil
}

// readLine reads one line of a batch's output or error file.
func readLine(line []byte) (id string, reply Reply, err error) {
	var l struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *struct{ Code, Message string } `json:"error"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.ID == "" {
		return "", reply, fault(Failed, "a line of a batch can't be read: %s", line[:min(len(line), maxMessage)])
	}
	switch {
	case l.Error != nil && l.Error.Code == "batch_expired":
		return l.ID, reply, fault(Unavailable, "the batch expired before it came to this request")
	case l.Response == nil && l.Error != nil:
		e := fault(Failed, "the batch failed at this request: %s", cmpText(l.Error.Message, l.Error.Code))
		e.Retriable = true
		return l.ID, reply, e
	case l.Response == nil:
		return l.ID, reply, fault(Failed, "the batch holds neither a response to this request nor an error")
	}
	reply.Raw = string(l.Response.Body)
	if l.Response.Status/100 != 2 {
		p := readProblem(reply.Raw)
		e := fault(Failed, "%s", p.message)
		e.HTTPStatus = l.Response.Status
		e.classify(l.Response.Status, p)
		return l.ID, reply, e
	}
	return l.ID, reply, readCompletion(&reply)
}
