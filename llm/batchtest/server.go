// Package batchtest is a server with the Batch interface of OpenAI, as its
// reference describes it, for tests: files, batches with their states, output and
// error files, expiry.
package batchtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Server is an http.Handler for /v1/files and /v1/batches. It does
// not work in the background: each request for a batch moves it to its next state.
type Server struct {
	// Answer is the response to one request.
	Answer func(body map[string]any) (status int, reply string)
	// Expire, if it is there, is asked with each new batch's number, from 1, and
	// says after how many requests the batch expires; negative: it doesn't.
	Expire func(batch int) int
	// Reject is why a new batch fails its validation, "" for none.
	Reject string
	// Fault is asked first, with method and path; true: it has answered.
	Fault func(w http.ResponseWriter, r *http.Request) bool

	mu      sync.Mutex
	files   map[string][]byte
	batches []*batch
	asked   int
}

type batch struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Endpoint string            `json:"endpoint"`
	Input    string            `json:"input_file_id"`
	Window   string            `json:"completion_window"`
	Status   string            `json:"status"`
	Output   *string           `json:"output_file_id"`
	Errors   *string           `json:"error_file_id"`
	Faults   *faults           `json:"errors"`
	Counts   counts            `json:"request_counts"`
	Metadata map[string]string `json:"metadata"`
	Created  int               `json:"created_at"`

	requests []request
	expire   int
}

type counts struct {
	Total     int `json:"total"`
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
}

type faults struct {
	Object string              `json:"object"`
	Data   []map[string]string `json:"data"`
}

type request struct {
	ID     string         `json:"custom_id"`
	Method string         `json:"method"`
	URL    string         `json:"url"`
	Body   map[string]any `json:"body"`
}

// Batches is how many batches were made, and Asked how many requests they
// answered.
func (s *Server) Batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// Asked returns the number of answered requests in batches.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// ServeHTTP answers paths below /v1/files and /v1/batches.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Fault != nil && s.Fault(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	switch {
	case r.Method == http.MethodPost && parts[0] == "files":
		s.upload(w, r)
	case r.Method == http.MethodPost && parts[0] == "batches":
		s.create(w, r)
	case parts[0] == "batches" && len(parts) == 1:
		newest := slices.Clone(s.batches)
		slices.Reverse(newest)
		write(w, map[string]any{"object": "list", "data": newest, "has_more": false})
	case parts[0] == "batches":
		s.look(w, parts[1])
	case parts[0] == "files" && len(parts) == 3 && parts[2] == "content" && s.files[parts[1]] != nil:
		w.Write(s.files[parts[1]])
	default:
		refuse(w, http.StatusNotFound, "no such thing: "+r.URL.Path)
	}
}

func write(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}

func (s *Server) file(content []byte) string {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	id := fmt.Sprintf("file-%d", len(s.files)+1)
	s.files[id] = content
	return id
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(1 << 30); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	part, header, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" || !strings.HasSuffix(header.Filename, ".jsonl") {
		refuse(w, http.StatusBadRequest, "a batch needs a .jsonl file with the purpose batch")
		return
	}
	content, err := io.ReadAll(part)
	if err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	write(w, map[string]any{"id": s.file(content), "object": "file", "purpose": "batch", "bytes": len(content), "filename": header.Filename})
}

func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	b := &batch{Object: "batch", Status: "validating", expire: -1, Created: 1}
	var asked struct {
		Input    string            `json:"input_file_id"`
		Endpoint string            `json:"endpoint"`
		Window   string            `json:"completion_window"`
		Metadata map[string]string `json:"metadata"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || s.files[asked.Input] == nil || asked.Window != "24h" ||
		asked.Endpoint != "/v1/chat/completions" {
		refuse(w, http.StatusBadRequest, "no such file, endpoint or window")
		return
	}
	b.Input, b.Endpoint, b.Window, b.Metadata = asked.Input, asked.Endpoint, asked.Window, asked.Metadata
	s.batches = append(s.batches, b)
	b.ID = fmt.Sprintf("batch_%d", len(s.batches))
	if s.Expire != nil {
		b.expire = s.Expire(len(s.batches))
	}
	write(w, b)
}

// validate reads a batch's requests, by the rules of the interface.
func (s *Server) validate(b *batch) string {
	if s.Reject != "" {
		return s.Reject
	}
	ids, models := map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(s.files[b.Input]))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return "a line is no JSON: " + err.Error()
		}
		if r.ID == "" || ids[r.ID] || r.Method != http.MethodPost || r.URL != b.Endpoint {
			return fmt.Sprintf("line %d: custom_id, method or url", len(ids)+1)
		}
		ids[r.ID] = true
		models[fmt.Sprint(r.Body["model"])] = true
		b.requests = append(b.requests, r)
	}
	if len(models) != 1 || len(b.requests) == 0 || len(b.requests) > 50_000 {
		return fmt.Sprintf("%d requests of %d models", len(b.requests), len(slices.Collect(maps.Keys(models))))
	}
	b.Counts.Total = len(b.requests)
	return ""
}

func (s *Server) look(w http.ResponseWriter, id string) {
	i := slices.IndexFunc(s.batches, func(b *batch) bool { return b.ID == id })
	if i < 0 {
		refuse(w, http.StatusNotFound, "no batch "+id)
		return
	}
	b := s.batches[i]
	write(w, b)
	switch b.Status {
	case "validating":
		b.Status = "in_progress"
		if fault := s.validate(b); fault != "" {
			b.Status, b.Faults = "failed", &faults{"list", []map[string]string{{"code": "invalid", "message": fault}}}
		}
	case "in_progress":
		b.Status = "finalizing"
	case "finalizing":
		s.finish(b)
	}
}

// finish answers a batch's requests, as far as it gets.
func (s *Server) finish(b *batch) {
	var output, errors bytes.Buffer
	b.Status = "completed"
	for i, r := range b.requests {
		line := map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": r.ID, "response": nil, "error": nil}
		if b.expire >= 0 && i >= b.expire {
			b.Status = "expired"
			line["error"] = map[string]string{"code": "batch_expired",
				"message": "This request could not be executed before the completion window expired."}
			json.NewEncoder(&errors).Encode(line)
			continue
		}
		s.asked++
		status, reply := s.Answer(r.Body)
		line["response"] = map[string]any{"status_code": status, "request_id": fmt.Sprint("req_", i), "body": json.RawMessage(reply)}
		if status/100 != 2 {
			b.Counts.Failed++
			json.NewEncoder(&errors).Encode(line)
			continue
		}
		b.Counts.Completed++
		json.NewEncoder(&output).Encode(line)
	}
	if output.Len() > 0 {
		id := s.file(output.Bytes())
		b.Output = &id
	}
	if errors.Len() > 0 {
		id := s.file(errors.Bytes())
		b.Errors = &id
	}
}
