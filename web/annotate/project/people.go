package project

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"compqa/results/store"
)

// Adjudicated is the name under which the owner decides.
const Adjudicated = "adjudicated"

// MostTries is how often the comprehension check may fail.
const MostTries = 2

const (
	sessionAge   = 30 * 24 * time.Hour
	mostSessions = 5 // browsers of a person at a time; the oldest session ends when there are more
)

// An Annotator is a person. The one with the id 0 is the owner.
type Annotator struct {
	ID              int64
	Name            string
	Seed            int64
	Tries           int
	Consented       string // when; "": not yet
	Passed, Revoked bool
}

const annotatorColumns = `annotators.id, name, seed, tries, consented, passed, revoked`

func annotatorFields(a *Annotator) []any {
	return []any{&a.ID, &a.Name, &a.Seed, &a.Tries, &a.Consented, &a.Passed, &a.Revoked}
}

var validName = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// ErrUnknown says that a token, session, person or item is not known, or was revoked.
var ErrUnknown = errors.New("not known")

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
		_, err := tx.Exec(`INSERT INTO annotators (name, token_hash, seed, tries, passed, consented, revoked)
			SELECT ?, ?, max(id) + 1, 0, 0, '', 0 FROM annotators WHERE true
			ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, revoked = 0, tries = 0`, name, hash(token))
		return err
	})
	return token, err
}

// Revoke ends a person's link and sessions. The work stays.
func (p *Project) Revoke(name string) error { return p.change(name, `revoked = 1`, true) }

// Readmit lets a person who failed the comprehension check try it again, with the same link.
func (p *Project) Readmit(name string) error { return p.change(name, `tries = 0`, false) }

func (p *Project) change(name, set string, end bool) error {
	return p.write(func(tx *sql.Tx) error {
		r, err := tx.Exec(`UPDATE annotators SET `+set+` WHERE name = ? AND id > 0`, name)
		if err != nil {
			return err
		}
		if n, _ := r.RowsAffected(); n == 0 {
			return fmt.Errorf("annotator %q: %w", name, ErrUnknown)
		}
		if end {
			_, err = tx.Exec(`DELETE FROM sessions WHERE annotator = (SELECT id FROM annotators WHERE name = ?)`, name)
		}
		return err
	})
}

// Known reports whether an invitation's token is valid.
func (p *Project) Known(token string) bool {
	_, err := p.person(`FROM annotators WHERE token_hash = ? AND NOT revoked`, hash(token))
	return err == nil
}

// Start exchanges an invitation's token for a session. It lasts 30 days. A person has at most five; the
// oldest end.
func (p *Project) Start(token string) (session string, err error) {
	a, err := p.person(`FROM annotators WHERE token_hash = ? AND NOT revoked`, hash(token))
	if err != nil {
		return "", err
	}
	session = rand.Text()
	return session, p.write(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO sessions (hash, annotator, started) VALUES (?, ?, ?)`, hash(session), a.ID, p.at(p.Now())); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM sessions WHERE started < ? OR annotator = ? AND id NOT IN
			(SELECT id FROM sessions WHERE annotator = ? ORDER BY id DESC LIMIT ?)`, p.at(p.Now().Add(-sessionAge)), a.ID, a.ID, mostSessions)
		return err
	})
}

// at is a time as it is recorded: of fixed width, so that texts sort as times.
func (p *Project) at(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// End ends a session.
func (p *Project) End(session string) error {
	return p.exec(`DELETE FROM sessions WHERE hash = ?`, hash(session))
}

// Session is the person of a session.
func (p *Project) Session(session string) (Annotator, error) {
	return p.person(`FROM sessions JOIN annotators ON annotators.id = annotator WHERE hash = ? AND NOT revoked AND started >= ?`,
		hash(session), p.at(p.Now().Add(-sessionAge)))
}

func (p *Project) person(from string, args ...any) (a Annotator, err error) {
	err = p.s.Db.QueryRow(`SELECT `+annotatorColumns+` `+from, args...).Scan(annotatorFields(&a)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrUnknown
	}
	return a, err
}

// Annotators lists the people, without the owner.
func (p *Project) Annotators() ([]Annotator, error) {
	return store.Query(p.s, `SELECT `+annotatorColumns+` FROM annotators WHERE id > 0 ORDER BY id`, nil, annotatorFields)
}

// Agree records that a person consents to take part.
func (p *Project) Agree(annotator int64) error {
	return p.exec(`UPDATE annotators SET consented = ? WHERE id = ? AND consented = ''`, p.at(p.Now()), annotator)
}

// Comprehension records the result of the comprehension check.
func (p *Project) Comprehension(annotator int64, passed bool) error {
	return p.exec(`UPDATE annotators SET passed = passed OR ?, tries = tries + (NOT ?) WHERE id = ? AND tries < ?`, passed,
		passed, annotator, MostTries)
}
