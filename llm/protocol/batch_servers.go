package protocol

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"compqa/llm"
)

const batchLabel = "compqa" // key of the label in a batch's metadata

// openAIBatches are the batches of OpenAI and compatible servers. They use the client of go-openai.
type openAIBatches struct {
	server *api.Client
	files  *api.Client // a client whose replies may have any form and size
}

// A batchLine is one request in the file of a batch.
type batchLine struct {
	ID     string            `json:"custom_id"`
	Method string            `json:"method"`
	URL    api.BatchEndpoint `json:"url"`
	Body   json.RawMessage   `json:"body"`
}

// MarshalBatchLineItem implements the interface of go-openai.
func (l batchLine) MarshalBatchLineItem() []byte {
	text, _ := json.Marshal(l) // the body is JSON, so this cannot fail
	return text
}

func (s openAIBatches) submit(ctx context.Context, label string, asks []batchBody) (Batch, error) {
	file := api.UploadBatchFileRequest{FileName: label + ".jsonl"}
	for _, ask := range asks {
		file.Lines = append(file.Lines, batchLine{ask.id, http.MethodPost, api.BatchEndpointChatCompletions, ask.body})
	}
	uploaded, err := s.server.UploadBatchFile(ctx, file)
	if err != nil {
		return Batch{}, err
	}
	if uploaded.ID == "" {
		return Batch{}, ReplyError(llm.Failed, "the server accepted the file of a batch but returned no id")
	}
	batch, err := s.server.CreateBatch(ctx, api.CreateBatchRequest{InputFileID: uploaded.ID, Endpoint: api.BatchEndpointChatCompletions,
		Metadata: map[string]any{batchLabel: label}})
	return batchOf(batch.Batch), err
}

func (s openAIBatches) list(ctx context.Context) (list []Batch, err error) {
	latest, err := s.server.ListBatch(ctx, nil, new(100))
	for _, state := range latest.Data {
		list = append(list, batchOf(state))
	}
	return list, err
}

func (s openAIBatches) status(ctx context.Context, id string) (Batch, error) {
	batch, err := s.server.RetrieveBatch(ctx, url.PathEscape(id))
	return batchOf(batch.Batch), err
}

func (s openAIBatches) results(ctx context.Context, file string) (io.ReadCloser, error) {
	return s.files.GetFileContent(ctx, url.PathEscape(file))
}

// batchOf reads the state of an OpenAI batch.
func batchOf(s api.Batch) Batch {
	batch := Batch{ID: s.ID, Status: s.Status, Total: s.RequestCounts.Total, Done: s.RequestCounts.Completed, Failed: s.RequestCounts.Failed,
		created: time.Unix(int64(s.CreatedAt), 0)}
	batch.label, _ = s.Metadata[batchLabel].(string)
	if s.Errors != nil {
		for _, e := range s.Errors.Data {
			batch.Reason = FirstText(batch.Reason, e.Message, e.Code)
			batch.TokenLimit = batch.TokenLimit || e.Code == "token_limit_exceeded" ||
				strings.Contains(strings.ToLower(e.Message), "enqueued token limit")
		}
	}
	for _, file := range []*string{s.OutputFileID, s.ErrorFileID} {
		if file != nil && *file != "" {
			batch.results = append(batch.results, *file)
		}
	}
	return batch
}

// anthropicBatches are the Message Batches of Anthropic.
type anthropicBatches struct{ *Endpoint }

const anthropicBatchPath = "/messages/batches"

func (s anthropicBatches) submit(ctx context.Context, _ string, asks []batchBody) (Batch, error) {
	type request struct {
		ID     string          `json:"custom_id"`
		Params json.RawMessage `json:"params"`
	}
	var list struct {
		Requests []request `json:"requests"`
	}
	for _, ask := range asks {
		list.Requests = append(list.Requests, request{ask.id, ask.body})
	}
	body, err := json.Marshal(list)
	if err != nil {
		return Batch{}, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
	text, err := s.Fetch(ctx, http.MethodPost, anthropicBatchPath, body)
	return messageBatch(gjson.ParseBytes(text)), err
}

func (s anthropicBatches) list(ctx context.Context) (list []Batch, err error) {
	text, err := s.Fetch(ctx, http.MethodGet, anthropicBatchPath+"?limit=100", nil)
	states := gjson.GetBytes(text, "data")
	if err == nil && states.Exists() && !states.IsArray() {
		err = ReplyError(llm.Failed, "the list of batches is unreadable: %s", clipped(string(text)))
	}
	for _, state := range states.Array() {
		list = append(list, messageBatch(state))
	}
	return list, err
}

func (s anthropicBatches) status(ctx context.Context, id string) (Batch, error) {
	text, err := s.Fetch(ctx, http.MethodGet, anthropicBatchPath+"/"+url.PathEscape(id), nil)
	return messageBatch(gjson.ParseBytes(text)), err
}

func (s anthropicBatches) results(ctx context.Context, path string) (io.ReadCloser, error) {
	resp, err := s.Send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// messageBatch reads the state of an Anthropic batch, and translates it to OpenAI's words.
func messageBatch(s gjson.Result) Batch {
	counts := s.Get("request_counts")
	sum := func(names ...string) (n int) { // number of requests in these states
		for _, name := range names {
			n += int(counts.Get(name).Int())
		}
		return n
	}
	batch := Batch{ID: s.Get("id").Str, Done: sum("succeeded"), Failed: sum("errored"),
		Total: sum("processing", "succeeded", "errored", "canceled", "expired")}
	batch.created, _ = time.Parse(time.RFC3339, s.Get("created_at").Str)
	batch.results = []string{anthropicBatchPath + "/" + url.PathEscape(batch.ID) + "/results"}
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
