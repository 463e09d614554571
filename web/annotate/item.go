package annotate

import (
	"crypto/rand"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"compqa/data"
	"compqa/results/table"
	"compqa/web/annotate/project"
)

// An itemPage holds what the page of an item shows.
type itemPage struct {
	Title, Kind    string
	Study          *project.Project
	Action, Nonce  string // of the form
	Content        project.Content
	First, Second  string // texts as they are shown
	Attachments    []attachment
	Groups         []group
	Last           project.Event // with the sheet
	Open           int           // fields without a value
	Done, Due      int
	Raw, Owner     bool
	Practice, More bool           // More: a later stage follows
	Remarks        []project.Work // sheets with one
	Error          string
	Theirs         string // of a conflict
}

// An attachment as it is shown.
type attachment struct {
	Title, Text, Choice string
}

// A group of fields under one heading.
type group struct {
	Name   string
	Fields []*field
}

// A field as it is shown.
type field struct {
	project.Field
	Number  string
	Value   string
	Locked  bool   // of a finished stage
	Of      string // shown only where the answer to this field is yes
	Given   []given
	Differs bool
}

// given is a person's value, for the owner.
type given struct{ Name, Value, Label string }

var titles = map[string]string{project.Answer: "Score an answer", project.Table: "Label a table", project.Pair: "Compare two answers",
	project.Stages: "Compare two answers", project.Rationales: "Compare and rate"}

// show is the page of an item.
func (s *Server) show(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	last, err := s.Project.Last(r.PathValue("item"))
	if err != nil {
		return err
	}
	return s.item(w, r, a, last, outcome{status: http.StatusOK})
}

// An outcome is the status of a page, why a sheet was not stored, and the sheet that was stored before it.
type outcome struct {
	status          int
	problem, theirs string
}

func (s *Server) item(w http.ResponseWriter, r *http.Request, a project.Annotator, last project.Event, of outcome) error {
	v, err := s.itemPage(a, r.PathValue("item"), last)
	if err != nil {
		return err
	}
	v.Error, v.Theirs, v.Raw = of.problem, of.theirs, r.URL.Query().Get("view") == "raw"
	return s.render(w, of.status, "item", v)
}

// contentPage shows the texts of an item up to a stage.
func (s *Server) contentPage(it project.Item, shown string, stage int) *itemPage {
	v := &itemPage{Title: titles[it.Kind], Kind: it.Kind, Content: it.Content, First: it.Content.A, Second: it.Content.B}
	if shown == data.OrderBA {
		v.First, v.Second = v.Second, v.First
	}
	for i, a := range it.Content.Attachments {
		at := attachment{Title: "Table " + project.Letter(i), Text: a.Text}
		if it.Kind == project.Rationales {
			at.Title, at.Choice = "Rationale "+project.Letter(i), project.Side(a.Choice, shown)
		}
		if shown == data.OrderBA && a.Swapped != "" {
			at.Text = a.Swapped
		}
		if first := 2; it.Kind == project.Rationales && stage >= first || it.Kind == project.Stages && stage >= first+i {
			v.Attachments = append(v.Attachments, at)
		}
	}
	return v
}

func (s *Server) itemPage(a project.Annotator, blind string, last project.Event) (*itemPage, error) {
	assigned, err := s.Project.Assignment(a.ID, blind)
	if err != nil {
		return nil, err
	}
	it, owner, action := assigned.About, a.ID == 0, "/item/"+blind
	stages := s.Project.StagesOf(it)
	stage, done, due := min(last.Sheet.Stage+1, stages), 0, 0
	var sheets []project.Work
	if owner {
		stage, action = stages, "/owner"+action
		sheets, err = s.sheetsOn(it.ID)
	} else {
		done, due, err = s.Project.Progress(a)
	}
	if err != nil {
		return nil, err
	}
	v := s.contentPage(it, assigned.Shown, stage)
	v.Study, v.Action, v.Nonce, v.Last, v.Owner, v.Done, v.Due = s.Project, action, rand.Text(), last, owner, done, due
	v.Practice, v.More = assigned.Kind == project.Practice, stage < stages
	v.Remarks = table.Where(sheets, func(w project.Work) bool { return w.Last.Sheet.Reason != "" })
	for _, f := range s.Project.Fields(it) {
		if f.Stage > stage {
			continue
		}
		shown := s.field(f, last, sheets, !owner && f.Stage < stage)
		if shown.Type == project.Buttons && !shown.Locked && shown.Value == "" {
			v.Open++
		}
		if n := len(v.Groups); n == 0 || f.Group != "" && f.Group != v.Groups[n-1].Name {
			v.Groups = append(v.Groups, group{Name: f.Group})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Fields = append(g.Fields, shown)
	}
	return v, nil
}

// field shows a field with its value. The owner sees people's values, and where all say the same it
// is filled in.
func (s *Server) field(f project.Field, last project.Event, sheets []project.Work, locked bool) *field {
	shown := &field{Field: f, Value: last.Sheet.Values[f.ID], Locked: locked}
	if _, err := strconv.Atoi(f.ID); err == nil {
		shown.Number = f.ID
	}
	if name, _, is := strings.Cut(f.ID, "-"); is && (name == "same" || name == "against") {
		shown.Of = name
	}
	for _, w := range sheets {
		value := w.Last.Sheet.In(w.Shown).Values[f.ID]
		o, _ := f.Option(value)
		shown.Given = append(shown.Given, given{w.Name, value, o.Label})
		shown.Differs = shown.Differs || value != shown.Given[0].Value
	}
	if len(shown.Given) > 0 && !shown.Differs && last.Revision == 0 {
		shown.Value = shown.Given[0].Value
	}
	return shown
}

var kinds = map[string]bool{project.Draft: true, project.Submit: true, project.Skip: true, project.Flag: true}

// save stores an event.
func (s *Server) save(w http.ResponseWriter, r *http.Request, a project.Annotator) error {
	kind := r.PostForm.Get("kind")
	revision, err := strconv.Atoi(r.PostForm.Get("revision"))
	if !kinds[kind] || err != nil {
		return s.message(w, http.StatusBadRequest, "The request cannot be read.")
	}
	active, _ := strconv.ParseInt(r.PostForm.Get("active_ms"), 10, 64)
	e := project.Event{Item: r.PathValue("item"), Revision: revision, Kind: kind, Sheet: sheetOf(r), ActiveMS: active,
		View: r.PostForm.Get("view"), Nonce: r.PostForm.Get("nonce")}
	if a.ID == 0 && kind == project.Submit {
		e.Kind = project.Adjudicate
	}
	stored, err := s.Project.Append(a.ID, e)
	if err == nil {
		next := s.after(a, stored)
		if wantsJSON(r) {
			return sendJSON(w, http.StatusOK, map[string]any{"revision": stored.Revision, "next": next})
		}
		return redirect(w, r, next)
	}
	// What was entered is shown again; nothing of it is lost.
	shown, of := project.Event{Revision: revision, Kind: project.Draft, Sheet: e.Sheet}, outcome{status: http.StatusUnprocessableEntity}
	var stale *project.StaleError
	var invalid *project.InvalidError
	var current project.Event
	switch {
	case errors.As(err, &stale):
		current = stale.Current
		shown.Revision, shown.Kind = current.Revision, current.Kind
		of = outcome{http.StatusConflict, "This item was changed in another tab or on another device.", s.sheetText(a, e.Item, current.Sheet)}
	case errors.As(err, &invalid):
		of.problem = invalid.Reason
		current, _ = s.Project.Last(e.Item)
	default:
		return err
	}
	if wantsJSON(r) {
		return sendJSON(w, of.status, map[string]any{"error": of.problem, "revision": current.Revision, "current": current.Sheet,
			"yours": e.Sheet})
	}
	if stale != nil {
		of.problem += " Your version is below. Submit it to replace the other version, or reload the page to keep the other version."
	}
	shown.Sheet.Stage = current.Sheet.Stage
	return s.item(w, r, a, shown, of)
}

// after is the page after an event.
func (s *Server) after(a project.Annotator, e project.Event) string {
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
	}
	return "/work"
}

// sheetText is a sheet as text.
func (s *Server) sheetText(a project.Annotator, blind string, sheet project.Sheet) string {
	assigned, err := s.Project.Assignment(a.ID, blind)
	if err != nil {
		return ""
	}
	var parts []string
	for _, f := range s.Project.Fields(assigned.About) {
		if value, given := sheet.Values[f.ID]; given {
			parts = append(parts, f.Name+": "+value)
		}
	}
	return strings.Join(parts, "; ")
}

// sheetsOn are the independent sheets on an item.
func (s *Server) sheetsOn(item int64) ([]project.Work, error) {
	work, err := s.Project.Work()
	return slices.DeleteFunc(work, func(w project.Work) bool { return w.Item != item || !w.Independent() }), err
}

// sheetOf reads the sheet of a form.
func sheetOf(r *http.Request) project.Sheet {
	sheet := project.Sheet{Values: map[string]string{}, Reason: strings.TrimSpace(r.PostForm.Get("reason"))}
	for name, values := range r.PostForm {
		if id, ok := strings.CutPrefix(name, "c-"); ok && values[0] != "" {
			sheet.Values[id] = values[0]
		}
	}
	return sheet
}

// half writes half points as people do.
func half(label string) string {
	if label == "0.5" {
		return "½"
	}
	return strings.Replace(label, ".5", "½", 1)
}
