package annotate

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"compqa/results/table"
	"compqa/stats"
	"compqa/web/annotate/project"
	"compqa/web/shell"
)

// admitted leads people through the beginning of the study before a page: consent, then the guidelines
// with the comprehension check.
func (s *Server) admitted(p page) page {
	return func(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
		switch {
		case s.Project.Consent != "" && a.Consented == "":
			return s.render(w, http.StatusOK, "consent", map[string]any{"Title": s.title(), "Text": s.Project.Consent})
		case a.Passed:
			return p(w, r, a)
		case a.Tries >= project.MostTries:
			contact := cmp.Or(s.Project.Contact, "the person who invited you")
			return s.outcome(w, http.StatusForbidden, project.Failed, "You answered the questions incorrectly twice. To go on, write to "+contact+
				" and ask to be let in again. Then open this page again; your link stays the same.")
		}
		return s.render(w, http.StatusOK, "check", map[string]any{"Title": "Before you start", "Guidelines": s.Project.Guidelines,
			"Questions": s.shuffled(a), "Failed": a.Tries > 0})
	}
}

func (s *Server) consent(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if r.PostForm.Get("agree") != "yes" {
		if err := s.Project.Decline(a); err != nil {
			return err
		}
		kept := ""
		if a.External != "" {
			kept = " Nothing about you is recorded but a code, made of your id, by which you are counted once."
		}
		return s.outcome(w, http.StatusOK, project.NoConsent,
			"You did not agree, so you do not take part."+kept+" If you change your mind, open your link again.")
	}
	return redirect(w, r, "/work", s.Project.Agree(a))
}

// A question of the comprehension check.
type question struct {
	Text    string
	Options []string
	right   string
}

const mostQuestions = 3

// shuffled are the questions with their options in another order for each person and try: a fixed place is no way through them.
func (s *Server) shuffled(a project.Annotator) []question {
	list := s.questions()
	rng := stats.NewRNG(s.Project.Seed, "check", uint64(a.Seed), uint64(a.Tries))
	for _, q := range list {
		rng.Shuffle(len(q.Options), func(i, j int) { q.Options[i], q.Options[j] = q.Options[j], q.Options[i] })
	}
	return list
}

// questions ask what the scales of the first item mean.
func (s *Server) questions() []question {
	list := []question{{"You think that you know which program wrote a text. What counts?",
		[]string{"The reputation of the program", "Only the text itself"}, "Only the text itself"}}
	asked := map[string]bool{}
	for _, f := range s.Project.Fields(s.Project.Item(1)) {
		if len(f.Options) < 2 || f.Options[len(f.Options)-1].Text == "" || asked[f.Criterion] || len(list) == mostQuestions {
			continue
		}
		asked[f.Criterion] = true
		last := f.Options[len(f.Options)-1]
		name := f.Name
		if f.Criterion == "row" {
			name = f.Group
		}
		q := question{Text: "“" + name + "”: what do you choose for “" + last.Text + "”?", right: half(last.Label)}
		for _, o := range f.Options {
			if o.Text != "between the two" {
				q.Options = append(q.Options, half(o.Label))
			}
		}
		list = append(list, q)
	}
	return list
}

func (s *Server) check(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	if a.Passed || a.Tries >= project.MostTries {
		return redirect(w, r, "/work", nil)
	}
	passed := true
	for i, q := range s.questions() {
		passed = passed && r.PostForm.Get("q"+strconv.Itoa(i)) == q.right
	}
	return redirect(w, r, "/work", s.Project.Comprehension(a.ID, passed))
}

// work leads to the next item, or to the end of the study.
func (s *Server) work(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	next, err := s.Project.Next(a)
	if err != nil || next != "" {
		return redirect(w, r, "/item/"+next, err)
	}
	done, _, err := s.Project.Progress(a)
	if err != nil {
		return err
	}
	few, err := s.Project.Skipped(a)
	if err != nil {
		return err
	}
	if done == 0 && a.External != "" {
		return s.outcome(w, http.StatusOK, project.Full, "There are no more items to judge. Thank you for coming.")
	}
	if few {
		return s.outcome(w, http.StatusOK, project.TooFew, "You skipped more items than you judged, so this is no finished study. "+
			"To change that, open your last item again and submit it.")
	}
	return s.render(w, http.StatusOK, "done", map[string]any{"Title": "Done", "Done": done, "Code": s.Project.Code,
		"Link": strings.HasPrefix(s.Project.Code, "https://")})
}

// outcome is a message to people who do not finish, with the platform's code for this, if there is one.
func (s *Server) outcome(w http.ResponseWriter, status int, outcome, text string) error {
	code := s.Project.Codes[outcome]
	return s.render(w, status, "message", map[string]any{"Title": s.title(), "Text": text, "Code": code,
		"Link": strings.HasPrefix(code, "https://"), "Undo": outcome == project.TooFew})
}

// arriving shows the beginning of a study to people whom a platform sends by the study's link.
func (s *Server) arriving(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	switch is, err := s.Project.IsStudy(r.PathValue("token")); {
	case err != nil:
		return err
	case is && previewed(r):
		return s.message(w, http.StatusOK, preview)
	case !is && s.limited(r):
		return s.message(w, http.StatusTooManyRequests, "Too many attempts. Wait a minute.")
	case !is:
		return s.message(w, http.StatusNotFound, "This link is not valid.")
	}
	return s.invitation(w, r, a)
}

// previewed reports whether Mechanical Turk shows the task to somebody who has not accepted it.
func previewed(r *http.Request) bool {
	return r.URL.Query().Get("assignmentId") == "ASSIGNMENT_ID_NOT_AVAILABLE"
}

const preview = "This is a preview. Accept the task on Mechanical Turk first, then open the link there again."

// arrive begins the session of such a person. The platforms put the ids into the address: Prolific PROLIFIC_PID and SESSION_ID,
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
		return s.message(w, http.StatusOK, preview)
	}
	sent := r.URL.Query()
	person, submission := cmp.Or(sent.Get("PROLIFIC_PID"), sent.Get("workerId")), cmp.Or(sent.Get("SESSION_ID"), sent.Get("assignmentId"))
	session, err := s.Project.Arrive(person, submission)
	switch {
	case errors.Is(err, project.ErrFull):
		return s.outcome(w, http.StatusForbidden, project.Full, "The study is full. Thank you for coming.")
	case errors.Is(err, project.ErrOut):
		return s.message(w, http.StatusForbidden, "You do not take part in this study any more. Questions go to "+
			cmp.Or(s.Project.Contact, "the people who run the study")+".")
	case errors.Is(err, project.ErrUnknown):
		return s.message(w, http.StatusForbidden, "Open this study from the platform that sent you: "+
			"the address has no valid id of a person who may take part.")
	case err != nil:
		return err
	}
	shell.SetSession(w, r, annotatorCookie, session)
	return redirect(w, r, "/work", nil)
}

func (s *Server) guidelines(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	return s.render(w, http.StatusOK, "guidelines", map[string]any{"Title": "Guidelines", "Text": s.Project.Guidelines})
}

// A known is a field with the value of a sheet and the one that was expected.
type known struct {
	Name         string
	Yours, Right string
	Same         bool
	Meaning      string // of the right value
}

// An example is an item with its known sheet; Both: beside a sheet of the person.
type example struct {
	Page    *itemPage
	Caption string
	Both    bool
	Fields  []known
	Reason  string
}

func (s *Server) examples(w http.ResponseWriter, _ *http.Request, _ project.Annotator) error {
	items := table.Where(s.Project.Items, func(it project.Item) bool { return it.Role == project.Example })
	list := table.Each(items, func(it project.Item) example { return s.example(it, "ab", false, project.Sheet{}) })
	return s.render(w, http.StatusOK, "examples", map[string]any{"Title": "Examples", "Examples": list})
}

// example shows the known sheet of an item, both: beside a person's.
func (s *Server) example(it project.Item, shown string, both bool, sheet project.Sheet) example {
	right := it.Expected.In(shown)
	e := example{Page: s.contentPage(it, shown, s.Project.StagesOf(it)), Caption: "How it is scored", Both: both, Reason: right.Reason}
	if both {
		e.Caption = "Your sheet and the expected one"
	}
	for _, f := range s.Project.Fields(it) {
		value, given := right.Values[f.ID]
		yours := sheet.Values[f.ID]
		if given || yours != "" {
			theirs, _ := f.Option(yours)
			expected, _ := f.Option(value)
			e.Fields = append(e.Fields, known{f.Name, theirs.Label, expected.Label, yours == value, expected.Text})
		}
	}
	return e
}

// feedback shows after a practice item what was expected, and why.
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
	same := table.Where(e.Fields, func(f known) bool { return f.Same })
	return s.render(w, http.StatusOK, "feedback", map[string]any{"Title": "Practice: what was expected", "Example": e, "Same": len(same)})
}

func (s *Server) undo(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	blind, err := s.Project.UndoLast(a.ID, rand.Text())
	if errors.Is(err, project.ErrUnknown) {
		return redirect(w, r, "/work", nil)
	}
	return redirect(w, r, "/item/"+blind, err)
}
