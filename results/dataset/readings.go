package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// ShowsArguments is, for each scenario with a recorded template, whether it shows the question's arguments.
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

// labels adds the labels of claims, and those of planned tables, to their answers.
func (r *reader) labels() error {
	type row struct {
		Answer, Judge, Kind string
		Status              data.Status
		Reason              string
		Labels              string // JSON
	}
	return store.EachOf(r.Store, store.KindLabel, func(l row) error {
		a := r.answer(l.Answer)
		if a == nil {
			return nil
		}
		var claims data.Claims
		labels := SummaryLabels{Judge: r.intern(l.Judge), Kind: r.intern(l.Kind), Status: l.Status, Reason: l.Reason}
		into := any(&claims)
		if l.Kind != data.LabelClaims {
			if a.Summary == nil {
				a.Summary = &Summary{}
			}
			into = &labels.Labels
			if !r.planned[store.CellKey{Kind: l.Kind, Judge: l.Judge, System: a.System, Scenario: a.Scenario}] {
				return nil
			}
		}
		if l.Status == data.Valid {
			if err := json.Unmarshal([]byte(l.Labels), into); err != nil {
				return fmt.Errorf("the labels (%s) of answer %s by %s: %w", l.Kind, l.Answer, l.Judge, err)
			}
		}
		if l.Kind != data.LabelClaims {
			a.Summary.Labels = append(a.Summary.Labels, labels)
			return nil
		}
		c := AnswerClaims{Judge: labels.Judge, Status: labels.Status, Reason: labels.Reason, ChoiceAgrees: claims.ChoiceAgrees,
			Flagged: claims.Flagged()}
		c.Supported, c.Contradicted, c.Unsupported = claims.Count()
		a.Claims = append(a.Claims, c)
		return nil
	})
}
