// Package anthropictest is a server with Anthropic's Messages interface for tests:
// messages, message batches and the list of models. It enforces the rules that the makers
// document (platform.claude.com, November 2026: migration guide of Claude Sonnet 5.5,
// structured outputs, prompt caching, message batches), and it counts tokens and caches
// prompts as they describe it, at four bytes a token.
package anthropictest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// Server is an http.Handler for /v1/messages, /v1/messages/batches and /v1/models. Each GET of a batch moves it to its next state.
type Server struct {
	// Answer returns the reply to a request that breaks no rule.
	Answer func(Request) Reply
	// Key is the API key that requests must have; "": any key.
	Key string
	// Models lists the models that exist; empty: any model exists.
	Models []string
	// Fault is called first. If it returns true, it has responded to the request.
	Fault func(w http.ResponseWriter, r *http.Request) bool
	// Expire returns after how many requests a batch (numbered from 1) expires; a negative number, or a nil function, means never.
	Expire func(batch int) int

	mu       sync.Mutex
	cached   map[string]bool // beginnings of prompts, by model
	requests []Request
	refused  []string
	batches  []*batch
}

// A Request is a request for a message.
type Request struct {
	Model  string
	Prompt string // the text of all messages, the system prompt first
	Batch  bool   // the request was in a batch
	Body   map[string]any
}

// A Reply is the server's reply to a request.
type Reply struct {
	Text, Thinking string
	Stop           string // stop_reason; "": end_turn
	Explanation    string // of a refusal
	Status         int    // HTTP status of an error; 0: none
	Message        string // of an error
	RetryAfter     string // header of an error
}

// Requests returns the requests so far that broke no rule.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Refused returns the error messages of the requests that broke a rule.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refused...)
}

// Batches returns the number of batches that were created.
func (s *Server) Batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// ServeHTTP responds to one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Fault != nil && s.Fault(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.Trim(strings.TrimPrefix(r.URL.Path, "/v1/"), "/"), "/")
	switch {
	case r.Header.Get("x-api-key") == "" || s.Key != "" && r.Header.Get("x-api-key") != s.Key:
		fail(w, 401, "invalid x-api-key")
	case r.Header.Get("anthropic-version") != "2023-06-01":
		fail(w, 400, "anthropic-version: header is required")
	case r.Method == http.MethodGet && r.URL.Path == "/v1/models":
		s.models(w)
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		s.message(w, r)
	case len(parts) >= 2 && parts[0] == "messages" && parts[1] == "batches":
		s.serveBatch(w, r, parts[2:])
	default:
		fail(w, 404, "Not Found")
	}
}

// errorTypes has the type of an error by its HTTP status.
var errorTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error",
}

func errorBody(status int, message string) map[string]any {
	return map[string]any{"type": "error", "error": map[string]any{"type": errorTypes[status], "message": message}, "request_id": "req_1"}
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func fail(w http.ResponseWriter, status int, message string) {
	write(w, status, errorBody(status, message))
}

func (s *Server) models(w http.ResponseWriter) {
	data := []any{}
	for _, name := range s.Models {
		data = append(data, map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "2026-10-07T00:00:00Z"})
	}
	write(w, 200, map[string]any{"data": data, "has_more": false})
}

func (s *Server) message(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	text, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(text, &body) != nil {
		fail(w, 400, "The request body is not valid JSON")
		return
	}
	status, reply, retryAfter := s.answer(body, false)
	if retryAfter != "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	write(w, status, reply)
}

// answer returns the response to a request, in a batch or alone.
func (s *Server) answer(body map[string]any, inBatch bool) (status int, reply map[string]any, retryAfter string) {
	if status, problem := s.check(body); problem != "" {
		s.refused = append(s.refused, problem)
		return status, errorBody(status, problem), ""
	}
	prompt, marked := promptOf(body)
	model, _ := body["model"].(string)
	request := Request{Model: model, Prompt: prompt, Batch: inBatch, Body: body}
	s.requests = append(s.requests, request)
	a := s.Answer(request)
	if a.Status != 0 {
		return a.Status, errorBody(a.Status, a.Message), a.RetryAfter
	}
	if most, _ := body["max_tokens"].(float64); a.Stop == "" && tokens(len(a.Thinking))+tokens(len(a.Text)) > int(most) {
		a.Stop = "max_tokens" // thinking counts too, and comes first
		a.Thinking = a.Thinking[:min(len(a.Thinking), 4*int(most))]
		a.Text = a.Text[:min(len(a.Text), 4*int(most)-len(a.Thinking))]
	}
	content := []any{}
	if a.Thinking != "" {
		content = append(content, map[string]any{"type": "thinking", "thinking": a.Thinking, "signature": "c2ln"})
	}
	if a.Text != "" {
		content = append(content, map[string]any{"type": "text", "text": a.Text})
	}
	reply = map[string]any{"id": fmt.Sprintf("msg_%d", len(s.requests)), "type": "message", "role": "assistant", "model": model,
		"content": content, "stop_reason": cmp.Or(a.Stop, "end_turn"), "stop_sequence": nil, "usage": s.usage(model, prompt, marked, a)}
	if a.Explanation != "" {
		reply["stop_details"] = map[string]any{"type": "refusal", "category": "general_harms", "explanation": a.Explanation}
	}
	return 200, reply, ""
}

func tokens(bytes int) int { return (bytes + 3) / 4 }

// usage counts tokens. If the marked beginning of a prompt is long enough, it is written to the cache, or read from it. input_tokens counts
// the rest.
func (s *Server) usage(model, prompt string, marked int, a Reply) map[string]any {
	all := tokens(len(prompt))
	prefix := tokens(marked)
	read := 0
	written := 0
	if prefix >= 1024 {
		if s.cached == nil {
			s.cached = map[string]bool{}
		}
		key := model + "\x00" + prompt[:marked]
		if s.cached[key] {
			read = prefix
		} else {
			written = prefix
		}
		s.cached[key] = true
	}
	return map[string]any{"input_tokens": all - read - written, "cache_read_input_tokens": read, "cache_creation_input_tokens": written,
		"output_tokens":         tokens(len(a.Text)) + tokens(len(a.Thinking)),
		"output_tokens_details": map[string]any{"thinking_tokens": tokens(len(a.Thinking))}, "service_tier": "standard"}
}

// promptOf returns the text of a prompt, and the length of its beginning up to the last cache mark.
func promptOf(body map[string]any) (prompt string, marked int) {
	text, _ := json.Marshal(body) // it was JSON
	value := gjson.ParseBytes(text)
	for _, content := range append([]gjson.Result{value.Get("system")}, value.Get("messages.#.content").Array()...) {
		if content.Type == gjson.String {
			prompt += content.Str
			continue
		}
		for _, block := range content.Array() {
			prompt += block.Get("text").Str
			if block.Get("cache_control").Exists() {
				marked = len(prompt)
			}
		}
	}
	return prompt, marked
}

// A batch is a message batch.
type batch struct {
	state    map[string]any // its state as JSON
	counts   map[string]int // number of requests by state
	looks    int
	requests []batchRequest
	results  []map[string]any
}

type batchRequest struct {
	ID     string         `json:"custom_id"`
	Params map[string]any `json:"params"`
}

// serveBatch responds to a request about batches. rest is the path below /messages/batches: "" creates or lists batches, an id gets the
// state of a batch, and id/results gets its results.
func (s *Server) serveBatch(w http.ResponseWriter, r *http.Request, rest []string) {
	if r.Method == http.MethodPost && len(rest) == 0 {
		s.createBatch(w, r)
		return
	}
	newest := []any{}
	for _, b := range slices.Backward(s.batches) {
		newest = append(newest, b.state)
	}
	if len(rest) == 0 {
		write(w, 200, map[string]any{"data": newest, "has_more": false})
		return
	}
	index := slices.IndexFunc(s.batches, func(b *batch) bool { return b.state["id"] == rest[0] })
	switch {
	case index >= 0 && len(rest) == 1:
		b := s.batches[index]
		write(w, 200, b.state)
		if b.looks++; b.looks == 2 {
			s.finish(index)
		}
	case index >= 0 && rest[1] == "results" && s.batches[index].results != nil:
		for _, line := range s.batches[index].results {
			json.NewEncoder(w).Encode(line)
		}
	default:
		fail(w, 404, "Not Found")
	}
}

func (s *Server) createBatch(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Requests []batchRequest }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Requests) == 0 || len(asked.Requests) > 100_000 {
		fail(w, 400, "requests: List should have at least 1 item and at most 100000")
		return
	}
	ids := map[string]bool{}
	for _, q := range asked.Requests {
		if !customID.MatchString(q.ID) || ids[q.ID] {
			fail(w, 400, "requests.custom_id: String should match pattern '^[a-zA-Z0-9_-]{1,64}$' and be unique")
			return
		}
		ids[q.ID] = true
	}
	b := &batch{requests: asked.Requests,
		counts: map[string]int{"processing": len(asked.Requests), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}}
	b.state = map[string]any{"id": fmt.Sprintf("msgbatch_%d", len(s.batches)+1), "type": "message_batch", "processing_status": "in_progress",
		"created_at": time.Now().UTC().Format(time.RFC3339Nano), "ended_at": nil, "results_url": nil, "request_counts": b.counts}
	s.batches = append(s.batches, b)
	write(w, 200, b.state)
}

// finish responds to the requests of a batch, until it expires.
func (s *Server) finish(number int) {
	b := s.batches[number]
	most := -1
	if s.Expire != nil {
		most = s.Expire(number + 1)
	}
	b.state["processing_status"], b.state["results_url"] = "ended", fmt.Sprintf("/v1/messages/batches/%s/results", b.state["id"])
	b.results = []map[string]any{}
	for i, q := range b.requests {
		result := map[string]any{}
		kind := "expired"
		if most < 0 || i < most {
			var status int
			var reply map[string]any
			if status, reply, _ = s.answer(q.Params, true); status == 200 {
				kind = "succeeded"
				result["message"] = reply
			} else {
				kind = "errored"
				result["error"] = reply
			}
		}
		result["type"] = kind
		b.counts["processing"]--
		b.counts[kind]++
		b.results = append(b.results, map[string]any{"custom_id": q.ID, "result": result})
	}
}
