package dataset

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"compqa/data"
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

// claims adds the labels of claims to their answers.
func (r *Reader) claims() error {
	return r.Each(`SELECT answer, judge, status, reason, labels FROM labels WHERE kind = 'claims' ORDER BY answer, judge`, nil,
		func(rows *sql.Rows) error {
			var answer string
			var labels []byte
			var of AnswerClaims
			if err := rows.Scan(&answer, &of.Judge, &of.Status, &of.Reason, &labels); err != nil {
				return err
			}
			at, ok := r.answerAt[answer]
			if !ok {
				return nil
			}
			of.Judge = r.intern(of.Judge)
			if of.Status == data.Valid {
				var c data.Claims
				if err := json.Unmarshal(labels, &c); err != nil {
					return fmt.Errorf("the claims of answer %s by %s: %w", answer, of.Judge, err)
				}
				of.Supported, of.Contradicted, of.Unsupported = c.Count()
				of.ChoiceAgrees, of.Flagged = c.ChoiceAgrees, c.Flagged()
			}
			r.Run.Answers[at].Claims = append(r.Run.Answers[at].Claims, of)
			return nil
		})
}
