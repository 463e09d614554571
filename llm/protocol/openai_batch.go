package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/url"

	api "github.com/sashabaranov/go-openai"

	"compqa/llm"
)

const (
	batchPath  = "/batches"
	batchLabel = "compqa" // key of the label in a batch's metadata
)

// SubmitBatch implements Batches: it uploads a file and starts a batch with it. The label
// is sent too.
func (o *OpenAI) SubmitBatch(ctx context.Context, label string, asks []BatchAsk) (Batch, error) {
	lines, err := o.batchLines(asks)
	if err != nil {
		return Batch{}, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
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
		return Batch{}, ReplyError(llm.Failed, "the server accepted the file of a batch but returned no id")
	}
	body, err := json.Marshal(map[string]any{
		"input_file_id": file.ID, "endpoint": api.BatchEndpointChatCompletions, "completion_window": "24h",
		"metadata": map[string]string{batchLabel: label},
	})
	if err != nil {
		return Batch{}, err
	}
	text, err = o.Endpoint.Fetch(ctx, http.MethodPost, batchPath, body)
	return readBatch(text, noBatches(err))
}

// batchLines is the file of a batch, one request in each line.
func (o *OpenAI) batchLines(asks []BatchAsk) ([]byte, error) {
	var lines bytes.Buffer
	for _, ask := range asks {
		body, err := o.Dialects.Of(ask.Request).Body(ask.Request)
		if err != nil {
			return nil, err
		}
		line, err := json.Marshal(api.BatchChatCompletionRequest{CustomID: ask.ID, Method: http.MethodPost,
			URL: api.BatchEndpointChatCompletions})
		if err == nil {
			line, err = SetFields(line, map[string]any{"body": json.RawMessage(body)})
		}
		if err != nil {
			return nil, err
		}
		lines.Write(line)
		lines.WriteByte('\n')
	}
	return lines.Bytes(), nil
}

// readBatch reads a reply, unless there is an error instead.
func readBatch(text []byte, err error) (Batch, error) {
	if err != nil {
		return Batch{}, err
	}
	var b api.Batch
	if err := json.Unmarshal(text, &b); err != nil || b.ID == "" {
		return Batch{}, ReplyError(llm.Failed, "the state of a batch is unreadable: %s", text[:min(len(text), MaxMessage)])
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
			batch.Reason = FirstText(batch.Reason, e.Message, e.Code)
		}
	}
	return batch
}

// FindBatch implements Batches by the label.
func (o *OpenAI) FindBatch(ctx context.Context, s Submission) (Batch, error) {
	text, err := o.Endpoint.Fetch(ctx, http.MethodGet, batchPath+"?limit=100", nil)
	if err != nil {
		return Batch{}, noBatches(err)
	}
	var list struct{ Data []api.Batch }
	if err := json.Unmarshal(text, &list); err != nil {
		return Batch{}, ReplyError(llm.Failed, "the list of batches is unreadable: %s", err)
	}
	for _, b := range list.Data {
		if b.Metadata[batchLabel] == s.Label {
			return batchOf(b), nil
		}
	}
	return Batch{}, nil
}

// LookBatch implements Batches.
func (o *OpenAI) LookBatch(ctx context.Context, id string) (Batch, error) {
	return readBatch(o.Endpoint.Fetch(ctx, http.MethodGet, batchPath+"/"+url.PathEscape(id), nil))
}

// CollectBatch implements Batches: it reads the output file and the error file.
func (o *OpenAI) CollectBatch(ctx context.Context, b Batch, each func(id string, reply llm.Reply, err error) error) error {
	for _, file := range []string{b.output, b.faults} {
		if file == "" {
			continue
		}
		err := o.Endpoint.lines(ctx, "/files/"+url.PathEscape(file)+"/content", func(line []byte) error {
			return each(o.Endpoint.bounded(readBatchLine(line)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readBatchLine reads one line of a batch's output or error file.
func readBatchLine(line []byte) (id string, reply llm.Reply, err error) {
	var l struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
		Error *struct{ Code, Message string } `json:"error"`
	}
	if err := json.Unmarshal(line, &l); err != nil || l.ID == "" {
		return "", reply, unreadableLine(line)
	}
	switch {
	case l.Error != nil && l.Error.Code == "batch_expired":
		return l.ID, reply, llm.Errorf(llm.Unavailable, "the batch expired before this request")
	case l.Response == nil && l.Error != nil:
		e := llm.Errorf(llm.Failed, "the batch failed at this request: %s", FirstText(l.Error.Message, l.Error.Code))
		e.Retriable = true
		return l.ID, reply, e
	case l.Response == nil:
		return l.ID, reply, llm.Errorf(llm.Failed, "the batch contains neither a response nor an error for this request")
	}
	reply.Raw = string(l.Response.Body)
	if l.Response.Status/100 != 2 {
		return l.ID, reply, batchFault(l.Response.Status, reply.Raw)
	}
	return l.ID, reply, ParseCompletion(&reply)
}
