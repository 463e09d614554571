package annotate

import (
	"crypto/rand"
	"net/http"
	"slices"
	"time"

	"compqa/data"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// waitingCookie keeps a browser that waits for the owner's word. It gives no access.
const waitingCookie = "compqa_waiting"

// mostWaiting are the most browsers that wait, and the most with one id: the oldest ones go, those that the owner has admitted last.
// They are in memory alone: after a restart of the server, a browser gets another code.
const mostWaiting, mostWaitingOfOne = 500, 5

// A Waiting is a browser that came with the id of a person who came before. It waits until the owner says that it is the person's: the
// person sends the code to the owner on another way than this address, for instance by a message of the platform.
type Waiting struct {
	External, Submission string
	Code                 string // shown in this browser alone
	Since                time.Time
	browser              string // its cookie
	admitted             bool
}

// wait has a browser wait, or lets it go on if the owner has admitted it.
func (s *Server) wait(w http.ResponseWriter, r *http.Request, external, submission string) error {
	cookie := ""
	if c, err := r.Cookie(waitingCookie); err == nil {
		cookie = c.Value
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.waiting, func(x Waiting) bool {
		return x.browser == cookie && x.External == external && x.Submission == submission
	})
	var found Waiting
	if i >= 0 {
		found = s.waiting[i]
		if found.admitted {
			s.waiting = slices.Delete(s.waiting, i, i+1)
		}
	}
	s.mu.Unlock()
	if found.admitted {
		session, err := s.Project.Admit(external, submission)
		if err != nil {
			return err
		}
		shell.SetSession(w, r, waitingCookie, "")
		shell.SetSession(w, r, annotatorCookie, session)
		return redirect(w, r, "/work", nil)
	}
	if i < 0 {
		if s.limited(r) {
			return s.message(w, http.StatusTooManyRequests, s.say("too_many"))
		}
		found = Waiting{External: external, Submission: submission, Code: rand.Text()[:8], Since: s.Project.Now(), browser: rand.Text()}
		s.mu.Lock()
		s.waiting = append(s.waiting, found)
		s.forget(mostWaitingOfOne, func(x Waiting) bool { return x.External == external && !x.admitted })
		s.forget(mostWaiting, func(x Waiting) bool { return !x.admitted })
		s.forget(2*mostWaiting, func(Waiting) bool { return true })
		s.mu.Unlock()
		shell.SetSession(w, r, waitingCookie, found.browser)
	}
	return s.render(w, http.StatusForbidden, "message", map[string]any{"Title": s.title(), "Code": found.Code,
		"Text": s.say("waiting", "contact", s.contact("owners"))})
}

// forget ends the waiting of the oldest of such browsers, if they are more than so many.
func (s *Server) forget(most int, such func(Waiting) bool) {
	for n := len(data.Where(s.waiting, such)); n > most; n-- {
		first := slices.IndexFunc(s.waiting, such)
		s.waiting = slices.Delete(s.waiting, first, first+1)
	}
}

// waitingNow returns the browsers that wait, the newest first, with the names of the people.
func (s *Server) waitingNow() []Waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.waiting), func(x Waiting) bool { return x.admitted })
	slices.Reverse(list)
	return list
}

// admit returns the owner's word that the browser with a code is that of the person.
func (s *Server) admit(code string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.waiting, func(x Waiting) bool { return x.Code == code && !x.admitted })
	if i < 0 {
		return project.ErrUnknown
	}
	s.waiting[i].admitted = true
	return nil
}

// refuse ends the waiting of a browser.
func (s *Server) refuse(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(x Waiting) bool { return x.Code == code })
}
