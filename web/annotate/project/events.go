package project

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"compqa/data"
	"compqa/results/store"
)

// A Sheet is what a person filled in: the values of fields, by their ids.
type Sheet struct {
	Values map[string]string `json:"values,omitempty"`
	Reason string            `json:"reason,omitempty"`
	Stage  int               `json:"stage,omitempty"` // number of finished stages, whose values never change
}

// UnmarshalJSON reads a sheet with the result of encoding/json. It is several times as fast for sheets without escapes, other types or
// stages.
func (s *Sheet) UnmarshalJSON(text []byte) error {
	object := gjson.ParseBytes(text)
	read := Sheet{}
	plain := object.IsObject() && utf8.Valid(text) && bytes.IndexByte(text, '\\') < 0
	object.ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.Str == "values" && value.IsObject() && read.Values == nil:
			read.Values = make(map[string]string, strings.Count(value.Raw, ":"))
			value.ForEach(func(id, value gjson.Result) bool {
				read.Values[id.Str] = value.Str
				plain = plain && value.Type == gjson.String
				return plain
			})
		case key.Str == "reason" && value.Type == gjson.String:
			read.Reason = value.Str
		default:
			plain = false
		}
		return plain
	})
	if plain {
		*s = read
		return nil
	}
	type other Sheet // has no UnmarshalJSON
	return json.Unmarshal(text, (*other)(s))
}

// The kinds of events. StageDone submits a stage that is not the last one.
const (
	Draft     = "draft"
	StageDone = "stage"
	Submit    = "submit"
	Skip      = "skip"
	Flag      = "flag"
	Undo      = "undo"
)

// An Event is one step of a person at an item, such as a draft or a submit.
type Event struct {
	Item     string // blind id
	Revision int
	Kind     string
	Sheet    Sheet `db:"body,json"`
	ActiveMS int64 // active time according to the browser
	ServerMS int64 // time since the page was sent or the event before, at most mostServer; 0: unknown
	Writing        // since the event before
	View     string
	At       string
	Nonce    string
	Version  int // version of the texts that the person had seen
}

// A Writing says how the texts of a sheet were written, according to the browser. It only informs the owner: no sheet is refused for it.
type Writing struct {
	Pasted    int   // number of pasted characters
	WritingMS int64 // time between key presses in ms, of which each counts at most two seconds
}

// A Refusal says why an event is not stored: its sheet is incomplete or out of range, or another tab has stored a newer event.
type Refusal struct {
	Reason string
	Newer  *Event // the other tab's event; nil: the sheet is at fault
}

func (r *Refusal) Error() string { return r.Reason }

// invalid returns a Refusal with a text of the interface.
func (p *Project) invalid(key string, args ...any) error {
	return &Refusal{Reason: p.Say(key, args...)}
}

const mostText = 2000 // maximum number of characters of a reason

// check returns a Refusal for a sheet with an unknown field or option, a number out of range or a text that is too long. A submitted sheet
// must also be complete up to the stage stages, have a reason if the study needs one, and follow the rules of its form.
func (p *Project) check(kind string, it Item, s Sheet, stages int) error {
	complete := kind == Submit || kind == Adjudicate
	if (kind == Skip || kind == Flag) && s.Reason == "" {
		return p.invalid("reason_needed")
	}
	if utf8.RuneCountInString(s.Reason) > mostText {
		return p.invalid("reason_long")
	}
	known := map[string]bool{}
	var open []string
	for _, f := range p.Fields(it) {
		value, given := s.Values[f.ID]
		unknown := slices.ContainsFunc(f.OptionsOf(value), func(option string) bool {
			_, index := f.Option(option)
			return index < 0
		})
		known[f.ID] = true
		switch {
		case !given && f.Needed() && f.Asked(s.Values) && f.Stage <= stages:
			open = append(open, f.Name)
		case given && (f.Type == Buttons || f.Type == List || f.Type == Several) && unknown,
			given && f.Type == Mark && value != "1":
			return p.invalid("no_option", "name", f.Name, "value", data.Clip(value))
		case given && f.Type == Number && !f.inRange(value):
			return p.invalid("no_number", "name", f.Name, "value", data.Clip(value), "low", Points(f.Low), "high", Points(f.High),
				"example", Points((f.Low+f.High)/2))
		case f.Type == Text && utf8.RuneCountInString(value) > mostText:
			return p.invalid("reason_long")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(s.Values)) {
		if !known[id] {
			return p.invalid("no_field", "name", data.Clip(id))
		}
	}
	if !complete {
		return nil
	}
	if len(open) > 0 {
		return p.invalid("still_open", "names", strings.Join(open, "; "))
	}
	if p.Reason && stages == p.StagesOf(it) && strings.TrimSpace(s.Reason) == "" {
		return p.invalid("reason_needed")
	}
	if check := FormOf(it.Kind).Check; check != nil {
		return check(p, it, s, stages)
	}
	return nil
}

// normalize normalizes the numbers and sets of a sheet, and drops answers to questions that other answers make needless.
func (p *Project) normalize(it Item, values map[string]string) map[string]string {
	values = maps.Clone(values)
	for _, f := range p.Fields(it) {
		value, given := values[f.ID]
		switch {
		case given && f.Type == Number:
			values[f.ID] = decimal(value)
		case given && f.Type == Several:
			values[f.ID] = f.normalizeSet(value, values[f.Beside])
		}
		if !f.Asked(values) || f.Type == Several && values[f.ID] == "" {
			delete(values, f.ID)
		}
	}
	return values
}

var thousands = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2},[0-9]{3}$`)

// decimal normalizes a number: "0,50" becomes "0.5", because many phone keyboards have only a comma. It leaves text that is not a number,
// and a comma that may separate thousands; both are refused later.
func decimal(value string) string {
	text := value
	if !thousands.MatchString(value) {
		text = strings.Replace(value, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 { // x-x is NaN for infinities and NaN
		return value
	}
	return Points(x)
}

// inRange reports whether a text is a number in the range of the field.
func (f Field) inRange(value string) bool {
	x, err := strconv.ParseFloat(value, 64)
	return err == nil && x >= f.Low && x <= f.High
}

// StagesOf returns the number of stages of an item.
func (p *Project) StagesOf(it Item) (n int) {
	for _, f := range p.Fields(it) {
		n = max(n, f.Stage)
	}
	return n
}

// keepStages restores the values of finished stages in a new sheet, and drops values of stages that are not open yet.
func (p *Project) keepStages(it Item, s *Sheet, before Sheet) {
	values := map[string]string{}
	maps.Copy(values, s.Values)
	for _, f := range p.Fields(it) {
		finished := f.Stage <= before.Stage
		if finished || f.Stage > before.Stage+1 {
			delete(values, f.ID)
		}
		if old, given := before.Values[f.ID]; given && finished {
			values[f.ID] = old
		}
	}
	s.Values = values
	s.Stage = before.Stage
}

// Append stores an event after the revision e.Revision, and returns it with its own revision. An event whose nonce is known is not stored
// again: the stored one is returned. If e.Revision is not the last revision, the error is a Refusal. A submit of any but the last stage is
// stored as StageDone. When Append returns nil, the event is on disk.
func (p *Project) Append(annotator int64, e Event) (Event, error) {
	assignment, err := p.Assignment(annotator, e.Item)
	if err != nil {
		return e, err
	}
	if e.Nonce == "" || len(e.Nonce) > 64 {
		return e, &Refusal{Reason: "the nonce is missing or too long"}
	}
	if e.ActiveMS < 0 || e.ActiveMS > 24*3600*1000 {
		e.ActiveMS = 0
	}
	if e.Pasted < 0 || e.Pasted > 1e6 || e.WritingMS < 0 || e.WritingMS > e.ActiveMS {
		e.Writing = Writing{}
	}
	if e.View != "raw" && e.View != "both" {
		e.View = "rendered"
	}
	// The transaction holds the write lock from its start, so reads over other connections are consistent with it.
	err = p.write(func(tx *sql.Tx) error {
		before, known, err := store.First[Event](p.s, `SELECT `+store.Columns[Event]()+` FROM events
			WHERE nonce = ? AND annotator = ? AND item = ?`, e.Nonce, annotator, e.Item)
		if err != nil || known {
			e = before
			return err
		}
		current, err := p.Last(e.Item)
		if err == nil && assignment.Kind == Attention && assignment.State == Submit {
			err = p.invalid("item_finished")
		}
		if err == nil && current.Revision != e.Revision {
			err = &Refusal{p.Say("changed_elsewhere"), &current}
		}
		if err != nil {
			return err
		}
		err = p.insert(tx, annotator, assignment.About, &e, current.Sheet)
		if err == nil && assignment.Kind == Attention && e.Kind == Submit && assignment.About.Missed(e.Sheet.In(assignment.Shown)) {
			err = p.stop(tx, annotator)
		}
		return err
	})
	if err == nil && e.Kind != Draft {
		err = p.checkpoint()
	}
	return e, err
}

// insert writes an event. It first merges the sheet with the one before, normalizes and checks it, and computes the total and the time.
// Then it updates the assignment: a draft or flag leaves a finished item finished.
func (p *Project) insert(tx *sql.Tx, annotator int64, it Item, e *Event, before Sheet) error {
	stages := p.StagesOf(it)
	before.Stage = min(before.Stage, stages-1)
	if annotator == 0 {
		e.Sheet.Stage = stages - 1 // the owner sees all stages at once
	} else {
		p.keepStages(it, &e.Sheet, before)
	}
	completed := e.Sheet.Stage + 1
	e.Sheet.Values = p.normalize(it, e.Sheet.Values)
	if err := p.check(e.Kind, it, e.Sheet, completed); err != nil {
		return err
	}
	var total *float64
	if e.Kind == Submit || e.Kind == Adjudicate {
		e.Sheet.Stage = completed
		if completed < stages {
			e.Kind = StageDone
		} else if form := FormOf(it.Kind); form.Total != nil {
			total = new(form.Total(p, e.Sheet))
		}
	}
	body, err := json.Marshal(e.Sheet)
	if err != nil {
		return err
	}
	if err := p.time(tx, e); err != nil {
		return err
	}
	e.Revision, e.At = e.Revision+1, utc(p.Now())
	if _, err := tx.Exec(`INSERT INTO events (annotator, item, revision, kind, body, active_ms, server_ms, pasted, writing_ms, view, at,
			nonce, version) SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, read_version FROM annotators WHERE id = ?`,
		e.Item, e.Revision, e.Kind, string(body), e.ActiveMS, e.ServerMS, e.Pasted, e.WritingMS, e.View, e.At, e.Nonce, annotator); err != nil {
		return err
	}
	_, err = tx.Exec(`UPDATE assignments SET revision = ? WHERE blind = ?`, e.Revision, e.Item)
	if err == nil {
		_, err = tx.Exec(`UPDATE assignments SET state = ?1, ended = revision, total = ?2 WHERE blind = ?3
			AND NOT (?1 IN ('draft', 'flag') AND state IN `+finished+`)`, e.Kind, total, e.Item)
	}
	return err
}

// mostServer is the maximum time between two events that counts as work.
const mostServer = 10 * time.Minute

// time sets the event's server time: the time since the item's page was sent or since the event before, whichever is later. The browser's
// active time is limited to it.
func (p *Project) time(tx *sql.Tx, e *Event) error {
	var from string
	err := tx.QueryRow(`SELECT CASE WHEN shown_at = '' THEN '' ELSE max(shown_at, coalesce((SELECT max(at) FROM events
		WHERE item = blind), ''))
		END FROM assignments WHERE blind = ?`, e.Item).Scan(&from)
	if err != nil || from == "" {
		return err
	}
	began, err := time.Parse(timeFormat, from)
	if err != nil {
		return err
	}
	passed := max(0, p.Now().Sub(began))
	e.ActiveMS = min(e.ActiveMS, passed.Milliseconds())
	e.ServerMS = max(1, min(passed, mostServer).Milliseconds()) // at least 1, because 0 means unknown
	return nil
}

// Shown records that the page of an item was sent. It does not count as a change, so the owner's page is not refreshed.
func (p *Project) Shown(blind string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	tx, err := p.s.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(`UPDATE assignments SET shown_at = ? WHERE blind = ?`, utc(p.Now()), blind); err != nil {
		return err
	}
	return tx.Commit()
}

// Last returns the last event of an item. Its revision is 0 if there is none.
func (p *Project) Last(blind string) (Event, error) {
	e, err := store.Value[Event](p.s, `SELECT `+store.Columns[Event]()+` FROM events WHERE item = ? ORDER BY revision DESC`, blind)
	e.Item = blind
	return e, err
}

// UndoLast reopens the item that a person finished last, with its sheet as a draft; stages before the last one stay finished. Practice and
// attention items are not reopened. It returns ErrUnknown if there is nothing to reopen.
func (p *Project) UndoLast(annotator int64, nonce string) (blind string, err error) {
	e, err := firstRow[Event](p, `SELECT `+store.Columns[Event]()+` FROM events WHERE id = (SELECT max(e.id) FROM events e
		JOIN assignments a ON a.blind = e.item AND a.ended = e.revision WHERE a.annotator = ? AND a.kind NOT IN ('practice', 'attention')
			AND a.state IN `+finished+`)`, annotator)
	if err != nil {
		return "", err
	}
	for { // repeat if a draft arrived between the two statements
		var last Event
		if last, err = p.Last(e.Item); err == nil {
			_, err = p.Append(annotator, Event{Item: e.Item, Revision: last.Revision, Kind: Undo, Sheet: last.Sheet, View: last.View, Nonce: nonce})
		}
		if refusal := (*Refusal)(nil); !errors.As(err, &refusal) || refusal.Newer == nil {
			return e.Item, err
		}
	}
}

// A Work is an assignment with its person, the event that counts, and times.
type Work struct {
	Assignment
	Name    string
	Alias   string
	Returns bool    // see Annotator.Returns
	Out     bool    // the sheet does not count, because its person is excluded
	Last    Event   // the event that counts, but with the revision of the last event
	Active  int64   // milliseconds over all events, according to the browser
	Server  int64   // milliseconds over all events, measured by the server; 0: unknown
	Wrote   Writing // over all events
}

// workOf is the query for the Works that meet a condition (%s), by person and position.
const workOf = `SELECT a.annotator, a.item, a.kind, a.blind, a.position, a.shown, a.state, n.name, n.alias,
		n.returns, a.excluded, a.blind,
		a.revision, a.state, coalesce(e.body, '{}'), coalesce(e.active_ms, 0), coalesce(e.server_ms, 0),
		coalesce(e.pasted, 0), coalesce(e.writing_ms, 0), coalesce(e.view, ''), coalesce(e.at, ''), coalesce(e.nonce, ''), coalesce(e.version, 0),
		coalesce(sum(t.active_ms), 0), coalesce(sum(t.server_ms), 0), coalesce(sum(t.pasted), 0), coalesce(sum(t.writing_ms), 0)
	FROM assignments a JOIN annotators n ON n.id = a.annotator LEFT JOIN events e ON e.item = a.blind AND e.revision = a.ended
		LEFT JOIN events t ON t.item = a.blind
	WHERE %s GROUP BY a.rowid ORDER BY a.annotator, a.position`

// Work returns all assignments, by person and position.
func (p *Project) Work() ([]Work, error) {
	work, err := store.Select[Work](p.s, fmt.Sprintf(workOf, "true"))
	for i := range work {
		work[i].About = p.Item(work[i].Item)
	}
	return work, err
}

// Published returns the name under which the person appears to everybody but the owner.
func (w Work) Published(names bool) string { return published(w.Name, w.Alias, names && !w.Returns) }

// Done reports whether there is a submitted sheet or a decision of the owner.
func (w Work) Done() bool { return w.Last.Kind == Submit || w.Last.Kind == Adjudicate }

// Independent reports whether the sheet is a person's own opinion about a study item, and counts. Checks, practice and decisions of the
// owner are not.
func (w Work) Independent() bool {
	return w.Done() && !w.Out && w.Annotator > 0 && (w.Kind == Main || w.Kind == Overlap)
}

// A Remark is the text of a flag or a skip: a row of flags.csv.
type Remark struct {
	Item  int64  `csv:"-"`
	Name  string `csv:"-"`
	Out   bool   `csv:"-"` // its person is excluded
	Judge string `csv:"judge"`
	ID    string `csv:"id"` // source id of the item
	Kind  string `csv:"kind"`
	Text  string `csv:"text"`
	At    string `csv:"at"`
}

// Remarks returns the texts of flags and skips, the newest first.
func (p *Project) Remarks() ([]Remark, error) {
	return store.Select[Remark](p.s, `SELECT a.item, n.name, n.excluded <> '' AND e.at >= n.excluded_from, 'human:' || n.alias, i.source,
		e.kind, coalesce(e.body ->> 'reason', ''), e.at
		FROM events e JOIN assignments a ON a.blind = e.item JOIN items i ON i.id = a.item
			JOIN annotators n ON n.id = e.annotator
		WHERE e.kind IN ('flag', 'skip') ORDER BY e.id DESC`)
}
