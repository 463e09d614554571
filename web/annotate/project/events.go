package project

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"compqa/data"
	"compqa/results/store"
)

// A Sheet is the body of an event: scores of an answer, a choice between two answers as they
// were shown (first, second, tie), or a label of a row.
type Sheet struct {
	Scores data.Scores `json:"scores,omitempty"`
	Choice string      `json:"choice,omitempty"`
	Useful string      `json:"useful,omitempty"` // yes, no
	Reason string      `json:"reason,omitempty"`
}

// The choices of a pair, as it is shown.
const (
	First  = "first"
	Second = "second"
	Tie    = "tie"
)

// The kinds of events.
const (
	Draft  = "draft"
	Submit = "submit"
	Skip   = "skip"
	Flag   = "flag"
	Undo   = "undo"
)

// An Event is one step of one person at one item.
type Event struct {
	Item     string // blind id
	Revision int
	Kind     string
	Sheet    Sheet
	ActiveMS int64
	View     string
	At       string
	Nonce    string
}

// A StaleError reports an event based on an old revision: another tab stored a newer one
// first. The event is not stored.
type StaleError struct{ Current Event }

func (e *StaleError) Error() string {
	return fmt.Sprintf("the item is at revision %d by now", e.Current.Revision)
}

// An InvalidError is a sheet that is incomplete or out of range.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return e.Reason }

// check refuses sheets that cannot be what they say they are.
func (p *Project) check(kind string, it Item, s Sheet) error {
	complete := kind == Submit || kind == Adjudicate
	switch {
	case (kind == Skip || kind == Flag) && s.Reason == "":
		return &InvalidError{"a reason is needed"}
	case utf8.RuneCountInString(s.Reason) > 2000:
		return &InvalidError{"the reason is longer than 2,000 characters"}
	case it.Kind == Pair && (s.Choice != First && s.Choice != Second && s.Choice != Tie) && (complete || s.Choice != ""):
		return &InvalidError{"choose first, second or tie"}
	case it.Kind == Row && (s.Useful != "yes" && s.Useful != "no") && (complete || s.Useful != ""):
		return &InvalidError{"choose useful or not useful"}
	case it.Kind != Score || !complete && len(s.Scores) == 0:
		return nil
	}
	scores := s.Scores
	if !complete { // the missing ones count as full points
		scores = p.Rubric.Full()
		for id, points := range s.Scores {
			scores[id] = points
		}
	}
	if fault := p.Rubric.Check(scores, false); fault != nil {
		return &InvalidError{fault.Error()}
	}
	return nil
}

// Append stores an event on the revision that it rests on, e.Revision, and returns it with
// its own revision. An event with a known nonce is answered as before. An old revision is a
// *StaleError. When Append returns, the event is on disk.
func (p *Project) Append(annotator int64, e Event) (Event, error) {
	a, err := p.Assignment(annotator, e.Item)
	if err != nil {
		return e, err
	}
	it, err := p.Item(a.Item)
	if err != nil {
		return e, err
	}
	if err := p.check(e.Kind, it, e.Sheet); err != nil {
		return e, err
	}
	if e.Nonce == "" || len(e.Nonce) > 64 {
		return e, &InvalidError{"the nonce is missing or too long"}
	}
	if e.ActiveMS < 0 || e.ActiveMS > 24*3600*1000 {
		e.ActiveMS = 0
	}
	if e.View != "raw" && e.View != "both" {
		e.View = "rendered"
	}
	body, err := json.Marshal(e.Sheet)
	if err != nil {
		return e, err
	}
	err = p.write(func(tx *sql.Tx) error {
		before, err := scanEvent(tx.QueryRow(eventQuery+` WHERE nonce = ? AND annotator = ? AND item = ?`, e.Nonce, annotator, e.Item))
		if err == nil {
			e = before
			return nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		current, err := scanEvent(tx.QueryRow(eventQuery+` WHERE item = ? ORDER BY revision DESC LIMIT 1`, e.Item))
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if current.Revision != e.Revision {
			return &StaleError{current}
		}
		e.Revision, e.At = e.Revision+1, p.Now().UTC().Format(time.RFC3339Nano)
		_, err = tx.Exec(`INSERT INTO events (annotator, item, revision, kind, body, active_ms, view, at, nonce) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			annotator, e.Item, e.Revision, e.Kind, string(body), e.ActiveMS, e.View, e.At, e.Nonce)
		return err
	})
	return e, err
}

const eventQuery = `SELECT item, revision, kind, body, active_ms, view, at, nonce FROM events`

func scanEvent(row interface{ Scan(...any) error }) (e Event, err error) {
	var body string
	if err = row.Scan(&e.Item, &e.Revision, &e.Kind, &body, &e.ActiveMS, &e.View, &e.At, &e.Nonce); err == nil {
		err = json.Unmarshal([]byte(body), &e.Sheet)
	}
	return e, err
}

// Last is the last event at an item; its revision is 0 if there is none.
func (p *Project) Last(blind string) (Event, error) {
	e, err := scanEvent(p.s.Db.QueryRow(eventQuery+` WHERE item = ? ORDER BY revision DESC LIMIT 1`, blind))
	if errors.Is(err, sql.ErrNoRows) {
		return Event{Item: blind}, nil
	}
	return e, err
}

// UndoLast opens the item again that a person finished last, with its sheet as a draft. It
// returns ErrUnknown if there is none.
func (p *Project) UndoLast(annotator int64, nonce string) (blind string, err error) {
	e, err := scanEvent(p.s.Db.QueryRow(eventQuery+` e WHERE annotator = ? AND kind IN ('submit', 'skip', 'adjudicate')
		AND NOT EXISTS (SELECT 1 FROM events l WHERE l.item = e.item AND l.revision > e.revision) ORDER BY id DESC LIMIT 1`, annotator))
	if errors.Is(err, sql.ErrNoRows) {
		return "", ErrUnknown
	}
	if err != nil {
		return "", err
	}
	_, err = p.Append(annotator, Event{Item: e.Item, Revision: e.Revision, Kind: Undo, Sheet: e.Sheet, View: e.View, Nonce: nonce})
	return e.Item, err
}

// Work is an assignment with its item, its person and what was done.
type Work struct {
	Assignment
	Name    string
	Revoked bool
	Last    Event
	Active  int64 // milliseconds over all events
	Flags   int   // number of flags
}

// Work lists all assignments with their last event, by person and position.
func (p *Project) Work() ([]Work, error) {
	return store.Query(p.s, `SELECT `+assignmentColumns+`, n.name, n.revoked, coalesce(e.revision, 0), coalesce(e.kind, ''), coalesce(e.body, '{}'), coalesce(e.view, ''), coalesce(e.at, ''),
			coalesce((SELECT sum(active_ms) FROM events t WHERE t.item = a.blind), 0), (SELECT count(*) FROM events t WHERE t.item = a.blind AND t.kind = 'flag')
		FROM assignments a JOIN annotators n ON n.id = a.annotator
		LEFT JOIN events e ON e.item = a.blind AND e.revision = (SELECT max(revision) FROM events m WHERE m.item = a.blind)
		ORDER BY a.annotator, a.position`, nil, func(w *Work) []any {
		return append(assignmentFields(&w.Assignment), &w.Name, &w.Revoked, &w.Last.Revision, &w.Last.Kind, (*sheetText)(&w.Last.Sheet), &w.Last.View, &w.Last.At, &w.Active, &w.Flags)
	})
}

// sheetText reads a sheet from its JSON.
type sheetText Sheet

func (s *sheetText) Scan(v any) error {
	text, ok := v.(string)
	if !ok {
		return fmt.Errorf("a sheet is %T", v)
	}
	*s = sheetText{}
	return json.Unmarshal([]byte(text), (*Sheet)(s))
}

// Done reports whether there is a sheet.
func (w Work) Done() bool { return w.Last.Kind == Submit || w.Last.Kind == Adjudicate }

// Events is a number that grows with each event, and with each change of people.
func (p *Project) Events() (n int64, err error) {
	err = p.s.Db.QueryRow(`SELECT (SELECT coalesce(max(id), 0) FROM events) + (SELECT count(*) FROM annotators) + (SELECT count(*) FROM sessions) + (SELECT sum(revoked + tries + passed) FROM annotators) + (SELECT count(*) FROM assignments)`).Scan(&n)
	return n, err
}
