// Package project is the record of human annotation: one SQLite file, annotation.db.
//
// It holds copies of the texts to annotate, the people, who annotates what in which order,
// and every event. Events are append-only; a sheet is the last event of an assignment. A
// browser gets blind ids only: HMACs by a secret of the project, different for each person.
package project

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"
	"unicode/utf8"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
)

// FileName is the file's name inside a run's folder.
const FileName = "annotation.db"

const (
	formatVersion = 1
	applicationID = 0x63717068 // "cqph"
)

//go:embed schema.sql
var schema string

// Settings are decided once, by `annotate init`.
type Settings struct {
	Seed    uint64        `json:"seed"`
	Secret  string        `json:"secret"`
	Rubric  rubric.Rubric `json:"rubric"`
	Overlap int           `json:"overlap"` // items that two people annotate
	Gold    float64       `json:"gold"`    // share of items with known scores, in [0, 1]
	Repeats float64       `json:"repeats"` // share of items shown again, in [0, 1]
	Mask    bool          `json:"mask"`    // names of models in answers are masked
}

// A Content is what a person sees of an item. It names no system, scenario or judge.
type Content struct {
	Question string            `json:"question"`
	A        string            `json:"a,omitempty"`
	B        string            `json:"b,omitempty"` // of a pair
	Row      *data.ContrastRow `json:"row,omitempty"`
	Rows     int               `json:"rows,omitempty"` // of the row's table
	Object1  string            `json:"object1,omitempty"`
	Object2  string            `json:"object2,omitempty"`
}

// The kinds of items.
const (
	Score = "score"
	Pair  = "pair"
	Row   = "row"
)

// The roles of items, and the kinds of assignments.
const (
	Main       = "main"
	Overlap    = "overlap"
	Gold       = "gold"
	Repeat     = "repeat"
	Adjudicate = "adjudicate"
)

// An Item is one thing to annotate.
type Item struct {
	ID       int64
	Kind     string
	Source   string
	Row      int
	Cluster  string
	Content  Content
	Role     string
	Expected data.Scores
}

// Adjudicated is the name under which the owner decides.
const Adjudicated = "adjudicated"

// A Project is an open annotation.db.
type Project struct {
	Settings
	s         *store.Store
	mu        sync.Mutex // one writer: a second one would wait in SQLite instead
	Now       func() time.Time
	extending sync.Mutex // two people at once must not get the same item of which one sheet is wanted
	cache     sync.Map   // of items, which never change
}

// Create makes the file in dir. An existing one is an error.
func Create(dir string, set Settings, items []Item) error {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists and is never overwritten, because it contains annotations: use another folder", path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("creating %s: %w", dir, err)
	}
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	s, err := store.Connect(temporary, url.Values{"_pragma": {"synchronous(FULL)"}})
	if err != nil {
		return err
	}
	set.Secret = rand.Text()
	if err := fill(s.Db, set, items); err != nil {
		s.Close()
		return store.WrapDBError("creating", path, err)
	}
	if err := s.Close(); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

func fill(db *sql.DB, set Settings, items []Item) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	settings, err := json.Marshal(set)
	if err != nil {
		return err
	}
	for _, statement := range []string{schema, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", formatVersion, applicationID)} {
		if _, err := tx.Exec(statement); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`INSERT INTO project VALUES (1, ?)`, string(settings)); err != nil {
		return err
	}
	for _, it := range items {
		content, err := json.Marshal(it.Content)
		if err != nil {
			return err
		}
		expected := ""
		if it.Expected != nil {
			text, _ := json.Marshal(it.Expected)
			expected = string(text)
		}
		if _, err := tx.Exec(`INSERT INTO items (kind, source, row, cluster, content, hash, role, expected) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			it.Kind, it.Source, it.Row, it.Cluster, string(content), hash(string(content)), it.Role, expected); err != nil {
			return fmt.Errorf("item %s: %w", it.Source, err)
		}
	}
	if _, err := tx.Exec(`INSERT INTO annotators VALUES (0, ?, 'adjudicator', ?, 0, 0, 1, 0)`, Adjudicated, hash(rand.Text())); err != nil {
		return err
	}
	return tx.Commit()
}

// Open opens the file in dir.
func Open(dir string) (*Project, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s: %w; `compqa annotate init --run %s` creates it", path, os.ErrNotExist, dir)
	}
	s, err := store.Connect(path, url.Values{"_txlock": {"immediate"},
		"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(1)"}})
	if err != nil {
		return nil, err
	}
	p := &Project{s: s, Now: time.Now}
	var version, application int
	var settings string
	err = errors.Join(s.Db.QueryRow(`PRAGMA user_version`).Scan(&version), s.Db.QueryRow(`PRAGMA application_id`).Scan(&application))
	if err == nil && (version != formatVersion || application != applicationID) {
		err = fmt.Errorf("no annotation project of this compqa (format %d)", version)
	}
	if err == nil {
		err = s.CheckSchema(schema)
	}
	if err == nil {
		err = s.Db.QueryRow(`SELECT settings FROM project`).Scan(&settings)
	}
	if err == nil {
		err = json.Unmarshal([]byte(settings), &p.Settings)
	}
	if err != nil {
		s.Close()
		return nil, store.WrapDBError("opening", path, err)
	}
	return p, nil
}

// Close closes the file.
func (p *Project) Close() error { return p.s.Close() }

// Write runs a transaction; there is one at a time.
func (p *Project) write(do func(tx *sql.Tx) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	tx, err := p.s.Db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// blind is the id of an item for one person. Two people cannot find out that they have the
// same item, and nobody can see that an item is shown again.
func (p *Project) blind(annotator, item int64, kind string) string {
	mac := hmac.New(sha256.New, []byte(p.Secret))
	fmt.Fprintf(mac, "%d/%d/%s", annotator, item, kind)
	return hex.EncodeToString(mac.Sum(nil))[:24]
}

// An Annotator is a person.
type Annotator struct {
	ID              int64
	Name, Role      string
	Seed            int64
	Tries           int
	Passed, Revoked bool
}

const annotatorColumns = `annotators.id, name, annotators.role, seed, tries, passed, revoked`

func annotatorFields(a *Annotator) []any {
	return []any{&a.ID, &a.Name, &a.Role, &a.Seed, &a.Tries, &a.Passed, &a.Revoked}
}

var validName = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// Invite makes the token of a person's link. A person who was invited before gets a new
// token; the old one and all sessions end, and the comprehension check starts again.
func (p *Project) Invite(name string) (token string, err error) {
	if !validName.MatchString(name) || utf8.RuneCountInString(name) > 40 || name == Adjudicated {
		return "", fmt.Errorf("the name is %q; use up to 40 letters, digits, dots, hyphens and underscores, and not %q", name, Adjudicated)
	}
	token = rand.Text()
	err = p.write(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`DELETE FROM sessions WHERE annotator = (SELECT id FROM annotators WHERE name = ?)`, name); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO annotators (name, role, token_hash, seed, tries, passed, revoked)
			SELECT ?, 'annotator', ?, max(id) + 1, 0, 0, 0 FROM annotators WHERE true
			ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, revoked = 0, tries = 0`, name, hash(token))
		return err
	})
	return token, err
}

// ErrUnknown says that a token, session, person or item is not known, or was revoked.
var ErrUnknown = errors.New("not known")

// Revoke ends a person's link and sessions. The work stays.
func (p *Project) Revoke(name string) error {
	return p.write(func(tx *sql.Tx) error {
		r, err := tx.Exec(`UPDATE annotators SET revoked = 1 WHERE name = ? AND id > 0`, name)
		if err != nil {
			return err
		}
		if n, _ := r.RowsAffected(); n == 0 {
			return fmt.Errorf("annotator %q: %w", name, ErrUnknown)
		}
		_, err = tx.Exec(`DELETE FROM sessions WHERE annotator = (SELECT id FROM annotators WHERE name = ?)`, name)
		return err
	})
}

// Known reports whether an invitation's token is valid.
func (p *Project) Known(token string) bool {
	_, err := p.person(`FROM annotators WHERE token_hash = ? AND NOT revoked`, hash(token))
	return err == nil
}

// Start exchanges an invitation's token for a session.
func (p *Project) Start(token string) (session string, err error) {
	a, err := p.person(`FROM annotators WHERE token_hash = ? AND NOT revoked`, hash(token))
	if err != nil {
		return "", err
	}
	session = rand.Text()
	return session, p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`INSERT INTO sessions VALUES (?, ?, ?)`, hash(session), a.ID, p.Now().UTC().Format(time.RFC3339))
		return err
	})
}

// Session is the person of a session.
func (p *Project) Session(session string) (Annotator, error) {
	return p.person(`FROM sessions JOIN annotators ON annotators.id = annotator WHERE hash = ? AND NOT revoked`, hash(session))
}

// Adjudicator is the pseudonym under which the owner decides.
func (p *Project) Adjudicator() (Annotator, error) {
	return p.person(`FROM annotators WHERE annotators.id = ?`, 0)
}

func (p *Project) person(from string, arg any) (a Annotator, err error) {
	err = p.s.Db.QueryRow(`SELECT `+annotatorColumns+` `+from, arg).Scan(annotatorFields(&a)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrUnknown
	}
	return a, err
}

// Annotators lists the people, without the adjudicator.
func (p *Project) Annotators() ([]Annotator, error) {
	return store.Query(p.s, `SELECT `+annotatorColumns+` FROM annotators WHERE id > 0 ORDER BY id`, nil, annotatorFields)
}

// MostTries is how often the comprehension check may fail.
const MostTries = 2

// Comprehension records the result of the comprehension check.
func (p *Project) Comprehension(annotator int64, passed bool) error {
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE annotators SET passed = passed OR ?, tries = tries + (NOT ?) WHERE id = ? AND tries < ?`, passed, passed, annotator, MostTries)
		return err
	})
}

// Item reads an item.
func (p *Project) Item(id int64) (Item, error) {
	if it, ok := p.cache.Load(id); ok {
		return it.(Item), nil
	}
	it, content, expected := Item{ID: id}, "", ""
	err := p.s.Db.QueryRow(`SELECT kind, source, row, cluster, content, role, expected FROM items WHERE id = ?`, id).
		Scan(&it.Kind, &it.Source, &it.Row, &it.Cluster, &content, &it.Role, &expected)
	if err == nil {
		err = json.Unmarshal([]byte(content), &it.Content)
	}
	if err == nil && expected != "" {
		err = json.Unmarshal([]byte(expected), &it.Expected)
	}
	if err == nil {
		p.cache.Store(id, it)
	}
	return it, err
}
