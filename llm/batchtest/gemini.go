package batchtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// Gemini is a Server with the interface that Google documents for its OpenAI-compatible address. Batches have OpenAI's form below
// /v1beta/openai, files go through the Files API, and the list of batches has Google's own form. Sources, read in November 2026:
// ai.google.dev/gemini-api/docs/openai ("Batch API"), ai.google.dev/api/files (resumable upload), ai.google.dev/gemini-api/docs/batch-api
// (download), ai.google.dev/api/batch-api (batches.list). The ids, batches/…, are those that users of the interface report.
type Gemini struct {
	Server
	Key string // every request must have it: as Bearer below /v1beta/openai, elsewhere as x-goog-api-key
	// Enqueued, if not nil, reports whether a batch of this number of requests is refused with status 429.
	Enqueued func(requests int) bool
	// NoFiles removes the names of files from the list of batches.
	NoFiles bool

	uploads []upload
}

// An upload is a started upload of a file.
type upload struct {
	name   string
	length string
}

// ServeHTTP responds to the documented paths. Any other path gets 404, as do the files of the OpenAI-compatible address.
func (g *Gemini) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if g.Fault != nil && g.Fault(w, r) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.google = true
	path, compatible := strings.CutPrefix(r.URL.Path, "/v1beta/openai")
	sent := r.Header.Get("X-Goog-Api-Key")
	if compatible {
		sent = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	session := r.FormValue("upload_id")
	switch {
	case session == "" && (sent != g.Key || !compatible && r.Header.Get("Authorization") != ""):
		googleError(w, http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
	case r.Method == http.MethodPost && r.URL.Path == "/upload/v1beta/files" && session == "":
		g.start(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/upload/v1beta/files":
		g.finalize(w, r, session)
	case r.Method == http.MethodPost && path == "/batches":
		g.submit(w, r)
	case r.Method == http.MethodGet && compatible && strings.HasPrefix(path, "/batches/batches/"):
		g.look(w, strings.TrimPrefix(path, "/batches/"))
	case r.Method == http.MethodGet && r.URL.Path == "/v1beta/batches":
		g.list(w, r)
	case r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/download/v1beta/files/") && r.FormValue("alt") == "media":
		name := strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/download/v1beta/"), ":download")
		if g.files[name] == nil {
			googleError(w, http.StatusForbidden, "PERMISSION_DENIED", "You do not have permission to access the File or it may not exist.")
			return
		}
		w.Write(g.files[name])
	default:
		googleError(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.")
	}
}

func googleError(w http.ResponseWriter, status int, code, message string) {
	write(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "status": code}})
}

// Forget deletes all files, as Google's server does after some time.
func (g *Gemini) Forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.files)
}

func (g *Gemini) start(w http.ResponseWriter, r *http.Request) {
	var about struct {
		File struct{ Name string }
	}
	err := json.NewDecoder(r.Body).Decode(&about)
	name := about.File.Name
	if err != nil || r.Header.Get("X-Goog-Upload-Protocol") != "resumable" || r.Header.Get("X-Goog-Upload-Command") != "start" ||
		r.Header.Get("X-Goog-Upload-Header-Content-Type") == "" || !strings.HasPrefix(name, "files/") || len(name) > len("files/")+40 {
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "upload: headers or name")
		return
	}
	if g.files[name] != nil {
		googleError(w, http.StatusConflict, "ALREADY_EXISTS", "Requested entity already exists")
		return
	}
	g.uploads = append(g.uploads, upload{name, r.Header.Get("X-Goog-Upload-Header-Content-Length")})
	w.Header().Set("X-Goog-Upload-URL", fmt.Sprintf("http://%s/upload/v1beta/files?upload_id=%d&upload_protocol=resumable", r.Host,
		len(g.uploads)))
	w.WriteHeader(http.StatusOK) // with an empty body
}

func (g *Gemini) finalize(w http.ResponseWriter, r *http.Request, session string) {
	n, err := strconv.Atoi(session)
	if err != nil || n < 1 || n > len(g.uploads) {
		googleError(w, http.StatusNotFound, "NOT_FOUND", "no such upload")
		return
	}
	content, err := io.ReadAll(r.Body)
	if u := g.uploads[n-1]; err != nil || r.Header.Get("X-Goog-Upload-Command") != "upload, finalize" ||
		r.Header.Get("X-Goog-Upload-Offset") != "0" || u.length != strconv.Itoa(len(content)) {
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "upload: command, offset or length")
		return
	}
	if g.files == nil {
		g.files = map[string][]byte{}
	}
	name := g.uploads[n-1].name
	g.files[name] = content
	write(w, http.StatusOK, map[string]any{"file": map[string]any{"name": name, "sizeBytes": strconv.Itoa(len(content)), "state": "ACTIVE",
		"uri": "https://generativelanguage.googleapis.com/v1beta/" + name}})
}

// submit creates a batch. The request must have exactly the three documented fields.
func (g *Gemini) submit(w http.ResponseWriter, r *http.Request) {
	var fields map[string]string
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &fields) != nil || len(fields) != 3 {
		googleError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name")
		return
	}
	if g.Enqueued != nil && g.Enqueued(bytes.Count(g.files[fields["input_file_id"]], []byte("\n"))) {
		googleError(w, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing "+
			"details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.")
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	g.create(w, r)
}

// list lists the batches in Google's own form.
func (g *Gemini) list(w http.ResponseWriter, r *http.Request) {
	most, err := strconv.Atoi(r.FormValue("pageSize"))
	if err != nil {
		most = 50
	}
	operations := []any{}
	for i := len(g.batches) - 1; i >= max(0, len(g.batches)-most); i-- {
		b := g.batches[i]
		about := map[string]any{"name": b.state["id"], "state": "BATCH_STATE_RUNNING", "createTime": "2026-11-02T10:00:00.123456789Z",
			"batchStats": map[string]string{"requestCount": strconv.Itoa(bytes.Count(g.files[b.input()], []byte("\n")))}}
		if !g.NoFiles {
			about["inputConfig"] = map[string]any{"fileName": b.input()}
		}
		operations = append(operations, map[string]any{"name": b.state["id"], "metadata": about})
	}
	write(w, http.StatusOK, map[string]any{"operations": operations})
}
