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

// A Sheet is the body of an event: the values of fields, by their ids.
type Sheet struct {
	Values map[string]string `json:"values,omitempty"`
	Reason string            `json:"reason,omitempty"`
	Stage  int               `json:"stage,omitempty"` // stages that are finished; their values never change
}

// UnmarshalJSON reads a sheet as encoding/json does, which takes several times as long where values are texts without escapes.
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
	type other Sheet // without this method
	return json.Unmarshal(text, (*other)(s))
}

// The kinds of events. A stage that is not the last one is submitted as Stage.
const (
	Draft     = "draft"
	StageDone = "stage"
	Submit    = "submit"
	Skip      = "skip"
	Flag      = "flag"
	Undo      = "undo"
)

// An Event is one step of one person at one item.
type Event struct {
	Item     string // blind id
	Revision int
	Kind     string
	Sheet    Sheet `db:"body,json"`
	ActiveMS int64 // claimed by the browser
	ServerMS int64 // since the page was sent or the event before, see mostServer; 0: not known
	Writing        // of the reason, since the event before
	View     string
	At       string
	Nonce    string
	Version  int // of the texts that the person had seen
}

// A Writing is how the reason of a sheet was written, as the browser says. It is a fact for the owner, and no sheet is refused for it.
type Writing struct {
	Pasted    int   // characters that were pasted into texts
	WritingMS int64 // milliseconds between keys in texts, each pause of two seconds at most
}

// A Refusal is why an event is not stored: its sheet is incomplete or out of range, or another tab stored a newer event first.
type Refusal struct {
	Reason string
	Newer  *Event // of another tab; nil: the sheet is refused
}

func (r *Refusal) Error() string { return r.Reason }

// invalid refuses a sheet, with a text of the interface.
func (p *Project) invalid(key string, args ...any) error {
	return &Refusal{Reason: p.Say(key, args...)}
}

const mostText = 2000 // characters of a reason

// check refuses sheets that cannot be what they say they are. stages are those that a submitted sheet has to complete.
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
		case given && f.Type == Number && !f.holds(value):
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

// settled returns the values of a sheet with its numbers and sets in one form, without the answer to a question that other answers leave
// out.
func (p *Project) settled(it Item, values map[string]string) map[string]string {
	values = maps.Clone(values)
	for _, f := range p.Fields(it) {
		value, given := values[f.ID]
		switch {
		case given && f.Type == Number:
			values[f.ID] = decimal(value)
		case given && f.Type == Several:
			values[f.ID] = f.settled(value, values[f.Beside])
		}
		if !f.Asked(values) || f.Type == Several && values[f.ID] == "" {
			delete(values, f.ID)
		}
	}
	return values
}

var thousands = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2},[0-9]{3}$`)

// decimal writes a number in one form: 0,50 is 0.5, because many keyboards of phones have a comma alone. A comma that may
// separate thousands stays, and so does what is not a number: both are refused.
func decimal(value string) string {
	text := value
	if !thousands.MatchString(value) {
		text = strings.Replace(value, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || x-x != 0 { // a number minus itself is 0 unless it is not finite
		return value
	}
	return Points(x)
}

// holds reports whether a text is a number that the field can have.
func (f Field) holds(value string) bool {
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

// keep restores the values of finished stages, and drops those of stages that are not open yet.
func (p *Project) keep(it Item, s *Sheet, before Sheet) {
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

// Append stores an event on the revision that it rests on, e.Revision, and returns it with its own revision. An event with a
// known nonce is answered as before. An old revision is a Refusal. A submit that does not finish the last stage is
// stored as StageDone. When Append returns, the event is on disk.
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
	// The transaction holds the write lock from its beginning, so what another connection reads cannot change.
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

// insert checks an event and writes it after the sheet before it.
func (p *Project) insert(tx *sql.Tx, annotator int64, it Item, e *Event, before Sheet) error {
	stages := p.StagesOf(it)
	before.Stage = min(before.Stage, stages-1)
	if annotator == 0 {
		e.Sheet.Stage = stages - 1 // the owner sees everything
	} else {
		p.keep(it, &e.Sheet, before)
	}
	completed := e.Sheet.Stage + 1
	e.Sheet.Values = p.settled(it, e.Sheet.Values)
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

// mostServer is the longest time between two signs of a person that counts as work.
const mostServer = 10 * time.Minute

// time measures how long the person had the item: since its page was sent or the event before, whichever is later. The browser cannot
// claim more.
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
	e.ServerMS = max(1, min(passed, mostServer).Milliseconds()) // 0 is not known
	return nil
}

// Shown records that the page of an item was sent to its person. It is not a change that the owner's page has to show.
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

// Last returns the last event at an item; its revision is 0 if there is none.
func (p *Project) Last(blind string) (Event, error) {
	e, err := store.Value[Event](p.s, `SELECT `+store.Columns[Event]()+` FROM events WHERE item = ? ORDER BY revision DESC`, blind)
	e.Item = blind
	return e, err
}

// UndoLast opens the item again that a person finished last, with its sheet as a draft; stages before
// the last one stay finished. It returns ErrUnknown if there is none. Practice and attention items are not opened
// again.
func (p *Project) UndoLast(annotator int64, nonce string) (blind string, err error) {
	e, err := first[Event](p, `SELECT `+store.Columns[Event]()+` FROM events WHERE id = (SELECT max(e.id) FROM events e
		JOIN assignments a ON a.blind = e.item AND a.ended = e.revision WHERE a.annotator = ? AND a.kind NOT IN ('practice', 'attention')
			AND a.state IN `+finished+`)`, annotator)
	if err != nil {
		return "", err
	}
	for { // until no draft arrived between the two statements
		var last Event
		if last, err = p.Last(e.Item); err == nil {
			_, err = p.Append(annotator, Event{Item: e.Item, Revision: last.Revision, Kind: Undo, Sheet: last.Sheet, View: last.View, Nonce: nonce})
		}
		if refusal := (*Refusal)(nil); !errors.As(err, &refusal) || refusal.Newer == nil {
			return e.Item, err
		}
	}
}

// Work is an assignment with its person and what was done.
type Work struct {
	Assignment
	Name    string
	Alias   string
	Returns bool    // see Annotator
	Out     bool    // the person is excluded, and this sheet does not count
	Last    Event   // that counts, with the revision of the last one
	Active  int64   // milliseconds over all events, claimed by the browser
	Server  int64   // milliseconds over all events, measured by the server; 0: not known
	Wrote   Writing // over all events
}

// workOf selects the Works for which a condition holds, by person and position.
const workOf = `SELECT a.annotator, a.item, a.kind, a.blind, a.position, a.shown, a.state, n.name, n.alias,
		n.returns, a.excluded, a.blind,
		a.revision, a.state, coalesce(e.body, '{}'), coalesce(e.active_ms, 0), coalesce(e.server_ms, 0),
		coalesce(e.pasted, 0), coalesce(e.writing_ms, 0), coalesce(e.view, ''), coalesce(e.at, ''), coalesce(e.nonce, ''), coalesce(e.version, 0),
		coalesce(sum(t.active_ms), 0), coalesce(sum(t.server_ms), 0), coalesce(sum(t.pasted), 0), coalesce(sum(t.writing_ms), 0)
	FROM assignments a JOIN annotators n ON n.id = a.annotator LEFT JOIN events e ON e.item = a.blind AND e.revision = a.ended
		LEFT JOIN events t ON t.item = a.blind
	WHERE %s GROUP BY a.rowid ORDER BY a.annotator, a.position`

// Work lists all assignments with the event that counts, by person and position.
func (p *Project) Work() ([]Work, error) {
	work, err := store.Select[Work](p.s, fmt.Sprintf(workOf, "true"))
	for i := range work {
		work[i].About = p.Item(work[i].Item)
	}
	return work, err
}

// Published returns the name of the person for everybody but the owner.
func (w Work) Published(names bool) string { return published(w.Name, w.Alias, names && !w.Returns) }

// Done reports whether there is a sheet.
func (w Work) Done() bool { return w.Last.Kind == Submit || w.Last.Kind == Adjudicate }

// Independent reports whether the sheet is one person's opinion of an item of the study: no check,
// no practice, no decision of the owner.
func (w Work) Independent() bool {
	return w.Done() && !w.Out && w.Annotator > 0 && (w.Kind == Main || w.Kind == Overlap)
}

// A Remark is the text of a flag or of a skip: a row of flags.csv.
type Remark struct {
	Item  int64  `csv:"-"`
	Name  string `csv:"-"`
	Out   bool   `csv:"-"` // of a person who is excluded
	Judge string `csv:"judge"`
	ID    string `csv:"id"` // of the item's source
	Kind  string `csv:"kind"`
	Text  string `csv:"text"`
	At    string `csv:"at"`
}

// Remarks lists the texts of flags and skips, the newest first.
func (p *Project) Remarks() ([]Remark, error) {
	return store.Select[Remark](p.s, `SELECT a.item, n.name, n.excluded <> '' AND e.at >= n.excluded_from, 'human:' || n.alias, i.source,
		e.kind, coalesce(e.body ->> 'reason', ''), e.at
		FROM events e JOIN assignments a ON a.blind = e.item JOIN items i ON i.id = a.item
			JOIN annotators n ON n.id = e.annotator
		WHERE e.kind IN ('flag', 'skip') ORDER BY e.id DESC`)
}
