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

// waitingCookie is the cookie of a browser that waits until the owner, who runs the study, admits it. It gives no access.
const waitingCookie = "compqa_waiting"

// mostWaiting is the maximum number of waiting browsers, mostWaitingOfOne that with the same person's id. The oldest are dropped first,
// admitted ones last. They are kept in memory only: after a restart of the server, a browser gets another code.
const mostWaiting, mostWaitingOfOne = 500, 5

// A Waiting is a browser that arrived with the id of a known person. It waits until the owner confirms that it is that person's. The
// person sends the code to the owner by some other channel, for instance a message of the platform.
type Waiting struct {
	External, Submission string
	Code                 string // shown only in this browser
	Since                time.Time
	browser              string // the value of its waitingCookie
	admitted             bool
}

// wait starts a session if the owner has admitted the browser. Otherwise it records the browser as waiting, if it is new, and shows the
// code.
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

// forget drops the oldest of the waiting browsers for which such is true, until at most most of them are left.
func (s *Server) forget(most int, such func(Waiting) bool) {
	for n := len(data.Where(s.waiting, such)); n > most; n-- {
		first := slices.IndexFunc(s.waiting, such)
		s.waiting = slices.Delete(s.waiting, first, first+1)
	}
}

// waitingNow returns the browsers that are waiting and not admitted, the newest first.
func (s *Server) waitingNow() []Waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(s.waiting), func(x Waiting) bool { return x.admitted })
	slices.Reverse(list)
	return list
}

// admit records that the owner confirms the browser with a code. It returns project.ErrUnknown if no browser waits with this code.
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

// refuse drops the waiting browser with a code.
func (s *Server) refuse(code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(x Waiting) bool { return x.Code == code })
}
