package annotate

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strconv"

	"compqa/data"
	"compqa/rubric"
	"compqa/web/annotate/project"
)

// An itemPage holds what the page of an item shows.
type itemPage struct {
	Title          string
	Action         string // address of the form
	Kind           string
	Content        project.Content
	First, Second  string // texts as they are shown
	Groups         []field
	Sheet          project.Sheet
	Revision       int
	Nonce, State   string
	Done, Assigned int
	Raw            bool
	Owner          bool
	Sheets         []namedSheet // for the owner
	Error          string
	Yours          *project.Sheet // of a conflict
}

// A field is a group of options, of which one is chosen.
type field struct {
	Name, Legend, Text string
	Options            []option
}

type option struct {
	Value, Key, Text string
	Chosen           bool
}

type namedSheet struct {
	Name  string
	Sheet project.Sheet
	Total string
}

// show is the page of an item.
func (s *Server) show(w http.ResponseWriter, r *http.Request, a project.Annotator) {
	if !s.admitted(w, a) {
		return
	}
	last, err := s.Project.Last(r.PathValue("item"))
	if err != nil {
		s.fail(w, err)
		return
	}
	s.item(w, r, a, http.StatusOK, last, "")
}

func (s *Server) item(w http.ResponseWriter, r *http.Request, a project.Annotator, status int, last project.Event, problem string) {
	v, err := s.itemPage(a, r.PathValue("item"), last)
	if err != nil {
		s.fail(w, err)
		return
	}
	v.Error, v.Raw = problem, r.URL.Query().Get("view") == "raw"
	s.render(w, status, "item", v)
}

func (s *Server) itemPage(a project.Annotator, blind string, last project.Event) (*itemPage, error) {
	assigned, err := s.Project.Assignment(a.ID, blind)
	if err != nil {
		return nil, err
	}
	it, err := s.Project.Item(assigned.Item)
	if err != nil {
		return nil, err
	}
	v := &itemPage{Title: "Score an answer", Action: "/item/" + blind, Kind: it.Kind, Content: it.Content, First: it.Content.A, Second: it.Content.B,
		Sheet: last.Sheet, Revision: last.Revision, Nonce: rand.Text(), State: last.Kind}
	if a.ID == 0 {
		v.Owner, v.Action = true, "/owner/item/"+blind
		if v.Sheets, err = s.sheetsOn(it.ID); err != nil {
			return nil, err
		}
	} else if v.Done, v.Assigned, err = s.Project.Progress(a.ID); err != nil {
		return nil, err
	}
	switch it.Kind {
	case project.Pair:
		if v.Title = "Compare two answers"; assigned.Shown == data.OrderBA {
			v.First, v.Second = v.Second, v.First
		}
		v.Groups = []field{choices("choice", "Which answer is better?", last.Sheet.Choice, project.First, "1", "The first", project.Second, "2", "The second", project.Tie, "0", "They are equally good")}
	case project.Row:
		v.Title = "Mark a row"
		v.Groups = []field{choices("useful", "Does this row help to compare the two?", last.Sheet.Useful, "yes", "1", "Useful", "no", "0", "Not useful")}
	default:
		for _, c := range s.Project.Rubric.Criteria {
			v.Groups = append(v.Groups, criterion(c, s.Project.Rubric.Step, last.Sheet.Scores))
		}
	}
	return v, nil
}

// choices makes a field of values, keys and texts.
func choices(name, legend, chosen string, of ...string) field {
	f := field{Name: name, Legend: legend}
	for i := 0; i < len(of); i += 3 {
		f.Options = append(f.Options, option{of[i], of[i+1], of[i+2], chosen == of[i]})
	}
	return f
}

// criterion is the field of a criterion: its levels, and half points between them where the
// rubric's step allows it.
func criterion(c rubric.Criterion, step float64, scores data.Scores) field {
	f := field{Name: "c-" + c.ID, Legend: c.Name, Text: c.Text}
	given, ok := scores[c.ID]
	add := func(x float64, text string) {
		f.Options = append(f.Options, option{points(x), points(x), text, ok && given == x})
	}
	low, high := c.Range()
	text := map[float64]string{}
	for _, l := range c.Levels {
		text[l.Points] = l.Text
	}
	for x := low; x <= high; x += 0.5 {
		if t, level := text[x]; level {
			add(x, t)
		} else if step == 0 || step == 0.5 {
			add(x, "between the two")
		}
	}
	return f
}

var kinds = map[string]bool{project.Draft: true, project.Submit: true, project.Skip: true, project.Flag: true}

// save stores an event.
func (s *Server) save(w http.ResponseWriter, r *http.Request, a project.Annotator) {
	if !s.admitted(w, a) || !s.form(w, r) {
		return
	}
	kind := r.PostForm.Get("kind")
	revision, err := strconv.Atoi(r.PostForm.Get("revision"))
	if !kinds[kind] || err != nil {
		s.message(w, http.StatusBadRequest, "The request cannot be read.")
		return
	}
	active, _ := strconv.ParseInt(r.PostForm.Get("active_ms"), 10, 64)
	e := project.Event{Item: r.PathValue("item"), Revision: revision, Kind: kind, Sheet: sheetOf(r), ActiveMS: active, View: r.PostForm.Get("view"), Nonce: r.PostForm.Get("nonce")}
	if a.ID == 0 && kind == project.Submit {
		e.Kind = project.Adjudicate
	}
	stored, err := s.Project.Append(a.ID, e)
	var stale *project.StaleError
	var invalid *project.InvalidError
	switch {
	case errors.As(err, &stale):
		s.conflict(w, r, a, e, stale.Current)
	case errors.As(err, &invalid) && wantsJSON(r):
		sendJSON(w, http.StatusUnprocessableEntity, map[string]any{"error": invalid.Reason})
	case errors.As(err, &invalid):
		// What was entered is shown again; nothing of it is lost.
		s.item(w, r, a, http.StatusUnprocessableEntity, project.Event{Revision: revision, Kind: project.Draft, Sheet: e.Sheet}, invalid.Reason)
	case err != nil:
		s.fail(w, err)
	default:
		next := "/work"
		if kind == project.Draft || kind == project.Flag {
			next = r.URL.Path
		} else if a.ID == 0 {
			next = "/owner"
		}
		if wantsJSON(r) {
			sendJSON(w, http.StatusOK, map[string]any{"revision": stored.Revision, "next": next})
			return
		}
		http.Redirect(w, r, next, http.StatusSeeOther)
	}
}

// conflict shows both versions of a sheet that another tab has changed.
func (s *Server) conflict(w http.ResponseWriter, r *http.Request, a project.Annotator, yours, current project.Event) {
	if wantsJSON(r) {
		sendJSON(w, http.StatusConflict, map[string]any{"error": "This item was changed in another tab.", "revision": current.Revision, "current": current.Sheet, "yours": yours.Sheet})
		return
	}
	v, err := s.itemPage(a, yours.Item, project.Event{Revision: current.Revision, Kind: current.Kind, Sheet: yours.Sheet})
	if err != nil {
		s.fail(w, err)
		return
	}
	v.Error, v.Yours = "This item was changed in another tab. Your version is below. Submit it to replace the other version, or reload the page to keep the other version.", &current.Sheet
	s.render(w, http.StatusConflict, "item", v)
}

func (s *Server) sheetsOn(item int64) ([]namedSheet, error) {
	work, err := s.Project.Work()
	if err != nil {
		return nil, err
	}
	var list []namedSheet
	for _, w := range work {
		if w.Item == item && w.Annotator > 0 && w.Kind != project.Repeat && w.Done() {
			sheet := w.Last.Sheet
			sheet.Choice = string(choiceOf(w))
			list = append(list, namedSheet{w.Name, sheet, points(s.Project.Rubric.Total(sheet.Scores))})
		}
	}
	return list, nil
}
