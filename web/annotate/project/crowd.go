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

// The outcomes for which a platform can have a code of its own, next to that of people who finish.
const (
	NoConsent   = "no-consent"
	Failed      = "failed"    // the check of the guidelines
	Full        = "full"      // enough people came before
	TooFew      = "few"       // most items were skipped
	Inattentive = "attention" // attention items were missed
)

// Outcomes are those that Settings.Codes may have.
var Outcomes = []string{NoConsent, Failed, Full, TooFew, Inattentive}

// ErrFull says that as many people as wanted came by the study's link.
var ErrFull = errors.New("the study is full")

var validExternal = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// OpenStudy makes the token of a link by which up to most people come; the link before ends. Their sessions stay.
func (p *Project) OpenStudy(most int) (token string, err error) {
	token = rand.Text()
	return token, p.exec(`UPDATE project SET link = ?, most = ?`, hash(token), most)
}

// IsStudy reports whether a token is that of the study's link.
func (p *Project) IsStudy(token string) (bool, error) {
	link, err := first[string](p, `SELECT link FROM project`)
	return link != "" && subtle.ConstantTimeCompare([]byte(link), []byte(hash(token))) == 1, err
}

// ErrKnown says that a person with this id came before, by another browser or in another submission of the platform. An id in an
// address proves nothing, so the owner decides who it is (Admit).
var ErrKnown = errors.New("the id came before by another browser or in another session")

// DefaultHold is after how many minutes the place of a person who gave nothing is given back, where the study does not say.
const DefaultHold = 60

// holdsPlace returns the condition on an annotator n who came by the study's link: the person gave something, or came lately.
func (p *Project) holdsPlace() string {
	hold := time.Duration(cmp.Or(p.Hold, DefaultHold)) * time.Minute
	return `(EXISTS (SELECT 1 FROM events e WHERE e.annotator = n.id)
		OR EXISTS (SELECT 1 FROM sessions s WHERE s.annotator = n.id AND s.started >= '` + utc(p.Now().Add(-hold)) + `'))`
}

// free reports whether the study has a place next to those of others than a person.
func (p *Project) free(person int64) (bool, error) {
	return first[bool](p, `SELECT (SELECT count(*) FROM annotators n WHERE external <> '' AND id <> ? AND `+takesPart+`
		AND n.stopped = '' AND (passed OR tries < ?) AND `+p.holdsPlace()+`) < most FROM project`, person, MostTries)
}

// Place returns ErrFull if the place of a person was given back, because nothing came, and others have it now. If there is one, it is held
// again.
func (p *Project) Place(a Annotator) error {
	if a.External == "" {
		return nil
	}
	p.assigning.Lock()
	defer p.assigning.Unlock()
	held, err := first[bool](p, `SELECT `+p.holdsPlace()+` FROM annotators n WHERE id = ?`, a.ID)
	if err != nil || held {
		return err
	}
	free, err := p.free(a.ID)
	if err != nil {
		return err
	}
	if !free {
		return ErrFull
	}
	return p.exec(`UPDATE sessions SET started = ? WHERE annotator = ?`, utc(p.Now()), a.ID)
}

// Admit is the owner's word that a browser is that of the person with an id: earlier sessions end, and the submission is the one given.
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

func (p *Project) byExternal(external string) (Annotator, bool, error) {
	return store.First[Annotator](p.s, `SELECT `+store.Columns[Annotator]()+` FROM annotators n WHERE external = ?`, external)
}

// Arrive makes a session of the person whom a platform sends, and the person at the first arrival. before is the session that the
// browser has; "": none. A person who came before goes on with such a session and the same submission alone. People who were excluded or
// revoked, who failed the check, or who gave nothing for too long free their place. Errors are ErrUnknown (the id is not valid), ErrOut,
// ErrFull and ErrKnown.
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
		free, err := p.free(-1)
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

// ErrOut says that a person whom a platform sends was excluded from the study, or revoked.
var ErrOut = errors.New("the person does not take part any more")

// Decline deletes a person who came by the study's link and does not consent. Only a code of the platform's id is kept, by which who
// comes again is counted once.
func (p *Project) Decline(a Annotator) error {
	if a.External == "" || a.Consented != "" {
		return nil
	}
	return p.write(func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM sessions WHERE annotator = ?`, a.ID)
		if err == nil { // a study that asked for no consent when the person came has answers
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
func (p *Project) Declined() (int, error) { return first[int](p, `SELECT count(*) FROM declined`) }

// Skipped reports whether a person skipped more items of the study than they submitted.
func (p *Project) Skipped(a Annotator) (bool, error) {
	return first[bool](p, `SELECT count(CASE WHEN state = 'skip' THEN 1 END) > count(CASE WHEN state = 'submit' THEN 1 END)
		FROM assignments WHERE annotator = ? AND kind IN ('main', 'overlap')`, a.ID)
}
