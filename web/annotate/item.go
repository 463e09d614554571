package annotate

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/web/annotate/project"
)

// An itemPage has the values that the template of an item shows.
type itemPage struct {
	Title, Kind    string
	Form           project.Form
	Study          *project.Project
	Action, Nonce  string // of the HTML form
	Content        project.Content
	First, Second  string // texts in the order in which they are shown
	Attachments    []attachment
	Groups         [][]*field    // each group has a heading
	Last           project.Event // the last event, with the sheet
	Open           int           // number of fields without a value
	Done, Due      int
	Raw, Owner     bool
	Formulas       bool           // the texts have formulas in LaTeX
	Practice, More bool           // More: a later stage follows
	State          string         // Assignment.State
	Remarks        []project.Work // sheets that have a remark, for the owner
	Error          string
	Theirs         []string // the values of another tab, after a conflict
}

type attachment struct {
	Title, Text, Choice string
}

// A field is a field of the form of an item, with its value.
type field struct {
	project.Field
	Number  string
	Value   string
	Locked  bool   // belongs to a finished stage
	Of      string // the field whose answer decides whether this one is shown
	Given   []givenValue
	Differs bool
}

// Chosen reports whether an option is the value of the field, or one of its several values.
func (f *field) Chosen(option string) bool { return slices.Contains(f.OptionsOf(f.Value), option) }

// A givenValue is one person's value of a field, shown to the owner.
type givenValue struct{ Name, Value, Label string }

// showItem shows the page of an item in the person's queue, and records the time.
func (s *Server) showItem(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	last, err := s.Project.Last(r.PathValue("item"))
	if err != nil {
		return err
	}
	if _, err := s.Project.Assignment(a.ID, r.PathValue("item")); err != nil {
		return err
	}
	if err := s.Project.Shown(r.PathValue("item")); err != nil {
		return err
	}
	return s.item(w, r, a, last, nil)
}

// contentPage returns a page with the texts of an item and the attachments that are open at a stage.
func (s *Server) contentPage(it project.Item, shown string, stage int) *itemPage {
	form := project.FormOf(it.Kind)
	v := &itemPage{Title: s.say(form.Title), Kind: it.Kind, Form: form, Content: it.Content, First: it.Content.A, Second: it.Content.B,
		Formulas: it.HasFormulas()}
	if shown == data.OrderBA {
		v.First, v.Second = v.Second, v.First
	}
	for i, a := range it.Content.Attachments {
		if form.OpensAt == nil || stage < form.OpensAt(i) {
			continue
		}
		text := attachment{Title: s.say(form.Letter, "letter", project.Letter(i)), Text: a.Text}
		if form.Chosen {
			text.Choice = s.side(a.Choice, shown)
		}
		if shown == data.OrderBA && a.Swapped != "" {
			text.Text = a.Swapped
		}
		v.Attachments = append(v.Attachments, text)
	}
	return v
}

// item shows the page of an item with its last event. fault says why the last form was not stored; nil: it was, or there was none.
func (s *Server) item(w http.ResponseWriter, r *http.Request, a project.Annotator, last project.Event,
	fault *project.Refusal) error {
	assigned, err := s.Project.Assignment(a.ID, r.PathValue("item"))
	if err != nil {
		return err
	}
	it := assigned.About
	owner := a.ID == 0
	action := "/item/" + assigned.Blind
	stages := s.Project.StagesOf(it)
	stage := min(last.Sheet.Stage+1, stages)
	progress := []project.Progress{{}}
	var sheets []project.Work
	if owner {
		stage = stages
		action = "/owner" + action
		sheets, err = s.Project.Work()
		sheets = data.Where(sheets, func(w project.Work) bool { return w.Item == it.ID && w.Independent() })
	} else {
		progress, err = s.Project.Progress(a)
	}
	if err != nil {
		return err
	}
	v := s.contentPage(it, assigned.Shown, stage)
	v.Study, v.Action, v.Nonce, v.Last, v.Owner = s.Project, action, rand.Text(), last, owner
	v.Done = progress[0].Done
	v.Due = progress[0].Due
	v.Practice = assigned.Kind == project.Practice
	v.More = stage < stages
	v.State = assigned.State
	v.Remarks = data.Where(sheets, func(w project.Work) bool { return w.Last.Sheet.Reason != "" })
	v.Raw = r.URL.Query().Get("view") == "raw"
	status := http.StatusOK
	var theirs map[string]string // values of another tab, after a conflict
	if fault != nil {
		status = http.StatusUnprocessableEntity
		v.Error = fault.Reason
	}
	if fault != nil && fault.Newer != nil {
		status = http.StatusConflict
		theirs = fault.Newer.Sheet.Values
		v.Error += " " + s.say("your_version")
	}
	for _, f := range s.Project.Fields(it) {
		if f.Stage > stage {
			continue
		}
		if theirs[f.ID] != "" {
			v.Theirs = append(v.Theirs, f.Name+": "+theirs[f.ID])
		}
		shown := s.field(f, last, sheets, !owner && f.Stage < stage)
		if shown.Needed() && shown.Asked(last.Sheet.Values) && !shown.Locked && shown.Value == "" {
			v.Open++
		}
		if n := len(v.Groups); n == 0 || f.Group != "" && f.Group != v.Groups[n-1][0].Group {
			v.Groups = append(v.Groups, nil)
		}
		g := &v.Groups[len(v.Groups)-1]
		*g = append(*g, shown)
	}
	return s.render(w, status, "item", v)
}

// side returns the name of the chosen answer by its place on the page.
func (s *Server) side(choice data.Choice, shown string) string {
	value := project.Side(choice, shown)
	if value == "" {
		return ""
	}
	return s.say("choice." + value)
}

// field returns a field with its value. For the owner it has all people's values, and is filled in if they all agree.
func (s *Server) field(f project.Field, last project.Event, sheets []project.Work, locked bool) *field {
	shown := &field{Field: f, Value: last.Sheet.Values[f.ID], Locked: locked}
	if _, err := strconv.Atoi(f.ID); err == nil {
		shown.Number = f.ID
	}
	if name, _, is := strings.Cut(f.ID, "-"); is && (name == "same" || name == "against") {
		shown.Of = name
	}
	if !f.Asked(nil) {
		shown.Of = "choice"
	}
	for _, w := range sheets {
		value := w.Last.Sheet.In(w.Shown).Values[f.ID]
		shown.Given = append(shown.Given, givenValue{w.Name, value, f.InWords(value)})
		shown.Differs = shown.Differs || value != shown.Given[0].Value
	}
	if len(shown.Given) > 0 && !shown.Differs && last.Revision == 0 {
		shown.Value = shown.Given[0].Value
	}
	return shown
}

// save stores the event that a form or the script sends, and redirects to the next page. If the event is refused, it shows the entered
// values again with the reason, next to those of another tab if that stored a newer event. The script gets JSON instead of pages.
func (s *Server) save(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	kind := r.PostForm.Get("kind")
	revision, err := strconv.Atoi(r.PostForm.Get("revision"))
	if err != nil || !slices.Contains([]string{project.Draft, project.Submit, project.Skip, project.Flag}, kind) {
		return s.message(w, http.StatusBadRequest, s.say("unreadable"))
	}
	claimed := func(name string) int64 {
		n, _ := strconv.ParseInt(r.PostForm.Get(name), 10, 64) // 0 without JavaScript
		return n
	}
	e := project.Event{Item: r.PathValue("item"), Revision: revision, Kind: kind, Sheet: sheetOf(r), ActiveMS: claimed("active_ms"),
		Writing: project.Writing{Pasted: int(claimed("pasted")), WritingMS: claimed("writing_ms")},
		View:    r.PostForm.Get("view"), Nonce: r.PostForm.Get("nonce")}
	if a.ID == 0 && kind == project.Submit {
		e.Kind = project.Adjudicate
	}
	stored, err := s.Project.Append(a.ID, e)
	fault, refused := errors.AsType[*project.Refusal](err)
	switch {
	case err == nil && wantsJSON(r):
		return sendJSON(w, http.StatusOK, map[string]any{"revision": stored.Revision, "next": s.nextPage(a, stored)})
	case !refused:
		return redirect(w, r, s.nextPage(a, stored), err)
	}
	current := project.Event{}
	status := http.StatusUnprocessableEntity
	e.Kind = project.Draft
	if fault.Newer != nil {
		current = *fault.Newer
		status = http.StatusConflict
		e.Revision = current.Revision
		e.Kind = current.Kind
	} else {
		current, _ = s.Project.Last(e.Item)
	}
	if wantsJSON(r) {
		return sendJSON(w, status, map[string]any{"error": fault.Reason, "revision": current.Revision, "current": current.Sheet,
			"yours": e.Sheet})
	}
	// Show the entered values again, so that nothing is lost.
	e.Sheet.Stage = current.Sheet.Stage
	return s.item(w, r, a, project.Event{Revision: e.Revision, Kind: e.Kind, Sheet: e.Sheet}, fault)
}

// nextPage returns the address of the page to show after an event.
func (s *Server) nextPage(a project.Annotator, e project.Event) string {
	assigned, err := s.Project.Assignment(a.ID, e.Item)
	switch stays := e.Kind == project.Draft || e.Kind == project.Flag || e.Kind == project.StageDone; {
	case stays && a.ID == 0:
		return "/owner/item/" + e.Item
	case a.ID == 0:
		return "/owner"
	case stays:
		return "/item/" + e.Item
	case e.Kind == project.Submit && err == nil && assigned.Kind == project.Practice:
		return "/feedback/" + e.Item
	case e.Kind == project.Submit && err == nil && assigned.Kind == project.Attention && assigned.About.Missed(e.Sheet.In(assigned.Shown)):
		return "/missed/" + e.Item
	}
	return "/work"
}

// sheetOf reads a sheet from a submitted form.
func sheetOf(r *http.Request) project.Sheet {
	sheet := project.Sheet{Values: map[string]string{}, Reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	for name, values := range r.PostForm {
		if id, ok := strings.CutPrefix(name, "c-"); ok && strings.Join(values, "") != "" {
			sheet.Values[id] = strings.Join(values, "|") // the check boxes of a field share a name
		}
	}
	return sheet
}
