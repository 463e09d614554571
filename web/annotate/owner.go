package annotate

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"compqa/web/annotate/project"
)

// report returns the report of the study. It is cached until the study changes, because alpha takes some milliseconds.
func (s *Server) report() (*Report, error) {
	s.reporting.Lock()
	defer s.reporting.Unlock()
	n, err := s.Project.Changes()
	if err == nil && (s.cachedReport == nil || s.cachedReport.Changes != n) {
		s.cachedReport, err = Compute(s.Project, Selection{})
	}
	return s.cachedReport, err
}

// ownerPage shows the owner's page. link is a new invitation to show, fault an error to show.
func (s *Server) ownerPage(w http.ResponseWriter, link string, fault error) error {
	r, err := s.report()
	if err != nil {
		return err
	}
	whole := r // the report that includes the sheets of excluded people
	if r.Left > 0 {
		whole, err = Compute(s.Project, Selection{Everyone: true})
		if err != nil {
			return err
		}
	}
	status := http.StatusOK
	if fault != nil {
		status = http.StatusUnprocessableEntity
	}
	const mostOpen, mostPairs = 50, 50 // maximum numbers of items to adjudicate and of pairs of people
	pairs := r.Together()
	headline := ""
	if a, ok := r.wholeSheets(); ok {
		headline = a.Criterion
	}
	open := r.Open[:min(len(r.Open), mostOpen)]
	return s.render(w, status, "owner", map[string]any{"Title": s.title() + ": progress and agreement", "Report": r, "Open": open,
		"Hidden": len(r.Open) - len(open), "Whole": whole, "Link": link, "Error": fault, "Waiting": s.waitingNow(),
		"Together": pairs[:min(len(pairs), mostPairs)], "HiddenPairs": max(0, len(pairs)-mostPairs), "Headline": headline,
		"Versions": guidelineChanges(s.Project)})
}

// changes returns the number of changes of the study, from which the owner's page sees that it is out of date.
func (s *Server) changes(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	n, err := s.Project.Changes()
	if err != nil {
		return err
	}
	return sendJSON(w, http.StatusOK, map[string]int64{"changes": n})
}

// person does what the owner chose for a person: invite, admit or refuse a waiting browser, readmit after a failed check, revoke the link,
// exclude or include the sheets.
func (s *Server) person(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	name := strings.TrimSpace(r.PostForm.Get("name"))
	link := ""
	var err error
	switch r.PostForm.Get("do") {
	case "invite":
		var token string
		token, err = s.Project.Invite(name)
		if err == nil {
			link = name + ": " + s.address(r) + "/a/" + token
		}
	case "admit":
		err = s.admit(r.PostForm.Get("code"))
		if err != nil {
			err = errors.New("nobody waits with this code any more")
		}
	case "refuse":
		s.refuse(r.PostForm.Get("code"))
	case "readmit":
		err = s.Project.Readmit(name)
	case "revoke":
		err = s.Project.Revoke(name)
	case "exclude":
		err = s.Project.Exclude(name, strings.TrimSpace(r.PostForm.Get("why")), "")
	case "include":
		err = s.Project.Include(name)
	default:
		err = errors.New("choose what to do")
	}
	return s.ownerPage(w, link, err)
}

// address returns the address at which annotators reach the server: the one that the owner set, or else the one that the owner's browser
// uses.
func (s *Server) address(r *http.Request) string {
	if s.Address != "" {
		return strings.TrimSuffix(s.Address, "/")
	}
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + r.Host
}

func (s *Server) adjudicate(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	item, _ := strconv.ParseInt(r.PostForm.Get("item"), 10, 64) // 0 is not an item
	blind, err := s.Project.ToAdjudicate(item)
	return redirect(w, r, "/owner/item/"+blind, err)
}
