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
	"strconv"
	"strings"
	"sync"
)

// Server is an http.Handler for /v1/files and /v1/batches. It does not work in the background: each GET of a batch moves it to its next
// state.
type Server struct {
	// Answer returns the response to one request of a batch.
	Answer func(body map[string]any) (status int, reply string)
	// Expire, if not nil, returns after how many requests a new batch (numbered from 1) expires; a negative number means never.
	Expire func(batch int) int
	// Cancel, if not nil, returns after how many requests a new batch is cancelled; a negative number means never.
	Cancel func(batch int) int
	// Reject is the reason why each new batch fails its validation; "": it does not.
	Reject string
	// TokenLimit, if not nil, reports whether this number of requests has more tokens than may be enqueued.
	TokenLimit func(requests int) bool
	// Twice, if not nil, returns a second reply to the first request of a batch.
	Twice func() string
	// Fault is called first. If it returns true, it has responded to the request.
	Fault func(w http.ResponseWriter, r *http.Request) bool

	google  bool // names of files and batches have Google's form, see Gemini
	mu      sync.Mutex
	files   map[string][]byte
	batches []*batch
	asked   int
}

// A batch is a batch with its file of requests.
type batch struct {
	state    map[string]any // its state as JSON
	counts   map[string]int // number of requests by state
	requests []request
	expire   int    // number of requests after which it ends
	end      string // "expired" or "cancelled"
}

type request struct {
	ID     string         `json:"custom_id"`
	Method string         `json:"method"`
	URL    string         `json:"url"`
	Body   map[string]any `json:"body"`
}

// Batches returns the number of batches that were created.
func (s *Server) Batches() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.batches)
}

// Asked returns the number of requests in batches that were answered.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// ServeHTTP responds to the paths below /v1/files and /v1/batches.
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
		most, err := strconv.Atoi(r.FormValue("limit"))
		if err != nil {
			most = 20
		}
		newest := []any{}
		for _, b := range slices.Backward(s.batches[max(0, len(s.batches)-most):]) {
			newest = append(newest, b.state)
		}
		write(w, 200, map[string]any{"object": "list", "data": newest, "has_more": len(newest) < len(s.batches)})
	case parts[0] == "batches":
		s.look(w, parts[1])
	case parts[0] == "files" && len(parts) == 3 && parts[2] == "content" && s.files[parts[1]] != nil:
		w.Write(s.files[parts[1]])
	default:
		refuse(w, http.StatusNotFound, "no such thing: "+r.URL.Path)
	}
}

func write(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(value)
}

func refuse(w http.ResponseWriter, status int, message string) {
	write(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}

func (s *Server) file(content []byte) string {
	if s.files == nil {
		s.files = map[string][]byte{}
	}
	id := fmt.Sprintf("file-%d", len(s.files)+1)
	if s.google {
		id = fmt.Sprintf("files/output-%d", len(s.files)+1)
	}
	s.files[id] = content
	return id
}

func (s *Server) upload(w http.ResponseWriter, r *http.Request) {
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
	write(w, 200, map[string]any{"id": s.file(content), "object": "file", "purpose": "batch", "bytes": len(content),
		"filename": header.Filename})
}

// create creates a batch from an uploaded file, if the request has the right file, endpoint and completion window.
func (s *Server) create(w http.ResponseWriter, r *http.Request) {
	b := &batch{expire: -1, end: "expired", counts: map[string]int{"total": 0, "completed": 0, "failed": 0}}
	err := json.NewDecoder(r.Body).Decode(&b.state)
	if err != nil || s.files[b.input()] == nil || b.state["completion_window"] != "24h" || b.state["endpoint"] != "/v1/chat/completions" {
		refuse(w, http.StatusBadRequest, "no such file, endpoint or window")
		return
	}
	s.batches = append(s.batches, b)
	id := fmt.Sprintf("batch_%d", len(s.batches))
	if s.google {
		id = fmt.Sprintf("batches/g%d", len(s.batches))
	}
	maps.Copy(b.state, map[string]any{"id": id, "object": "batch", "status": "validating",
		"output_file_id": nil, "error_file_id": nil, "errors": nil, "request_counts": b.counts, "created_at": 1})
	if s.Expire != nil {
		b.expire = s.Expire(len(s.batches))
	}
	if s.Cancel != nil {
		b.expire, b.end = s.Cancel(len(s.batches)), "cancelled"
	}
	write(w, 200, b.state)
}

// input returns the id of the file with the requests.
func (b *batch) input() string { return fmt.Sprint(b.state["input_file_id"]) }

const tokenLimit = "Enqueued token limit reached for m in organization org. Limit: 90,000 enqueued tokens."

// validate reads and checks a batch's requests by the rules of the interface. It returns the reason for a failure, or "".
func (s *Server) validate(b *batch) string {
	if s.Reject != "" {
		return s.Reject
	}
	ids := map[string]bool{}
	models := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(s.files[b.input()]))
	lines.Buffer(nil, 1<<30)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return "a line is no JSON: " + err.Error()
		}
		if r.ID == "" || ids[r.ID] || r.Method != http.MethodPost || r.URL != b.state["endpoint"] {
			return fmt.Sprintf("line %d: custom_id, method or url", len(ids)+1)
		}
		ids[r.ID] = true
		models[fmt.Sprint(r.Body["model"])] = true
		b.requests = append(b.requests, r)
	}
	if len(models) != 1 || len(b.requests) == 0 || len(b.requests) > 50_000 {
		return fmt.Sprintf("%d requests of %d models", len(b.requests), len(slices.Collect(maps.Keys(models))))
	}
	if s.TokenLimit != nil && s.TokenLimit(len(b.requests)) {
		return tokenLimit
	}
	b.counts["total"] = len(b.requests)
	return ""
}

// look writes the state of a batch, and then moves the batch to its next state: validating, in_progress, finalizing, completed.
func (s *Server) look(w http.ResponseWriter, id string) {
	i := slices.IndexFunc(s.batches, func(b *batch) bool { return b.state["id"] == id })
	if i < 0 {
		refuse(w, http.StatusNotFound, "no batch "+id)
		return
	}
	b := s.batches[i]
	write(w, 200, b.state)
	switch b.state["status"] {
	case "validating":
		b.state["status"] = "in_progress"
		if fault := s.validate(b); fault != "" {
			b.state["status"] = "failed"
			code := "invalid"
			if fault == tokenLimit {
				code = "token_limit_exceeded"
			}
			b.state["errors"] = map[string]any{"object": "list", "data": []any{map[string]string{"code": code, "message": fault}}}
		}
	case "in_progress":
		b.state["status"] = "finalizing"
	case "finalizing":
		s.finish(b)
	}
}

// finish responds to a batch's requests, until it expires or is cancelled.
func (s *Server) finish(b *batch) {
	files := map[string][]byte{} // by their key in the state
	b.state["status"] = "completed"
	for i, r := range b.requests {
		line := map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": r.ID, "response": nil, "error": nil}
		file := "error_file_id"
		if b.expire >= 0 && i >= b.expire {
			b.state["status"] = b.end
			line["error"] = map[string]string{"code": "batch_" + b.end, "message": "This request was not executed."}
		} else {
			s.asked++
			status, reply := s.Answer(r.Body)
			line["response"] = map[string]any{"status_code": status, "request_id": fmt.Sprint("req_", i), "body": json.RawMessage(reply)}
			if status/100 == 2 {
				file = "output_file_id"
				b.counts["completed"]++
			} else {
				b.counts["failed"]++
			}
		}
		text, _ := json.Marshal(line) // a reply that is not JSON gives an empty line
		files[file] = append(append(files[file], text...), '\n')
		if s.Twice != nil && i == 0 {
			line["response"] = map[string]any{"status_code": 200, "request_id": "again", "body": json.RawMessage(s.Twice())}
			text, _ = json.Marshal(line)
			files[file] = append(append(files[file], text...), '\n')
		}
	}
	for _, place := range slices.Sorted(maps.Keys(files)) {
		b.state[place] = s.file(files[place])
	}
}
