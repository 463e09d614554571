package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	api "github.com/sashabaranov/go-openai"
	"github.com/tidwall/gjson"

	"compqa/llm"
)

// geminiBatches are the batches of Google's OpenAI-compatible address, with OpenAI's requests and replies. The files go through Google's
// Files API, because this address takes none. Sources, read in November 2026: ai.google.dev/gemini-api/docs/openai ("Batch API"), and
// ai.google.dev/api/files.
type geminiBatches struct {
	*Endpoint        // the endpoint of …/v1beta/openai
	root      string // the address before /v1beta
}

// geminiPath is the end of the path of Google's OpenAI-compatible address.
const geminiPath = "/v1beta/openai"

// geminiFile is the beginning of the name of a batch's file; the batch's label follows, because Google's batches have no label. A name has
// at most 40 characters.
const geminiFile = "files/compqa-"

// native returns an endpoint of Google's own API, which takes the key in another header. With key false it has no key, which the address of
// an upload does not need. headers are pairs of a name and a value.
func (s geminiBatches) native(key bool, headers ...string) *Endpoint {
	e := *s.Endpoint
	e.Header = e.Header.Clone()
	bearer := strings.TrimPrefix(e.Header.Get("Authorization"), "Bearer ")
	e.Header.Del("Authorization")
	switch {
	case !key:
		e.Header.Del("X-Goog-Api-Key")
	case bearer != "":
		e.Header.Set("X-Goog-Api-Key", bearer)
	}
	for i := 0; i < len(headers); i += 2 {
		e.Header.Set(headers[i], headers[i+1])
	}
	e.Base = s.root
	return &e
}

// submit uploads the requests as a file, and creates a batch of it.
func (s geminiBatches) submit(ctx context.Context, label string, asks []batchBody) (Batch, error) {
	var file bytes.Buffer
	for _, ask := range asks {
		file.Write(batchLine{ask.id, http.MethodPost, api.BatchEndpointChatCompletions, ask.body}.MarshalBatchLineItem())
		file.WriteByte('\n')
	}
	name, err := s.upload(ctx, label, file.Bytes())
	if err != nil {
		return Batch{}, err
	}
	body, err := json.Marshal(map[string]string{"input_file_id": name, "endpoint": string(api.BatchEndpointChatCompletions),
		"completion_window": "24h"})
	if err != nil {
		return Batch{}, llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
	text, err := s.Fetch(ctx, http.MethodPost, "/batches", body)
	if e, ok := err.(*llm.Error); ok && e.HTTPStatus == http.StatusTooManyRequests {
		// The limit is on the tokens of all batches together, and the message does not say which limit it is.
		e.TokenLimit = true
		e.Retriable = false
	}
	return geminiBatch(gjson.ParseBytes(text)), err
}

// upload uploads the file of a batch in two steps: the first response has the address for the content. If the file already exists, an
// attempt whose response was lost has uploaded it, with the same content.
func (s geminiBatches) upload(ctx context.Context, label string, content []byte) (name string, err error) {
	name = geminiFile + label
	about, err := json.Marshal(map[string]any{"file": map[string]string{"name": name, "display_name": "compqa-" + label + ".jsonl"}})
	if err != nil {
		return "", llm.Errorf(llm.Misconfigured, "writing a batch: %s", err)
	}
	start := s.native(true, "X-Goog-Upload-Protocol", "resumable", "X-Goog-Upload-Command", "start",
		"X-Goog-Upload-Header-Content-Length", strconv.Itoa(len(content)), "X-Goog-Upload-Header-Content-Type", "application/jsonl")
	resp, err := start.Send(ctx, http.MethodPost, "/upload/v1beta/files", about)
	if e, ok := err.(*llm.Error); ok && e.HTTPStatus == http.StatusConflict {
		return name, nil
	}
	if err != nil {
		return "", err
	}
	resp.Body.Close()
	address, err := url.Parse(resp.Header.Get("X-Goog-Upload-Url"))
	if err != nil || address.Host == "" {
		return "", ReplyError(llm.Failed, "the server accepted the file of a batch but returned no address for it (X-Goog-Upload-URL)")
	}
	finish := s.native(false, "X-Goog-Upload-Command", "upload, finalize", "X-Goog-Upload-Offset", "0")
	finish.Base = address.String()
	finish.query = ""
	text, err := finish.Fetch(ctx, http.MethodPost, "", content)
	if err != nil {
		return "", err
	}
	uploaded := gjson.GetBytes(text, "file.name").Str
	if uploaded == "" {
		return "", ReplyError(llm.Failed, "the server accepted the file of a batch but returned no name")
	}
	return uploaded, nil
}

// list lists batches with Google's own API, because its list has the file of each batch.
func (s geminiBatches) list(ctx context.Context) (list []Batch, err error) {
	text, err := s.native(true).Fetch(ctx, http.MethodGet, "/v1beta/batches?pageSize=100", nil)
	for _, operation := range gjson.GetBytes(text, "operations").Array() {
		list = append(list, geminiBatch(operation.Get("metadata")))
	}
	return list, err
}

// status gets the state of a batch. The id, batches/…, is a path, as OpenAI's client sends it.
func (s geminiBatches) status(ctx context.Context, id string) (Batch, error) {
	text, err := s.Fetch(ctx, http.MethodGet, "/batches/"+(&url.URL{Path: id}).EscapedPath(), nil)
	return geminiBatch(gjson.ParseBytes(text)), err
}

// noSuchFile matches the message of the Files API about a deleted file, which has status 403.
var noSuchFile = regexp.MustCompile(`(?i)may not exist|not found`)

// results opens a file of results. A deleted file is an error with status 404.
func (s geminiBatches) results(ctx context.Context, file string) (io.ReadCloser, error) {
	resp, err := s.native(true).Send(ctx, http.MethodGet, "/download/v1beta/"+(&url.URL{Path: file}).EscapedPath()+":download?alt=media", nil)
	if e, ok := err.(*llm.Error); ok && e.HTTPStatus == http.StatusForbidden && noSuchFile.MatchString(e.Body) {
		e.HTTPStatus = http.StatusNotFound
	}
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// geminiStates translates the states of Google's own API to OpenAI's (ai.google.dev/api/batch-api, BatchState).
var geminiStates = map[string]string{"pending": "validating", "running": "in_progress", "succeeded": "completed"}

// geminiBatch reads the state of a batch in OpenAI's form or in Google's.
func geminiBatch(s gjson.Result) Batch {
	first := func(names ...string) gjson.Result {
		for _, name := range names {
			if value := s.Get(name); value.Exists() && value.Type != gjson.Null {
				return value
			}
		}
		return gjson.Result{}
	}
	batch := Batch{ID: first("id", "name").Str, Reason: first("errors.data.0.message", "error.message").Str,
		Total:  int(first("request_counts.total", "batchStats.requestCount").Int()),
		Done:   int(first("request_counts.completed", "batchStats.successfulRequestCount").Int()),
		Failed: int(first("request_counts.failed", "batchStats.failedRequestCount").Int())}
	batch.Status = strings.ToLower(strings.TrimPrefix(first("status", "state").Str, "BATCH_STATE_"))
	if word := geminiStates[batch.Status]; word != "" {
		batch.Status = word
	}
	batch.label = strings.TrimPrefix(first("input_file_id", "inputConfig.fileName").Str, geminiFile)
	batch.created, _ = time.Parse(time.RFC3339, s.Get("createTime").Str)
	for _, name := range []string{"output_file_id", "error_file_id"} {
		if file := s.Get(name).Str; file != "" {
			batch.results = append(batch.results, file)
		}
	}
	return batch
}
