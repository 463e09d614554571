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
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"compqa/data"
	"compqa/results/store"
	"compqa/rubric"
	"compqa/stats"
)

// FileName is the file's name inside a run's folder.
const FileName = "annotation.db"

const (
	formatVersion = 10
	applicationID = 0x63717068 // "cqph"
)

//go:embed schema.sql
var schema string

// Settings are set by `annotate init`. Change can later change the texts, add items, and raise the number of people per item.
type Settings struct {
	Seed      uint64        `json:"seed"`
	Secret    string        `json:"secret"`
	Kind      string        `json:"kind"` // kind of all items
	Rubric    rubric.Rubric `json:"rubric"`
	Relevance bool          `json:"relevance,omitempty"` // people also mark rows of tables as relevant or not
	Pairs     Comparison    `json:"pairs,omitzero"`      // what people say about a pair
	Reason    bool          `json:"reason,omitempty"`    // a sheet needs a reason
	Several   []string      `json:"several,omitempty"`   // criteria for which more than one option may be right

	People int `json:"people"` // number of people who judge an overlap item
	Checks
	Third   float64  `json:"third,omitempty"`   // difference of two totals, in points, from which a third person is asked; 0: never
	Each    int      `json:"each,omitempty"`    // maximum number of items of a person, without checks; 0: no limit
	Ordered bool     `json:"ordered,omitempty"` // items come in the order of the file
	Mask    bool     `json:"mask,omitempty"`    // names of models in answers are masked
	Masked  []string `json:"masked,omitempty"`  // names to mask besides those that the program knows
	Width   float64  `json:"width"`             // width of alpha's interval that the owner wants

	Chosen string `json:"chosen,omitempty"` // how the first items were chosen, in words
	Source string `json:"source,omitempty"` // the file of the items; "": they are from the run. Never published

	Hold int `json:"hold,omitempty"` // minutes after which a person who did nothing loses the place; 0: DefaultHold

	Language string `json:"language,omitempty"` // one of Languages; "": English
	Words    Words  `json:"words,omitempty"`    // texts from the owner's file, instead of a language

	Title    string            `json:"title,omitempty"`
	Contact  string            `json:"contact,omitempty"`  // how people reach the owner
	AtOnce   bool              `json:"at_once,omitempty"`  // making the last choice by key submits the sheet
	Examples bool              `json:"examples,omitempty"` // some items have the role Example
	Code     string            `json:"code,omitempty"`     // completion code, or an https address to return to
	Codes    map[string]string `json:"codes,omitempty"`    // codes for people who do not finish, by outcome

	NoCheck bool              `json:"no_check,omitempty"` // the guidelines are not checked
	Fixed   map[string]string `json:"fixed,omitempty"`    // values in study.yaml that cannot change later, by key

	Texts `json:"-"` // texts of the last version
}

// Checks are the numbers of items by which each person is checked for attention. They are placed evenly among the other items.
type Checks struct {
	Gold      int `json:"gold"`      // items with known sheets
	Repeats   int `json:"repeats"`   // items that are shown again
	Attention int `json:"attention"` // items that say what to choose, or ask for a word
}

// A Project is an open annotation.db.
type Project struct {
	Settings
	s         *store.Store
	mu        sync.Mutex // held while writing; a second writer would wait inside SQLite
	Now       func() time.Time
	assigning sync.Mutex // so that an item that needs one sheet is not given to two people at once
	Items     []Item     // sorted by id, from 1; the content of an item never changes
	Versions  []Version  // from version 1

	fieldsOnce sync.Once
	fields     []Field // the fields of the rubric
}

// Create creates annotation.db in dir. It replaces a study to which nobody was invited, and returns an error for any other existing study.
func Create(dir string, set Settings, items []Item) (replaced bool, err error) {
	path := filepath.Join(dir, FileName)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, fmt.Errorf("creating %s: %w", dir, err)
	}
	if _, err := os.Stat(path); err == nil {
		unlock, err := Lock(dir)
		if err != nil {
			return false, err
		}
		defer unlock()
		if err := unused(dir); err != nil {
			return false, err
		}
		replaced = true
	}
	temporary := path + ".new"
	if err := os.Remove(temporary); err != nil && !errors.Is(err, os.ErrNotExist) {
		return false, err
	}
	s, err := store.Connect(temporary, url.Values{"_pragma": {"synchronous(FULL)"}})
	if err != nil {
		return false, err
	}
	set.Secret = rand.Text()
	set.Examples = slices.ContainsFunc(items, func(it Item) bool { return it.Role == Example })
	if err := fill(s, set, items); err != nil {
		s.Close()
		return false, store.WrapDBError("creating", path, err)
	}
	if err := s.Close(); err != nil {
		return false, err
	}
	return replaced, os.Rename(temporary, path)
}

// unused returns an error if people were invited to the study in dir, or it has sheets.
func unused(dir string) error {
	p, err := Open(dir)
	if err != nil {
		return err
	}
	defer p.Close()
	used, err := firstRow[struct{ People, Sheets int }](p, `SELECT (SELECT count(*) FROM annotators WHERE id > 0)
		+ (SELECT count(*) FROM forgotten) + (SELECT link <> '' FROM project), (SELECT count(DISTINCT item) FROM events)`)
	if err == nil && used.People+used.Sheets > 0 {
		err = fmt.Errorf("%s is a study to which people were invited, with %s begun, and is never overwritten: use another folder, "+
			"or `compqa annotate change`", filepath.Join(dir, FileName), data.Plural(used.Sheets, "sheet", "sheets"))
	}
	return err
}

// fill writes the schema, the settings, the first version of the texts, the owner (annotator 0) and the items.
func fill(s *store.Store, set Settings, items []Item) error {
	tx, err := s.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	exec := func(statement string, args ...any) {
		if err == nil {
			_, err = tx.Exec(statement, args...)
		}
	}
	text := func(value any) string {
		text, fault := json.Marshal(value)
		if err == nil {
			err = fault
		}
		return string(text)
	}
	exec(schema)
	exec(fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", formatVersion, applicationID))
	exec(`INSERT INTO project VALUES (1, ?, '', 0, '', 0)`, text(set))
	exec(`INSERT INTO versions VALUES (1, ?, 'the study was made', ?)`, utc(time.Now()), text(set.Texts))
	exec(`INSERT INTO annotators VALUES (0, ?, ?, ?, 0, 0, 1, '', 1, 1, 0, '', '', '', '', '', 0, 0, '', '')`, Adjudicated, Adjudicated,
		hash(rand.Text()))
	if err != nil {
		return err
	}
	if err := insertItems(tx, items); err != nil {
		return err
	}
	return tx.Commit()
}

func insertItems(tx *sql.Tx, items []Item) error {
	for _, it := range items {
		content, err := json.Marshal(it.Content)
		expected := []byte{}
		if err == nil && it.Expected != nil {
			expected, err = json.Marshal(it.Expected)
		}
		if err == nil {
			_, err = tx.Exec(`INSERT INTO items (kind, source, cluster, content, hash, role, shown, expected) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
				it.Kind, it.Source, it.Cluster, string(content), hash(string(content)), it.Role, it.Shown, string(expected))
		}
		if err != nil {
			return fmt.Errorf("item %s: %w", it.Source, err)
		}
	}
	return nil
}

// Open opens the study in a folder. The error wraps os.ErrNotExist where the folder has no study.
func Open(dir string) (*Project, error) {
	path := filepath.Join(dir, FileName)
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("%s: %w; `compqa annotate init %s` creates it", path, os.ErrNotExist, dir)
	}
	s, err := store.Connect(path, url.Values{"_txlock": {"immediate"},
		"_pragma": {"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(1)"}})
	if err != nil {
		return nil, err
	}
	p := &Project{s: s, Now: time.Now}
	if err := p.load(); err != nil {
		s.Close()
		return nil, store.WrapDBError("opening", path, err)
	}
	return p, nil
}

// load checks the format and tables of a project, and reads it.
func (p *Project) load() error {
	format, err := firstRow[struct{ Version, Application int }](p, `SELECT * FROM pragma_user_version, pragma_application_id`)
	switch {
	case err != nil:
	case format.Application != applicationID:
		err = errors.New("this is a database of another program, not a study of compqa annotate")
	case format.Version != formatVersion:
		older := "a newer"
		if format.Version < formatVersion {
			older = "an older"
		}
		err = fmt.Errorf("%s compqa made this study: it has format %d, and this compqa reads format %d. Nothing in it is changed: "+
			"go on with the compqa that made it, or export there (annotate export) and import the sheets here (import --verdicts)",
			older, format.Version, formatVersion)
	}
	if err == nil {
		err = p.s.CheckSchema(schema)
	}
	if err != nil {
		return err
	}
	return p.readState()
}

// readState reads the settings, the versions and the items.
func (p *Project) readState() error {
	settings, err := firstRow[string](p, `SELECT settings FROM project`)
	if err == nil {
		err = json.Unmarshal([]byte(settings), &p.Settings)
	}
	if err == nil {
		p.Versions, err = store.Select[Version](p.s, `SELECT `+store.Columns[Version]()+` FROM versions ORDER BY version`)
	}
	if err == nil {
		p.Texts = p.Versions[len(p.Versions)-1].Texts
		p.Items, err = store.Select[Item](p.s, `SELECT `+store.Columns[Item]()+` FROM items ORDER BY id`)
	}
	for _, it := range p.Items {
		if err == nil {
			err = checkKind(it.Kind)
		}
	}
	return err
}

// checkKind returns an error for an unknown kind of items.
func checkKind(kind string) error {
	if slices.Contains(Kinds, kind) {
		return nil
	}
	return fmt.Errorf("an item has the kind %q; this compqa knows %s: go on with the compqa that made the study", data.Clip(kind),
		strings.Join(Kinds, ", "))
}

// Close closes the project.
func (p *Project) Close() error { return p.s.Close() }

// Lock makes this process the only one that serves the project in dir, or returns an error.
func Lock(dir string) (unlock func(), err error) {
	l, holder, err := store.LockFile(filepath.Join(dir, "annotation.lock"))
	if err != nil {
		return nil, err
	}
	if l == nil {
		return nil, fmt.Errorf("the annotation project in %s is already served (%s); stop that server first", dir, holder)
	}
	return l.Release, nil
}

// write runs do in a transaction. Only one transaction runs at a time.
func (p *Project) write(do func(tx *sql.Tx) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	tx, err := p.s.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := do(tx); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE project SET changes = changes + 1`); err != nil {
		return err
	}
	return tx.Commit()
}

// checkpoint moves committed data from SQLite's log to annotation.db, so that a copy of this file alone is complete. If a reader blocks it
// longer than the busy timeout, the checkpoint after the next transaction does it.
func (p *Project) checkpoint() error { return p.s.Run(`PRAGMA wal_checkpoint(FULL)`) }

// exec runs one statement as a transaction.
func (p *Project) exec(statement string, args ...any) error {
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(statement, args...)
		return err
	})
}

// Changes returns a number that grows with every transaction.
func (p *Project) Changes() (int64, error) { return firstRow[int64](p, `SELECT changes FROM project`) }

// Address returns the address at which annotators reach the server, or "" if no server has served the project yet.
func (p *Project) Address() (string, error) {
	return firstRow[string](p, `SELECT address FROM project`)
}

// SetAddress records the address at which annotators reach the server.
func (p *Project) SetAddress(address string) error {
	return p.exec(`UPDATE project SET address = ?`, address)
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// random returns a random number generator for a purpose. It is seeded with the project's secret, so nobody can predict it from the source
// code.
func (p *Project) random(name string, numbers ...uint64) *stats.RNG {
	secret := sha256.Sum256([]byte(p.Secret))
	return stats.NewRNG(p.Seed^binary.BigEndian.Uint64(secret[:]), name, numbers...)
}

// blind returns the id of an item for one person, which reveals nothing. Two people cannot tell that they have the same item, and nobody
// can tell that an item is repeated.
func (p *Project) blind(annotator, item int64, kind string) string {
	return p.Keyed(fmt.Sprintf("%d/%d/%s", annotator, item, kind))
}

// Dir returns the folder of the study.
func (p *Project) Dir() string { return filepath.Dir(p.s.Path) }

// Keyed returns a hash of a text that cannot be computed without the project's secret.
func (p *Project) Keyed(text string) string {
	mac := hmac.New(sha256.New, []byte(p.Secret))
	mac.Write([]byte(text))
	return fmt.Sprintf("%x", mac.Sum(nil))[:24]
}
