package project

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"errors"
	"regexp"
	"time"

	"compqa/results/store"
)

// Outcomes of people who do not finish. For each, the study can have a completion code of its own.
const (
	NoConsent   = "no-consent"
	Failed      = "failed"    // failed the check of the guidelines
	Full        = "full"      // came after enough other people
	TooFew      = "few"       // skipped most items
	Inattentive = "attention" // missed attention items
)

// Outcomes are the keys that Settings.Codes may have.
var Outcomes = []string{NoConsent, Failed, Full, TooFew, Inattentive}

// ErrFull says that the maximum number of people has come by the study's link.
var ErrFull = errors.New("the study is full")

var validExternal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// OpenStudy makes the token of a new link to the study, by which at most most people can come. The earlier link ends; sessions begun with
// it continue.
func (p *Project) OpenStudy(most int) (token string, err error) {
	token = rand.Text()
	return token, p.exec(`UPDATE project SET link = ?, most = ?`, hash(token), most)
}

// IsStudy reports whether a token is that of the study's present link.
func (p *Project) IsStudy(token string) (bool, error) {
	link, err := firstRow[string](p, `SELECT link FROM project`)
	return link != "" && subtle.ConstantTimeCompare([]byte(link), []byte(hash(token))) == 1, err
}

// ErrKnown says that a person with this id came before, with another browser or in another submission. Anybody can put an id into an
// address, so the owner decides whether it is the same person (Admit).
var ErrKnown = errors.New("the id came before by another browser or in another session")

// DefaultHold is the default of Settings.Hold: the minutes after which a person who has done nothing loses the place in the study.
const DefaultHold = 60

// holdsPlace returns the SQL condition that an annotator n from a platform holds a place: has an event, or began a session less than Hold
// minutes ago.
func (p *Project) holdsPlace() string {
	hold := time.Duration(cmp.Or(p.Hold, DefaultHold)) * time.Minute
	return `(EXISTS (SELECT 1 FROM events e WHERE e.annotator = n.id)
		OR EXISTS (SELECT 1 FROM sessions s WHERE s.annotator = n.id AND s.started >= '` + utc(p.Now().Add(-hold)) + `'))`
}

// hasFreePlace reports whether the study has a place for a person, given the places that others hold.
func (p *Project) hasFreePlace(person int64) (bool, error) {
	return firstRow[bool](p, `SELECT (SELECT count(*) FROM annotators n WHERE external <> '' AND id <> ? AND `+takesPart+`
		AND n.stopped = '' AND (passed OR tries < ?) AND `+p.holdsPlace()+`) < most FROM project`, person, MostTries)
}

// Place renews the place of a person who lost it by doing nothing. It returns ErrFull if no place is free.
func (p *Project) Place(a Annotator) error {
	if a.External == "" {
		return nil
	}
	p.assigning.Lock()
	defer p.assigning.Unlock()
	held, err := firstRow[bool](p, `SELECT `+p.holdsPlace()+` FROM annotators n WHERE id = ?`, a.ID)
	if err != nil || held {
		return err
	}
	free, err := p.hasFreePlace(a.ID)
	if err != nil {
		return err
	}
	if !free {
		return ErrFull
	}
	return p.exec(`UPDATE sessions SET started = ? WHERE annotator = ?`, utc(p.Now()), a.ID)
}

// Admit starts a session for a browser that the owner has confirmed to be that of the person with an id. It ends the person's earlier
// sessions and records the submission.
func (p *Project) Admit(external, submission string) (session string, err error) {
	p.assigning.Lock()
	defer p.assigning.Unlock()
	a, known, err := p.byExternal(external)
	if err != nil {
		return "", err
	}
	if !known {
		return "", ErrUnknown
	}
	if a.Revoked || a.Excluded != "" {
		return "", ErrOut
	}
	if err := p.exec(`DELETE FROM sessions WHERE annotator = ?`, a.ID); err != nil {
		return "", err
	}
	if err := p.exec(`UPDATE annotators SET submission = ? WHERE id = ?`, submission, a.ID); err != nil {
		return "", err
	}
	return p.begin(a)
}

// byExternal returns the person with an id of the platform. The bool is false if there is none.
func (p *Project) byExternal(external string) (Annotator, bool, error) {
	return store.First[Annotator](p.s, `SELECT `+store.Columns[Annotator]()+` FROM annotators n WHERE external = ?`, external)
}

// Arrive starts a session for a person whom a platform sends, and adds the person at the first arrival. before is the browser's present
// session, or "". A known person can go on only with a session of that person and the same submission.
//
// Errors are ErrUnknown (invalid id), ErrOut (excluded or revoked), ErrFull (no place is free) and ErrKnown (see there). People who were
// excluded, revoked or stopped, failed the check, or have done nothing for too long hold no place.
func (p *Project) Arrive(external, submission, before string) (session string, err error) {
	if !validExternal.MatchString(external) || submission != "" && !validExternal.MatchString(submission) {
		return "", ErrUnknown
	}
	p.assigning.Lock()
	defer p.assigning.Unlock()
	a, known, err := p.byExternal(external)
	if err != nil {
		return "", err
	}
	if !known {
		free, err := p.hasFreePlace(-1)
		if err != nil {
			return "", err
		}
		if !free {
			return "", ErrFull
		}
		alias, err := p.newAlias()
		if err == nil {
			err = p.exec(newPerson, alias, alias, hash(rand.Text()), external, submission, false)
		}
		if err == nil {
			a, _, err = p.byExternal(external)
		}
		if err != nil {
			return "", err
		}
	}
	if a.Revoked || a.Excluded != "" {
		return "", ErrOut
	}
	if known {
		if annotator, err := p.Session(before); err != nil && !errors.Is(err, ErrUnknown) {
			return "", err
		} else if err != nil || annotator.ID != a.ID || a.Submission != submission {
			return "", ErrKnown
		}
	}
	return p.begin(a)
}

// ErrOut says that a person whom a platform sends was excluded or revoked.
var ErrOut = errors.New("the person does not take part any more")

// Decline deletes a person who came by the study's link and does not consent. Only a keyed hash of the platform's id stays, so that a
// person who declines again is counted once.
func (p *Project) Decline(a Annotator) error {
	if a.External == "" || a.Consented != "" {
		return nil
	}
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM sessions WHERE annotator = ?`, a.ID)
		if err == nil { // there are answers if the study asked for no consent at first
			_, err = tx.Exec(`DELETE FROM replies WHERE annotator = ?1 AND NOT EXISTS (SELECT 1 FROM assignments WHERE annotator = ?1)`, a.ID)
		}
		if err == nil {
			_, err = tx.Exec(`DELETE FROM annotators WHERE id = ? AND NOT EXISTS (SELECT 1 FROM assignments WHERE annotator = id)`, a.ID)
		}
		if err == nil {
			_, err = tx.Exec(`INSERT INTO declined VALUES (?) ON CONFLICT DO NOTHING`, p.Keyed("declined/"+a.External))
		}
		return err
	})
}

// Declined returns how many people came by the study's link and did not consent.
func (p *Project) Declined() (int, error) { return firstRow[int](p, `SELECT count(*) FROM declined`) }

// Skipped reports whether a person has skipped more study items than submitted.
func (p *Project) Skipped(a Annotator) (bool, error) {
	return firstRow[bool](p, `SELECT count(CASE WHEN state = 'skip' THEN 1 END) > count(CASE WHEN state = 'submit' THEN 1 END)
		FROM assignments WHERE annotator = ? AND kind IN ('main', 'overlap')`, a.ID)
}
