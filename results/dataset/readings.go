package dataset

import (
	"encoding/json"
	"fmt"
	"strings"

	"compqa/data"
	"compqa/results/store"
)

// ShowsArguments reports, by scenario with a recorded template, whether the template shows the question's arguments.
func (run *Run) ShowsArguments() map[string]bool {
	shows := map[string]bool{}
	for _, p := range run.Made {
		for id, text := range p.TemplateTexts() {
			shows[id] = strings.Contains(text, ".Arguments")
		}
	}
	return shows
}

// AnswerClaims counts an answer's claims, as a judge labelled them: supported by the arguments of the question, contradicted by them, or
// not in them (see data.Claims).
type AnswerClaims struct {
	Judge                                string
	Status                               data.Status
	Reason                               string // why the status is not valid
	Supported, Contradicted, Unsupported int
	ChoiceAgrees                         *bool
	Flagged                              bool
}

// labels adds the recorded labels of claims and tables to their answers. Labels of tables count only if they are planned.
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
