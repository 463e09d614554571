// Package annotate serves the pages on which people score answers, compare pairs and mark
// rows of contrastive tables, and the owner's page. Its record is package project.
//
// Annotators are blind: no response to them names a system, a scenario, a judge or another
// person. All pages work without script; the script adds keys, drafts and active time.
package annotate

import (
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"crypto/rand"

	"golang.org/x/time/rate"

	"compqa/data"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

//go:embed pages.html script.js
var files embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{"markdown": shell.Markdown, "visible": shell.Visible, "percent": percent, "minutes": minutes}).ParseFS(files, "pages.html"))

// A Server answers requests for one project.
type Server struct {
	Project *project.Project
	Log     *log.Logger // internal errors; a browser never gets them
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

const (
	annotatorCookie = "compqa_annotator"
	ownerCookie     = "compqa_owner"
)

// Handler is the server's handler; hosts are further names under which it may be reached.
func (s *Server) Handler(hosts ...string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/work", http.StatusSeeOther) })
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Write(shell.Style)
	})
	mux.HandleFunc("GET /script.js", func(w http.ResponseWriter, _ *http.Request) {
		script, _ := files.ReadFile("script.js")
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Write(script)
	})
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("GET /a/{token}", s.invitation)
	mux.HandleFunc("POST /a/{token}", s.start)
	mux.HandleFunc("GET /work", s.annotator(s.work))
	mux.HandleFunc("POST /check", s.annotator(s.check))
	mux.HandleFunc("GET /item/{item}", s.annotator(s.show))
	mux.HandleFunc("POST /item/{item}", s.annotator(s.save))
	mux.HandleFunc("POST /undo", s.annotator(s.undo))
	mux.HandleFunc("GET /o/{token}", s.ownerLink)
	mux.HandleFunc("POST /o/{token}", s.ownerStart)
	mux.HandleFunc("GET /owner", s.owned(s.ownerPage))
	mux.HandleFunc("POST /owner/adjudicate", s.owned(s.adjudicate))
	mux.HandleFunc("GET /owner/item/{item}", s.owned(s.asAdjudicator(s.show)))
	mux.HandleFunc("POST /owner/item/{item}", s.owned(s.asAdjudicator(s.save)))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		s.message(w, http.StatusNotFound, "There is no such page.")
	})
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

func (s *Server) invitation(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Project.Known(r.PathValue("token")):
		s.render(w, http.StatusOK, "start", map[string]any{"Title": "Annotation"})
	case s.limited(r):
		s.message(w, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
	default:
		s.message(w, http.StatusNotFound, "This link is not valid. Ask for a new one.")
	}
}

func (s *Server) start(w http.ResponseWriter, r *http.Request) {
	if !s.Project.Known(r.PathValue("token")) && s.limited(r) {
		s.message(w, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
		return
	}
	session, err := s.Project.Start(r.PathValue("token"))
	if err != nil {
		s.fail(w, err)
		return
	}
	setCookie(w, r, annotatorCookie, session)
	http.Redirect(w, r, "/work", http.StatusSeeOther)
}

func setCookie(w http.ResponseWriter, r *http.Request, name, value string) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, MaxAge: 60 * 24 * 3600, Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https"})
}

type page func(http.ResponseWriter, *http.Request, project.Annotator)

// annotator admits people with a session.
func (s *Server) annotator(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(annotatorCookie)
		if err != nil {
			s.message(w, http.StatusUnauthorized, "Open your invitation link first.")
			return
		}
		a, err := s.Project.Session(c.Value)
		if errors.Is(err, project.ErrUnknown) {
			s.message(w, http.StatusUnauthorized, "Your session has ended. Open your invitation link again.")
			return
		}
		if err != nil {
			s.fail(w, err)
			return
		}
		p(w, r, a)
	}
}

func (s *Server) ownerLink(w http.ResponseWriter, r *http.Request) {
	if !s.isOwner(r.PathValue("token")) && s.limited(r) {
		s.message(w, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
		return
	}
	if !s.isOwner(r.PathValue("token")) {
		s.message(w, http.StatusNotFound, "This link is not valid. `compqa annotate serve` prints a new one.")
		return
	}
	s.render(w, http.StatusOK, "start", map[string]any{"Title": "Annotation: owner", "Owner": true})
}

func (s *Server) isOwner(token string) bool {
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.owner))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func (s *Server) ownerStart(w http.ResponseWriter, r *http.Request) {
	if !s.isOwner(r.PathValue("token")) {
		s.message(w, http.StatusNotFound, "This link is not valid.")
		return
	}
	setCookie(w, r, ownerCookie, s.owner)
	http.Redirect(w, r, "/owner", http.StatusSeeOther)
}

// owned admits the owner. Others get the same answer as for a page that does not exist.
func (s *Server) owned(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie(ownerCookie); err != nil || !s.isOwner(c.Value) {
			s.message(w, http.StatusNotFound, "There is no such page.")
			return
		}
		h(w, r)
	}
}

func (s *Server) asAdjudicator(p page) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a, err := s.Project.Adjudicator()
		if err != nil {
			s.fail(w, err)
			return
		}
		p(w, r, a)
	}
}

// work leads to the next item.
func (s *Server) work(w http.ResponseWriter, r *http.Request, a project.Annotator) {
	if !s.admitted(w, a) {
		return
	}
	next, err := s.Project.Next(a)
	switch {
	case err != nil:
		s.fail(w, err)
	case next == "":
		done, _, err := s.Project.Progress(a.ID)
		if err != nil {
			s.fail(w, err)
			return
		}
		s.render(w, http.StatusOK, "done", map[string]any{"Title": "Done", "Done": done})
	default:
		http.Redirect(w, r, "/item/"+next, http.StatusSeeOther)
	}
}

// admitted shows the comprehension check to those who have not passed it.
func (s *Server) admitted(w http.ResponseWriter, a project.Annotator) bool {
	switch {
	case a.Passed || a.ID == 0:
		return true
	case a.Tries >= project.MostTries:
		s.message(w, http.StatusForbidden, "You answered the questions incorrectly twice. Ask for a new link to try again.")
	default:
		questions, err := s.questions()
		if err != nil {
			s.fail(w, err)
			return false
		}
		s.render(w, http.StatusOK, "check", map[string]any{"Title": "Before you start", "Questions": questions, "Failed": a.Tries > 0})
	}
	return false
}

func (s *Server) check(w http.ResponseWriter, r *http.Request, a project.Annotator) {
	if a.Passed || a.Tries >= project.MostTries {
		http.Redirect(w, r, "/work", http.StatusSeeOther)
		return
	}
	if !s.form(w, r) {
		return
	}
	questions, err := s.questions()
	if err != nil {
		s.fail(w, err)
		return
	}
	passed := true
	for i, q := range questions {
		passed = passed && r.PostForm.Get("q"+strconv.Itoa(i)) == q.right
	}
	if err := s.Project.Comprehension(a.ID, passed); err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "/work", http.StatusSeeOther)
}

// A question of the comprehension check.
type question struct {
	Text    string
	Options []string
	right   string
}

func (s *Server) questions() ([]question, error) {
	items, err := s.Project.Items()
	if err != nil {
		return nil, err
	}
	list := []question{{"You think that you know which program wrote an answer. What counts?", []string{"The reputation of the program", "Only the text of the answer"}, "Only the text of the answer"}}
	if len(items) == 0 || items[0].Kind != project.Score {
		return list, nil
	}
	for _, c := range s.Project.Rubric.Criteria {
		if low, high := c.Range(); len(c.Levels) > 1 && high > low {
			q := question{Text: "Criterion “" + c.Name + "”: how many points for “" + c.Levels[len(c.Levels)-1].Text + "”?", right: points(c.Levels[len(c.Levels)-1].Points)}
			for _, l := range c.Levels {
				q.Options = append(q.Options, points(l.Points))
			}
			list = append(list, q)
		}
		if len(list) == 3 {
			break
		}
	}
	return list, nil
}

func (s *Server) undo(w http.ResponseWriter, r *http.Request, a project.Annotator) {
	blind, err := s.Project.UndoLast(a.ID, rand.Text())
	if errors.Is(err, project.ErrUnknown) {
		http.Redirect(w, r, "/work", http.StatusSeeOther)
		return
	}
	if err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, "/item/"+blind, http.StatusSeeOther)
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

func sendJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// fail answers with a message that contains nothing of the error.
func (s *Server) fail(w http.ResponseWriter, err error) {
	if errors.Is(err, project.ErrUnknown) {
		s.message(w, http.StatusNotFound, "There is no such page.")
		return
	}
	s.Log.Printf("annotate: %v", err)
	s.message(w, http.StatusInternalServerError, "The server had an error. Your earlier work is stored; try again.")
}

func (s *Server) message(w http.ResponseWriter, status int, text string) {
	s.render(w, status, "message", map[string]any{"Title": "Annotation", "Text": text})
}

func (s *Server) render(w http.ResponseWriter, status int, name string, values any) {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, values); err != nil {
		s.Log.Printf("annotate: page %s: %v", name, err)
		http.Error(w, "The server failed.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(b.String()))
}

func points(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// sheetOf reads the sheet of a form. A score that is no number is kept out by the check for
// completeness.
func sheetOf(r *http.Request) project.Sheet {
	sheet := project.Sheet{Choice: r.PostForm.Get("choice"), Useful: r.PostForm.Get("useful"), Reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	for name, values := range r.PostForm {
		if id, ok := strings.CutPrefix(name, "c-"); ok && values[0] != "" {
			if x, err := strconv.ParseFloat(values[0], 64); err == nil {
				if sheet.Scores == nil {
					sheet.Scores = data.Scores{}
				}
				sheet.Scores[id] = x
			}
		}
	}
	return sheet
}
