// Package annotate serves the pages of an annotation study: people score answers, label contrastive tables, compare pairs
// and rate rationales, and the owner follows and decides. Its record is package project.
//
// Annotators are blind: no response to them names a system, a scenario, a judge or another
// person. All pages work without script; the script adds keys, drafts and active time.
package annotate

import (
	"cmp"
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

// pages are the templates of all servers; each has its own way to show images.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"markdown": shell.Markdown, "visible": table.Visible, "minutes": minutes, "half": project.Half, "points": project.Points,
		"next": func(i int) int { return i + 1 }, "say": (&project.Settings{}).Say, "words": func() string { return "" },
	}).ParseFS(files, "pages.html", "owner.html"))
})

// A Server answers requests for one project.
type Server struct {
	Project *project.Project
	Log     *log.Logger // gets internal errors, which browsers never see
	Address string      // at which annotators reach the server; "": the same as for the owner
	Folder  string      // the folder of the images
	owner   string      // the token of the owner's link
	mu      sync.Mutex
	limits  map[string]*rate.Limiter
	waiting []Waiting // the oldest first
	pages   *template.Template
	images  map[string]string // paths in the folder of the study, by the code in their address

	reporting    sync.Mutex // protects reported
	cachedReport *Report
}

// New makes a server for a project, with a new owner's link.
func New(p *project.Project, l *log.Logger) *Server {
	s := &Server{Project: p, Log: l, Folder: p.Dir(), owner: rand.Text(), limits: map[string]*rate.Limiter{}, images: map[string]string{}}
	for _, path := range Images(p.Texts, p.Items) {
		s.images[p.Keyed("image/"+path)] = path
	}
	s.pages = template.Must(pages().Clone()).Funcs(template.FuncMap{"markdown": shell.MarkdownWith(s.imageAddress), "say": p.Say,
		"words": func() (string, error) {
			text, err := json.Marshal(p.ScriptWords())
			return string(text), err
		}})
	return s
}

// OwnerPath returns the path of the owner's link.
func (s *Server) OwnerPath() string { return "/o/" + s.owner }

const annotatorCookie = "compqa_annotator"

// Handler returns the HTTP handler. hosts are further host names under which the server may be reached.
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
	for pattern, p := range map[string]page{
		"GET /a/{token}": s.invited(s.invitation), "POST /a/{token}": s.invited(s.start), "POST /leave": s.leave,
		"GET /s/{token}": s.arriving, "POST /s/{token}": s.arrive,
		"GET /work": s.withSession(s.admitted(s.work)), "POST /consent": s.withSession(s.consent), "POST /check": s.withSession(s.check),
		"POST /replies/{moment}": s.withSession(s.replies), "POST /read": s.withSession(s.readGuidelines),
		"GET /guidelines": s.withSession(s.guidelines), "GET /examples": s.withSession(s.examples),
		"GET /item/{item}":  s.withSession(s.admitted(s.showItem)),
		"POST /item/{item}": s.withSession(s.admitted(s.save)), "GET /feedback/{item}": s.withSession(s.admitted(s.feedback)),
		"GET /missed/{item}": s.withSession(s.admitted(s.missed)), "POST /undo": s.withSession(s.undo),
		"GET /image/{code}": s.image,
	} {
		mux.HandleFunc(pattern, s.handler(p))
	}
	owner := http.NewServeMux()
	unknown := s.handler(func(http.ResponseWriter, *http.Request, project.Annotator) error {
		return project.ErrUnknown
	})
	for pattern, p := range map[string]page{
		"GET /owner": func(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
			return s.ownerPage(w, "", nil)
		},
		"GET /owner/changes": s.changes, "POST /owner/person": s.person, "POST /owner/adjudicate": s.adjudicate,
		"GET /owner/item/{item}": s.showItem, "POST /owner/item/{item}": s.save,
	} {
		owner.HandleFunc(pattern, s.handler(s.form(p)))
	}
	owner.HandleFunc("/", unknown)
	// For everybody else, the owner's pages look like pages that do not exist.
	gate := &shell.Owner{Token: s.owner, Home: "/owner", Pages: owner, Refuse: unknown}
	for _, path := range []string{"/o/", "/owner", "/owner/"} {
		mux.Handle(path, gate)
	}
	mux.HandleFunc("/", unknown)
	return shell.Secure(hosts, mux)
}

// limited reports whether a client tries too many invalid links: more than ten at once, and then one in six seconds.
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

// A page handles a request, or returns an error.
type page func(http.ResponseWriter, *http.Request, project.Annotator) error

// handler turns a page into an http.HandlerFunc. If the page fails, the browser gets a message without any details of the error.
func (s *Server) handler(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch err := p(w, r, project.Annotator{}); {
		case err == nil:
		case errors.Is(err, project.ErrUnknown):
			s.message(w, http.StatusNotFound, s.say("no_page"))
		default:
			s.Log.Printf("annotate: %v", err)
			s.message(w, http.StatusInternalServerError, s.say("server_error"))
		}
	}
}

// invited wraps a page so that an invalid invitation link gets a message.
func (s *Server) invited(p page) page {
	return func(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
		switch _, err := s.Project.Invited(r.PathValue("token")); {
		case err == nil:
			return p(w, r, a)
		case s.limited(r):
			return s.message(w, http.StatusTooManyRequests, s.say("too_many"))
		}
		return s.message(w, http.StatusNotFound, s.say("link_invalid"))
	}
}

func (s *Server) invitation(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	return s.render(w, http.StatusOK, "start", map[string]any{"Title": s.title(), "Task": s.say(s.Project.Form().Task)})
}

func (s *Server) start(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	session, err := s.Project.Start(r.PathValue("token"))
	if err == nil {
		shell.SetSession(w, r, annotatorCookie, session)
	}
	return redirect(w, r, "/work", err)
}

// leave ends the session of this browser.
func (s *Server) leave(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	if c, err := r.Cookie(annotatorCookie); err == nil {
		if err := s.Project.End(c.Value); err != nil {
			return err
		}
		shell.SetSession(w, r, annotatorCookie, "")
	}
	return s.message(w, http.StatusOK, s.say("logged_out"))
}

// withSession wraps a page for people with a session, and reads submitted forms.
func (s *Server) withSession(p page) page {
	p = s.form(p)
	return func(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
		c, err := r.Cookie(annotatorCookie)
		if err != nil {
			return s.message(w, http.StatusUnauthorized, s.say("open_link"))
		}
		a, err := s.Project.Session(c.Value)
		switch {
		case err == nil:
			return p(w, r, a)
		case errors.Is(err, project.ErrUnknown):
			return s.message(w, http.StatusUnauthorized, s.say("session_ended"))
		}
		return err
	}
}

// form wraps a page so that the form of a POST request is read first.
func (s *Server) form(p page) page {
	return func(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); errors.As(err, new(*http.MaxBytesError)) {
				return s.message(w, http.StatusRequestEntityTooLarge, s.say("too_large"))
			} else if err != nil {
				return s.message(w, http.StatusBadRequest, s.say("unreadable"))
			}
		}
		return p(w, r, a)
	}
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

// redirect redirects to a page, unless err is not nil.
func redirect(w http.ResponseWriter, r *http.Request, to string, err error) error {
	if err == nil {
		http.Redirect(w, r, to, http.StatusSeeOther)
	}
	return err
}

// say returns a text of the interface, in the language of the study.
func (s *Server) say(key string, values ...any) string { return s.Project.Say(key, values...) }

// contact returns how people can reach the owner, or else a text of the interface that says whom to ask.
func (s *Server) contact(otherwise string) string { return cmp.Or(s.Project.Contact, s.say(otherwise)) }

func (s *Server) title() string { return cmp.Or(s.Project.Title, s.say("annotation")) }

func (s *Server) message(w http.ResponseWriter, status int, text string) error {
	return s.render(w, status, "message", map[string]any{"Title": s.title(), "Text": text})
}

func (s *Server) render(w http.ResponseWriter, status int, name string, values any) error {
	var b strings.Builder
	if err := s.pages.ExecuteTemplate(&b, name, values); err != nil {
		s.Log.Printf("annotate: page %s: %v", name, err)
		http.Error(w, "The server failed.", http.StatusInternalServerError)
		return nil
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(b.String()))
	return nil
}
