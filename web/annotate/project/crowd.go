package project

import (
	"crypto/rand"
	"crypto/subtle"
	"database/sql"
	"errors"
	"regexp"

	"compqa/results/store"
)

// The outcomes for which a platform can have a code of its own, beside that of people who finish.
const (
	NoConsent = "no-consent"
	Failed    = "failed" // the check of the guidelines
	Full      = "full"   // enough people came before
	TooFew    = "few"    // most items were skipped
)

// Outcomes are those that Settings.Codes may have.
var Outcomes = []string{NoConsent, Failed, Full, TooFew}

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

// Arrive makes a session of the person whom a platform sends, and the person at the first arrival. People who were excluded or revoked,
// or who failed the check, free their place. Errors are ErrUnknown (the id is not valid), ErrOut and ErrFull.
func (p *Project) Arrive(external, submission string) (session string, err error) {
	if !validExternal.MatchString(external) || submission != "" && !validExternal.MatchString(submission) {
		return "", ErrUnknown
	}
	p.assigning.Lock()
	defer p.assigning.Unlock()
	byID := func() (Annotator, bool, error) {
		return store.First[Annotator](p.s, `SELECT `+store.Columns[Annotator]()+` FROM annotators n WHERE external = ?`, external)
	}
	a, known, err := byID()
	if err != nil {
		return "", err
	}
	if !known {
		free, err := first[bool](p, `SELECT (SELECT count(*) FROM annotators n WHERE external <> '' AND `+takesPart+`
			AND (passed OR tries < ?)) < most FROM project`, MostTries)
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
			a, _, err = byID()
		}
		if err != nil {
			return "", err
		}
	}
	if a.Revoked || a.Excluded != "" {
		return "", ErrOut
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

// Declined is how many people came by the study's link and did not consent.
func (p *Project) Declined() (int, error) { return first[int](p, `SELECT count(*) FROM declined`) }

// Skipped reports whether a person skipped more items of the study than they submitted.
func (p *Project) Skipped(a Annotator) (bool, error) {
	return first[bool](p, `SELECT count(CASE WHEN state = 'skip' THEN 1 END) > count(CASE WHEN state = 'submit' THEN 1 END)
		FROM assignments WHERE annotator = ? AND kind IN ('main', 'overlap')`, a.ID)
}
