// Package annotate serves the pages of an annotation study: people score answers, label contrastive
// tables, compare pairs and rate rationales, and the owner follows and decides. Its record is
// package project.
//
// Annotators are blind: no response to them names a system, a scenario, a judge or another
// person. All pages work without script; the script adds keys, drafts and active time.
package annotate

import (
	"crypto/rand"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"

	"golang.org/x/time/rate"

	"compqa/results/table"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

//go:embed pages.html owner.html script.js style.css
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"markdown": shell.Markdown, "visible": table.Visible, "minutes": minutes, "half": half,
	"next": func(i int) int { return i + 1 },
}).ParseFS(files, "pages.html", "owner.html"))

// A Server answers requests for one project.
type Server struct {
	Project *project.Project
	Log     *log.Logger // internal errors; a browser never gets them
	Address string      // at which annotators reach the server; "": as the owner does
	owner   string      // token of the owner's link
	mu      sync.Mutex
	limits  map[string]*rate.Limiter
	reports reportCache
}

// New makes a server with a new link for the owner.
func New(p *project.Project, l *log.Logger) *Server {
	return &Server{Project: p, Log: l, owner: rand.Text(), limits: map[string]*rate.Limiter{}}
}

// OwnerPath is the path of the owner's link.
func (s *Server) OwnerPath() string { return "/o/" + s.owner }

const annotatorCookie = "compqa_annotator"

// Handler is the server's handler; hosts are further names under which it may be reached.
func (s *Server) Handler(hosts ...string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/work", http.StatusSeeOther) })
	for path, kind := range map[string]string{"style.css": "text/css", "script.js": "text/javascript"} {
		content, _ := files.ReadFile(path)
		if kind == "text/css" {
			content = append(append([]byte{}, shell.Style...), content...)
		}
		mux.HandleFunc("GET /"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind+"; charset=utf-8")
			w.Write(content)
		})
	}
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /a/{token}", s.invited(s.invitation))
	mux.HandleFunc("POST /a/{token}", s.invited(s.start))
	mux.HandleFunc("POST /leave", s.leave)
	for pattern, page := range map[string]page{
		"GET /work": s.admitted(s.work), "POST /consent": s.consent, "POST /check": s.check, "GET /guidelines": s.guidelines,
		"GET /examples": s.examples, "GET /item/{item}": s.admitted(s.show), "POST /item/{item}": s.admitted(s.save),
		"GET /feedback/{item}": s.admitted(s.feedback), "POST /undo": s.undo,
	} {
		mux.HandleFunc(pattern, s.as(page))
	}
	owner, unknown := http.NewServeMux(), func(w http.ResponseWriter, _ *http.Request) {
		s.message(w, http.StatusNotFound, "There is no such page.")
	}
	for pattern, page := range map[string]page{
		"GET /owner": s.ownerPage, "GET /owner/changes": s.changes, "POST /owner/person": s.person, "POST /owner/adjudicate": s.adjudicate,
		"GET /owner/item/{item}": s.show, "POST /owner/item/{item}": s.save,
	} {
		owner.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPost || s.form(w, r) {
				s.fail(w, page(w, r, project.Annotator{}))
			}
		})
	}
	owner.HandleFunc("/", unknown)
	// Who is not the owner gets the same answer from the owner's pages as from pages that do not exist.
	gate := &shell.Owner{Token: s.owner, Home: "/owner", Pages: owner, Refuse: unknown}
	for _, path := range []string{"/o/", "/owner", "/owner/"} {
		mux.Handle(path, gate)
	}
	mux.HandleFunc("/", unknown)
	return shell.Secure(hosts, mux)
}

// limited refuses a client that tries many links that are not valid: ten at once, then one in six seconds.
func (s *Server) limited(r *http.Request) bool {
	client, _, _ := net.SplitHostPort(r.RemoteAddr)
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.limits[client]
	if l == nil {
		if len(s.limits) > 10000 {
			clear(s.limits)
		}
		l = rate.NewLimiter(rate.Limit(1.0/6), 10)
		s.limits[client] = l
	}
	return !l.Allow()
}

// invited answers people whose link is not valid.
func (s *Server) invited(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.Project.Known(r.PathValue("token")):
			next(w, r)
		case s.limited(r):
			s.message(w, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
		default:
			s.message(w, http.StatusNotFound, "This link is not valid. Ask for a new one.")
		}
	}
}

func (s *Server) invitation(w http.ResponseWriter, _ *http.Request) {
	s.render(w, http.StatusOK, "start", map[string]any{"Title": s.title(), "Kind": s.Project.Kind})
}

func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	session, err := s.Project.Start(r.PathValue("token"))
	if err != nil {
		s.fail(w, err)
		return
	}
	shell.SetSession(w, r, annotatorCookie, session)
	redirect(w, r, "/work")
}

// leave ends the session of this browser.
func (s *Server) leave(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(annotatorCookie); err == nil {
		if err := s.Project.End(c.Value); err != nil {
			s.fail(w, err)
			return
		}
		shell.SetSession(w, r, annotatorCookie, "")
	}
	s.message(w, http.StatusOK, "You are logged out. Your work is kept. To go on, open your link again.")
}

// A page answers a request, or returns the error of the server. The form of a POST is read before.
type page func(http.ResponseWriter, *http.Request, project.Annotator) error

// as admits people with a session.
func (s *Server) as(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(annotatorCookie)
		var a project.Annotator
		if err == nil {
			a, err = s.Project.Session(c.Value)
		}
		switch {
		case err == nil:
			if r.Method != http.MethodPost || s.form(w, r) {
				s.fail(w, p(w, r, a))
			}
		case errors.Is(err, http.ErrNoCookie):
			s.message(w, http.StatusUnauthorized, "Open your invitation link first.")
		case errors.Is(err, project.ErrUnknown):
			s.message(w, http.StatusUnauthorized, "Your session has ended. Open your invitation link again.")
		default:
			s.fail(w, err)
		}
	}
}

// form reads the form of a request.
func (s *Server) form(w http.ResponseWriter, r *http.Request) bool {
	err := r.ParseForm()
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		s.message(w, http.StatusRequestEntityTooLarge, "The request is too large.")
	case err != nil:
		s.message(w, http.StatusBadRequest, "The request cannot be read.")
	}
	return err == nil
}

func wantsJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Accept"), "application/json")
}

func sendJSON(w http.ResponseWriter, status int, v any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
	return nil
}

func redirect(w http.ResponseWriter, r *http.Request, to string) error {
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// fail answers with a message that contains nothing of the error, if there is one.
func (s *Server) fail(w http.ResponseWriter, err error) {
	switch {
	case err == nil:
	case errors.Is(err, project.ErrUnknown):
		s.message(w, http.StatusNotFound, "There is no such page.")
	default:
		s.Log.Printf("annotate: %v", err)
		s.message(w, http.StatusInternalServerError, "The server had an error. Your earlier work is stored; try again.")
	}
}

func (s *Server) title() string {
	if s.Project.Title != "" {
		return s.Project.Title
	}
	return "Annotation"
}

func (s *Server) message(w http.ResponseWriter, status int, text string) error {
	return s.render(w, status, "message", map[string]any{"Title": s.title(), "Text": text})
}

func (s *Server) render(w http.ResponseWriter, status int, name string, values any) error {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, values); err != nil {
		s.Log.Printf("annotate: page %s: %v", name, err)
		http.Error(w, "The server failed.", http.StatusInternalServerError)
		return nil
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(b.String()))
	return nil
}
