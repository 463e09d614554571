package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// ShowsArguments is, for each scenario with a recorded template, whether it shows the
// question's arguments.
func (run *Run) ShowsArguments() map[string]bool {
	shows := map[string]bool{}
	for _, p := range run.Made {
		for id, text := range p.TemplateTexts() {
			shows[id] = strings.Contains(text, ".Arguments")
		}
	}
	return shows
}

// An AnswerClaims is the number of an answer's claims that a judge found to be supported,
// contradicted and not in the arguments of the question (see data.Claims).
type AnswerClaims struct {
	Judge                                string
	Status                               data.Status
	Reason                               string // of a status that is not valid
	Supported, Contradicted, Unsupported int
	ChoiceAgrees                         *bool
	Flagged                              bool
}

// A labelRow is recorded labels.
type labelRow struct {
	Answer, Judge, Kind string
	Status              data.Status
	Reason              string
	Labels              string // JSON
}

// decode decodes valid labels.
func (l labelRow) decode(to any) error {
	if l.Status != data.Valid {
		return nil
	}
	if err := json.Unmarshal([]byte(l.Labels), to); err != nil {
		return fmt.Errorf("the labels (%s) of answer %s by %s: %w", l.Kind, l.Answer, l.Judge, err)
	}
	return nil
}

// claims adds the labels of claims to their answers.
func (r *reader) claims() error {
	return store.Each(r.Store, `FROM labels WHERE kind = 'claims' ORDER BY answer, judge`, nil, func(l labelRow) error {
		a := r.answer(l.Answer)
		if a == nil {
			return nil
		}
		of := AnswerClaims{Judge: r.intern(l.Judge), Status: l.Status, Reason: l.Reason}
		var c data.Claims
		if err := l.decode(&c); err != nil {
			return err
		}
		if l.Status == data.Valid {
			of.Supported, of.Contradicted, of.Unsupported = c.Count()
			of.ChoiceAgrees, of.Flagged = c.ChoiceAgrees, c.Flagged()
		}
		a.Claims = append(a.Claims, of)
		return nil
	})
}
