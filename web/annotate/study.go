package annotate

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"compqa/data"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// admitted wraps a page so that people first do, in this order: the consent, the owner's questions, reading the guidelines and the check
// of them. Texts that change later are shown again before the next page. A form sent by somebody who passed the check is stored first.
func (s *Server) admitted(p page) page {
	return func(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
		now := s.Project.Texts
		if a.Stopped != "" {
			return s.outcome(w, http.StatusForbidden, project.Inattentive, s.say("stopped", "contact", s.contact("inviter")))
		}
		if a.Passed && r.Method == http.MethodPost {
			return p(w, r, a)
		}
		if agreed := a.Consented != "" && s.Project.TextsOf(a.ConsentVersion).Consent == now.Consent; now.Consent != "" && !agreed {
			return s.render(w, http.StatusOK, "consent", map[string]any{"Title": s.title(), "Text": now.Consent, "Changed": a.Consented != ""})
		}
		open, err := s.Project.Open(a, project.BeforeMoment)
		switch {
		case err != nil:
			return err
		case len(open) > 0:
			return s.ask(w, project.BeforeMoment, open, nil, nil)
		case a.Passed && s.Project.TextsOf(a.ReadVersion).Guidelines != now.Guidelines:
			return s.render(w, http.StatusOK, "changed", map[string]any{"Title": s.say("guidelines_changed"), "Text": now.Guidelines,
				"Lines": changedLines(s.Project.TextsOf(a.ReadVersion).Guidelines, now.Guidelines)})
		case a.Passed:
			return p(w, r, a)
		case a.Tries >= project.MostTries:
			return s.outcome(w, http.StatusForbidden, project.Failed, s.say("failed", "contact", s.contact("inviter")))
		}
		wrong, err := s.wrongAnswers(a)
		if err != nil {
			return err
		}
		return s.render(w, http.StatusOK, "check", map[string]any{"Title": s.say("before_start"), "Guidelines": now.Guidelines,
			"Questions": s.Project.Shuffled(a), "Scales": s.Project.AskedScales(), "Failed": a.Tries > 0, "Wrong": wrong})
	}
}

// wrongAnswers returns the ids of the questions of the check that the person answered wrongly in the last attempt. Without an attempt it
// is nil.
func (s *Server) wrongAnswers(a project.Annotator) (map[string]bool, error) {
	if a.Tries == 0 {
		return nil, nil
	}
	wrong, err := s.Project.WrongAnswers(a)
	return data.Among(wrong), err
}

// ask shows some of the owner's questions. given has the values to show; faults says what is wrong with an answer, by the id of its
// question.
func (s *Server) ask(w http.ResponseWriter, moment string, open []project.Question, given url.Values, faults map[string]string) error {
	type asked struct {
		project.Question
		Value, Fault string
	}
	status := http.StatusOK
	if faults != nil {
		status = http.StatusUnprocessableEntity
	}
	list := data.Each(open, func(q project.Question) asked { return asked{q, given.Get("q-" + q.ID), faults[q.ID]} })
	title := map[string]string{project.BeforeMoment: s.say("questions_before"), project.AfterMoment: s.say("questions_after")}[moment]
	return s.render(w, status, "ask", map[string]any{"Title": title, "Moment": moment, "Questions": list})
}

// replies records the answers to the owner's questions, or shows the questions again if an answer is wrong.
func (s *Server) replies(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	moment := r.PathValue("moment")
	if len(s.Project.Of(moment)) == 0 || moment == project.CheckMoment {
		return project.ErrUnknown
	}
	if s.Project.Consent != "" && a.Consented == "" {
		return redirect(w, r, "/work", nil)
	}
	faults, err := s.Project.Reply(a, moment, func(id string) string { return r.PostForm.Get("q-" + id) })
	if len(faults) == 0 {
		return redirect(w, r, "/work", err)
	}
	open, err := s.Project.Open(a, moment)
	if err != nil {
		return err
	}
	return s.ask(w, moment, open, r.PostForm, faults)
}

// readGuidelines records that a person has seen the changed guidelines.
func (s *Server) readGuidelines(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	return redirect(w, r, "/work", s.Project.Read(a))
}

// consent records that the person consents or declines (Project.Decline), and tells a person who declines what is kept.
func (s *Server) consent(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if r.PostForm.Get("agree") != "yes" {
		if err := s.Project.Decline(a); err != nil {
			return err
		}
		kept := ""
		if a.Consented != "" {
			kept = s.say("declined_kept", "contact", s.contact("inviter")) + " "
		} else if a.External != "" {
			kept = s.say("declined_code") + " "
		}
		return s.outcome(w, http.StatusOK, project.NoConsent,
			s.say("declined")+" "+kept+s.say("change_mind"))
	}
	return redirect(w, r, "/work", s.Project.Agree(a))
}

// check records the answers to the check of the guidelines, unless the person has passed it or has no attempt left.
func (s *Server) check(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if a.Passed || a.Tries >= project.MostTries {
		return redirect(w, r, "/work", nil)
	}
	return redirect(w, r, "/work", s.Project.Checked(a, func(id string) string { return r.PostForm.Get("q-" + id) }))
}

// work redirects to the person's next item. If there is none, it shows the questions at the end or, after these, the last page with the
// completion code. Other cases are a message: the place went to others, no item was left from the start, or too many items were skipped.
func (s *Server) work(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if err := s.Project.Place(a); errors.Is(err, project.ErrFull) {
		return s.outcome(w, http.StatusForbidden, project.Full, s.say("place_given"))
	} else if err != nil {
		return err
	}
	next, err := s.Project.Next(a)
	if err != nil || next != "" {
		return redirect(w, r, "/item/"+next, err)
	}
	progress, err := s.Project.Progress(a)
	if err != nil {
		return err
	}
	done := progress[0].Done
	few, err := s.Project.Skipped(a)
	if err != nil {
		return err
	}
	if done == 0 && a.External != "" {
		return s.outcome(w, http.StatusOK, project.Full, s.say("no_more"))
	}
	if few {
		return s.outcome(w, http.StatusOK, project.TooFew, s.say("too_few"))
	}
	open, err := s.Project.Open(a, project.AfterMoment)
	if err != nil {
		return err
	}
	if done > 0 && len(open) > 0 {
		return s.ask(w, project.AfterMoment, open, nil, nil)
	}
	return s.render(w, http.StatusOK, "done", map[string]any{"Title": s.say("done"), s.say("done"): done, "Code": s.Project.Code,
		"Link": strings.HasPrefix(s.Project.Code, "https://")})
}

// outcome shows a message to a person who does not finish, with the platform's code for this outcome if the study has one.
func (s *Server) outcome(w http.ResponseWriter, status int, outcome, text string) error {
	code := s.Project.Codes[outcome]
	return s.render(w, status, "message", map[string]any{"Title": s.title(), "Text": text, "Code": code,
		"Link": strings.HasPrefix(code, "https://"), "Undo": outcome == project.TooFew})
}

// arriving shows the first page to a person whom a crowdsourcing platform sends by the study's link.
func (s *Server) arriving(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	switch is, err := s.Project.IsStudy(r.PathValue("token")); {
	case err != nil:
		return err
	case is && previewed(r):
		return s.message(w, http.StatusOK, s.say("preview"))
	case !is && s.limited(r):
		return s.message(w, http.StatusTooManyRequests, s.say("too_many"))
	case !is:
		return s.message(w, http.StatusNotFound, s.say("not_valid"))
	}
	return s.invitation(w, r, a)
}

// previewed reports whether Mechanical Turk shows a preview to a worker who has not accepted the task.
func previewed(r *http.Request) bool {
	return r.URL.Query().Get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
}

// arrive starts the session of a person whom a platform sends. The address has the ids: on Prolific PROLIFIC_PID and SESSION_ID, on
// Mechanical Turk workerId and assignmentId.
func (s *Server) arrive(w http.ResponseWriter, r *http.Request, _ project.Annotator) error {
	is, err := s.Project.IsStudy(r.PathValue("token"))
	if err != nil {
		return err
	}
	if !is {
		return project.ErrUnknown
	}
	if previewed(r) {
		return s.message(w, http.StatusOK, s.say("preview"))
	}
	sent := r.URL.Query()
	person := cmp.Or(sent.Get("PROLIFIC_PID"), sent.Get("workerId"))
	submission := cmp.Or(sent.Get("SESSION_ID"), sent.Get("assignmentId"))
	before := ""
	if c, err := r.Cookie(annotatorCookie); err == nil {
		before = c.Value
	}
	session, err := s.Project.Arrive(person, submission, before)
	switch {
	case errors.Is(err, project.ErrKnown):
		return s.wait(w, r, person, submission)
	case errors.Is(err, project.ErrFull):
		return s.outcome(w, http.StatusForbidden, project.Full, s.say("full"))
	case errors.Is(err, project.ErrOut):
		return s.message(w, http.StatusForbidden, s.say("out", "contact", s.contact("owners")))
	case errors.Is(err, project.ErrUnknown):
		return s.message(w, http.StatusForbidden, s.say("no_id"))
	case err != nil:
		return err
	}
	shell.SetSession(w, r, annotatorCookie, session)
	return redirect(w, r, "/work", nil)
}

func (s *Server) guidelines(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	return s.render(w, http.StatusOK, "guidelines", map[string]any{"Title": s.say("guidelines"), "Text": s.Project.Guidelines})
}

// A knownField is a field of an item with a known sheet: the person's value and the expected one.
type knownField struct {
	Name         string
	Yours, Right string
	Same         bool
	Meaning      string // what the expected value means
}

// An example is an item with its known (expected) sheet. If Both is true, a person's sheet is shown next to it.
type example struct {
	Page    *itemPage
	Caption string
	Both    bool
	Fields  []knownField
	Reason  string
}

func (s *Server) examples(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	items := data.Where(s.Project.Items, func(it project.Item) bool { return it.Role == project.Example })
	list := data.Each(items, func(it project.Item) example { return s.example(it, "ab", false, project.Sheet{}) })
	return s.render(w, http.StatusOK, "examples", map[string]any{"Title": s.say("examples"), s.say("examples"): list})
}

// example returns the known sheet of an item, shown in an order of sides. If both is true, it compares the person's sheet with it.
func (s *Server) example(it project.Item, shown string, both bool, sheet project.Sheet) example {
	right := it.Expected.In(shown)
	e := example{Page: s.contentPage(it, shown, s.Project.StagesOf(it)), Caption: s.say("how_scored"), Both: both, Reason: right.Reason}
	if both {
		e.Caption = s.say("yours_expected")
	}
	for _, f := range s.Project.Fields(it) {
		value, given := right.Values[f.ID]
		yours := sheet.Values[f.ID]
		if !given && project.FormOf(it.Kind).Choice {
			continue
		}
		if given || yours != "" {
			expected, _ := f.Option(value)
			e.Fields = append(e.Fields, knownField{f.Name, f.InWords(yours), f.InWords(value), yours == value, expected.Text})
		}
	}
	return e
}

// feedback shows, after a practice item, the expected values next to the person's own, and the reasons for them.
func (s *Server) feedback(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	assigned, err := s.Project.Assignment(a.ID, r.PathValue("item"))
	if err != nil {
		return err
	}
	last, err := s.Project.Last(r.PathValue("item"))
	if err != nil {
		return err
	}
	if assigned.Kind != project.Practice || assigned.State != project.Submit {
		return project.ErrUnknown
	}
	e := s.example(assigned.About, assigned.Shown, true, last.Sheet)
	same := data.Where(e.Fields, func(f knownField) bool { return f.Same })
	return s.render(w, http.StatusOK, "feedback", map[string]any{"Title": s.say("feedback_title"), "Example": e, "Same": len(same)})
}

// missed warns a person who did not follow the instruction of an attention item.
func (s *Server) missed(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	assigned, err := s.Project.Assignment(a.ID, r.PathValue("item"))
	if err != nil {
		return err
	}
	if assigned.Kind != project.Attention || assigned.State != project.Submit {
		return project.ErrUnknown
	}
	return s.render(w, http.StatusOK, "missed", map[string]any{"Title": s.say("missed_title"), "Stops": s.Project.StopsAt() > 0})
}

// undo reopens the item that the person finished last, and shows it.
func (s *Server) undo(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if a.Stopped != "" {
		return redirect(w, r, "/work", nil)
	}
	blind, err := s.Project.UndoLast(a.ID, rand.Text())
	if errors.Is(err, project.ErrUnknown) {
		return redirect(w, r, "/work", nil)
	}
	if refusal := (*project.Refusal)(nil); errors.As(err, &refusal) { // the item's page shows its present state
		err = nil
	}
	return redirect(w, r, "/item/"+blind, err)
}
