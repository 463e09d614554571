package project

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"time"
	"unicode/utf8"

	"compqa/data"
	"compqa/results/store"
	"compqa/web/shell"
)

const (
	Adjudicated  = "adjudicated" // the name of the owner's decisions
	MostTries    = 2             // number of attempts at the check of the guidelines
	mostSessions = 5             // maximum number of sessions of a person; a further one ends the oldest
)

// An Annotator is a person. The one with the id 0 is the owner.
type Annotator struct {
	ID              int64
	Name            string // only the owner sees it
	Alias           string // everybody else sees it: p and a number, unless the owner chose another
	Seed            int64
	Tries           int
	Consented       string // time of the consent; "": not yet
	ConsentVersion  int    // version of the texts to which the person consented
	ReadVersion     int    // version of the texts whose guidelines the person has seen
	Passed, Revoked bool
	Excluded        string // the reason of an exclusion; "": not excluded
	ExcludedAt      string
	ExcludedFrom    string // after an exclusion, sheets from this time on do not count; "": no sheet counts
	External        string // id on the platform that sent the person; "": invited by name
	Submission      string // id of the submission on the platform
	Returns         bool   // the run has earlier work of the person, under the alias
	Planned         int    // number of study items that the person is to get; 0: unknown, before the first item
	Stopped         string // time at which missed attention items stopped the person; "": not stopped
	Finished        string // time at which no item was left; "": not yet, or an item was given since
}

// Published returns the name under which the person appears to everybody but the owner: the alias, or the name if names is true. A person
// with earlier work in the run always has the alias, which is the name there.
func (a Annotator) Published(names bool) string {
	return published(a.Name, a.Alias, names && !a.Returns)
}

func published(name, alias string, named bool) string {
	if named {
		return name
	}
	return alias
}

// takesPart is the SQL condition that an annotator n is neither revoked nor excluded.
const takesPart = `(NOT n.revoked AND n.excluded = '')`

var validName = regexp.MustCompile(`^[\pL\pN][\pL\pN_.-]*$`)

// ErrUnknown says that a token, session, person or item does not exist, or was revoked.
var ErrUnknown = errors.New("not known")

// endSessions is the statement that deletes the sessions of a person.
const endSessions = `DELETE FROM sessions WHERE annotator = (SELECT id FROM annotators WHERE name = ?)`

// Known reports whether a person with this name was invited before.
func (p *Project) Known(name string) (bool, error) {
	return firstRow[bool](p, `SELECT EXISTS (SELECT 1 FROM annotators WHERE name = ?)`, name)
}

// Invite returns the token of a new personal link. For a person who was invited before, the old link and all sessions end, and the check
// of the guidelines starts again.
func (p *Project) Invite(name string) (token string, err error) {
	if err := p.CheckNew(name); err != nil {
		return "", err
	}
	alias, err := p.newAlias()
	if err != nil {
		return "", err
	}
	token = rand.Text()
	return token, p.write(func(tx *sql.Tx) error {
		if _, err := tx.Exec(endSessions, name); err != nil {
			return err
		}
		_, err := tx.Exec(newPerson+` ON CONFLICT (name) DO UPDATE SET token_hash = excluded.token_hash, revoked = 0, tries = 0`,
			name, alias, hash(token), "", "", false)
		return err
	})
}

// newPerson is the statement that adds a person. Arguments: name, alias, hash of the token, platform id, submission, and
// Annotator.Returns.
const newPerson = `INSERT INTO annotators (id, name, alias, token_hash, seed, tries, passed, consented, consent_version, read_version,
		revoked, excluded, excluded_at, excluded_from, external, submission, returns, planned, stopped, finished)
	SELECT n, ?, ?, ?, n, 0, 0, '', v, v, 0, '', '', '', ?, ?, ?, 0, '', ''
	FROM (SELECT max(id) + 1 AS n, (SELECT max(version) FROM versions) AS v
		FROM (SELECT id FROM annotators UNION ALL SELECT annotator FROM forgotten)) WHERE true`

// newAlias returns the first of p1, p2, … that nobody has or had in this study and that has no results in the run.
func (p *Project) newAlias() (string, error) {
	n, err := firstRow[int](p, `SELECT max(id) FROM (SELECT id FROM annotators UNION ALL SELECT annotator FROM forgotten)`)
	for err == nil {
		n++
		alias := fmt.Sprint("p", n)
		var taken bool
		taken, err = firstRow[bool](p, `SELECT EXISTS (SELECT 1 FROM annotators WHERE ?1 IN (name, alias))`, alias)
		if err == nil && !taken {
			taken, err = p.hasResults(alias)
		}
		if err == nil && !taken {
			return alias, nil
		}
	}
	return "", err
}

// checkName returns an error for a name that cannot be part of a judge's name.
func checkName(name string) error {
	if !validName.MatchString(name) || utf8.RuneCountInString(name) > 40 || name == Adjudicated {
		return fmt.Errorf("the name is %q; use up to 40 letters, digits, dots, hyphens and underscores, and not %q", name, Adjudicated)
	}
	return nil
}

// CheckNew returns an error for an invalid name. For a new person, it also refuses a name that is somebody's alias or has results in the
// run.
func (p *Project) CheckNew(name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	known, err := p.Known(name)
	if err != nil || known {
		return err
	}
	other, err := store.Value[string](p.s, `SELECT coalesce(min(name), '') FROM annotators WHERE alias = ?`, name)
	if err == nil && other != "" {
		err = fmt.Errorf("%s is published as %q: use another name, or choose another for %[1]s before (annotate rename)", other, name)
	}
	if err != nil {
		return err
	}
	used, err := p.hasResults(name)
	if used {
		err = fmt.Errorf("the run already has results of %s:%s from another source; if it is the same person, say so (annotate invite %[2]s "+
			"--as %[1]s:%[2]s), else use another name, so that they are not mixed up", data.Human, name)
	}
	return err
}

// hasResults reports whether the run has results of the judge "human:NAME".
func (p *Project) hasResults(name string) (bool, error) {
	run, err := store.Open(filepath.Dir(p.s.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // the items of the study are from no run
	}
	if err != nil {
		return false, err
	}
	defer run.Close()
	return store.Value[bool](run, `SELECT EXISTS (SELECT 1 FROM verdicts WHERE judge = ?1)
		OR EXISTS (SELECT 1 FROM preferences WHERE judge = ?1) OR EXISTS (SELECT 1 FROM labels WHERE judge = ?1)`, data.Human+":"+name)
}

// NameOf returns the name of a person, given the name or the platform's id. It returns any other text unchanged.
func (p *Project) NameOf(person string) (string, error) {
	return firstRow[string](p, `SELECT coalesce(min(name), ?1) FROM annotators WHERE id > 0 AND (name = ?1
		OR external = ?1 AND NOT EXISTS (SELECT 1 FROM annotators WHERE name = ?1))`, person)
}

// Revoke ends a person's link and sessions. The person's sheets stay.
func (p *Project) Revoke(name string) error { return p.change(name, `revoked = 1`) }

// Readmit lets a person continue who failed the check of the guidelines or was stopped for missed attention items. The link stays the
// same.
func (p *Project) Readmit(name string) error {
	revoked, err := store.Value[bool](p.s, `SELECT revoked FROM annotators WHERE name = ?`, name)
	if revoked {
		err = fmt.Errorf("the link of %s is revoked; invite %[1]s again for a new link", name)
	}
	if err != nil {
		return err
	}
	return p.change(name, `tries = 0, stopped = ''`)
}

// change sets columns of a person, and ends the sessions of a revoked person.
func (p *Project) change(name, set string) error {
	return p.write(func(tx *sql.Tx) error {
		r, err := tx.Exec(`UPDATE annotators SET `+set+` WHERE name = ? AND id > 0`, name)
		if err != nil {
			return err
		}
		if n, _ := r.RowsAffected(); n == 0 {
			return fmt.Errorf("annotator %q: %w", name, ErrUnknown)
		}
		_, err = tx.Exec(endSessions+` AND (SELECT revoked FROM annotators WHERE name = ?)`, name, name)
		return err
	})
}

// firstRow returns the first row of a query, or ErrUnknown if there is none.
func firstRow[T any](p *Project, query string, args ...any) (T, error) {
	row, found, err := store.First[T](p.s, query, args...)
	if err == nil && !found {
		err = ErrUnknown
	}
	return row, err
}

// Invited returns the person whose link has a token.
func (p *Project) Invited(token string) (Annotator, error) {
	return firstRow[Annotator](p, `SELECT `+store.Columns[Annotator]()+` FROM annotators n WHERE token_hash = ? AND `+takesPart, hash(token))
}

// Start starts a session, which lasts 30 days, for the person whose link has a token. A sixth session ends the person's oldest one.
func (p *Project) Start(token string) (session string, err error) {
	a, err := p.Invited(token)
	if err != nil {
		return "", err
	}
	return p.begin(a)
}

// begin starts a session for a person.
func (p *Project) begin(a Annotator) (session string, err error) {
	session = rand.Text()
	return session, p.write(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`INSERT INTO sessions (hash, annotator, started) VALUES (?, ?, ?)`, hash(session), a.ID, utc(p.Now())); err != nil {
			return err
		}
		_, err := tx.Exec(`DELETE FROM sessions WHERE started < ? OR annotator = ? AND id NOT IN
			(SELECT id FROM sessions WHERE annotator = ? ORDER BY id DESC LIMIT ?)`, p.oldest(), a.ID, a.ID, mostSessions)
		return err
	})
}

// utc formats a time as it is recorded: in UTC and with fixed width, so that texts sort by time.
func utc(t time.Time) string { return t.UTC().Format(timeFormat) }

const timeFormat = "2006-01-02T15:04:05.000000Z"

// oldest returns the earliest start of a session that has not expired.
func (p *Project) oldest() string { return utc(p.Now().Add(-shell.SessionAge)) }

// End ends a session.
func (p *Project) End(session string) error {
	return p.exec(`DELETE FROM sessions WHERE hash = ?`, hash(session))
}

// Session returns the person of a session, or ErrUnknown.
func (p *Project) Session(session string) (Annotator, error) {
	return firstRow[Annotator](p, `SELECT `+store.Columns[Annotator]()+` FROM annotators n
		WHERE `+takesPart+` AND id = (SELECT annotator FROM sessions WHERE hash = ? AND started >= ?)`,
		hash(session), p.oldest())
}

// Annotators returns all people of the study, in the order in which they were added.
func (p *Project) Annotators() ([]Annotator, error) {
	return store.Select[Annotator](p.s, `SELECT `+store.Columns[Annotator]()+` FROM annotators WHERE id > 0 ORDER BY id`)
}

// Agree records that a person consents to the present version. The person may have declined before.
func (p *Project) Agree(a Annotator) error {
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE annotators SET consented = ?, consent_version = ? WHERE id = ?`, utc(p.Now()), len(p.Versions), a.ID)
		if err == nil {
			_, err = tx.Exec(`DELETE FROM declined WHERE code = ?`, p.Keyed("declined/"+a.External))
		}
		return err
	})
}
